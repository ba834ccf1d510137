"""Tests of goodness of fit: whether samples come from a density that is known up to a factor."""
