"""A study as one HTML file: no network, no scripts, readable on a phone and on paper."""

from mercer.report.page import write_report

__all__ = ["write_report"]
