"""Plots of kernels and fitted estimators, as Display classes in scikit-learn's style."""
