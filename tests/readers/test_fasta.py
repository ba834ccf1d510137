"""FASTA files, whole and broken."""

from __future__ import annotations

import gzip

import pytest

from mercer import read_fasta
from mercer.errors import DataWarning, InputError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::mercer.errors.DataWarning")
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
        ("a.fa", b">one\n\xff\xfe\xfa\n", "is not utf-8 text"),
        ("a.fa", b">one\nac\0gt\n", "zero bytes"),
        ("a.fa.gz", gzip.compress(TEXT.encode())[:-9], "cannot be read"),
    ],
    ids=[
        "no name",
        "empty",
        "comment",
        "not text",
        "zero byte",
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


def test_no_letters(tmp_path):
    file = tmp_path / "some.fa"
    file.write_text(">a\nacgt\n>b\n>c\nacg\n>d\n")
    with pytest.warns(
        DataWarning, match="some.fa, line 3 = '>b' is a sequence without letters, and"
    ):
        read_fasta(file)
    with pytest.raises(InputError, match="line 3 = '>b' is a sequence without letters"):
        read_fasta(file, strict=True)


@pytest.mark.parametrize("text", [">a\nACgt\n>b\nacg\n", ">a\nACGT\n>b\nacgu\n"])
def test_dna_in_both_cases(tmp_path, text):
    file = tmp_path / "some.fa"
    file.write_text(text)
    with pytest.warns(DataWarning, match="holds DNA in capital and in small letters.*--case upper"):
        read_fasta(file)
    with pytest.raises(InputError, match="capital"):
        read_fasta(file, strict=True)
    assert read_fasta(file, case="upper", strict=True)[1][0] == "ACGT"
    with pytest.raises(ParameterError, match="case"):
        read_fasta(file, case="title")


@pytest.mark.parametrize("text", ["ACGTNN", "acgt-nn", "MKVLaa", "Hello"])
def test_other_letters_are_in_no_doubt(tmp_path, text):
    file = tmp_path / "some.fa"
    file.write_text(f">a\n{text}\n")
    read_fasta(file, strict=True)


def test_a_small_file_that_unpacks_to_a_large_one(tmp_path):
    file = tmp_path / "some.fa.gz"
    file.write_bytes(gzip.compress(b">a\n" + b"acgt" * 100_000))
    with pytest.raises(InputError, match="above the limit"):
        read_fasta(file, most_bytes=10_000)
