"""Tables as people have them: every layout is found out, and what cannot be read is one line."""

from __future__ import annotations

import csv
import gzip
import os

import numpy as np
import pytest

from mercer import errors
from mercer.readers import Layout, read_table

ROWS = [(f"{0.5 * at - 7:.2f}", ("red", "green", "blue")[at % 3], str(at % 2)) for at in range(30)]
TEXT = "size,color,y\n" + "".join(",".join(row) + "\n" for row in ROWS)


@pytest.fixture
def written(tmp_path):
    def write(content: str | bytes, name: str = "some.csv"):
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


def assert_read(frame, layout):
    assert layout.names == ("size", "color", "y") and layout.header and layout.texts == ("color",)
    assert frame["size"].tolist() == [float(row[0]) for row in ROWS]
    assert frame["color"].tolist() == [row[1] for row in ROWS] and frame["y"].tolist() == [
        int(row[2]) for row in ROWS
    ]


# -- layouts that are read --

LAYOUTS = {
    "plain": TEXT,
    "tabs": TEXT.replace(",", "\t"),
    "bars": TEXT.replace(",", "|"),
    "semicolons": TEXT.replace(",", ";"),
    "blanks": TEXT.replace(",", "   "),
    "blanks at the ends": TEXT.replace(",", " ").replace("\n", "  \n  "),
    "quoted names between blanks": TEXT.replace(",", " ").replace("size color", '"size" "color"'),
    "a blank after the comma": TEXT.replace(",", ", "),
    "CRLF": TEXT.replace("\n", "\r\n"),
    "CR": TEXT.replace("\n", "\r"),
    "no line end at the end": TEXT.rstrip(),
    "blank lines at the end": TEXT + "\n\n  \n",
    "blank lines first": "\n  \n\n" + TEXT,
    "blank lines between": TEXT.replace("\n-6", "\n\n-6"),
    "quoted": TEXT.replace("green", '"green"'),
    "quoted names": TEXT.replace("size,color", '"size","color"'),
    "byte-order mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "UTF-16": TEXT.encode("utf-16"),
    "UTF-16, big end first": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "gzip": gzip.compress(TEXT.encode()),
}


@pytest.mark.parametrize("content", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts_are_found_out(written, content):
    assert_read(*read_table(written(content)))


def test_decimal_commas(written):
    frame, layout = read_table(written(TEXT.replace(",", ";").replace(".", ",")))
    assert_read(frame, layout)
    assert (
        layout.decimal == "," and str(layout) == "semicolons, a header, 3 columns, decimal commas"
    )
    bare = "\n".join(TEXT.replace(",", ";").replace(".", ",").splitlines()[1:])
    frame, layout = read_table(written(bare))
    assert not layout.header and frame["c0"].tolist() == [
        float(row[0]) for row in ROWS
    ]  # numbers with commas are not names
    again, _ = read_table(written("3;red;1\n4,5;red;1\n"), like=layout)
    assert again["c0"].tolist() == [3.0, 4.5]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,5", "2,25"], [1.5, 2.25]),
        ([" 1,5", "-2e3"], [1.5, -2000.0]),
        (["0,125", "1,500"], [0.125, 1.5]),  # nobody writes thousands with a 0 before
        (["1,500", "2,250"], None),  # decimals or thousands: nobody knows
        (["1,234,567", "2,250"], None),
        (["1,5", "2.5"], None),
    ],
)
@pytest.mark.parametrize("separator", [";", "\t", "|"])
@pytest.mark.filterwarnings("ignore::mercer.errors.DataWarning")
def test_which_commas_are_decimal(written, cells, numbers, separator):
    frame, layout = read_table(
        written(
            "a;b\n".replace(";", separator) + "".join(f"{cell}{separator}x\n" for cell in cells)
        )
    )
    assert frame["a"].tolist() == (numbers or [cell.strip() for cell in cells])
    assert (layout.decimal == ",") is (numbers is not None)


def test_a_comma_inside_a_text_is_no_decimal(written):
    frame, layout = read_table(written("a;b\ncosts 1,5 more;2.5\nand 3,5;3\n"))
    assert layout.decimal == "." and frame["b"].tolist() == [2.5, 3.0]


def test_thousands_stay_text(written):
    with pytest.warns(errors.DataWarning, match="has a comma before decimals or thousands"):
        frame, layout = read_table(written('a,b\n"1,500",x\n"22,250",y\n'))
    assert frame["a"].tolist() == ["1,500", "22,250"] and layout.texts == ("a", "b")


def test_lines_end_only_where_lines_end(written):
    """Marks that Python takes for line ends, and tables do not, stand inside cells."""
    for mark in ("\x85", "\u2028", "\x0c", "\x1c"):
        frame, _ = read_table(written(TEXT.replace("red", f"r{mark}d")))
        assert len(frame) == 30 and frame["color"][0] == f"r{mark}d"
    frame, _ = read_table(
        written(TEXT.replace("red", "r\x85d").encode("latin-1")), encoding="latin-1"
    )
    assert len(frame) == 30


def test_newlines_inside_quotes(written):
    frame, _ = read_table(written(TEXT.replace("red", '"re\nd, ""so"""')))
    assert len(frame) == 30 and frame["color"][0] == 're\nd, "so"'


def test_trailing_separators_are_a_column_without_values(written):
    for more in (",", ",,"):
        frame, layout = read_table(written(TEXT.replace("\n", f"{more}\n")))
        assert layout.names[:3] == ("size", "color", "y") and len(layout.names) == 3 + len(more)
        assert frame["c3"].isna().all()


def test_long_cells(written):
    before = csv.field_size_limit()
    frame, _ = read_table(written(TEXT.replace("blue", "w " * 100_000)))
    assert len(frame["color"][2]) == 199_999 and csv.field_size_limit() == before


def test_missing_values(written):
    frame, _ = read_table(written("a,b\n1,x\n?,NA\n,y\n3,\n"))
    assert frame["a"].isna().tolist() == [False, True, True, False] and frame[
        "b"
    ].isna().tolist() == [False, True, False, True]
    frame, layout = read_table(written("a,b\n1,x\n-,y\n3,?\n"), missing=("", "-"))
    assert np.isnan(frame["a"][1]) and frame["b"][2] == "?" and layout.missing == ("", "-")


# -- kinds of columns --


def test_truth_values(written):
    frame, layout = read_table(written("a,b\nTrue,1\nFalse,2\nTrue,3\n"))
    assert frame["a"].tolist() == [True, False, True] and layout.texts == ()
    frame, layout = read_table(written("a,b\nTrue,1\n,2\nFalse,3\n"))
    assert (
        frame["a"].tolist()[::2] == [True, False]
        and frame["a"].isna().tolist() == [False, True, False]
        and layout.texts == ()
    )


def test_huge_whole_numbers_are_numbers(written):
    with pytest.warns(errors.DataWarning, match="beyond 2.53"):
        frame, layout = read_table(written(f"a,b\n{10**25},1\n{2**63},2\n3,4\n"))
    assert frame["a"].tolist() == [1e25, 2.0**63, 3.0] and layout.texts == ()


def column(*cells: str) -> str:
    return "a,b\n" + "".join(f"{cell},{at}\n" for at, cell in enumerate(cells))


def test_a_word_among_numbers_is_missing_and_named(written):
    many = [*map(str, range(40)), "much", "4.5"]
    for cells, line in ((["1", "x", "2.5"], 3), (many, 42), (["", *many, "?"], 43)):
        bad = next(cell for cell in cells if cell.isalpha())
        with pytest.warns(errors.DataWarning, match=f"some.csv, line {line}, column 'a' = '{bad}'"):
            frame, layout = read_table(written(column(*cells)))
        assert layout.texts == () and frame["a"].dtype == float
        assert frame["a"].isna().tolist() == [cell in ("", "?", bad) for cell in cells]
        with pytest.raises(errors.InputError, match=f"line {line}, column 'a' = '{bad}'"):
            read_table(written(column(*cells)), strict=True)
        frame, layout = read_table(written(column(*cells)), texts=["a"], strict=True)
        assert layout.texts == ("a",) and bad in frame["a"].tolist()


def test_lines_are_counted_as_editors_count_them(written):
    text = '\n\na,b\n1,"x\ny"\n\n2,z\nbad,z\n' + "3,z\n" * 9
    with pytest.warns(errors.DataWarning, match="line 8, column 'a' = 'bad'"):
        read_table(written(text))


def test_several_words_among_numbers(written):
    with pytest.warns(
        errors.DataWarning, match=r"'x1' and 2 more cells are not numbers, .*: read as m"
    ):
        frame, _ = read_table(written(column(*map(str, range(80)), "x1", "x2", "x3")))
    assert frame["a"].isna().sum() == 3
    with pytest.warns(
        errors.DataWarning, match=r"3 more cells .* as the other 6 are: the column is"
    ):
        frame, layout = read_table(written(column(*"123456wxyz")))
    assert layout.texts == ("a",)
    read_table(written(column(*"123wxyz")), strict=True)  # words, some of them of digits


def test_decimal_commas_and_blanks_around_marks(written):
    frame, _ = read_table(written("a;b\n1,5;2\n? ;3\n2,5 ;4\n"), strict=True)
    assert frame["a"].tolist()[::2] == [1.5, 2.5] and np.isnan(frame["a"][1])
    with pytest.warns(errors.DataWarning, match="line 4, column 'a' = 'x'"):
        frame, _ = read_table(written("a;b\n1,5;2\n2,25;3\nx;4\n"))
    assert frame["a"].tolist()[:2] == [1.5, 2.25]


def test_words_in_a_later_table(written):
    _, layout = read_table(written(TEXT))
    with pytest.warns(errors.DataWarning, match="line 3, column 'size' = 'big'"):
        frame, _ = read_table(written("size,color\n1,red\nbig,red\n2,red\n"), like=layout)
    assert np.isnan(frame["size"][1])


def test_whole_numbers_that_lose_digits(written):
    large = 2**53 + 1
    for cells in ([str(large), "5"], [str(-large), ""], ["3", str(10**25 + 1)]):
        with pytest.warns(errors.DataWarning, match="is a whole number beyond 2.53"):
            frame, _ = read_table(written(column(*cells)))
        assert frame["a"].dtype.kind in "if"
    frame, _ = read_table(written(column(str(large), "5")), texts=["a"], strict=True)
    assert frame["a"].tolist() == [str(large), "5"]
    harmless = (str(2**53), str(2**60), "1e25", "0.12345678901234567890")
    read_table(written(column(*harmless)), strict=True)


def test_dates_and_constants_and_infinities(written):
    frame, layout = read_table(written("day,same,far\n2020-01-02,7,inf\n2021-01-02,7,2\n"))
    assert (
        layout.texts == ("day",) and frame["same"].tolist() == [7, 7] and np.isinf(frame["far"][0])
    )


def test_one_column(written):
    frame, layout = read_table(written("y\nred\ngreen\nred\n"))
    assert layout.names == ("y",) and frame["y"].tolist() == ["red", "green", "red"]


# -- headers --


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("1,2\n3,4\n", False),
        ("red,1\nblue,2\n", False),
        ("n,y,n\ny,y,n\nn,n,y\n", False),
        ("red,round\nblue,flat\nred,flat\n", False),
        ("name,?\nx,1\n", False),
        ("a,,c\n1,,2\n3,,4\n", True),
        ('"",a\n1,2\n2,4\n', True),
    ],
)
def test_is_there_a_header(written, text, header):
    _, layout = read_table(written(text))
    assert layout.header is header
    if not header:
        assert layout.names == tuple(f"c{at}" for at in range(len(layout.names)))
    assert read_table(written("1,2\n3,4\n5,6\n"), header=True)[1].names == ("1", "2")


# -- tables like an earlier one --


def test_like_an_earlier_table(written):
    _, layout = read_table(written(TEXT))
    assert_read(read_table(written(TEXT), like=layout)[0], layout)
    again, _ = read_table(written("extra,more,color,and,size,those\n1,2,3,4,5,6\n"), like=layout)
    assert again["color"].tolist() == ["3"] and again["size"].tolist() == [5]  # text stays text
    again, _ = read_table(written("new,names,here,color\n1,2,3,red\n"), like=layout)
    assert list(again.columns) == ["new", "names", "here", "color"]


def test_like_an_earlier_table_without_header(written):
    _, layout = read_table(written("red,1\nblue,2\nred,3\n"))
    assert not layout.header
    again, _ = read_table(
        written("blue,5\nred,6\n"), like=layout
    )  # no value occurs twice: still no header
    assert again["c0"].tolist() == ["blue", "red"]
    again, _ = read_table(written("green,7\n"), like=layout)
    assert again["c1"].tolist() == [7]
    again, _ = read_table(written("c1,c0\n7,red\n"), like=layout)
    assert again["c1"].tolist() == [7]
    with pytest.raises(
        errors.InputError, match="has 4 columns where the table that was learned from has 2"
    ):
        read_table(written("red,1,2,3\n"), like=layout)


def test_a_layout_keeps_what_it_was():
    layout = Layout(";", True, ("a", "b"), ("b",))
    assert layout.decimal == "." and str(layout) == "semicolons, a header, 2 columns"


# -- refused --

BAD = {
    "ragged": (
        "a,b\n1,2\n1,2,3\n4,5\n",
        r"some.csv, line 3 = '1,2,3' has 3 cells where the first row has 2",
    ),
    "ragged, after blank lines": ("\n\na,b\n1,2\n1\n", r"some.csv, line 5 = '1' has 1 cells"),
    "ragged, quoted": ('a,b\n"1\n1",2\n1,2,3\n', r"some.csv, line 4 = '1,2,3' has 3 cells"),
    "ragged between blanks": (
        "a b c\n" + "7 8 9\n" * 300 + "1 2\n",
        r"line 302 = '1 2' has 2 cells",
    ),
    "a quote that does not end": (
        'a,b\n1,2\n"1,2\n3,4\n',
        r"some.csv, line 3 = '\"1,2' has a quote",
    ),
    "a quote in the last cell": (
        'a,b\n1,"2\n3,4\n5,6\n',
        r"some.csv, line 2 = '1,\"2' has a quote that is not closed",
    ),
    "quotes that hide lines": (
        'a,b\n1,"2\n3,4\n5,"6"\n7,8\n',
        r"some.csv, line 2 = '1,\"2' has a quote that is not closed",
    ),
    "a quote in the only cell": ('a\n1\n"2\n3\n', r"line 3 = '\"2' has a quote that is not closed"),
    "a zero byte far below": (
        TEXT + "1,red,1\n" * 20_000 + "1,r\0d,1\n",
        r"it holds zero bytes \(line 20032\)",
    ),
    "repeated names above words": ("a,b,a\nx,y,z\nu,v,w\n", "has two columns called 'a'"),
    "latin-1": (
        "a,b\n1,2\nr\xf6d,3\n".encode("latin-1"),
        r"is not utf-8 text \(line 3, byte 9\); name its encoding",
    ),
    "empty": ("", "is empty"),
    "blank": ("\n \n", "is empty"),
    "one empty cell": ('""\n', "is empty"),
    "header only": ("a,b,c\n", "has a header and no rows"),
    "binary": (bytes(range(128)) * 9, "is not text: it holds zero bytes"),
    "an image": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "is not utf-8 text"),
    "two columns of a name": ("a,b,a\n1,2,3\n4,5,6\n", "has two columns called 'a'; rename one"),
    "two of a name among words": ("a,b,a\n1,x,3\n4,y,6\n", "has two columns called 'a'"),
    "half a gzip": (gzip.compress(TEXT.encode())[:-9], "cannot be read"),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD)
def test_refused(written, content, said):
    with pytest.raises(errors.InputError, match=said) as caught:
        read_table(written(content))
    assert "\n" not in str(caught.value)


def test_refused_options(written):
    file = written(TEXT)
    for separator in ("ab", '"', "\n"):
        with pytest.raises(errors.InputError, match="must be one character"):
            read_table(file, separator=separator)
    with pytest.raises(errors.InputError, match="encoding = 'klingon' is unknown"):
        read_table(file, encoding="klingon")


def test_not_a_file(tmp_path):
    with pytest.raises(errors.InputError, match="is not there"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(errors.InputError, match="is a folder"):
        read_table(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(errors.InputError, match="is not a file; save what it gives"):
        read_table(tmp_path / "pipe")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to the superuser"
)
def test_a_closed_file(written):
    file = written(TEXT)
    file.chmod(0)
    with pytest.raises(errors.InputError, match="cannot be read"):
        read_table(file)


@pytest.mark.parametrize("name", ["big.csv", "big.parquet"])
def test_too_large_is_refused_unread(tmp_path, name):
    file = tmp_path / name
    file.touch()
    os.truncate(file, 2_000_000_000)  # holds nothing: it takes no room
    with pytest.raises(
        errors.InputError, match=r"has 2.0 GB, above the limit of 1.0 GB; give a sample"
    ):
        read_table(file)


def test_a_small_file_that_unpacks_to_a_large_one(written):
    with pytest.raises(errors.InputError, match="above the limit"):
        read_table(written(gzip.compress(b"1,2\n" * 100_000)), most_bytes=10_000)


def test_a_word_that_repeats_may_mean_a_missing_value(written):
    """A typing error among such words is not hidden by them."""
    cells = [*map(str, range(160)), "-", "unknown", "-", "1O", "-", "unknown"]
    text = r"read as missing \('-' 3 times, 'unknown' 2 times, '1O' in line 165\); correct"
    with pytest.warns(errors.DataWarning, match=text):
        read_table(written(column(*cells)))
    with pytest.warns(errors.DataWarning, match=r"'x' in line 163, 'y' in line 164, 1 more\)"):
        read_table(written(column(*map(str, range(160)), *"wxyz")))
