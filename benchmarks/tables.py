"""mercer's automatic models against gradient boosting and other learners on public tables."""

from __future__ import annotations

from table_data import TABLES, load, split

__all__ = ["TABLES", "load", "split"]
