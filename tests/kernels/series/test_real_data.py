"""GunPoint on its own split, with kernels and penalties chosen on the training series alone."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from mercer import RBF, SVC, GlobalAlignment, Signature
from mercer.datasets import data_folder

DATA = data_folder() or Path("no data folder")
FILES = [DATA / "ucr_gunpoint" / f"GunPoint_{part}.txt" for part in ("TRAIN", "TEST")]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FILES[0].exists(), reason="the data of GunPoint are not here"),
]


def accuracy(kernels, penalties=(1.0, 10.0, 100.0, 1e3, 1e4)):
    (y, X), (z, Y) = ((table[:, 0], table[:, 1:]) for table in map(np.loadtxt, FILES))
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    tried = []
    for kernel in kernels:
        K, L = kernel(X), kernel(Y, X)
        lowest, *_, largest = np.linalg.eigvalsh(K)
        assert lowest >= -1e-10 * largest
        for C in penalties:
            model = SVC(kernel="precomputed", C=C)
            score = cross_val_score(model, K, y, cv=folds).mean()
            tried.append((score, model.fit(K, y).score(L, z)))
    return max(tried, key=lambda pair: pair[0])[1]


def test_global_alignments():
    X = np.loadtxt(FILES[0])[:, 1:]
    median = GlobalAlignment("median").fit(X).length_scale_
    kernels = [GlobalAlignment(share * median) for share in (0.05, 0.1, 0.2, 0.5, 1.0)]
    assert accuracy(kernels) >= 0.97


def test_signatures():
    scales = (0.5, 1.0, 2.0)
    kernels = [Signature(levels, RBF(scale)) for levels in (3, 5) for scale in scales]
    assert accuracy(kernels) >= 0.97
