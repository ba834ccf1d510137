"""Functions of a Gram matrix that know nothing of models."""
