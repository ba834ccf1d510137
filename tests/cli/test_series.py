"""Files of series on the command line."""

import numpy as np


def write(path, seed):
    rng = np.random.default_rng(seed)
    lines = []
    for number in range(24):
        x = 0.2 * rng.standard_normal(12)
        x[4:8] += 1.0 if number % 2 else -1.0
        lines.append("\t".join([str(number % 2), *(f"{v:.6f}" for v in x)]))
    path.write_text("\n".join(lines) + "\n")


def test_fit_and_predict(tmp_path, mercer):
    write(tmp_path / "Bumps_TRAIN.tsv", 0)
    write(tmp_path / "Bumps_TEST.tsv", 1)
    options = ["--kernel", "GlobalAlignment(3.0)", "--quick", "--test", "Bumps_TEST.tsv"]
    said = mercer("fit", "Bumps_TRAIN.tsv", *options)
    assert said.code == 0, said.err
    assert "24 series of 12 points" in said.out and "GlobalAlignment" in said.out
    assert "GlobalAlignment" in (tmp_path / "Bumps_TRAIN.html").read_text()
    said = mercer("predict", "Bumps_TRAIN.mercer", "Bumps_TEST.tsv")
    assert said.code == 0, said.err
    assert said.out.split()[1:] == ["0", "1"] * 12


def test_a_broken_file_is_one_line(tmp_path, mercer):
    (tmp_path / "a.ts").write_text("@classLabel true a b\n@data\n1,2:3:a\n")
    said = mercer("fit", "a.ts")
    assert said.code != 0 and "lengths [2, 1] in line 3" in said.err


def test_two_files_are_compared(tmp_path, mercer):
    write(tmp_path / "Bumps_TRAIN.tsv", 0)
    write(tmp_path / "Bumps_TEST.tsv", 1)
    page = tmp_path / "page.html"
    options = ["--kernel", "GlobalAlignment(3.0)", "--permutations", "99", "-r", page]
    said = mercer("compare", "Bumps_TRAIN.tsv", "Bumps_TEST.tsv", *options)
    assert said.code == 0, said.err
    assert "not seen to differ" in said.out and "12 points" in page.read_text()
