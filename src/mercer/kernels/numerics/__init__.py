"""What is computed of any kernel: gradients, witnesses against it, what rounding leaves of it."""
