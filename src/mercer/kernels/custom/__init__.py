"""A user's own function of two samples as a kernel."""
