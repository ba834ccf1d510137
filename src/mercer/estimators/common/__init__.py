"""The common parts of all estimators: choice of the kernel, checked training data, reports."""
