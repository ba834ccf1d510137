"""One thread for BLAS, whatever number it had before, and that number afterwards."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mercer.execution.blas import BLAS, serial_blas


def counts():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_are_limited_and_restored(threads):
    with threadpool_limits(threads, "blas"):
        before = counts()
        with serial_blas():
            assert counts() <= {1}
            with serial_blas():
                assert counts() <= {1}
            assert counts() <= {1}
        assert counts() == before == {threads}
    assert BLAS.count == 0


def test_a_limit_holds_after_a_fit_that_needed_none():
    with threadpool_limits(1, "blas"), serial_blas():
        assert BLAS.limit is None
    with threadpool_limits(2, "blas"):
        with serial_blas():
            assert counts() == {1}
        assert counts() == {2}
