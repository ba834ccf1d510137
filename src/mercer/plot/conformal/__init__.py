"""Pictures of intervals and of sets of labels."""
