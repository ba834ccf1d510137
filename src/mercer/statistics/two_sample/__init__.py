"""Whether two samples come from the same distribution."""
