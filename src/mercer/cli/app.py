"""The commands; each of them is imported when it is called. Their options are in `options`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperArgument, TyperCommand

from mercer.cli import options as o
from mercer.version import __version__


def _examples(*lines: str) -> str:
    """Examples for the end of a help text, one on each line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


class _Command(TyperCommand):
    """A command whose arguments are listed without types of Python, which new Typers add."""

    def get_params(self, ctx: Any) -> list[Any]:
        params = super().get_params(ctx)
        for param in params:
            if isinstance(param, TyperArgument):
                vars(param)["display_type_rich"] = lambda ctx: ""
        return params


app = typer.Typer(
    help=(
        "Kernel methods for data of any kind: fit a model, estimate its error, explain it, and "
        "prove that a kernel is valid."
    ),
    epilog=_examples(
        "mercer fit house_votes --target Class --quick",
        "mercer predict house_votes.mercer new_votes.csv --out parties.csv",
        'mercer check "RBF(2.0) * Linear()"',
        "mercer fit --help",
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mercer {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
]


@app.callback()
def _main(version: Version = False) -> None:
    pass


@app.command(
    epilog=_examples(
        "mercer fit house_votes --target Class --quick",
        "mercer fit customers.csv --target churned --id token --metric auc",
        'mercer fit human.fasta mouse.fasta --kernel "GappedKmer(6, 4).normalize()"',
        "mercer fit prices.parquet --target price --time 60",
    )
)
def fit(
    data: o.Data,
    target: o.Target = None,
    kernel: o.Kernel = "auto",
    learner: o.Learner = "auto",
    task: o.Task = "auto",
    metric: o.Metric = None,
    balanced: o.Balanced = False,
    drop: o.Drop = None,
    keep: o.Keep = None,
    columns: o.Columns = None,
    id: o.Id = None,
    quick: o.Hurried = False,
    time: o.Time = None,
    no_assess: o.NoAssess = False,
    test: o.Test = None,
    folds: o.Folds = 5,
    repeats: o.Repeats = None,
    seed: o.Seed = 0,
    model: o.Save = None,
    report: o.Report = None,
    no_report: o.NoReport = False,
    missing: o.Missing = None,
    separator: o.Separator = None,
    header: o.Header = None,
    encoding: o.Encoding = "utf-8",
    text: o.Texts = None,
    case: o.Case = None,
    strict: o.Strict = False,
    threads: o.Threads = None,
    centers: o.Centers = None,
    engine: o.Engine = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Fit a model to data and write a report.

    The data may be a table, sequences, texts, series, trees or graphs. Kernel, learner and
    hyperparameters are chosen automatically unless you name them. The error is estimated by
    cross-validation in which the whole choice is repeated in each fold. The command saves the
    model and writes a report that browsers show.
    """
    from mercer.cli.fit import Choice, Destination, Effort, run

    choices: dict[str, object] = {"kernel": kernel, "learner": learner, "task": task}
    choices |= {"metric": metric, "balanced": balanced, "random_state": seed, "engine": engine}
    choices["centers"] = centers
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


@app.command(
    epilog=_examples(
        "mercer predict customers.mercer new_customers.csv",
        "mercer predict customers.mercer new.csv --probabilities --out churn.csv",
    )
)
def predict(
    model: o.Model,
    data: o.Data,
    out: o.Predictions = None,
    probabilities: o.Probabilities = False,
    id: o.Id = None,
    spreadsheet: o.Spreadsheet = False,
    case: o.LaterCase = None,
    strict: o.Strict = False,
    threads: o.Threads = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Predict the target of new samples.

    If the data contain the true values of the target, the score is printed as well.
    """
    from mercer.cli.predict import run

    reading = {"case": case, "strict": strict, "id": id}
    return run(model, data, reading, out, probabilities, spreadsheet, threads, json, quiet)


@app.command(
    epilog=_examples(
        "mercer explain customers.mercer", "mercer explain customers.mercer new.csv --rows 1,2"
    )
)
def explain(
    model: o.AnyModel, data: o.Explained = None, rows: o.SampleNumbers = None, json: o.Json = False
) -> int:
    """Explain a saved model.

    The command prints the kernel, the score, the importance of the columns, their main effects
    where kernels were learned from a table, the training samples with the largest weights where
    the model has such, and the proof of the kernel.

    Given samples, it prints what each column, or each part of a sample, adds to the prediction of
    each of them.
    """
    if data:
        from mercer.cli.explain_rows import run as run_rows

        return run_rows(model, data, rows, json)
    from mercer.cli.explain import run

    return run(model, json)


@app.command(
    epilog=_examples(
        'mercer check "0.5 * RBF(2.0) + Polynomial(3) * Linear()"',
        'mercer check "Sigmoid()"',
        'mercer check "Bessel(order=1.0)" --dimension 5',
        'mercer check "RBF(2.0) - 0.5 * RBF(1.0)" measurements.csv --target label',
    )
)
def check(
    expression: o.Expression,
    data: o.Samples = None,
    target: o.LeftOut = None,
    dimension: o.Dimension = None,
    json: o.Json = False,
    algebraic: o.Algebraic = False,
) -> int:
    """Prove or refute that an expression is a kernel.

    A kernel is a positive semi-definite function of two samples. The proof has the structure of
    the expression; a refutation is a counterexample that can be checked by hand. The exit code
    is 0 if the expression is proved, 1 if it is refuted, and 3 if neither is known.
    """
    from mercer.cli.check import run

    return run(expression, data, target, dimension, json, algebraic)


@app.command(
    epilog=_examples(
        "mercer compare january.csv february.csv",
        "mercer compare january.csv february.csv --drop date --report drift.html",
    )
)
def compare(
    first: o.First,
    second: o.Second,
    kernel: o.Kernel = "auto",
    columns: o.Compared = None,
    drop: o.Drop = None,
    permutations: o.TestPermutations = 999,
    rows: o.MostRows = 2000,
    seed: o.Seed = 0,
    report: o.ComparisonReport = None,
    missing: o.Missing = None,
    threads: o.Threads = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> int:
    """Test whether two files differ, and where.

    The command prints a verdict, the columns that differ, with a correction for their number, and
    the rows of each file that are least like the other. The exit code is 1 if they differ at 5 %,
    or if one of them lacks a column that is to be compared, and else 0. A column that may be
    missing is left out with --drop.
    """
    from mercer.cli.statistics.compare import Settings, run

    chosen = tuple(columns or ()), tuple(drop or ())
    settings = Settings(kernel, permutations, rows, *chosen, seed)
    reading = {} if missing is None else {"missing": missing}
    return run((first, second), settings, reading, report, threads, json, quiet)


@app.command(epilog=_examples("mercer kernels", "mercer kernels Matern"))
def kernels(name: o.Name = None, json: o.Json = False) -> int:
    """List all kernels, or describe one.

    The list shows for which samples each kernel is meant, whether it is positive semi-definite,
    and its formula.
    """
    from mercer.cli.tools.catalogue import run

    return run(name, json)


@app.command(
    epilog=_examples(
        "mercer relate patients.csv --columns age,dose", "mercer relate patients.csv --given age"
    )
)
def relate(
    data: o.Data,
    columns: o.Related = None,
    given: o.Given = None,
    groups: o.Groups = None,
    permutations: o.Permutations = 999,
    rows: o.Rows = 2000,
    seed: o.Seed = 0,
    missing: o.Missing = None,
    separator: o.Separator = None,
    header: o.Header = None,
    encoding: o.Encoding = "utf-8",
    text: o.Texts = None,
    threads: o.Threads = None,
    json: o.Json = False,
) -> int:
    """Test which columns depend on each other.

    Every two columns are tested for independence, with a correction for the number of tests; or,
    if other columns are given, for dependence beyond what these explain.
    """
    from mercer.cli.statistics.relate import run

    reading: dict[str, object] = {"separator": separator, "header": header, "encoding": encoding}
    if separator == "\\t":  # as a shell passes it on
        reading["separator"] = "\t"
    reading |= {"missing": missing, "texts": text or ()}
    options = {"n_permutations": permutations, "max_rows": rows, "random_state": seed}
    return run(data, columns or [], given or [], groups, options, reading, threads, json)


@app.command(epilog=_examples("mercer gallery", "mercer gallery 3 --quick --out figures"))
def gallery(study: o.Study = None, out: o.Figures = Path("gallery"), quick: o.Quick = False) -> int:
    """List the example studies, or run one.

    The studies are those of the documentation. Running one prints its results and saves its
    figures.
    """
    from mercer.cli.tools.gallery import run

    return run(study, out, quick)


@app.command(epilog=_examples("mercer warmup"))
def warmup(quiet: o.Quiet = False) -> int:
    """Compile all functions now.

    Otherwise each function is compiled when it is first used, and the first fits take seconds
    longer. The compiled functions are stored on disk. Run the command once on each machine, or
    when the image of a container is built.
    """
    from mercer.cli.tools.warmup import run

    return run(quiet)


@app.command(epilog=_examples("mercer doctor", "mercer doctor --json"))
def doctor(json: o.Json = False) -> int:
    """Describe this installation.

    The command prints versions, libraries of linear algebra, threads, memory, and the state of the
    compiled functions. Add its output to a bug report. The exit code is 1 if something needs
    attention.
    """
    from mercer.cli.tools.doctor import run

    return run(json)


@app.command(epilog=_examples("mercer studio", "mercer studio customers.csv --port 8000"))
def studio(
    data: o.Opened = None,
    port: o.Port = 0,
    browser: o.Browser = True,
    time: o.FitTime = 900.0,
    memory: o.FitMemory = 3.0,
) -> int:
    """Build kernels and fit models in the browser.

    The page shows proofs, Gram matrices and decisions while you draw points and change kernels,
    and fits models to your data. It is served by this machine alone, works offline, and ends with
    Ctrl-C.
    """
    from mercer.cli.tools.studio import run

    return run(data, port, browser, time, memory)


for _each in app.registered_commands:
    _each.cls = _Command
