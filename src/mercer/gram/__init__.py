"""The lazy matrix and the engine that fills its tiles. A kernel is known here only by ``prepare``, ``tile`` and ``diag``."""
