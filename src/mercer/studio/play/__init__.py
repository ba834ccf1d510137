"""What the playground shows of a kernel and a learner on few samples."""
