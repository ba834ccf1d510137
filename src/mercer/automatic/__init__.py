"""Automatic model selection: a kernel from the data, a tuned model and its cross-validated error.

The command line does the same for files; these are the classes and functions for programs.
"""

from mercer.automatic.assessment import Assessment, assess
from mercer.automatic.checks.counts import describe
from mercer.automatic.explanations import Contribution, column_contributions
from mercer.automatic.models import AutoClassifier, AutoRegressor

__all__ = [
    "Assessment",
    "AutoClassifier",
    "AutoRegressor",
    "Contribution",
    "assess",
    "column_contributions",
    "describe",
]
