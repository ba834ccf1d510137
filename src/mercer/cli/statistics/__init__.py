"""Commands that test hypotheses."""
