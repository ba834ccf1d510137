"""Conformal prediction: intervals and sets of labels whose coverage is proven, for any learner."""
