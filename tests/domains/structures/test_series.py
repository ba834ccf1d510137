"""What a series may be, and what is refused by name."""

import numpy as np
import pandas as pd
import pytest

from mercer import SVC, GlobalAlignment
from mercer.domains.base import Batch
from mercer.domains.structures.series import Series
from mercer.errors import (
    DomainError,
    EmptyInputError,
    InputTypeError,
    NotFiniteError,
    ShapeError,
    WidthError,
)


def encode(raw, channels=None):
    return Series(channels).encode(Batch(raw))


def lists(samples):
    return [samples.values[a:b].tolist() for a, b in zip(samples.offsets, samples.offsets[1:])]


def test_all_forms_of_a_collection_are_the_same_series():
    a, b = np.arange(6.0).reshape(3, 2), np.arange(4.0).reshape(2, 2)
    expected = [a.tolist(), b.tolist()]
    padded = np.full((2, 3, 2), np.nan)
    padded[0], padded[1, :2] = a, b
    assert lists(encode([a, b])) == expected
    assert lists(encode([a.tolist(), b.tolist()])) == expected
    assert lists(encode(padded, "last")) == expected
    assert lists(encode(padded.transpose(0, 2, 1), "first")) == expected
    assert lists(encode([a.T, b.T], "first")) == expected


def test_rows_of_a_matrix_are_series_of_one_channel():
    rows = np.array([[1.0, 2.0, np.nan], [3.0, 4.0, 5.0]])
    assert lists(encode(rows)) == [[[1.0], [2.0]], [[3.0], [4.0], [5.0]]]
    assert lists(encode([[1, 2], np.array([3, 4, 5])])) == lists(encode(rows))


def test_data_frames():
    pd = pytest.importorskip("pandas")
    one = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4]})
    assert lists(encode([one])) == [[[1.0, 3.0], [2.0, 4.0]]]
    assert lists(encode([pd.Series([1.0, 2.0])])) == [[[1.0], [2.0]]]
    assert lists(encode(pd.DataFrame([[1.0, 2.0], [3.0, np.nan]]))) == [[[1.0], [2.0]], [[3.0]]]


def test_times_are_given_or_divide_the_interval_from_0_to_1():
    assert encode([[5.0, 6.0, 7.0], [1.0]]).times.tolist() == [0.0, 0.5, 1.0, 0.0]
    samples = encode([([0, 2, 5], [1.0, 2.0, np.nan])])
    assert samples.timed and samples.times.tolist() == [0.0, 2.0]


def test_taking_series_takes_their_points():
    samples = encode([[1.0], [2.0, 3.0], [4.0, 5.0, 6.0]])
    taken = samples.take(np.array([2, 0]))
    assert lists(taken) == [[[4.0], [5.0], [6.0]], [[1.0]]]
    assert taken.identities().tolist() == [2, 0]


@pytest.mark.parametrize(
    ("raw", "error", "words"),
    [
        ([[1.0], []], EmptyInputError, r"X\[1\].*empty series"),
        ([[1.0], [np.nan, np.nan]], EmptyInputError, r"X\[1\].*empty series"),
        ([], EmptyInputError, "at least one series"),
        ([[1.0], [1.0, np.nan, 2.0]], NotFiniteError, r"X\[1\], time 1, channel 0 = nan"),
        ([[[1.0, np.inf]]], NotFiniteError, r"X\[0\], time 0, channel 1 = inf"),
        ([[[1.0, 2.0]], [[1.0]]], WidthError, r"X\[1\].*1 channels.*X\[0\], which has 2"),
        ([([0, 2, 2], [1, 2, 3])], DomainError, r"times of X\[0\].*do not increase at point 2"),
        ([([0, 1], [1, 2, 3])], ShapeError, r"times of X\[0\].*each of the 3 points"),
        ([([0, np.nan, 1], [1, 2, 3])], NotFiniteError, r"times of X\[0\], point 1"),
        ([([0, 1], [1, 2]), [1.0, 2.0]], DomainError, r"X\[1\].*no times, unlike X\[0\]"),
        (np.zeros((2, 3, 4)), ShapeError, "channels='first'.*aeon.*channels='last'.*tslearn"),
        (np.zeros((2, 3, 4, 5)), ShapeError, "two or three axes"),
        (np.zeros(5), InputTypeError, r"is one series.*\[X\]"),
        (["abc"], InputTypeError, r"X\[0\].*not a series of numbers"),
        ([[1.0, "a"]], InputTypeError, r"X\[0\].*not a series of numbers"),
        ([np.zeros((1, 2, 3))], ShapeError, r"X\[0\].*\(length, channels\)"),
        ([3.0], ShapeError, r"X\[0\]"),
    ],
)
def test_what_is_no_series_is_refused_by_name(raw, error, words):
    with pytest.raises(error, match=words):
        encode(raw)


def test_new_series_must_fit_those_of_training():
    k = GlobalAlignment()
    with pytest.raises(WidthError, match=r"Y = '2 channels'.*X, which have 1"):
        k([[1.0, 2.0]], [[[1.0, 2.0]]])
    with pytest.raises(DomainError, match="times"):
        k([[1.0, 2.0]], [([0, 1], [1.0, 2.0])])


def test_columns_of_data_frames_are_channels_by_name():
    rng = np.random.default_rng(0)
    frames = [pd.DataFrame(rng.standard_normal((n, 2)), columns=["a", "b"]) for n in (3, 4, 5)]
    turned = [frame[["b", "a"]] for frame in frames]
    kernel = GlobalAlignment([1.0, 3.0])
    K = kernel(frames)
    assert np.array_equal(kernel([frames[0], *turned[1:]]), K)
    assert np.array_equal(kernel(frames, turned), K)
    other = frames[0].rename(columns={"b": "c"})
    with pytest.raises(WidthError, match=r"X\[1\] = \['a', 'c'\] .* the columns \['a', 'b'\]"):
        kernel([frames[0], other])
    model = SVC(kernel=kernel).fit(frames, [0, 1, 0])
    assert np.array_equal(model.decision_function(turned), model.decision_function(frames))
    with pytest.raises(WidthError, match="columns"):
        model.predict([other])
