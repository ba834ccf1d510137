"""The reader of deep JSON reads what Python's reads, and refuses what it refuses."""

import json

import pytest

from mercer.domains.structures.deep_json import _Reader, read_json

GOOD = ['{"a": [1, 2.5, "x\\"]", null], "b": {}}', "[]", " [ [ ] , {} ] ", '{"a":{"b":[true]}}']
BAD = [
    "[1 2]",
    "[1,]",
    "{1: 2}",
    '{"a"}',
    '{"a": }',
    "[",
    "]",
    "[}",
    "[] []",
    '["a]',
    "[,1]",
    "[tru]",
]


@pytest.mark.parametrize("text", GOOD)
def test_reads_as_python_does(text):
    assert _Reader(text).value() == json.loads(text) == read_json(text)


@pytest.mark.parametrize("text", BAD)
def test_refuses_as_python_does(text):
    for read in (json.loads, lambda text: _Reader(text).value()):
        with pytest.raises(json.JSONDecodeError):
            read(text)


def test_deep():
    value = read_json("[" * 5000 + "7" + "]" * 5000)
    for _ in range(5000):
        (value,) = value
    assert value == 7
    with pytest.raises(json.JSONDecodeError, match="too early"):
        read_json("[" * 5000 + "7" + "]" * 4999)
