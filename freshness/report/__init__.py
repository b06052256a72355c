"""How a run reads: terminal tables, JSON, Markdown, HTML and plots, all from one ``Report``."""

from freshness.report.data import ModelReport, Report

__all__ = ["ModelReport", "Report"]
