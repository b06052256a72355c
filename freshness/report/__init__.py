"""How a run reads: terminal tables, JSON, Markdown, HTML and plots, all from one ``Report``."""

from freshness.report.data import INSTEAD, ModelReport, Report

__all__ = ["INSTEAD", "ModelReport", "Report"]
