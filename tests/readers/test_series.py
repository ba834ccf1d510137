"""Files of series."""

import gzip
import re
import warnings

import numpy as np
import pytest

from mercer import AutoClassifier, read_series
from mercer.errors import DataWarning, InputError
from mercer.readers import read_source

TS = """# a comment
@problemName Two
@timeStamps false
@univariate false
@classLabel true up down
@data
1.0,2.0,3.0:4.0,5.0,6.0:up
1.0,?:2.0,?:down
"""


def test_a_ts_file(tmp_path):
    (tmp_path / "Two.ts").write_text(TS)
    series, labels = read_series(tmp_path / "Two.ts")
    assert [one.tolist() for one in series] == [[[1, 4], [2, 5], [3, 6]], [[1, 2]]]
    assert labels.tolist() == ["up", "down"]
    source = read_source(tmp_path / "Two.ts")
    assert source.kind == "series"
    assert source.description == "2 series of 1 to 3 points and 2 channels"


def test_targets_and_files_without_labels(tmp_path):
    (tmp_path / "a.ts").write_text("@targetLabel true\n@data\n1,2:0.5\n3,4:1.5\n")
    assert read_series(tmp_path / "a.ts")[1].tolist() == [0.5, 1.5]
    (tmp_path / "b.ts").write_text("@classLabel false\n@data\n1,2\n")
    series, labels = read_series(tmp_path / "b.ts")
    assert labels is None and series[0].tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("name", ["A_TRAIN.tsv", "A_TEST.txt", "A_TRAIN.tsv.gz"])
def test_files_of_ucr(tmp_path, name):
    text = "1.0000e+00\t0.5\t0.7\n-1\t0.1\tNaN\n"
    data = gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
    (tmp_path / name).write_bytes(data)
    series, labels = read_series(tmp_path / name)
    assert [one.ravel().tolist() for one in series] == [[0.5, 0.7], [0.1]]
    assert labels.tolist() == ["1", "-1"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.ts", "@classLabel true a\n@data\n1,2:3:a\n", r"lengths \[2, 1\] in line 3"),
        ("a.ts", "@classLabel true a\n@data\n1,x:a\n", "line 3"),
        ("a.ts", "@targetLabel true\n@data\n1,2:0.5\n1,2:x\n", "not a file of series: line 4"),
        ("a.ts", "@data\n", "holds no series"),
        ("a.ts", "@timeStamps true\n@classLabel true a\n@data\n1,2:a\n", "time stamps"),
        ("a.ts", "@timeStamps true\n@classLabel true a\n@data\n(2007-01-01,2):a\n", "time stamps"),
        ("A_TRAIN.tsv", "1\n", "label without a series in line 1"),
        ("A_TRAIN.tsv", "1\ta\n", "not a file of series: line 1"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=words):
        read_series(tmp_path / name)


def test_labels_that_are_no_whole_numbers_stay_as_they_are(tmp_path):
    (tmp_path / "A_TRAIN.tsv").write_text("NaN\t1\t2\ninf\t1\t2\n1.5\t1\t2\n2.0\t1\t2\n")
    assert read_series(tmp_path / "A_TRAIN.tsv")[1].tolist() == ["NaN", "inf", "1.5", "2"]


def test_other_tables_stay_tables(tmp_path):
    rows = "".join(f"{i}\t{i * i % 7}\n" for i in range(30))
    (tmp_path / "numbers.tsv").write_text("a\tb\n" + rows)
    assert read_source(tmp_path / "numbers.tsv").kind == "table"


def test_series_have_kernels_of_their_own_in_automatic_models():
    rng = np.random.default_rng(0)
    X, y = [], []
    for number in range(30):
        x = 0.2 * rng.standard_normal(int(rng.integers(12, 18)))
        x[4:8] += 1.0 if number % 2 else -1.0
        X.append(x)
        y.append(number % 2)
    model = AutoClassifier().fit(X, y)
    assert "GlobalAlignment" in repr(model.kernel_) or "Signature" in repr(model.kernel_)
    assert model.score(X, y) > 0.9


LARGE = 2**53 + 1


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.ts", f"@classLabel true a\n@data\n1,2:a\n1,{LARGE}:a\n{LARGE},1:a\n", 4),
        ("a.ts", f"@targetLabel true\n@data\n1,2:0.5\n1,2:{LARGE}\n", 4),
        ("A_TRAIN.tsv", f"1\t0.5\t0.7\n1\t{LARGE}\t-{LARGE}\n", 2),
    ],
    ids=["values", "target", "ucr"],
)
def test_digits_that_are_lost(tmp_path, name, text, line):
    (tmp_path / name).write_text(text)
    words = rf"{name}, line {line} = '{LARGE}' is a whole number beyond 2.53"
    for read in (read_series, read_source):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            read(tmp_path / name)
        assert len(said) == 1 and said[0].category is DataWarning
        assert re.match(words, str(said[0].message))
        with pytest.raises(InputError, match=words):
            read(tmp_path / name, strict=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ts", f"@classLabel true {LARGE}\n@data\n{2**53},1e300:{LARGE}\n"),
        ("A_TEST.tsv", f"{LARGE}\t{2**53}\t9007199254740993.5\n"),
    ],
    ids=["ts", "ucr"],
)
def test_digits_that_are_kept(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_series(tmp_path / name, strict=True)[1].tolist() == [str(LARGE)]
