"""Rows held out from a learner, and what models without them say of them."""
