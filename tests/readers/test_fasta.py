"""FASTA files, whole and broken."""

from __future__ import annotations

import gzip

import pytest

from mercer import read_fasta
from mercer.errors import InputError

TEXT = "; a comment\n>first of two\nACgt\n\n; in between\nac gt\n>second\r\nttga\r\n>\n>empty\n"


def test_names_and_sequences(tmp_path):
    file = tmp_path / "some.fa"
    file.write_text(TEXT)
    assert read_fasta(file) == (
        ["first of two", "second", "", "empty"],
        ["ACgtacgt", "ttga", "", ""],
    )
    assert read_fasta(str(file)) == read_fasta(file)


@pytest.mark.parametrize("name", ["some.fa.gz", "some.fa"])
def test_gzip_is_seen_by_its_first_bytes(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(gzip.compress(TEXT.encode()))
    assert read_fasta(file)[1] == ["ACgtacgt", "ttga", "", ""]


def test_a_byte_order_mark_is_no_letter(tmp_path):
    file = tmp_path / "some.fa"
    file.write_bytes(b"\xef\xbb\xbf>one\nacgt\n")
    assert read_fasta(file) == (["one"], ["acgt"])


@pytest.mark.parametrize(
    ("name", "content", "say"),
    [
        ("a.fa", b"acgt\n>one\nacgt\n", "a.fa, line 1"),
        ("a.fa", b"", "holds no sequence"),
        ("a.fa", b"; only a comment\n", "holds no sequence"),
        ("a.fa", b">one\n\xff\xfe\xfa\n", "cannot be read"),
        ("a.fa.gz", b">not packed\nacgt\n", "cannot be read"),
        ("a.fa.gz", gzip.compress(TEXT.encode())[:-9], "cannot be read"),
    ],
    ids=[
        "no name",
        "empty",
        "comment",
        "not text",
        "not packed",
        "half a gzip",
    ],  # a packed file holds the time: no part of a test's name
)
def test_broken_files(tmp_path, name, content, say):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError, match=say):
        read_fasta(file)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_fasta(tmp_path / "none.fa")
