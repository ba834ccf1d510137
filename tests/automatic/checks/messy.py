"""A table as people have them: keys, counters, idle texts, a constant, and some features."""

from __future__ import annotations

import numpy as np
import pandas as pd

WORDS = np.array(["please", "call", "back", "again", "about", "the", "order", "last", "week"])


def messy(n_rows: int = 300, seed: int = 0, share: float = 0.13) -> tuple[pd.DataFrame, np.ndarray]:
    """The table and two classes, of which the second one has that share."""
    rng = np.random.default_rng(seed)
    age, income = rng.standard_normal((2, n_rows))
    score = age + 0.7 * income + 1.2 * rng.standard_normal(n_rows)
    y = np.where(score > np.quantile(score, 1 - share), "yes", "no")
    frame = pd.DataFrame(
        {
            "customer_id": 10_000 + rng.permutation(n_rows),
            "token": [f"{at:08x}" for at in rng.integers(0, 2**32, n_rows)],
            "count": np.arange(n_rows),
            "age": (40 + 10 * age).round(),
            "income": (3000 + 500 * income).round(2),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], n_rows),
            "remark": [" ".join(rng.choice(WORDS, 8)) for _ in range(n_rows)],
            "version": "2.1",
        }
    )
    return frame, y
