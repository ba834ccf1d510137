"""Give it data, get a valid kernel, a tuned model and an honest error: what the command line does, for programs."""

from mercer.automatic.assessment import Assessment, assess
from mercer.automatic.models import AutoClassifier, AutoRegressor

__all__ = ["Assessment", "AutoClassifier", "AutoRegressor", "assess"]
