"""What the tests of clusters send to workers: a module that they can import."""

from __future__ import annotations

import os
import time

import numpy as np

from mercer.errors import NotFiniteError


def gradient(block, u, scale):
    """A small pass: Σ over the rows of a loss, and of its derivatives."""
    # without BLAS, whose bits depend on its threads
    values = np.tanh((block * u).sum(axis=1))
    return float((values**2).sum()), scale * (block * values[:, None]).sum(axis=0)


def slow_gradient(block, u, scale):
    time.sleep(0.15)
    return gradient(block, u, scale)


def failing(block, number):
    if block[0, 0] == number:
        raise NotFiniteError("X[7, 1]", np.nan, "must be finite")
    return block.sum()


def pid(block):
    return os.getpid()


class Stored:
    """A part that is read where it is sent."""

    def __init__(self, seed):
        self.seed = seed

    def load(self):
        return np.random.default_rng(self.seed).standard_normal((200, 6))


class Source:
    """A source with parts, as sources of rows have them, or one that is read in order."""

    def __init__(self, count, parts=True):
        self.count, self.has_parts = count, parts

    def parts(self):
        return [Stored(i) for i in range(self.count)] if self.has_parts else None

    def __iter__(self):
        return (Stored(i).load() for i in range(self.count))
