"""String kernels against kernlab (through Rscript) and strkernel, and a million strings under a
linear learner.

Run ``python benchmarks/strings.py [spectrum subsequence dna million]``; without names, all. Each
line has our time, the peers' and the
ratio, all from one run. Peers are slow: they are given fewer strings, and their time is multiplied
by the ratio of pairs (kernlab, which
compares each pair anew) or of strings (strkernel's trie, whose walk is about linear in the letters,
so that the multiple flatters it).
Where a peer is not installed the line says so. Memory is the high-water mark of a process of its
own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from projection import alone
from timing import best, line

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from articles import articles

from mercer import GappedKmer, Mismatch, Spectrum, Subsequence

try:
    from strkernel.mismatch_kernel import MismatchKernel
except ImportError:
    MismatchKernel = None

_R = """
library(kernlab)
texts <- readLines("{file}", encoding = "UTF-8")
k <- {kernel}
cat(system.time(K <- kernelMatrix(k, as.list(texts)))["elapsed"])
"""


def kernlab(texts: list[str], kernel: str) -> float | None:
    """Seconds of kernlab's matrix of these texts; None where there is no R with it."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.txt"
        file.write_text("\n".join(texts) + "\n", encoding="utf-8")
        run = subprocess.run(
            ["Rscript", "-e", _R.format(file=file, kernel=kernel)], capture_output=True, text=True
        )
    return float(run.stdout.split()[-1]) if run.returncode == 0 else None


def against_kernlab(
    task: str, ours: float, texts: list[str], some: int, kernel: str, goal: float, remark: str = ""
) -> None:
    seconds = kernlab(texts[:some], kernel)
    pairs = len(texts) * (len(texts) + 1) / (some * (some + 1))
    peers = {} if seconds is None else {"kernlab": seconds * pairs}
    if peers and pairs > 1:
        remark += f"; kernlab's {seconds:.1f} s of {some} texts times {pairs:.0f}"
    line(task, ours, peers, {"kernlab": goal}, remark)


def spectrum() -> None:
    texts, _ = articles()
    kernel = Spectrum(length=4)
    kernel(texts[:10])
    ours = best(lambda: kernel(texts), 5)
    their = 'stringdot(type = "spectrum", length = 4, normalized = FALSE)'
    against_kernlab(f"Spectrum(4), {len(texts)} Reuters texts", ours, texts, 60, their, 100.0)


def subsequence() -> None:
    texts = articles()[0][:100]
    kernel = Subsequence(length=4, decay=0.5).normalize()
    kernel(texts[:2])
    ours = best(lambda: kernel(texts), 2)
    their = 'stringdot(type = "string", length = 4, lambda = 0.5, normalized = TRUE)'
    letters = int(np.mean([len(text) for text in texts]))
    against_kernlab(
        "Subsequence(4), 100 Reuters texts, normalized",
        ours,
        texts,
        100,
        their,
        5.0,
        f"{letters} letters on average",
    )


def dna() -> None:
    n, some = 2000, 20
    rng = np.random.default_rng(0)
    texts = ["".join(row) for row in rng.choice(list("acgt"), size=(n, 300))]
    kernel = Mismatch(length=5, mismatches=1, alphabet="acgt")
    kernel(texts[:10])
    ours = best(lambda: kernel(texts), 3)
    peers, remark = {}, ""
    if MismatchKernel is not None:
        numbers = [["acgt".index(letter) for letter in text] for text in texts[:some]]
        start = time.perf_counter()
        made = MismatchKernel(l=4, k=5, m=1).get_kernel(np.array(numbers), normalize=False)
        seconds = time.perf_counter() - start
        peers["strkernel"] = seconds * n / some
        equal = np.array_equal(made.kernel, kernel(texts[:some]))
        remark = f"strkernel's {seconds:.2f} s of {some} sequences times {n // some}; the same matrix: {equal}"  # noqa: E501
    line(f"Mismatch(5, 1), {n} sequences of 300 letters", ours, peers, {"strkernel": 1.0}, remark)
    for other in (GappedKmer(length=6, matches=4), GappedKmer(length=8, matches=6)):
        other(texts[:300])
        print(
            f"{other!r}, {n} sequences of 300 letters: {best(lambda: other(texts), 2):.2f} s",
            flush=True,
        )


def million() -> None:
    program = (
        "import time, numpy as np, mercer\n"
        "from sklearn.linear_model import SGDClassifier\n"
        "from sklearn.svm import LinearSVC\n"
        "rng = np.random.default_rng(0)\n"
        "letters = rng.choice(np.frombuffer(b'abcdefghijklmnopqrstuvwxyz', dtype='S1'), size=(1_000_000, 20))\n"  # noqa: E501
        "y = rng.integers(2, size=1_000_000)\n"
        "at = rng.integers(16, size=1_000_000)\n"
        "for j, letter in enumerate(b'kern'): letters[np.flatnonzero(y), at[y == 1] + j] = bytes([letter])\n"  # noqa: E501
        "texts = [row.decode() for row in letters.view('S20').ravel()]\n"
        "del letters\n"
        "start = time.perf_counter()\n"
        "F = mercer.Spectrum(length=3).hashed_features(texts)\n"
        "print(f'features {time.perf_counter() - start:.1f} s ({F.nnz / 1e6:.0f} million),')\n"
        "start = time.perf_counter()\n"
        "model = {learner}.fit(F[:900_000], y[:900_000])\n"
        "print(f'{learner} {time.perf_counter() - start:.1f} s, accuracy {model.score(F[900_000:], y[900_000:]):.3f}')"  # noqa: E501
    )
    for learner in ("SGDClassifier()", "LinearSVC(max_iter=20)"):
        made = program.replace("{learner}.fit", f"{learner}.fit").replace(
            "f'{learner} ", f"f'{learner} "
        )
        task = "Spectrum(3) features of 1,000,000 strings of 20 letters"
        print(f"{task}: {alone(task, made, 4.0)} (goal 4)", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    tasks = {"spectrum": spectrum, "subsequence": subsequence, "dna": dna, "million": million}
    for name in sys.argv[1:] or tasks:
        tasks[name]()


if __name__ == "__main__":
    main()
