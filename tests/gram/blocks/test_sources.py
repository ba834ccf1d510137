"""Sources of rows: the same rows whatever they come from, and errors that name the place."""

import dataclasses
import gc
import warnings

import numpy as np
import pytest

from mercer import scan
from mercer.errors import InputError, InputTypeError, ParameterError, ShapeError
from mercer.gram.blocks.base import Block, rows_per_block
from mercer.gram.blocks.checksum import block_checksum
from mercer.gram.blocks.files import GroupPart
from mercer.gram.blocks.sources import is_source

rng = np.random.default_rng(0)
X = rng.standard_normal((57, 3))
Y = X[:, 0] + 1.0
NAMES = ["a", "b", "c"]


def table():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(X, columns=NAMES).assign(y=Y)


def parquet(folder):
    pytest.importorskip("pyarrow")
    frame = table()
    for part, start in enumerate(range(0, 57, 20)):
        path = folder / f"part-{part}.parquet"
        frame.iloc[start : start + 20].to_parquet(path, index=False, row_group_size=8)
    frame.iloc[:0].to_parquet(folder / "part-9.parquet", index=False)
    return scan(str(folder / "*.parquet"), "y")


def csv(folder):
    frame = table()
    frame.iloc[:30].to_csv(folder / "a.csv", index=False)
    frame.iloc[30:].to_csv(folder / "b.csv", index=False)
    (folder / "c.csv").write_text("")
    return scan(folder, "y", block_rows=11)


def dask_array(folder):
    array = pytest.importorskip("dask.array")
    return scan(array.from_array(X, chunks=(20, 2)), array.from_array(Y, chunks=20))


def dask_frame(folder):
    frames = pytest.importorskip("dask.dataframe")
    return scan(frames.from_pandas(table(), npartitions=4), "y")


def dask_unknown(folder):
    pytest.importorskip("dask.array")
    lazy = pytest.importorskip("dask.dataframe").from_pandas(table()[NAMES], npartitions=4)
    return scan(lazy.to_dask_array(), Y)


def function(folder):
    return scan(lambda: ((X[i : i + 10], Y[i : i + 10]) for i in range(0, 60, 10)))


def memory_map(folder):
    np.save(folder / "x.npy", X)
    return scan(np.load(folder / "x.npy", mmap_mode="r"), Y, block_rows=10)


SOURCES = [parquet, csv, dask_array, dask_frame, dask_unknown, function, memory_map]


@pytest.mark.parametrize("make", SOURCES, ids=lambda make: make.__name__)
def test_every_source_gives_the_same_rows(make, tmp_path):
    rows = make(tmp_path)
    assert len(rows) == 57
    for _ in range(2):
        blocks = list(rows)
        assert [block.number for block in blocks] == list(range(len(blocks)))
        assert np.concatenate([np.asarray(block.X) for block in blocks]) == pytest.approx(X)
        assert np.concatenate([block.y for block in blocks]) == pytest.approx(Y)
        assert rows.bytes > 0
    index = np.array([40, 3, 3, 56, 0])
    picked = rows.take(index)
    assert np.asarray(picked.X) == pytest.approx(X[index])
    assert picked.y == pytest.approx(Y[index])
    assert rows.keep(10**6)
    assert np.asarray(rows.whole().X) == pytest.approx(X)


@pytest.mark.parametrize(("most_bytes", "kept"), [(10**6, True), (500, False)])
def test_files_are_read_once_to_be_counted_and_kept(most_bytes, kept, tmp_path, monkeypatch):
    rows, loaded, load = parquet(tmp_path), [], GroupPart.load
    monkeypatch.setattr(GroupPart, "load", lambda part: loaded.append(part.first) or load(part))
    assert rows.keep(most_bytes) is kept
    assert len(rows) == 57
    assert len(loaded) == 9
    assert rows.keep(most_bytes) is kept
    assert len(loaded) == 9
    for _ in range(2):
        assert np.concatenate([np.asarray(block.X) for block in rows]) == pytest.approx(X)
    assert len(loaded) == (9 if kept else 27)


def test_frames_that_are_kept_are_laid_out_by_rows():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: X[:, i].copy() for i, name in enumerate(NAMES)})
    mixed = frame.assign(a="text")
    rows = scan(lambda: iter([frame]))
    assert rows.keep(10**6)
    (block,) = rows
    assert block.X.to_numpy().flags.c_contiguous
    pandas.testing.assert_frame_equal(block.X, frame)
    assert Block(mixed).by_rows().X is mixed
    assert Block(frame["a"]).by_rows().X is not None


@pytest.mark.parametrize("make", [parquet, dask_array, dask_frame, memory_map])
def test_parts_can_be_read_anywhere(make, tmp_path):
    rows = make(tmp_path)
    blocks = [part.load() for part in reversed(rows.map(double).parts())][::-1]
    assert np.concatenate([block.y for block in blocks]) == pytest.approx(2 * Y)
    assert [block.start for block in blocks] == [block.start for block in rows]


def test_text_files_are_closed_where_reading_stops_early(tmp_path):
    rows = csv(tmp_path)
    blocks = iter(rows)
    next(blocks)
    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always")
        blocks.close()
        gc.collect()
    assert not unclosed


def double(block):
    return dataclasses.replace(block, y=2 * block.y)


def test_an_iterator_that_gives_other_rows_is_found_out():
    calls = []

    def factory():
        calls.append(0)
        yield X
        yield X + (len(calls) > 1)

    rows = scan(factory)
    assert len(rows) == 114
    with pytest.raises(InputError, match=r"block 1.*gave other rows when it was read again"):
        list(rows)


def test_an_iterator_that_ends_sooner_is_found_out():
    calls = []

    def factory():
        calls.append(0)
        yield from [X] * (3 - len(calls))

    rows = scan(factory)
    assert len(rows) == 114
    with pytest.raises(InputError, match="2 blocks, then 1"):
        list(rows)


def test_an_iterator_that_ends_later_is_found_out():
    calls = []

    def factory():
        calls.append(0)
        yield from [X] * len(calls)

    rows = scan(factory)
    assert len(rows) == 57
    with pytest.raises(InputError, match=r"row 57 \(block 1\).*gave other rows"):
        list(rows)


def test_an_iterator_itself_is_refused():
    with pytest.raises(InputTypeError, match="can be read only once; give a function"):
        scan(iter([X]))


def test_sources_without_rows_are_refused(tmp_path):
    with pytest.raises(InputError, match="has no rows"):
        len(scan(lambda: []))
    with pytest.raises(InputError, match="is not a file"):
        scan(str(tmp_path / "*.parquet"))
    with pytest.raises(ParameterError, match="block_rows"):
        scan(X, block_rows=0)


def test_targets_of_another_length_are_refused():
    with pytest.raises(ShapeError, match=r"y of block 0.*57 rows"):
        list(scan(lambda: [(X, Y[:-1])]))


def test_a_deleted_file_is_named(tmp_path):
    rows = parquet(tmp_path)
    len(rows)
    (tmp_path / "part-1.parquet").unlink()
    with pytest.raises(InputError, match=r"part-1\.parquet.*cannot be read"):
        list(rows)


def test_an_unknown_column_is_named(tmp_path):
    csv(tmp_path)
    with pytest.raises(InputError, match=r"column = 'z' is not in .*a\.csv"):
        list(scan(tmp_path, "z"))


def test_structured_samples_are_lists():
    words = [f"word {i}" for i in range(57)]
    rows = scan(words, Y, block_rows=20)
    assert [block.X[0] for block in rows] == ["word 0", "word 20", "word 40"]
    assert rows.take(np.array([5, 1])).X == ["word 5", "word 1"]


def test_equal_samples_have_equal_checksums():
    assert block_checksum([{1, 2}, "a"]) == block_checksum([{2, 1}, "a"])
    assert block_checksum([{1, 2}, "a"]) != block_checksum([{2, 3}, "a"])


def test_blocks_of_wide_tables_have_fewer_rows():
    assert rows_per_block(20) == 2**17
    assert rows_per_block(100_000) == 256


def test_what_is_a_source():
    assert is_source("data/*.parquet", "y")
    assert is_source(lambda: [X])
    assert not is_source(X)
    assert not is_source(["a", "b"])


def test_graphs_that_are_made_anew_are_the_same_rows():
    networkx = pytest.importorskip("networkx")

    def blocks():
        for seed in range(3):
            graphs = [networkx.gnp_random_graph(5, 0.5, seed=10 * seed + k) for k in range(10)]
            yield graphs, np.array([g.number_of_edges() for g in graphs], dtype=float)

    source = scan(blocks)
    assert len(source) == 30
    assert sum(len(block) for block in source) == 30
