"""The commands and their options; each command is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Kernel methods on any data: fit a model, estimate its error, explain it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DATA = (
    "CSV, TSV, Parquet, svmlight or FASTA files (plain or gzip), "
    "or a folder that holds one folder of texts for each class."
)
_TARGET = "The column to predict: its name, or its position (0 is the first, -1 the last)."
_KERNEL = 'The kernel, such as "RBF(2.0) + Linear()"; "auto" chooses one that suits the data.'
_LEARNER = "Learning method: auto, svc, ridge, logistic, gp, rvm, neighbors, discriminant or svr."
_REPEATS = "Number of repeats of the cross-validation. [default: more for fewer samples]"
_MODEL = "File to save the model to. [default: NAME.mercer in the current folder]"
_REPORT = "File to write the HTML report to. [default: NAME.html in the current folder]"
_MISSING = "A cell that marks a missing value, such as '-'; may be given several times."
_HEADER = "Whether the first row holds the names of the columns. [default: detected]"
_PROBABILITIES = "Add the probability of each class, or the standard deviation of a gp or rvm."
_DIMENSION = "Dimension of the vectors: some kernels are valid in low dimensions only."
_STUDY = 'Number of the study, part of its name, or "all". [default: list the studies]'

Data = Annotated[list[Path], typer.Argument(help=_DATA)]
Model = Annotated[Path, typer.Argument(help="A model file, written by mercer fit.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Threads = Annotated[
    int | None,
    typer.Option("--threads", min=1, help="Number of threads; results do not depend on it."),
]


def _version(wanted: bool) -> None:
    if wanted:
        import mercer

        print(f"mercer {mercer.__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
]


@app.callback()
def _main(version: Version = False) -> None:
    pass


@app.command()
def fit(
    data: Data,
    target: Annotated[str | None, typer.Option("--target", "-t", help=_TARGET)] = None,
    kernel: Annotated[str, typer.Option("--kernel", "-k", help=_KERNEL)] = "auto",
    learner: Annotated[str, typer.Option("--learner", "-l", help=_LEARNER)] = "auto",
    task: Annotated[
        str, typer.Option("--task", help="auto, classification or regression.")
    ] = "auto",
    folds: Annotated[
        int, typer.Option("--folds", min=2, help="Number of cross-validation folds.")
    ] = 5,
    repeats: Annotated[int | None, typer.Option("--repeats", min=1, help=_REPEATS)] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of the random number generator.")
    ] = 0,
    model: Annotated[Path | None, typer.Option("--model", "-o", help=_MODEL)] = None,
    report: Annotated[Path | None, typer.Option("--report", "-r", help=_REPORT)] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    missing: Annotated[list[str] | None, typer.Option("--missing", help=_MISSING)] = None,
    separator: Annotated[
        str | None, typer.Option("--separator", help="Character between cells. [default: detected]")
    ] = None,
    header: Annotated[bool | None, typer.Option("--header/--no-header", help=_HEADER)] = None,
    encoding: Annotated[
        str, typer.Option("--encoding", help="Character encoding of text files.")
    ] = "utf-8",
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Fit a model to a table, sequences or texts; cross-validate it, save it and write a report."""
    from mercer.cli.fit import Destination, run

    choices: dict[str, object] = {"kernel": kernel, "learner": learner, "task": task}
    choices |= {"folds": folds, "repeats": repeats, "random_state": seed}
    reading = {"separator": separator, "header": header, "encoding": encoding, "missing": missing}
    destination = Destination.of(data[0], model, report, with_report=not no_report)
    return run(data, target, choices, reading, destination, threads, json, quiet)


@app.command()
def predict(
    model: Model,
    data: Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="CSV file to write. [default: print the predictions]"),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", "-p", help=_PROBABILITIES)
    ] = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Predict the target of new samples; if the data include it, print the score as well."""
    from mercer.cli.predict import run

    return run(model, data, out, probabilities, threads, json, quiet)


@app.command()
def explain(
    model: Annotated[Path, typer.Argument(help="A file written by mercer fit or mercer.save.")],
    json: Json = False,
) -> int:
    """Show a saved model: its kernel with a proof, its score, and what it depends on most."""
    from mercer.cli.explain import run

    return run(model, json)


@app.command()
def check(
    expression: Annotated[str, typer.Argument(help='A kernel, such as "RBF(2.0) * Linear()".')],
    data: Annotated[
        list[Path] | None,
        typer.Argument(help="Samples among which to look for a counterexample as well."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="A column of the data to leave out of the samples."),
    ] = None,
    dimension: Annotated[
        int | None, typer.Option("--dimension", "-d", min=1, help=_DIMENSION)
    ] = None,
    json: Json = False,
) -> int:
    """Prove or refute that an expression is a positive semi-definite kernel.

    The exit code is 0 if it is proved, 1 if it is refuted and 3 if neither is known.
    """
    from mercer.cli.check import run

    return run(expression, data, target, dimension, json)


@app.command()
def kernels(
    name: Annotated[str | None, typer.Argument(help="A kernel to describe in full.")] = None,
    json: Json = False,
) -> int:
    """List all kernels with their kind of samples, definiteness and formula, or describe one."""
    from mercer.cli.catalogue import run

    return run(name, json)


@app.command()
def gallery(
    study: Annotated[str | None, typer.Argument(help=_STUDY)] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to save the figures in.")] = Path(
        "gallery"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Run with fewer repeats.")] = False,
) -> int:
    """List or run the example studies of the documentation; save their figures."""
    from mercer.cli.gallery import run

    return run(study, out, quick)
