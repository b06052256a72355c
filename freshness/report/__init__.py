"""How a run reads: terminal tables, JSON, Markdown, HTML and plots, all from one ``Report``."""

from freshness.report.data import INDICATORS, INSTEAD, SAMPLE, ModelReport, Report

__all__ = ["INDICATORS", "INSTEAD", "SAMPLE", "ModelReport", "Report"]
