"""The commands and their options; each command is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

app = typer.Typer(
    help="Kernel methods on any data: fit a model, estimate its error, explain it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_FILES = (
    "CSV, TSV, Parquet, svmlight, FASTA or .ts files (plain or gzip), UCR's files of series, a "
    "JSON-lines file of trees, a folder of graphs in TUDataset format, or a folder that holds one "
    "folder of texts, or trees, for each class."
)
_COLUMN = "The column to predict: its name, or its position (0 is the first, -1 the last)."
_EXPRESSION = 'The kernel, such as "RBF(2.0) + Linear()"; "auto" chooses one that suits the data.'
_LEARNERS = "Learning method: auto, svc, ridge, logistic, gp, rvm, neighbors, discriminant or svr."
_REPEATS = "Number of repeats of the cross-validation."
_MARKER = "A cell that marks a missing value, such as '-'; may be given several times."
_TEXT = "A column to read as text, such as numbers that are names; may be given several times."
_CASE = "Read the letters of FASTA files as capital (upper) or small (lower) letters."
_STRICT = "Refuse data that are in doubt, such as a word among numbers, instead of noting them."
_SHEET = "Put ' before cells that spreadsheets would take for formulas."
_HEADER = "Whether the first row holds the names of the columns."
_DEVIATION = "Add the probability of each class, or the standard deviation of a gp or rvm."
_DIMENSION = "Dimension of the vectors: some kernels are valid in low dimensions only."
_ALGEBRAIC = "Print the proof by closure rules alone, for a kernel that has one (RBF)."
_METRIC = (
    "Metric to choose and judge the model by: accuracy, balanced, auc, logloss, f1, precision "
    "or recall; r2, rmse or mae of numbers."
)
_BALANCED = "Give every class the same total weight in the fit; thresholds stay as they are."
_DROP = "A column to leave out; may be given several times, or several with commas."
_KEEP = "A column to use although it looks like an identifier, or adds nothing; as --drop."
_ONLY = "A column to learn from, all others being left out; as --drop."
_RELATED = "A column to relate to others; all of them without it; as --drop."
_GIVEN = "A column that is given: is there dependence beyond what it explains? As --drop."
_GROUPS = "The column of labels of rows that belong together, and are permuted as a whole."
_ID = "The column that names the rows: it is not learned from, and goes with the predictions."
_FAST = "Choose among less, cross-validate once and draw no learning curve."
_TIME = "Seconds that the command should take, about."
_TEST = "A file of further samples to estimate the error on, instead of by cross-validation."
_STUDY = 'Number of the study, part of its name, or "all"; without it, the studies are listed.'

Data = Annotated[list[Path], Argument(help=_FILES)]
Model = Annotated[Path, Argument(help="A model file, written by mercer fit.")]
AnyModel = Annotated[Path, Argument(help="A file written by mercer fit or mercer.save.")]
Json = Annotated[bool, Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print nothing but errors.")]
Target = Annotated[str | None, Option("--target", "-t", help=_COLUMN)]
Kernel = Annotated[str, Option("--kernel", "-k", help=_EXPRESSION)]
Learner = Annotated[str, Option("--learner", "-l", help=_LEARNERS)]
Task = Annotated[str, Option("--task", help="auto, classification or regression.")]
Folds = Annotated[int, Option("--folds", min=2, help="Number of cross-validation folds.")]
Repeats = Annotated[
    int | None,
    Option("--repeats", min=1, max=10_000, show_default="more for fewer samples", help=_REPEATS),
]
Seed = Annotated[
    int, Option("--seed", min=0, max=2**32 - 1, help="Seed of the random number generator.")
]
Save = Annotated[
    Path | None, Option("--model", "-o", show_default="DATA.mercer", help="Model file to write.")
]
Report = Annotated[
    Path | None, Option("--report", "-r", show_default="DATA.html", help="HTML report to write.")
]
NoReport = Annotated[bool, Option("--no-report", help="Write no report.")]
Missing = Annotated[list[str] | None, Option("--missing", help=_MARKER)]
Separator = Annotated[
    str | None, Option("--separator", show_default="detected", help="Character between cells.")
]
Header = Annotated[
    bool | None, Option("--header/--no-header", show_default="detected", help=_HEADER)
]
Encoding = Annotated[str, Option("--encoding", help="Character encoding of text files.")]
Texts = Annotated[list[str] | None, Option("--text", metavar="COLUMN", help=_TEXT)]
Case = Annotated[str | None, Option("--case", show_default="as they are", help=_CASE)]
Strict = Annotated[bool, Option("--strict", help=_STRICT)]
Spreadsheet = Annotated[bool, Option("--spreadsheet", help=_SHEET)]
Threads = Annotated[
    int | None,
    Option("--threads", min=1, max=1024, help="Number of threads; results do not depend on it."),
]
Predictions = Annotated[
    Path | None, Option("--out", "-o", show_default="print", help="CSV file for the predictions.")
]
Probabilities = Annotated[bool, Option("--probabilities", "-p", help=_DEVIATION)]
Expression = Annotated[str, Argument(help='A kernel, such as "RBF(2.0) * Linear()".')]
Samples = Annotated[
    list[Path] | None, Argument(help="Samples among which to look for a counterexample as well.")
]
Metric = Annotated[
    str | None, Option("--metric", show_default="accuracy, logloss or r2", help=_METRIC)
]
Balanced = Annotated[bool, Option("--balanced", help=_BALANCED)]
Drop = Annotated[list[str] | None, Option("--drop", metavar="COLUMN", help=_DROP)]
Keep = Annotated[list[str] | None, Option("--keep", metavar="COLUMN", help=_KEEP)]
Columns = Annotated[list[str] | None, Option("--columns", metavar="COLUMN", help=_ONLY)]
Related = Annotated[list[str] | None, Option("--columns", metavar="COLUMN", help=_RELATED)]
Given = Annotated[list[str] | None, Option("--given", metavar="COLUMN", help=_GIVEN)]
Groups = Annotated[str | None, Option("--groups", metavar="COLUMN", help=_GROUPS)]
Rows = Annotated[int, Option("--rows", min=2, help="Rows to draw at random, where there are more.")]
Id = Annotated[str | None, Option("--id", metavar="COLUMN", help=_ID)]
Hurried = Annotated[bool, Option("--quick", help=_FAST)]
Time = Annotated[float | None, Option("--time", min=1.0, metavar="SECONDS", help=_TIME)]
NoAssess = Annotated[
    bool, Option("--no-assess", help="Fit the model only, without cross-validation.")
]
Test = Annotated[Path | None, Option("--test", metavar="FILE", help=_TEST)]
LeftOut = Annotated[
    str | None, Option("--target", "-t", help="A column of the data to leave out of the samples.")
]
Algebraic = Annotated[bool, Option("--algebraic", help=_ALGEBRAIC)]
Dimension = Annotated[int | None, Option("--dimension", "-d", min=1, max=10_000, help=_DIMENSION)]
Name = Annotated[str | None, Argument(help="A kernel to describe in full.")]
Study = Annotated[str | None, Argument(help=_STUDY)]
Figures = Annotated[Path, Option("--out", "-o", help="Folder to save the figures in.")]
Quick = Annotated[bool, Option("--quick", help="Run with fewer repeats.")]

First = Annotated[Path, Argument(help=f"The first file. {_FILES}")]
Second = Annotated[Path, Argument(help="The second file, of the same kind.")]
Compared = Annotated[
    list[str] | None, Option("--columns", metavar="COLUMN", help="A column to compare; as --drop.")
]
Permutations = Annotated[
    int, Option("--permutations", min=19, max=1_000_000, help="Number of permutations.")
]
MostRows = Annotated[int, Option("--rows", min=2, help="Rows of each file that are compared.")]
ComparisonReport = Annotated[
    Path | None, Option("--report", "-r", show_default="none", help="HTML report to write.")
]


def _version(wanted: bool) -> None:
    if wanted:
        import mercer

        print(f"mercer {mercer.__version__}")
        raise typer.Exit


Version = Annotated[
    bool, Option("--version", callback=_version, is_eager=True, help="Print the version.")
]


@app.callback()
def _main(version: Version = False) -> None:
    pass


@app.command()
def fit(
    data: Data,
    target: Target = None,
    kernel: Kernel = "auto",
    learner: Learner = "auto",
    task: Task = "auto",
    metric: Metric = None,
    balanced: Balanced = False,
    drop: Drop = None,
    keep: Keep = None,
    columns: Columns = None,
    id: Id = None,
    quick: Hurried = False,
    time: Time = None,
    no_assess: NoAssess = False,
    test: Test = None,
    folds: Folds = 5,
    repeats: Repeats = None,
    seed: Seed = 0,
    model: Save = None,
    report: Report = None,
    no_report: NoReport = False,
    missing: Missing = None,
    separator: Separator = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    text: Texts = None,
    case: Case = None,
    strict: Strict = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Fit a model to a table, sequences, texts or trees; assess it, save it and write a report."""
    from mercer.cli.fit import Choice, Destination, Effort, run

    choices: dict[str, object] = {"kernel": kernel, "learner": learner, "task": task}
    choices |= {"metric": metric, "balanced": balanced, "random_state": seed}
    choices["choice"] = Choice(columns or (), drop or (), keep or (), id)
    choices["effort"] = Effort(folds, repeats, not no_assess, None, quick, time)
    reading: dict[str, object] = {
        "separator": separator,
        "header": header,
        "encoding": encoding,
        "missing": missing,
    }
    if separator == "\\t":  # as a shell passes it on
        reading["separator"] = "\t"
    reading |= {"texts": text or (), "case": case, "strict": strict}
    destination = Destination.of(data[0], model, report, with_report=not no_report)
    return run(data, target, choices, reading, destination, test, threads, json, quiet)


@app.command()
def predict(
    model: Model,
    data: Data,
    out: Predictions = None,
    probabilities: Probabilities = False,
    id: Id = None,
    spreadsheet: Spreadsheet = False,
    case: Case = None,
    strict: Strict = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Predict the target of new samples; if the data include it, print the score as well."""
    from mercer.cli.predict import run

    reading = {"case": case, "strict": strict, "id": id}
    return run(model, data, reading, out, probabilities, spreadsheet, threads, json, quiet)


@app.command()
def explain(model: AnyModel, json: Json = False) -> int:
    """Show a saved model: its kernel with a proof, its score, and what it depends on most."""
    from mercer.cli.explain import run

    return run(model, json)


@app.command()
def check(
    expression: Expression,
    data: Samples = None,
    target: LeftOut = None,
    dimension: Dimension = None,
    json: Json = False,
    algebraic: Algebraic = False,
) -> int:
    """Prove or refute that an expression is a positive semi-definite kernel.

    The exit code is 0 if it is proved, 1 if it is refuted and 3 if neither is known.
    """
    from mercer.cli.check import run

    return run(expression, data, target, dimension, json, algebraic)


@app.command()
def compare(
    first: First,
    second: Second,
    kernel: Kernel = "auto",
    columns: Compared = None,
    drop: Drop = None,
    permutations: Permutations = 999,
    rows: MostRows = 2000,
    seed: Seed = 0,
    report: ComparisonReport = None,
    missing: Missing = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Test whether two files differ, and in which columns and rows.

    The exit code is 0 if no difference is seen at 5 %, and 1 if they differ.
    """
    from mercer.cli.statistics.compare import Settings, run

    chosen = tuple(columns or ()), tuple(drop or ())
    settings = Settings(kernel, permutations, rows, *chosen, seed)
    reading = {} if missing is None else {"missing": missing}
    return run((first, second), settings, reading, report, threads, json, quiet)


@app.command()
def kernels(name: Name = None, json: Json = False) -> int:
    """List all kernels with their kind of samples, definiteness and formula, or describe one."""
    from mercer.cli.catalogue import run

    return run(name, json)


@app.command()
def relate(
    data: Data,
    columns: Related = None,
    given: Given = None,
    groups: Groups = None,
    permutations: Permutations = 999,
    rows: Rows = 2000,
    seed: Seed = 0,
    missing: Missing = None,
    separator: Separator = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    text: Texts = None,
    threads: Threads = None,
    json: Json = False,
) -> int:
    """Test which columns of a table depend on each other, also given other columns."""
    from mercer.cli.statistics.relate import run

    reading: dict[str, object] = {"separator": separator, "header": header, "encoding": encoding}
    if separator == "\\t":  # as a shell passes it on
        reading["separator"] = "\t"
    reading |= {"missing": missing, "texts": text or ()}
    options = {"n_permutations": permutations, "max_rows": rows, "random_state": seed}
    return run(data, columns or [], given or [], groups, options, reading, threads, json)


@app.command()
def gallery(study: Study = None, out: Figures = Path("gallery"), quick: Quick = False) -> int:
    """List or run the example studies of the documentation; save their figures."""
    from mercer.cli.tools.gallery import run

    return run(study, out, quick)


@app.command()
def warmup(quiet: Quiet = False) -> int:
    """Compile all functions now, so that no first fit has to wait for it; once per machine."""
    from mercer.cli.tools.warmup import run

    return run(quiet)
