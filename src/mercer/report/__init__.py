"""The report of a study: one HTML file, readable offline, on a phone and on paper."""

from mercer.report.page import write_report

__all__ = ["write_report"]
