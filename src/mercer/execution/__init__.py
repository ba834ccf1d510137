"""How work is run: threads, BLAS limits, reusable buffers, progress and cancellation."""
