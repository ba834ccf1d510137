"""``mercer fit`` on several files: they are read block by block."""

import json

import numpy as np
import pytest

import mercer as library
from mercer.cli import main


def tables(folder, target):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    frame["y"] = target(frame)
    for part in range(3):
        frame.iloc[100 * part : 100 * part + 100].to_csv(folder / f"{part}.csv", index=False)
    return [str(folder / f"{part}.csv") for part in range(3)], frame


def run(capsys, monkeypatch, folder, *arguments):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["mercer", "fit", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0, capsys.readouterr()


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (lambda frame: frame["a"] + np.sin(frame["b"]), "KernelRidgeCV"),
        (lambda frame: np.where(frame["a"] > 0, "up", "down"), "KernelLogisticRegression"),
    ],
)
def test_several_tables_are_one_model(capsys, monkeypatch, tmp_path, target, name):
    files, frame = tables(tmp_path, target)
    code, printed = run(
        capsys, monkeypatch, tmp_path, *files, "--target", "y", "--json", "-o", "m.mercer"
    )
    assert code == 0, printed.err
    model = library.load(tmp_path / "m.mercer")
    assert type(model).__name__ == name
    assert model.score(frame[list("abc")], frame["y"]) > 0.8
    assert "300 rows" in json.dumps(json.loads(printed.out)["notes"])


def test_columns_of_dna_in_both_cases_are_noted_and_predicted(
    mercer, capsys, monkeypatch, tmp_path
):
    rng = np.random.default_rng(0)
    for part in range(3):
        cells = ["".join(rng.choice(list("ACGT"), 9)) for _ in range(100)]
        lines = [f"{cell.lower() if at % 3 else cell},{at % 7}" for at, cell in enumerate(cells)]
        (tmp_path / f"{part}.csv").write_text("\n".join(["dna,y", *lines]))
    files = [str(tmp_path / f"{part}.csv") for part in range(3)]
    kernel = "(Spectrum(2) @ texts).on(['dna'])"
    code, printed = run(capsys, monkeypatch, tmp_path, *files, "-t", "y", "-k", kernel)
    assert code == 0, printed.err
    assert printed.err.count("column 'dna' holds DNA in capital and in small letters") == 1
    said = mercer("predict", "0.mercer", "1.csv")
    assert said.code == 0 and said.out.count("\n") == 101, said.err
    assert "1.csv, column 'dna' holds DNA in capital" in said.err


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("other", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("target", "first"),
    [
        (lambda frame: frame["a"] + np.sin(frame["b"]), "R² "),
        (lambda frame: np.where(frame["a"] > 0, "up", "down"), "accuracy "),
        (lambda frame: (frame["a"] > 0).astype(int), "accuracy "),
    ],
)
def test_every_command_reads_the_model(mercer, tmp_path, target, first, kind, other):
    """Predicted from one table, several, a folder; explained, as a whole and by rows."""
    if "parquet" in (kind, other):
        pytest.importorskip("pyarrow")
    folder = tmp_path / "data"
    folder.mkdir()
    files, frame = tables(folder, target)
    if kind == "parquet":
        for path in files:
            (folder / path).unlink()
        for part in range(3):
            frame.iloc[100 * part : 100 * part + 100].to_parquet(folder / f"{part}.parquet")
    said = mercer("fit", folder, "--target", "y", "--drop", "c", "-o", "m.mercer")
    assert said.code == 0, said.err
    new = tmp_path / f"new.{other}"
    getattr(frame, f"to_{other}")(new, index=False)
    for given in (new, folder, folder / f"*.{kind}"):
        predicted = mercer("predict", "m.mercer", given)
        assert predicted.code == 0, predicted.err
        assert predicted.out.count("\n") == 301 and predicted.err.startswith(first)
    frame[["b", "a"]].iloc[:20].to_csv("few.csv", index=False)
    assert mercer("predict", "m.mercer", "few.csv").code == 0
    said = mercer("explain", "m.mercer")
    assert said.code == 0 and "rows held out (baseline" in said.out and "a=" in said.out, said
    said = mercer("explain", "m.mercer", new, "--rows", "1-3")
    assert said.code == 0 and "row 3" in said.out, said.err
    frame[["b", "a"]].iloc[:1].to_csv("one.csv", index=False)
    alone = mercer("explain", "m.mercer", "one.csv")
    assert alone.code == 0 and "compared with 100 training rows" in alone.out, alone.err
    among = mercer("explain", "m.mercer", "few.csv", "--rows", "1").out.splitlines()
    assert among[1:] == alone.out.splitlines()[1:]
    frame[["a"]].to_csv("less.csv", index=False)
    assert "column 'b' is missing" in mercer("predict", "m.mercer", "less.csv").err


def test_what_is_printed_is_laid_out_as_for_one_table(mercer, tmp_path):
    pandas = pytest.importorskip("pandas")
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    rng = np.random.default_rng(0)
    for file in files:
        frame = pandas.DataFrame(rng.standard_normal((1000, 6)), columns=list("abcdef"))
        frame["y"] = np.sin(3 * frame["a"]) + 0.1 * frame["b"]
        frame.to_csv(file, index=False)
    said = mercer("fit", *files, "--target", "y", "--drop", "f", "--centers", "100", "--quick")
    assert said.code == 0, said.err
    names = [line.split()[0] for line in said.out.splitlines() if line[0] != " "]
    wanted = ["data", "target", "left", "kernel", "proved", "learner", "plan", "centers", "passes"]
    assert names[: len(wanted)] == wanted
    assert [name for name in names if name not in [*wanted, "note"]] == [
        *("R²", "RMSE", "MAE", "columns", "model", "report", "time")
    ]
    text = " ".join(said.out.split())
    assert "RBF of columns, length scales: a 0." in text  # the column that matters comes first
    assert "length scales were learned from" in text and "% ± " in text
    assert "--quick has no effect" in text and "on 300 rows held out" in text


def test_rows_held_out_leave_every_class_a_row(mercer, tmp_path):
    pandas = pytest.importorskip("pandas")
    files, _ = tables(tmp_path, lambda frame: np.where(frame["a"] > 0, "up", "down"))
    frame = pandas.read_csv(files[0])
    frame.loc[5, "y"] = "once"
    frame.to_csv(files[0], index=False)
    for seed in range(3):
        said = mercer("fit", *files, "--target", "y", "--seed", str(seed), "-o", "m.mercer")
        assert said.code == 0, said.err
        assert list(library.load("m.mercer").classes_) == ["down", "once", "up"]


def test_a_folder_of_tables_is_no_folder_of_texts(mercer, one_line, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    tables(folder, lambda frame: frame["a"])
    one_line(mercer("compare", folder, folder), "is a folder of tables")


def test_a_model_that_is_fitted_again_forgets_its_files(mercer, tmp_path):
    files, frame = tables(tmp_path, lambda frame: frame["a"])
    assert mercer("fit", *files, "--target", "y", "-o", "m.mercer").code == 0
    model = library.load(tmp_path / "m.mercer").fit(frame[list("abc")], frame["y"])
    assert not hasattr(model, "source_")


def test_the_target_has_to_be_named(capsys, monkeypatch, tmp_path):
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    code, printed = run(capsys, monkeypatch, tmp_path, *files)
    assert code != 0
    assert "--target" in printed.err


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (("--drop", "c"), ["a", "b"]),
        (("--columns", "b,a"), ["a", "b"]),
        (("--id", "c", "--keep", "a"), ["a", "b"]),
        (("--target", "3"), ["a", "b", "c"]),
    ],
)
def test_columns_are_chosen(capsys, monkeypatch, tmp_path, options, columns):
    files, frame = tables(tmp_path, lambda frame: frame["a"] + frame["b"])
    options = ("--target", "y", *options, "-o", "m.mercer")
    code, printed = run(capsys, monkeypatch, tmp_path, *files, *options)
    assert code == 0, printed.err
    model = library.load(tmp_path / "m.mercer")
    assert list(model.feature_names_in_) == columns
    assert model.score(frame[columns], frame["y"]) > 0.9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--drop", "d"), "is not a column"),
        (("--keep", "d"), "is not a column"),
        (("--drop", "y"), "is left out as well"),
        (("--columns", "y"), "no column left to learn from"),
    ],
)
def test_columns_that_are_not_there_are_named(capsys, monkeypatch, tmp_path, options, words):
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    code, printed = run(capsys, monkeypatch, tmp_path, *files, "--target", "y", *options)
    assert code != 0
    assert words in printed.err


def test_columns_of_words_are_named(capsys, monkeypatch, tmp_path):
    pandas = pytest.importorskip("pandas")
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    for file in files:
        pandas.read_csv(file).assign(city="Rome").to_csv(file, index=False)
    code, printed = run(capsys, monkeypatch, tmp_path, *files, "--target", "y")
    assert code != 0
    assert "not numbers: city" in printed.err
    assert "--drop" in printed.err
    more = ("--target", "y", "--drop", "city", "-o", "m.mercer")
    assert run(capsys, monkeypatch, tmp_path, *files, *more)[0] == 0


def test_a_missing_number_is_named_by_its_file(capsys, monkeypatch, tmp_path):
    pandas = pytest.importorskip("pandas")
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    frame = pandas.read_csv(files[1])
    frame.loc[7, "b"] = np.nan
    frame.to_csv(files[1], index=False)
    code, printed = run(capsys, monkeypatch, tmp_path, *files, "--target", "y")
    assert code != 0
    assert "1.csv, row 7" in " ".join(printed.err.split())


def test_the_number_of_centers_is_chosen(capsys, monkeypatch, tmp_path):
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    options = ("--target", "y", "-o", "m.mercer", "--centers", "40")
    code, printed = run(capsys, monkeypatch, tmp_path, *files, *options)
    assert code == 0, printed.err
    assert len(library.load(tmp_path / "m.mercer").X_fit_) == 40
    code, printed = run(capsys, monkeypatch, tmp_path, files[0], *options)
    assert code != 0
    assert "--centers" in printed.err


def test_regressions_of_many_rows_take_centers_and_say_so(mercer, tmp_path, monkeypatch):
    """One eigendecomposition of all rows would take a quarter of an hour for 20,000."""
    monkeypatch.setattr("mercer.cli.streaming.fit._QUICK", 100)
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    said = mercer("fit", *files, "--target", "y", "-o", "m.mercer")
    assert said.code == 0, said.err
    assert len(library.load("m.mercer").X_fit_) == 173  # 10 √300
    assert "173 of more than 100 rows are centers" in said.out
    said = mercer("fit", *files, "--target", "y", "--centers", "40", "-o", "m.mercer")
    assert len(library.load("m.mercer").X_fit_) == 40 and "rows are centers" not in said.out


def one_table(folder, kind, change=lambda frame: frame):
    files, _ = tables(folder, lambda frame: frame["a"] + np.sin(frame["b"]))
    frame = change(library_table(files[0]))
    path = folder / f"one.{kind}"
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return str(path)


def library_table(path):
    return pytest.importorskip("pandas").read_csv(path)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_one_long_table_is_read_block_by_block(mercer, tmp_path, monkeypatch, kind):
    """By the number of its rows, whatever its bytes; less of them where centers are asked for."""
    path = one_table(tmp_path, kind)
    monkeypatch.setattr("mercer.cli.streaming.files.SOME_ROWS", 99)
    said = mercer("fit", path, "--target", "y", "--centers", "40", "-o", "m.mercer")
    assert said.code == 0, said.err
    assert "100 rows of 4 columns, read block by block" in said.out
    assert len(library.load("m.mercer").X_fit_) == 40
    assert "read block by block" not in mercer("fit", path, "-t", "y", "--quick").out
    monkeypatch.setattr("mercer.cli.streaming.files.MANY_ROWS", 99)
    monkeypatch.setattr("mercer.cli.streaming.fit.MANY_ROWS", 99)
    said = mercer("fit", path, "--target", "y", "-o", "m.mercer")
    by_itself = "read block by block, since they are more than 99" in " ".join(said.out.split())
    assert by_itself == (kind == "parquet")  # a text file may lack a header
    assert mercer("predict", "m.mercer", path).code == 0


def with_words(frame):
    return frame.assign(c=np.where(frame["c"] > 0, "up", "down"))


def with_a_hole(frame):
    return frame.assign(c=frame["c"].mask(frame.index == 90))


@pytest.mark.parametrize(
    ("change", "options"),
    [
        (with_words, ()),
        (with_a_hole, ()),
        (lambda frame: frame.assign(y=frame["y"].mask(frame.index == 90)), ()),
        (lambda frame: frame, ("--metric", "mae")),
        (lambda frame: frame, ("--learner", "ridge")),
    ],
)
def test_long_tables_that_need_the_whole_are_read_as_a_whole(
    mercer, tmp_path, monkeypatch, change, options
):
    monkeypatch.setattr("mercer.cli.streaming.files.MANY_ROWS", 99)
    path = one_table(tmp_path, "csv", change)
    said = mercer("fit", path, "--target", "y", "--quick", *options)
    assert said.code == 0, said.err
    assert "block by block" not in said.out


@pytest.mark.parametrize("option", [("--metric", "rmse"), ("--separator", ";")])
def test_options_that_are_not_used_are_refused(capsys, monkeypatch, tmp_path, option):
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    code, printed = run(capsys, monkeypatch, tmp_path, *files, "--target", "y", *option)
    assert code != 0
    assert f"{option[0]} " in printed.err
    assert "block by block" in printed.err


def test_a_pattern_without_files_is_named(capsys, monkeypatch, tmp_path):
    code, printed = run(capsys, monkeypatch, tmp_path, "none*.csv", "--target", "y")
    assert code == 2
    assert "check the path or the pattern" in printed.err


def test_passes_and_the_time_left_are_shown(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("mercer.execution.progress._PATIENCE", -1.0)
    monkeypatch.setattr("mercer.cli.progress._SILENCE", -1.0)
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 10)
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1.0)
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    with library.config_context(memory_budget="0.5 MB"):
        code, printed = run(capsys, monkeypatch, tmp_path, *files, "--target", "y")
    assert code == 0, printed.err
    assert "mercer: pass " in printed.err
    assert " s left" in printed.err


def test_one_small_table_has_no_engine(capsys, monkeypatch, tmp_path):
    files, _ = tables(tmp_path, lambda frame: frame["a"])
    options = ("--target", "y", "--engine", "tcp://127.0.0.1:1")
    code, printed = run(capsys, monkeypatch, tmp_path, files[0], *options)
    assert code != 0
    assert "--engine" in printed.err


@pytest.mark.slow
def test_a_cluster_gives_the_same_model(capsys, monkeypatch, tmp_path):
    distributed = pytest.importorskip("distributed")
    files, frame = tables(tmp_path, lambda frame: np.where(frame["a"] > 0, "up", "down"))
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 10)
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1.0)
    predictions = []
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(processes=True, host="127.0.0.1", **options) as cluster:
        for more in ((), ("--engine", cluster.scheduler_address)):
            with library.config_context(memory_budget="0.5 MB"):
                code, printed = run(
                    capsys, monkeypatch, tmp_path, *files, "--target", "y", "-o", "m.mercer", *more
                )
            assert code == 0, printed.err
            model = library.load(tmp_path / "m.mercer")
            predictions.append(model.predict_proba(frame[list("abc")]))
    np.testing.assert_array_equal(*predictions)


def test_few_rows_are_all_learned_from(mercer, tmp_path):
    """After the scores the model is fitted again, with the same penalty."""
    files, _ = tables(tmp_path, lambda frame: frame["a"] + np.sin(frame["b"]))
    said = mercer("fit", *files, "--target", "y", "-o", "m.mercer")
    assert said.code == 0, said.err
    text = " ".join(said.out.split())
    assert "on 30 rows held out; then the model is fitted again, to all 300" in text
    model = library.load("m.mercer")
    assert len(model.X_fit_) == 300 and f"alpha = {model.alpha_:g}" in text
    assert np.isfinite(model.loo_predictions_).all()
    assert "fitted on 300 samples" in mercer("explain", "m.mercer").out
    values = json.loads(mercer("fit", *files, "--target", "y", "--json").out)
    assert (values["samples"], values["rows"], values["held out"]) == (300, 300, 30)


def test_how_many_rows_a_model_has_seen_is_said(mercer, tmp_path, monkeypatch):
    monkeypatch.setattr("mercer.cli.streaming.fit._QUICK", 100)
    files, _ = tables(tmp_path, lambda frame: np.where(frame["a"] > 0, "up", "down"))
    said = mercer("fit", *files, "--target", "y", "-o", "m.mercer")
    assert said.code == 0, said.err
    text = " ".join(said.out.split())
    assert "on 30 rows held out; the model is fitted to the other 270 (--no-assess: to all)" in text
    assert len(library.load("m.mercer").X_fit_) == 270
    assert "fitted on 270 samples" in mercer("explain", "m.mercer").out
    said = mercer("fit", *files, "--target", "y", "--no-assess", "-o", "m.mercer")
    assert said.code == 0 and len(library.load("m.mercer").X_fit_) == 300


def test_a_model_with_a_kernel_of_words_reads_them_again(mercer, tmp_path):
    pandas = pytest.importorskip("pandas")
    files, _ = tables(tmp_path, lambda frame: np.where(frame["a"] > 0, "up", "down"))
    for file in files:
        frame = pandas.read_csv(file)
        frame.assign(city=np.where(frame["b"] > 0, "rome", "oslo")).to_csv(file, index=False)
    kernel = "RBF().on(['a']) * Overlap().on(['city'])"
    said = mercer("fit", *files, "--target", "y", "--kernel", kernel, "-o", "m.mercer")
    assert said.code == 0, said.err
    pandas.DataFrame({"a": [0.3], "city": ["rome"]}).to_csv("one.csv", index=False)
    assert mercer("predict", "m.mercer", "one.csv").code == 2  # columns b and c are missing
    pandas.DataFrame({"a": [1.3], "b": 0.0, "c": 0.0, "city": ["rome"]}).to_csv("one.csv")
    predicted = mercer("predict", "m.mercer", "one.csv")
    assert predicted.code == 0 and "up" in predicted.out, predicted.err
    said = mercer("explain", "m.mercer", "one.csv")
    assert said.code == 0 and "city" in said.out, said.err
