"""The figures of a report: each an SVG image with a caption that says what it shows."""

from mercer.report.figures.drawing import Picture, drawn_by, pictures

__all__ = ["Picture", "drawn_by", "pictures"]
