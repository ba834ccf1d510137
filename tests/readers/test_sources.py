"""What a path holds is found out by looking at it."""

from __future__ import annotations

import gzip
import os

import numpy as np
import pytest

from mercer import errors
from mercer.readers import read_source

SVMLIGHT = "+1 1:0.5 3:2\n-1 2:1e-3 # so\n-1\n1 3:4\n"


def test_a_table(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text("a,b\n1,x\n2,y\n")
    found = read_source(str(file))
    assert (
        found.kind == "table"
        and found.labels is None
        and found.description == "2 rows; commas, a header, 2 columns"
    )
    with pytest.raises(errors.InputError, match="are several files, which only FASTA files may be"):
        read_source([file, file])
    with pytest.raises(errors.InputError, match="names no file"):
        read_source([])


@pytest.mark.parametrize(
    "text",
    [SVMLIGHT, "-1\n" + SVMLIGHT, SVMLIGHT * 60],
    ids=["short", "a row of zeros first", "long"],
)
def test_svmlight(tmp_path, text):
    file = tmp_path / "some.txt"
    file.write_text(text)
    found = read_source(file)
    assert found.kind == "vectors" and found.samples.shape == (text.count("\n"), 3)
    assert set(found.labels) == {1.0, -1.0} and "svmlight" in found.description
    packed = tmp_path / "some.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    np.testing.assert_array_equal(read_source(packed).samples.toarray(), found.samples.toarray())


def test_numbers_are_no_svmlight(tmp_path):
    file = tmp_path / "some.txt"
    file.write_text("1\n2\n3\n")
    assert read_source(file).kind == "table"


@pytest.mark.parametrize("name", ["a.svm", "a.libsvm"])
def test_a_damaged_svmlight_file_is_no_table_of_text(tmp_path, name):
    (tmp_path / name).write_text("1 1:2 3:4\n-1 2:1 -4:3\n1 1:1\n")
    with pytest.raises(errors.InputError, match="is not a svmlight file"):
        read_source(tmp_path / name)


def test_svmlight_counts_from_one(tmp_path):
    file = tmp_path / "some.txt"
    file.write_text("1 0:0.5\n-1 1:1\n")
    with pytest.raises(errors.InputError, match="is not a svmlight file"):
        read_source(file)


def test_classes_of_sequences(tmp_path):
    one, two = tmp_path / "one.fa", tmp_path / "two.fa.gz"
    one.write_text("".join(f">{'ab'[at % 2]}\nacgt\n" for at in range(12)))
    found = read_source(one)
    assert (
        found.kind == "sequences"
        and found.labels.tolist() == ["a", "b"] * 6
        and found.description.endswith("classes in the headers")
    )
    one.write_text("".join(f">first {at}\nacgt\n" for at in range(6)))
    two.write_bytes(gzip.compress(b"".join(b">second %d\nttga\n" % at for at in range(4))))
    found = read_source([one, two])
    assert found.labels.tolist() == ["one"] * 6 + ["two"] * 4 and found.names[0] == "first 0"
    assert read_source(one).labels is None


def test_folders_of_texts(tmp_path):
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(f"all about {name}")
        (tmp_path / name / ".hidden").write_bytes(b"\xff")
    found = read_source(tmp_path)
    assert (
        found.kind == "texts"
        and found.labels.tolist() == ["x", "y"]
        and found.names == ["x/1.txt", "y/1.txt"]
    )
    loose = read_source(tmp_path / "x")
    assert loose.labels is None and loose.samples == ["all about x"]
    (tmp_path / "none").mkdir()
    with pytest.raises(errors.InputError, match="holds no text"):
        read_source(tmp_path / "none")


@pytest.mark.parametrize("name", ["big.csv", "big.fa", "big.parquet", "big.svm"])
def test_too_large_is_refused_unread(tmp_path, name):
    file = tmp_path / name
    file.touch()
    os.truncate(file, 2_000_000_000)
    with pytest.raises(errors.InputError, match=r"above the limit of 1\.0 GB"):
        read_source(file)


def test_files_of_different_case(tmp_path):
    (tmp_path / "a.fa").write_text(">1\nACGT\n")
    (tmp_path / "b.fa").write_text(">2\nacgt\n")
    with pytest.warns(errors.DataWarning, match="capital and in small letters"):
        read_source([tmp_path / "a.fa", tmp_path / "b.fa"])
    source = read_source([tmp_path / "a.fa", tmp_path / "b.fa"], case="lower", strict=True)
    assert source.samples == ["acgt", "acgt"]


@pytest.mark.parametrize("name", ["a.csv", "a.svm", "A_TRAIN.tsv"])
def test_whole_numbers_beyond_all_floats(tmp_path, name):
    nines = "9" * 400
    text = {"a.csv": f"a,b\n1,2\n3,{nines}\n", "a.svm": f"1 1:2\n0 1:{nines}\n"}
    (tmp_path / name).write_text(text.get(name, f"1\t2\n2\t{nines}\n"))
    with pytest.warns(errors.DataWarning, match=r"9\.\.\. is a whole number beyond 2.53"):
        samples = read_source(tmp_path / name).samples
    if name == "a.csv":
        assert samples["b"].tolist() == [2.0, np.inf]


def test_column_numbers_beyond_reason(tmp_path):
    file = tmp_path / "v.svm"
    for number in (2_000_000, 2_000_000_000, 2**40, 2**70):
        file.write_text(f"1 1:0.5\n-1 2:1 {number}:1\n")
        with pytest.raises(errors.InputError, match=r"v\.svm"):
            read_source(file)
    file.write_text("1 1:0.5\n-1 2:1 900000:1\n")
    assert read_source(file).samples.shape == (2, 900_000)


def test_values_of_sparse_rows_that_lose_digits(tmp_path):
    file = tmp_path / "v.svm"
    file.write_text(f"1 1:3 2:{2**60}\n-1 1:4 2:{2**60 + 1}\n")
    with pytest.warns(errors.DataWarning, match=r"v.svm, line 2 = '\d+' is a whole number beyond"):
        read_source(file)
    with pytest.raises(errors.InputError, match="last digits are lost"):
        read_source(file, strict=True)


def test_more_columns_than_a_frame_has_room_for(tmp_path):
    file = tmp_path / "wide.csv"
    file.write_text(2 * ("," * 1_000_000 + "\n"))
    with pytest.raises(errors.InputError, match="1,000,001 columns, above the limit of 1,000,000"):
        read_source(file)


def test_headers_of_a_million_letters(tmp_path):
    file = tmp_path / "s.fa"
    file.write_text(
        "".join(f">{'xy'[at % 2] * 10**6 if at < 2 else 'xy'[at % 2]}\nac\n" for at in range(40))
    )
    assert read_source(file).labels.nbytes < 10**6
