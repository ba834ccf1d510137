"""Every lecture figure opens, is proved as it says, and has its chapter."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from mercer.studio.lessons import chapters as module
from mercer.studio.lessons.chapters import chapters
from mercer.studio.lessons.karate import EDGES, SIDES
from mercer.studio.lessons.presets import PRESETS
from mercer.studio.lessons.samples import COLLECTIONS, collection

GALLERY = Path(__file__).resolve().parents[3] / "examples" / "gallery"
SLOW = ("votes", "rings")  # fitted with a kernel that takes seconds to compile


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_the_first_variant_is_shown_without_a_failure(ask, preset):
    samples = ask("samples", space=preset.space, name=preset.samples)
    data = {"space": preset.space, "set": preset.samples}
    if preset.space != "samples":
        data["points"] = samples["points"].tolist()
    _, kernel, learner, options = preset.variants[0]
    want = ["proof", "surface"]
    if preset.name in SLOW:
        want = ["proof"]
    window = samples.get("window", [-1, 1, -1, 1])
    learner = {"name": learner, "options": options}
    answer = ask("look", data=data, kernel=kernel, learner=learner, want=want, window=window)
    expected = {"surface"} if preset.name == "refuted" else set()
    assert answer["failed"].keys() == expected
    assert answer["proof"]["status"] in ("strict", "psd") or preset.name == "refuted"


NO_FIGURE = {16, 17, 18, 19}  # intervals, tests and explanations, which the page does not draw


def test_every_study_of_the_gallery_is_a_preset():
    studies = {int(file.name[5:7]) for file in GALLERY.glob("plot_*.py")}
    assert {preset.study for preset in PRESETS.values()} - {None} == studies - NO_FIGURE


def test_every_preset_has_a_chapter():
    assert {preset.chapter for preset in PRESETS.values()} <= set(chapters())


def test_an_installed_package_has_the_chapters_of_all_presets(tmp_path, monkeypatch):
    """The wheel brings them along; the archive of the sources is laid out as the checkout."""
    root = GALLERY.parents[1]
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for source, target in included.items():
        if target.startswith("mercer/chapters/"):
            copied = tmp_path / target.removeprefix("mercer/")
            copied.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (root / source).is_dir() else shutil.copy
            copy(root / source, copied)
    monkeypatch.setattr(module, "_DOCS", tmp_path / "no documentation")
    monkeypatch.setattr(module, "_INSTALLED", tmp_path / "chapters")
    chapters.cache_clear()
    try:
        assert {preset.chapter for preset in PRESETS.values()} <= set(chapters())
    finally:
        chapters.cache_clear()


def test_a_chapter_is_text_and_no_path(ask, refused):
    assert "kernel" in ask("chapter", name="algebra")["text"]
    for name in ("../README", "/etc/passwd", "conf", ""):
        assert "is not here" in refused("chapter", name=name)


def test_collections_have_a_name_for_every_sample():
    for name in COLLECTIONS:
        known = collection(name)
        assert len(known.X) == len(known.y) == len(known.names) == len(known.codes)
        assert len(known.classes) == 2 and known.codes.max() == 1


def test_the_club_is_that_of_networkx():
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    assert sorted(graph.edges()) == sorted(EDGES)
    sides = ["I" if graph.nodes[node]["club"] == "Mr. Hi" else "A" for node in graph]
    assert sides == list(SIDES)


def test_points_fill_their_window(ask):
    for preset in PRESETS.values():
        if preset.space == "samples":
            continue
        answer = ask("samples", space=preset.space, name=preset.samples)
        left, right, bottom, top = answer["window"]
        x, y = answer["points"][:, 0], answer["points"][:, 1]
        assert left < x.min() and x.max() < right and bottom < y.min() and y.max() < top
        assert np.isfinite(answer["points"]).all()
