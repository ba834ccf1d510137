"""The shipped tables hold what their documentation says."""

from __future__ import annotations

import pytest

from mercer import datasets


def test_frames_and_arrays_agree() -> None:
    pandas = pytest.importorskip("pandas")
    for load in (datasets.house_votes, datasets.promoters):
        X, y = load()
        frame, target = load(as_frame=True)
        assert frame.shape == X.shape
        assert (
            frame.fillna("?").to_numpy() == [["?" if v is None else v for v in row] for row in X]
        ).all()
        assert list(target) == list(y)
        assert isinstance(frame, pandas.DataFrame)


def test_promoters_are_half_and_half() -> None:
    X, y = datasets.promoters()
    assert (y == "+").sum() == (y == "-").sum() == 53
    assert set(X.ravel()) == set("acgt")


def test_a_named_folder_that_is_not_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("MERCER_DATA", f"{tmp_path}/nothing")
    assert datasets.data_folder() is None
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    assert str(datasets.data_folder()) == str(tmp_path)
