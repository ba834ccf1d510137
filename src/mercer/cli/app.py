"""The commands and their options; each does its work in a module of its own, imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Kernel methods on any data: give it data, get a valid kernel, a tuned model, an honest error and pictures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[
    list[Path],
    typer.Argument(
        help="CSV, TSV, Parquet, svmlight or FASTA files (plain or gzip), or a folder of texts by class."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", help="A cell that means a hole; may be given several times."),
]
Separator = Annotated[
    str | None, typer.Option("--separator", help="Between cells; found out if not given.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row names the columns; found out if not given.",
    ),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Of text files.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="How many; results do not depend on it.")
]


def _version(wanted: bool) -> None:
    if wanted:
        import mercer

        print(f"mercer {mercer.__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def fit(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="The column to be told: a name, or a place (0 the first, -1 the last).",
        ),
    ] = None,
    kernel: Annotated[
        str,
        typer.Option(
            "--kernel",
            "-k",
            help='An expression, such as "RBF(2.0) + Linear()"; "auto" reads the data.',
        ),
    ] = "auto",
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            "-l",
            help="auto, svc, ridge, logistic, gp, rvm, neighbors, discriminant, svr.",
        ),
    ] = "auto",
    task: Annotated[
        str, typer.Option("--task", help="auto, classification or regression.")
    ] = "auto",
    folds: Annotated[int, typer.Option("--folds", min=2, help="Of the cross-validation.")] = 5,
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", min=1, help="Of it; by default more for fewer samples."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of everything random.")] = 0,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", "-o", help="Where to save the model; beside you as NAME.mercer if not given."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", "-r", help="Where to write the report; as NAME.html if not given."
        ),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write none.")] = False,
    missing: Missing = None,
    separator: Separator = None,
    header: Header = None,
    encoding: Encoding = "utf-8",
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Fit a model to a table, sequences or texts; assess it, save it and write a report."""
    from mercer.cli.fit import run

    options = {
        "separator": separator,
        "header": header,
        "encoding": encoding,
        "missing": None if missing is None else ("", *missing),
    }
    return run(
        data,
        target,
        {
            "kernel": kernel,
            "learner": learner,
            "task": task,
            "folds": folds,
            "repeats": repeats,
            "random_state": seed,
        },
        options,
        model,
        None if no_report else report or Path(""),
        threads,
        json,
        quiet,
    )


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A file written by mercer fit.")],
    data: Data,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A CSV file; printed if not given.")
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", "-p", help="A column for every class, or the deviation."),
    ] = False,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Tell the target of new samples; where the data hold it too, say how often it was right."""
    from mercer.cli.predict import run

    return run(model, data, out, probabilities, threads, json, quiet)


@app.command()
def explain(
    model: Annotated[Path, typer.Argument(help="A file written by mercer fit or mercer.save.")],
    json: Json = False,
) -> int:
    """What a model is: its kernel and the proof, what it rests on, how well it does."""
    from mercer.cli.explain import run

    return run(model, json)


@app.command()
def check(
    expression: Annotated[str, typer.Argument(help='A kernel, such as "RBF(2.0) * Linear()".')],
    data: Annotated[
        list[Path] | None,
        typer.Argument(help="Samples on which to look for a counterexample, too."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", help="A column of the data that is not part of the samples."
        ),
    ] = None,
    dimension: Annotated[
        int | None,
        typer.Option(
            "--dimension", "-d", min=1, help="Of the vectors: some kernels are valid in few only."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Is it a kernel? Prints the proof, or a refutation that anyone can check; exits with 0, 1 (refuted) or 3 (unknown)."""
    from mercer.cli.check import run

    return run(expression, data, target, dimension, json)


@app.command()
def kernels(
    name: Annotated[str | None, typer.Argument(help="One kernel, of which all is told.")] = None,
    json: Json = False,
) -> int:
    """The catalogue: every kernel, on which samples, with its parameters and what is known of it."""
    from mercer.cli.catalogue import run

    return run(name, json)


@app.command()
def gallery(
    study: Annotated[
        str | None,
        typer.Argument(help='Its number, part of its name, or "all"; without it they are listed.'),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="A folder for the pictures.")] = Path(
        "gallery"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repeats.")] = False,
) -> int:
    """The studies of the lectures, run on this machine: tables are printed, pictures saved."""
    from mercer.cli.gallery import run

    return run(study, out, quick)
