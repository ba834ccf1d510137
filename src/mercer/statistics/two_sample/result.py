"""The result of a test of two samples, and where the two differ: the witness function."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, raw_length
from mercer.gram.fill import multiply
from mercer.kernels.base import Kernel
from mercer.params import integer
from mercer.statistics.result import TestResult

if TYPE_CHECKING:
    from mercer.statistics.two_sample.columns import ColumnTests

_NAMES = {  # of the statistics
    "quadratic": "MMD², unbiased",
    "aggregated": "aggregated MMD",
    "cross": "MMD², in errors",
    "block": "MMD², in errors",
}


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class MMDResult(TestResult):
    """The result of `mmd_test`: whether two samples come from the same distribution.

    Beside the parameters below it has those of `TestResult`.

    Parameters
    ----------
    method : str
        "quadratic", "aggregated", "cross" or "block".
    n_first, n_second : int
        The rows of the two samples.
    pooled : collection of samples
        The rows of both, the first sample's first.
    shares : ndarray of shape (n_kernels,), or None
        How much each of the aggregated kernels counts in the statistic; they sum to 1.
    paired : bool
        Whether rows are paired.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, mmd_test
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((40, 1)), rng.standard_normal((50, 1)) + 2.0
    >>> result = mmd_test(X, Y, RBF(), random_state=0)
    >>> bool(result.witness([[-1.0]])[0] > 0 > result.witness([[3.0]])[0])
    True
    """

    title: ClassVar[str] = "MMD test"
    hypothesis: ClassVar[str] = "both samples have the same distribution"

    method: str
    n_first: int
    n_second: int
    pooled: RawSamples = dataclasses.field(repr=False)
    shares: np.ndarray | None = dataclasses.field(default=None, repr=False)
    paired: bool = False

    def statistic_name(self) -> str:
        return _NAMES[self.method]

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"method": self.method, "rows": [self.n_first, self.n_second]}
        if self.shares is not None and isinstance(self.kernel, list):
            facts["kernel_that_counts_most"] = str(self.chosen_kernel)
        return facts

    @property
    def chosen_kernel(self) -> Kernel:
        """The kernel of the witness function: of those that were aggregated, the telling one."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        assert isinstance(self.kernel, list) and self.shares is not None
        return self.kernel[int(np.argmax(self.shares))]

    def witness(self, Z: RawSamples) -> np.ndarray:
        """The witness function: mean k(z, x) − mean k(z, y), the difference of the two means.

        It is large where the first sample has more of its mass than the second, negative where it
        has less, and its mean over the first sample less that over the second is MMD², biased.

        Parameters
        ----------
        Z : collection of samples
            Where it is evaluated.

        Returns
        -------
        ndarray of shape (n_samples,)
            Its values.
        """
        left = Batch(self.pooled)
        x = self.chosen_kernel.prepare(left)
        z = self.chosen_kernel.prepare(Batch(Z, like=left))
        return multiply(self.chosen_kernel, z, x, self._weights()[:, None])[:, 0]

    def witness_of_samples(self) -> tuple[np.ndarray, np.ndarray]:
        """The witness function at the rows of the first sample, and at those of the second."""
        samples = self.chosen_kernel.prepare(Batch(self.pooled))
        weights = self._weights()[:, None]
        values = multiply(self.chosen_kernel, samples, samples, weights)[:, 0]
        return values[: self.n_first], values[self.n_first :]

    def _weights(self) -> np.ndarray:
        first = np.full(self.n_first, 1.0 / self.n_first)
        return np.concatenate([first, np.full(self.n_second, -1.0 / self.n_second)])

    def telling_rows(self, count: int = 10) -> tuple[np.ndarray, np.ndarray]:
        """The rows of each sample that are least like the other sample, the first ones most.

        Parameters
        ----------
        count : int, default=10
            How many rows of each.

        Returns
        -------
        tuple of two ndarrays
            Positions in the first sample, of the largest values of the witness function, and in
            the second, of the smallest.
        """
        integer(1).check("count", count)
        first, second = self.witness_of_samples()
        rows = np.argsort(-first, kind="stable"), np.argsort(second, kind="stable")
        return rows[0][:count], rows[1][:count]

    def columns(self, **options: Any) -> ColumnTests:
        """Tests of the columns of two tables, one by one: `column_tests` of the same samples."""
        from mercer.domains.base import pick_rows
        from mercer.statistics.two_sample.columns import column_tests

        rows = np.arange(raw_length(self.pooled))
        X = pick_rows(self.pooled, rows[: self.n_first])
        Y = pick_rows(self.pooled, rows[self.n_first :])
        return column_tests(X, Y, paired=self.paired, **options)
