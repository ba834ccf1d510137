"""Every study of the gallery runs, prints its table and draws its figures; with few repeats, so
that it is soon done.
"""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib")

GALLERY = Path(__file__).resolve().parents[1] / "examples" / "gallery"
SCRIPTS = sorted(GALLERY.glob("plot_*.py"))
NEEDS = {"plot_07_promoters": "pandas", "plot_09_diffusion": "networkx"}


def test_the_gallery_is_whole():
    numbers = range(1, len(SCRIPTS) + 1)
    assert [path.stem[5:7] for path in SCRIPTS] == [f"{number:02d}" for number in numbers]


@pytest.fixture
def fast(monkeypatch):
    """Few repeats, figures that are not shown, and the settings of Matplotlib as they were."""
    import matplotlib.pyplot as plt

    monkeypatch.setenv("MERCER_GALLERY_FAST", "1")
    plt.close("all")
    with matplotlib.rc_context():
        plt.switch_backend("Agg")
        yield plt
    plt.close("all")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_study_prints_and_draws(path, fast, capsys):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out
    if printed.startswith("skipped"):
        assert not fast.get_fignums()
        pytest.skip(printed.strip())
    assert len(printed.splitlines()) > 3
    assert any(character.isdigit() for character in printed)
    assert 1 <= len(fast.get_fignums()) <= 3
    for number in fast.get_fignums():
        figure = fast.figure(number)
        assert any(ax.get_title() for ax in figure.axes)
        figure.canvas.draw()


SAYS = {  # what the lecture's own studies compare with it
    "plot_06_votes": ["missing: 12 (2.8 %)", "for each class", "democrat", "republican"],
    "plot_07_promoters": ["MCA, RBF, C = 5", "60 axes", "14.3"],
}


@pytest.mark.parametrize("stem", SAYS)
def test_a_study_does_what_the_lecture_did(stem, fast, capsys):
    runpy.run_path(str(GALLERY / f"{stem}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert not [words for words in SAYS[stem] if words not in printed]


def test_without_its_data_a_study_says_so_and_draws_nothing(fast, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    runpy.run_path(str(GALLERY / "plot_05_reuters.py"), run_name="__main__")
    assert capsys.readouterr().out.startswith("skipped")
    assert not fast.get_fignums()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_study_has_the_form_that_sphinx_gallery_reads(path):
    text = path.read_text(encoding="utf-8")
    title, underline = ast.get_docstring(ast.parse(text)).splitlines()[:2]
    assert set(underline) == {"="}
    assert len(underline) >= len(title)
    assert "# %%" in text
