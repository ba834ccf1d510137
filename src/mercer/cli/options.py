"""The options and arguments of the commands, with their help texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from mercer.cli.loading import located

_LEARNERS = ("auto", "svc", "ridge", "logistic", "gp", "rvm", "neighbors", "discriminant", "svr")
_TASKS = ("auto", "classification", "regression")
_METRICS = ("accuracy", "balanced", "auc", "logloss", "f1", "precision", "recall", "r2")


def _one_of(*words: str) -> Callable[[str], list[str]]:
    """A function that shells call to complete a word."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def _kernel_names(incomplete: str) -> list[str]:
    """The names of kernels that begin so."""
    from mercer.kernels import catalogue

    return [name for name in catalogue() if name.lower().startswith(incomplete.lower())]


# -- data ------------------------------------------------------------------------------------------

_FILES = (
    "The data: a CSV, TSV, svmlight, FASTA or .ts file (plain or gzip), a Parquet file (with the "
    "extra mercer[parquet]), a UCR file of "
    "time series, a JSON-lines file of trees, a folder of graphs in TUDataset format, or a folder "
    "with one subfolder of texts or trees for each class. The names house_votes and promoters "
    "stand for two small tables that are part of mercer."
)
_COLUMN = (
    "The column to predict, given by its name or its position (0 is the first, -1 the last). "
    "Only tables need it. The classes of FASTA sequences are their repeated headers, or one file "
    "is given for each class."
)
_MARKER = (
    "A cell text that stands for a missing value, such as '-'. The option may be given several "
    "times. The usual ones are recognized as well: ?, NA, NaN and null, unless '' is given, too; "
    "empty cells always are."
)
_TEXT = (
    "A column to read as text, for example numbers that are really names. The option may be given "
    "several times."
)
_CASE = "Convert the letters of FASTA files, of columns of DNA and of texts to upper or lower case."
_STRICT = (
    "Stop with an error at doubtful data, such as a word in a column of numbers, instead of "
    "printing a note."
)
_HEADER = "Whether the first row contains the names of the columns."
_DROP = (
    "A column to leave out. The option may be given several times, or once with names separated "
    "by commas."
)
_KEEP = (
    "A column to use although it looks like an identifier or seems to add nothing. Several "
    "columns are given as with --drop."
)
_ONLY = "A column to learn from; all others are left out. Several are given as with --drop."
_ID = (
    "The column that identifies the rows. The model does not use it; it is printed beside the "
    "predictions."
)
_TEST = "Estimate the error on the samples of this file instead of by cross-validation."
_LEFT_OUT = "A column of the data to leave out of the samples."
_SEARCHED = "Samples among which a counterexample is searched as well."

Data = Annotated[list[Path], Argument(metavar="DATA", help=_FILES, callback=located)]
Samples = Annotated[list[Path] | None, Argument(metavar="DATA", help=_SEARCHED, callback=located)]
Target = Annotated[str | None, Option("--target", "-t", metavar="COLUMN", help=_COLUMN)]
LeftOut = Annotated[str | None, Option("--target", "-t", metavar="COLUMN", help=_LEFT_OUT)]
Missing = Annotated[list[str] | None, Option("--missing", metavar="TEXT", help=_MARKER)]
Separator = Annotated[
    str | None,
    Option(
        "--separator",
        show_default="detected",
        metavar="CHARACTER",
        help="The character between two cells.",
    ),
]
Header = Annotated[
    bool | None, Option("--header/--no-header", show_default="detected", help=_HEADER)
]
Encoding = Annotated[
    str, Option("--encoding", metavar="NAME", help="The character encoding of text files.")
]
Texts = Annotated[list[str] | None, Option("--text", metavar="COLUMN", help=_TEXT)]
Case = Annotated[
    str | None,
    Option(
        "--case",
        metavar="upper|lower",
        show_default="unchanged",
        help=_CASE,
        autocompletion=_one_of("upper", "lower"),
    ),
]
LaterCase = Annotated[
    str | None,
    Option(
        "--case",
        metavar="upper|lower",
        show_default="as in mercer fit",
        help=_CASE,
        autocompletion=_one_of("upper", "lower"),
    ),
]
Strict = Annotated[bool, Option("--strict", help=_STRICT)]
Drop = Annotated[list[str] | None, Option("--drop", metavar="COLUMN", help=_DROP)]
Keep = Annotated[list[str] | None, Option("--keep", metavar="COLUMN", help=_KEEP)]
Columns = Annotated[list[str] | None, Option("--columns", metavar="COLUMN", help=_ONLY)]
Id = Annotated[str | None, Option("--id", metavar="COLUMN", help=_ID)]
Test = Annotated[Path | None, Option("--test", metavar="FILE", help=_TEST)]

# -- the model -------------------------------------------------------------------------------------

_EXPRESSION = (
    'The kernel as an expression, such as "RBF(2.0) + Linear()". With "auto", a kernel that suits '
    "the data is chosen or learned."
)
_LEARNER = f"The learning method: {', '.join(_LEARNERS[:-1])} or {_LEARNERS[-1]}."
_TASK = "What to predict: classification for classes, regression for numbers."
_METRIC = (
    "The metric by which models are compared and assessed: accuracy, balanced, auc, logloss, f1, "
    "precision or recall for classes; r2, rmse or mae for numbers."
)
_BALANCED = (
    "Give all classes the same total weight in the fit. The decision threshold does not change."
)
_FAST = (
    "Compare fewer candidates, cross-validate once and compute no learning curve: quicker, but "
    "less certain."
)
_TIME = "The time, in seconds, that the command should take approximately."
_REPEATS = "How many times the cross-validation is repeated with other folds."
_SEED = "The seed of the random number generator; the same seed gives the same result."
_NO_ASSESS = "Fit the model without cross-validation."

Kernel = Annotated[str, Option("--kernel", "-k", metavar="EXPRESSION", help=_EXPRESSION)]
Learner = Annotated[
    str,
    Option("--learner", "-l", metavar="NAME", help=_LEARNER, autocompletion=_one_of(*_LEARNERS)),
]
Task = Annotated[str, Option("--task", metavar="NAME", help=_TASK, autocompletion=_one_of(*_TASKS))]
Metric = Annotated[
    str | None,
    Option(
        "--metric",
        show_default="accuracy, logloss or r2",
        metavar="NAME",
        help=_METRIC,
        autocompletion=_one_of(*_METRICS, "rmse", "mae"),
    ),
]
Balanced = Annotated[bool, Option("--balanced", help=_BALANCED)]
Hurried = Annotated[bool, Option("--quick", help=_FAST)]
Time = Annotated[float | None, Option("--time", min=1.0, metavar="SECONDS", help=_TIME)]
NoAssess = Annotated[bool, Option("--no-assess", help=_NO_ASSESS)]
Folds = Annotated[
    int, Option("--folds", min=2, metavar="NUMBER", help="The number of folds of cross-validation.")
]
Repeats = Annotated[
    int | None,
    Option(
        "--repeats",
        min=1,
        max=10_000,
        show_default="more for fewer samples",
        metavar="NUMBER",
        help=_REPEATS,
    ),
]
Seed = Annotated[int, Option("--seed", min=0, max=2**32 - 1, metavar="NUMBER", help=_SEED)]

# -- files and output ------------------------------------------------------------------------------

_PROBABILITIES = (
    "Add the probability of each class, or the standard deviation of the prediction if the model "
    "is a gp or rvm."
)
_SHEET = "Put an apostrophe before cells that a spreadsheet would run as formulas."
_THREADS = "The number of threads. The result does not depend on it."

Model = Annotated[Path, Argument(metavar="MODEL", help="A model file that mercer fit has written.")]
AnyModel = Annotated[
    Path, Argument(metavar="MODEL", help="A model file that mercer fit or mercer.save has written.")
]
Save = Annotated[
    Path | None,
    Option(
        "--model", "-o", show_default="DATA.mercer", metavar="FILE", help="The model file to write."
    ),
]
Report = Annotated[
    Path | None,
    Option(
        "--report", "-r", show_default="DATA.html", metavar="FILE", help="The HTML report to write."
    ),
]
NoReport = Annotated[bool, Option("--no-report", help="Do not write a report.")]
Predictions = Annotated[
    Path | None,
    Option(
        "--out",
        "-o",
        show_default="printed",
        metavar="FILE",
        help="The CSV file to which the predictions are written.",
    ),
]
Probabilities = Annotated[bool, Option("--probabilities", "-p", help=_PROBABILITIES)]
Spreadsheet = Annotated[bool, Option("--spreadsheet", help=_SHEET)]
Threads = Annotated[
    int | None, Option("--threads", min=1, max=1024, metavar="NUMBER", help=_THREADS)
]
Json = Annotated[bool, Option("--json", help="Print one JSON object instead of text.")]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print only errors.")]

# -- kernels and studies ---------------------------------------------------------------------------

_DIMENSION = (
    "The number of columns of the vectors. Some kernels are positive semi-definite in low "
    "dimensions only."
)
_ALGEBRAIC = (
    "Print the proof that uses closure rules only, for kernels that have a second proof (RBF)."
)
_STUDY = 'The number of a study, a part of its name, or "all". Without it, all studies are listed.'

Expression = Annotated[
    str,
    Argument(
        metavar="EXPRESSION", help='The kernel as an expression, such as "RBF(2.0) * Linear()".'
    ),
]
Algebraic = Annotated[bool, Option("--algebraic", help=_ALGEBRAIC)]
Dimension = Annotated[
    int | None, Option("--dimension", "-d", min=1, max=10_000, metavar="NUMBER", help=_DIMENSION)
]
Name = Annotated[
    str | None,
    Argument(
        metavar="NAME", help="The kernel to describe in detail.", autocompletion=_kernel_names
    ),
]
Study = Annotated[str | None, Argument(metavar="STUDY", help=_STUDY)]
Figures = Annotated[
    Path, Option("--out", "-o", metavar="FOLDER", help="The folder in which the figures are saved.")
]
Quick = Annotated[bool, Option("--quick", help="Run each study with fewer repetitions.")]
Related = Annotated[
    list[str] | None,
    Option(
        "--columns",
        metavar="COLUMN",
        help="A column to relate to others; without it, all columns but identifiers are related. "
        "It may be given several times, or with commas.",
    ),
]
Given = Annotated[
    list[str] | None,
    Option(
        "--given",
        metavar="COLUMN",
        help="A column that is given: the test is whether there is dependence beyond what it "
        "explains. It may be given several times, or with commas.",
    ),
]
Groups = Annotated[
    str | None,
    Option(
        "--groups",
        metavar="COLUMN",
        help="The column of labels of rows that belong together, which are permuted as a whole.",
    ),
]
Permutations = Annotated[
    int,
    Option(
        "--permutations",
        min=1,
        max=10**7,
        metavar="NUMBER",
        help="The number of permutations of each test.",
    ),
]
Rows = Annotated[
    int,
    Option(
        "--rows",
        min=2,
        metavar="NUMBER",
        help="The number of rows to draw at random, where there are more.",
    ),
]
Explained = Annotated[
    list[Path] | None,
    Argument(metavar="DATA", help="Samples whose predictions are explained, one by one."),
]
SampleNumbers = Annotated[
    str | None,
    Option(
        "--rows",
        show_default="the first three",
        metavar="NUMBERS",
        help="The numbers of the samples to explain, such as 1,2,5-8; 1 is the first.",
    ),
]
Opened = Annotated[
    Path | None, Argument(metavar="DATA", help="A file of data to open the page with.")
]
Port = Annotated[
    int, Option("--port", min=0, max=65535, metavar="NUMBER", help="The port; 0 takes a free one.")
]
Browser = Annotated[
    bool, Option("--browser/--no-browser", help="Whether to open the page in the browser.")
]
FitTime = Annotated[
    float,
    Option("--time", min=1.0, metavar="SECONDS", help="The longest time of a fit, in seconds."),
]
FitMemory = Annotated[
    float,
    Option(
        "--memory",
        min=0.5,
        metavar="GIGABYTES",
        help="The memory that a page may use, in gigabytes.",
    ),
]
First = Annotated[
    Path, Argument(metavar="FIRST", help="The first file, of any kind that mercer fit reads.")
]
Second = Annotated[Path, Argument(metavar="SECOND", help="The second file, of the same kind.")]
Compared = Annotated[
    list[str] | None,
    Option(
        "--columns",
        metavar="COLUMN",
        help="A column to compare; without it, all columns but identifiers are compared. It may be "
        "given several times, or with commas.",
    ),
]
TestPermutations = Annotated[
    int,
    Option(
        "--permutations",
        min=19,
        max=1_000_000,
        metavar="NUMBER",
        help="The number of permutations.",
    ),
]
MostRows = Annotated[
    int,
    Option(
        "--rows",
        min=2,
        metavar="NUMBER",
        help="The number of rows of each file that are compared at most.",
    ),
]
ComparisonReport = Annotated[
    Path | None,
    Option("--report", "-r", show_default="none", metavar="FILE", help="The HTML report to write."),
]
Engine = Annotated[
    str | None,
    Option(
        "--engine",
        metavar="ADDRESS",
        help="The address of a Dask cluster for files that are read block by block, such as "
        "tcp://head:8786.",
    ),
]
Centers = Annotated[
    int | None,
    Option(
        "--centers",
        min=1,
        show_default="10 √n",
        metavar="NUMBER",
        help="How many rows the model consists of, for files that are read block by block: several "
        "tables, or one of more than 3,000 rows.",
    ),
]
