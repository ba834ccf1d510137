"""The studies of the lectures can be listed and run."""

from __future__ import annotations

import pytest

from mercer.cli.tools.gallery import scripts


def test_all_are_listed(mercer):
    said = mercer("gallery")
    count = len(scripts())
    assert said.code == 0 and count >= 12
    lines = said.out.splitlines()[:count]
    assert [line[:2] for line in lines] == [f"{at:02d}" for at in range(1, count + 1)]
    assert all(len(line) > 8 for line in lines)


def test_unknown(mercer, one_line):
    one_line(mercer("gallery", "99"), f"study = '99' is not in the gallery; 1 to {len(scripts())}")
    one_line(mercer("gallery", "zzz"), "is not in the gallery")
    one_line(mercer("gallery", "0"), "is not in the gallery")


def test_one_is_run(mercer, monkeypatch, tmp_path):
    script = tmp_path / "plot_07_tiny.py"
    script.write_text(
        '"""\nA tiny study\n============\n"""\nimport matplotlib.pyplot as plt\n'
        'plt.subplots()\nplt.subplots()\nprint("told")\n'
    )
    monkeypatch.setattr("mercer.cli.tools.gallery._PLACES", (tmp_path,))
    said = mercer("gallery", "7", "--out", tmp_path / "new" / "pictures")
    assert said.code == 0 and "A tiny study" in said.out and "told" in said.out
    assert sorted(file.name for file in (tmp_path / "new" / "pictures").iterdir()) == [
        "07_tiny.png",
        "07_tiny_2.png",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, len(scripts()) + 1))
def test_all_run(mercer, number, tmp_path):
    said = mercer("gallery", number, "--quick", "--out", tmp_path)
    assert said.code == 0, said.err
