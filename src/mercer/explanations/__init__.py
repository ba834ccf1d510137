"""Explanations of predictions by columns, parts of a sample, and training samples."""

from mercer.explanations.explaining import explain
from mercer.explanations.explanation import Explanation
from mercer.explanations.influences import Influence, influence
from mercer.explanations.parts import PartExplanation

__all__ = ["Explanation", "Influence", "PartExplanation", "explain", "influence"]
