"""Which kernels are tried on which samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import RBF, Linear, Spectrum, errors
from mercer.automatic.candidates import SCALES, candidates, kind_of, widths

rng = np.random.default_rng(0)
X = rng.standard_normal((50, 3)) * [1.0, 10.0, 100.0]


def test_kinds():
    assert kind_of(["a few words are text", "so is this one here"]) == "texts"
    assert (
        kind_of(["acgt", "ttga"]) == "sequences"
        and kind_of(np.array(["acgt", "ttga"])) == "sequences"
    )
    assert (
        kind_of(sp.csr_array(X)) == "vectors"
        and kind_of(X) == "table"
        and kind_of([[1, 2], [3, 4]]) == "table"
    )
    assert kind_of(pd.DataFrame({"a": ["x"]})) == "table"
    assert kind_of([{"a"}, {"b"}]) == "sets"


def test_tables_are_tried_at_several_widths():
    made = candidates(X, "auto")
    assert len(made) == 2 * len(SCALES)  # each column by its own unit, and all by one
    assert (
        made[0].get_params()["kernel__length_scale"][0]
        > made[1].get_params()["kernel__length_scale"][0]
    )
    words = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", "down")})
    assert len(candidates(words, "auto")) == len(SCALES)


def test_mean_exponents_are_those_of_the_scales():
    for form in (X, sp.csr_array(X)):
        plain = [kernel for kernel in candidates(form, "auto") if isinstance(kernel, RBF)]
        assert len(plain) == len(SCALES)
        for kernel, scale in zip(plain, SCALES, strict=True):
            exponent = -np.log(kernel(X))
            assert exponent.mean() == pytest.approx(1 / scale**2, rel=0.01)


def test_few_letters_are_tried_longer():
    dna = ["".join(rng.choice(list("acgt"), 20)) for _ in range(5)]
    words = ["".join(rng.choice(list("abcdefghij"), 20)) for _ in range(5)]
    assert [repr(k) for k in candidates(words, "auto")[:3]] == [
        repr(Spectrum(length=n).normalize()) for n in (2, 3, 4)
    ]
    tried = [repr(k) for k in candidates(dna, "auto")]
    assert "length=6" in tried[3] and "GappedKmer" in tried[4] and "WeightedDegree" in tried[-1]
    assert not any("WeightedDegree" in repr(k) for k in candidates([*dna, "acg"], "auto"))


def test_widths_of_a_kernel_that_is_given():
    kernel = RBF(length_scale=[1.0, 2.0, 3.0]) + 2.0 * Linear()
    assert [repr(k) for k in widths(kernel)][1] == repr(kernel) and len(widths(kernel)) == 3
    assert widths(Linear())[0].get_params() == {}
    with pytest.raises(errors.ParameterError, match="is not a kernel"):
        candidates(X, lambda x, y: 1.0)
