"""Articles of Reuters-21578, Distribution 1.0, for examples and benchmarks; for research only."""

from __future__ import annotations

import csv

import numpy as np

from mercer.datasets import data_folder

_FOLDER = data_folder()
FILE = None if _FOLDER is None else _FOLDER / "reuters_crude_grain" / "reuters_crude_grain.csv"


def articles() -> tuple[list[str], np.ndarray]:
    """Articles of the ModApte split, in lower case with single spaces, and their first topics."""
    assert FILE is not None, "the articles were not found: set MERCER_DATA to their folder"
    texts, topics = [], []
    with FILE.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            first = row["topics"].split()[0]
            if (
                row["type"] == "NORM"
                and row["modapte"] in ("train", "test")
                and first in ("crude", "grain")
            ):
                texts.append(" ".join(f"{row['title']} {row['body']}".lower().split()))
                topics.append(first)
    return texts, np.array(topics)
