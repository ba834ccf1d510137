"""Trees in files."""

import json

import pytest

from mercer.errors import InputError
from mercer.readers import read_source


def write_lines(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    return path


def test_json_lines(tmp_path):
    rows = [{"tree": "(a b)", "label": "x"}, {"tree": ["a", ["b", "c"]], "label": "y"}]
    source = read_source(write_lines(tmp_path / "t.jsonl", rows))
    assert source.kind == "trees" and source.samples == ["(a b)", ["a", ["b", "c"]]]
    assert source.labels.tolist() == ["x", "y"] and "2 trees" in source.description


def test_documents_and_numbers(tmp_path):
    source = read_source(
        write_lines(tmp_path / "t.ndjson", [{"a": 1, "target": 2.5}, {"b": [2], "target": 3}])
    )
    assert source.samples == [{"a": 1}, {"b": [2]}] and source.labels.tolist() == [2.5, 3.0]
    assert read_source(write_lines(tmp_path / "u.jsonl", [{"a": 1}])).labels is None


def test_a_folder_for_each_class(tmp_path):
    texts = {"a.json": '{"a": [1]}', "b.xml": "<a><b/></a>", "c.py": "x = 1", "d.tree": " (a b)\n"}
    for kind in ("one", "two"):
        (tmp_path / kind).mkdir()
        for name, text in texts.items():
            (tmp_path / kind / name).write_text(text)
    source = read_source(tmp_path)
    assert source.kind == "trees" and source.labels.tolist() == ["one"] * 4 + ["two"] * 4
    assert source.samples[0] == {"a": [1]} and source.samples[3] == "(a b)"
    assert source.names[0] == "one/a.json" and "8 trees in 2 folders" in source.description
    (tmp_path / "two" / "e.txt").write_text("a text")
    assert read_source(tmp_path).kind == "texts"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('{"tree": "(a b)"', "line 1"),
        ('{"tree": "(a b)", "label": 1}\n[1]', "line 2"),
        ('{"tree": "(a b)", "label": 1}\n{"tree": "(a b)"}', "tree 2"),
        ("", "holds no tree"),
    ],
)
def test_bad_lines_are_named(tmp_path, lines, words):
    path = tmp_path / "t.jsonl"
    path.write_text(lines)
    with pytest.raises(InputError, match=words):
        read_source(path)


@pytest.mark.parametrize(
    ("name", "text"), [("a.json", "{"), ("a.xml", "<a>"), ("a.py", "x ="), ("a.tree", " ")]
)
def test_bad_files_are_named(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=name):
        read_source(tmp_path)
