"""Pictures, as Display classes in scikit-learn's style."""
