"""Parquet files: small ones that unpack to large ones, and cells that are no single values."""

from __future__ import annotations

import contextlib
import os
from decimal import Decimal

import pandas
import pytest

from mercer import errors
from mercer.errors import DataWarning, InputError
from mercer.readers import read_table

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def written(tmp_path):
    def write(columns, name: str = "some.parquet", **options):
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(table, tmp_path / name, **options)
        return tmp_path / name

    return write


def test_whole_numbers_that_lose_digits(tmp_path):
    file = tmp_path / "t.parquet"
    names = [2**60 + at for at in range(4)]
    for kind in ("int64", "uint64", "Int64"):
        pandas.DataFrame({"name": pandas.array(names, dtype=kind), "a": range(4)}).to_parquet(file)
        with pytest.warns(DataWarning, match=r"column 'name' = 1152921504606846977 is a whole"):
            read_table(file)
        with pytest.raises(InputError, match=r"beyond 2.53: its last digits are lost.*--text"):
            read_table(file, strict=True)
        frame, layout = read_table(file, texts=["name"], strict=True)
        assert frame["name"].tolist() == list(map(str, names)) and layout.texts == ("name",)
        assert read_table(file, like=layout, strict=True)[0]["name"].tolist()[1] == str(names[1])
    pandas.DataFrame({"name": pandas.array([2**60, None, 5], dtype="Int64")}).to_parquet(file)
    frame, _ = read_table(file, texts=["name"], strict=True)
    assert frame["name"].isna().tolist() == [False, True, False]
    with pytest.raises(InputError, match="is not a column"):
        read_table(file, texts=["nome"])


def test_a_table(written):
    frame, layout = read_table(written({"a": [1.5, 2.5], "b": ["x", "y"]}))
    assert frame["b"].tolist() == ["x", "y"] and layout.texts == ("b",)
    assert str(layout) == "Parquet, a header, 2 columns"


def test_kinds_of_columns(written):
    columns = {
        "decimal": [Decimal("1.50"), Decimal("2.25"), None],
        "truth": [True, False, None],
        "whole": pa.array([1, 2, None], pa.int32()),
        "category": pa.array(["x", "y", "x"]).dictionary_encode(),
        "day": pa.array([1, 2, 3], pa.date32()),
        "no value": pa.nulls(3),
    }
    frame, _ = read_table(written(columns))
    assert frame["decimal"].tolist()[:2] == [1.5, 2.25] and frame["decimal"].dtype == float
    assert frame["category"].tolist() == ["x", "y", "x"] and len(frame.columns) == 6


def test_a_named_index_is_a_column(tmp_path):
    import pandas as pd

    made = pd.DataFrame({"a": [1.5, 2.5]}, index=pd.Index(["x", "y"], name="who"))
    made.to_parquet(tmp_path / "some.parquet")
    frame, layout = read_table(tmp_path / "some.parquet")
    assert layout.names == ("who", "a") and frame["who"].tolist() == ["x", "y"]


NESTED = {
    "lists": [[1, 2], [3]],
    "structs": [{"x": 1}, {"x": 2}],
    "maps": pa.array([[("x", 1)], []], pa.map_(pa.string(), pa.int64())),
    "bytes": [b"x", b"y"],
}


@pytest.mark.parametrize("values", NESTED.values(), ids=NESTED)
def test_columns_that_hold_no_single_values(written, values):
    match = r"some\.parquet, column = 'a' holds .* where single numbers or texts are expected"
    with pytest.raises(errors.InputError, match=match):
        read_table(written({"a": values, "b": [1, 2]}))


def test_two_columns_of_a_name(written):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(errors.InputError, match="has two columns called 'a'; rename one"):
        read_table(written(table))


def test_many_rows_in_a_small_file(written):
    file = written({"a": pa.array([7] * 3_000_000)}, compression="zstd")
    assert os.path.getsize(file) < 100_000
    with pytest.raises(errors.InputError, match="above the limit"):
        read_table(file, most_bytes=1_000_000)


@pytest.mark.parametrize("store_schema", [False, True])
def test_long_texts_in_a_small_file(written, store_schema):
    values = pa.array(["x" * 100_000] * 200)
    file = written({"a": values}, compression="zstd", store_schema=store_schema)
    assert os.path.getsize(file) < 200_000
    with pytest.raises(errors.InputError, match="above the limit"):
        read_table(file, most_bytes=1_000_000)


@pytest.mark.filterwarnings("ignore::mercer.errors.DataWarning")
def test_damaged_files(written, tmp_path):
    whole = written({"a": list(range(1000)), "b": ["x"] * 1000}).read_bytes()
    for content in (b"", b"PAR1", whole[:-4], whole[: len(whole) // 2], b"a,b\n1,2\n"):
        (tmp_path / "odd.parquet").write_bytes(content)
        with pytest.raises(errors.InputError, match="is not a Parquet file"):
            read_table(tmp_path / "odd.parquet")
    for at in range(4, len(whole), max(1, len(whole) // 60)):
        damaged = bytearray(whole)
        damaged[at] ^= 255
        (tmp_path / "odd.parquet").write_bytes(damaged)
        with contextlib.suppress(errors.InputError):  # and nothing else
            read_table(tmp_path / "odd.parquet")
