"""DNA in capital and in small letters in the columns of tables."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from mercer.errors import DataWarning, InputError, ParameterError
from mercer.readers import read_source, read_table

DNA = "dna,size,y\nACGTAC,1,a\nacgtag,2,b\nACgtAA,3,a\n"


def test_columns_of_dna_in_both_cases(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text(DNA)
    said = "t.csv, column 'dna' holds DNA in capital and in small letters.*--case upper"
    with pytest.warns(DataWarning, match=said):
        frame, layout = read_table(file)
    assert frame["dna"].tolist() == ["ACGTAC", "acgtag", "ACgtAA"]
    with pytest.warns(DataWarning, match=said):  # a later table too
        read_table(file, like=layout)
    with pytest.raises(InputError, match=said):
        read_table(file, strict=True)
    with pytest.raises(ParameterError, match="case"):
        read_table(file, case="title")


def test_columns_of_dna_in_one_case(tmp_path):
    file, later = tmp_path / "t.csv", tmp_path / "u.csv"
    file.write_text(DNA)
    frame, layout = read_table(file, case="lower", strict=True)
    assert frame["dna"].tolist() == ["acgtac", "acgtag", "acgtaa"]
    assert frame["y"].tolist() == ["a", "b", "a"] and layout.case == "lower"
    later.write_text("dna,size,y\nACGTNN,1,A\nACXG,1,A\n")  # one is no DNA, and was no less read
    frame, _ = read_table(later, like=layout, strict=True)
    assert frame["dna"].tolist() == ["acgtnn", "acxg"] and frame["y"].tolist() == ["A", "A"]
    frame, _ = read_table(later, like=layout, case="upper")
    assert frame["dna"].tolist() == ["ACGTNN", "ACXG"]


def test_a_column_of_dna_is_a_file_of_lines(tmp_path):
    file = tmp_path / "t.txt"
    file.write_text("ACGTAC\nacgtag\nACgtAA\n")
    with pytest.warns(DataWarning, match="t.txt, column 'c0' holds DNA in capital"):
        assert len(read_table(file)[0]) == 3
    file.write_text("tag\nACGTAC\nACGTAG\n")  # a name in letters that bases have too
    assert read_table(file)[1].names == ("tag",)


def test_a_column_of_dna_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    file = tmp_path / "t.parquet"
    frame = pd.read_csv(io.StringIO(DNA))
    for stored in (frame, frame.astype({"dna": "category"})):
        stored.to_parquet(file)
        with pytest.warns(DataWarning, match="t.parquet, column 'dna' holds DNA in capital"):
            read_table(file)
        read, layout = read_table(file, case="upper", strict=True)
        assert read["dna"].tolist() == ["ACGTAC", "ACGTAG", "ACGTAA"]
        read, _ = read_table(file, like=layout, strict=True)
        assert read["dna"].tolist() == ["ACGTAC", "ACGTAG", "ACGTAA"]


def test_folders_of_dna(tmp_path):
    for at, text in enumerate(["ACGTAC", "acgtag"]):
        folder = tmp_path / "texts" / "xy"[at]
        folder.mkdir(parents=True)
        (folder / "one.txt").write_text(f"{text}\n")
    with pytest.warns(DataWarning, match="holds DNA in capital"):
        read_source(tmp_path / "texts")
