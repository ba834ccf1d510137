"""What all estimators share: choice of the kernel, checked training data, reports."""
