"""Numbers as the report and the command line show them."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.report.formatting import metric_text


@pytest.mark.parametrize(
    ("error", "shown"), [(0.0123, "0.400 ± 0.012"), (None, "0.400"), (np.nan, "0.400")]
)
def test_errors_that_are_not_known_are_not_shown(error, shown):
    assert metric_text("logloss", 0.4, error) == shown
