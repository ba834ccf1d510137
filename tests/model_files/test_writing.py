"""Whatever happens while a file is written, the old one or the new one is there, whole."""

from __future__ import annotations

import errno
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mercer
from mercer import RBF, KernelRidge
from mercer.model_files import writing


def model(size: int = 50, value: float = 1.0) -> KernelRidge:
    return KernelRidge(kernel=RBF()).fit(np.arange(float(size))[:, None], np.full(size, value))


def old_and_new(folder: Path) -> tuple[Path, bytes]:
    path = folder / "m"
    mercer.save(model(), path)
    return path, path.read_bytes()


STEPS = ["open", "fchmod", "fsync", "replace"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()],
    ids=["full", "interrupt"],
)
def test_an_error_at_any_step(step, error, tmp_path, monkeypatch):
    path, before = old_and_new(tmp_path)

    def fail(*args: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr(writing.os, step, fail)
    with pytest.raises(type(error)):
        mercer.save(model(60), path)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["m"] and path.read_bytes() == before


@pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 6])
def test_a_full_disk_after_some_pieces(after, tmp_path, monkeypatch):
    path, before = old_and_new(tmp_path)
    whole = writing._pieces

    def some(*args: Any) -> Any:
        for number, piece in enumerate(whole(*args)):
            if number == after:
                raise OSError(errno.ENOSPC, "No space left on device")
            yield piece

    monkeypatch.setattr(writing, "_pieces", some)
    with pytest.raises(OSError, match="No space"):
        mercer.save(model(60), path)
    assert os.listdir(tmp_path) == ["m"] and path.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is always full is wanted")
def test_a_disk_that_is_really_full(tmp_path, monkeypatch):
    path, before = old_and_new(tmp_path)
    real = os.open
    monkeypatch.setattr(
        writing.os,
        "open",
        lambda name, flags, mode=0o777: (
            real("/dev/full", os.O_WRONLY)
            if str(name).endswith(".part")
            else real(name, flags, mode)
        ),
    )
    with pytest.raises(OSError, match="No space"):
        mercer.save(model(60), path)
    assert path.read_bytes() == before


def test_the_order_of_what_is_made_sure(tmp_path, monkeypatch):
    """The bytes are on the disk before the name is theirs, and the name before save returns."""
    path, _ = old_and_new(tmp_path)
    done = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(
            writing.os,
            name,
            lambda *args, real=real, name=name: (done.append(name), real(*args))[1],
        )
    mercer.save(model(60), path)
    assert done == ["fsync", "replace", "fsync"]


def test_permissions_are_kept(tmp_path):
    path, _ = old_and_new(tmp_path)
    umask = os.umask(0o027)
    try:
        mercer.save(RBF(), tmp_path / "new")
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
        path.chmod(0o604)
        mercer.save(RBF(), path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(umask)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(Path("there") / "m")
    mercer.save(RBF(), link)  # the file it names does not exist yet
    mercer.save(RBF(length_scale=2.0), link)
    assert link.is_symlink() and os.listdir(tmp_path / "there") == ["m"]
    assert (
        repr(mercer.load(tmp_path / "there" / "m"))
        == repr(mercer.load(link))
        == "RBF(length_scale=2.0)"
    )


def test_names_that_are_paths_texts_and_bytes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mercer.save(RBF(), "m")
    assert repr(mercer.load(Path("m"))) == repr(mercer.load("m")) == "RBF()"
    long = "x" * 250
    mercer.save(RBF(), long)
    assert repr(mercer.load(long)) == "RBF()"
    with pytest.raises(FileNotFoundError):
        mercer.save(RBF(), tmp_path / "no" / "m")


def test_a_file_that_may_not_be_written_is_left_alone(tmp_path, monkeypatch):
    path, before = old_and_new(tmp_path)
    monkeypatch.setattr(
        writing.os, "access", lambda *args: False
    )  # the super-user may write everything
    with pytest.raises(PermissionError):
        mercer.save(RBF(), path)
    assert path.read_bytes() == before


def test_many_threads_save_to_one_name(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    made = [model(50, float(value)) for value in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: mercer.save(made[number % 4], tmp_path / "m"), range(40)))
    assert mercer.load(tmp_path / "m").X_fit_.shape == (50, 1) and os.listdir(tmp_path) == ["m"]


WRITER = """
import os, sys
import numpy as np
import mercer
tables = [np.arange(40.0 + i)[:, None] * np.ones(5000) for i in range(2)]  # large files
models = [mercer.KernelRidge(kernel=mercer.RBF()).fit(X, np.ones(len(X))) for X in tables]
mercer.save(models[0], sys.argv[1] + ".warm")  # whatever is imported first is imported before the forks
os.unlink(sys.argv[1] + ".warm")
while True:
    child = os.fork()
    if not child:
        print(os.getpid(), flush=True)
        while True:
            for m in models:
                mercer.save(m, sys.argv[1])
    os.waitpid(child, 0)
"""  # noqa: E501


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the writer is made anew by fork")
@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_while_saving(kills, tmp_path):
    path = tmp_path / "m"
    mercer.save(model(), path)
    first = path.stat().st_ino
    rng = random.Random(0)
    sizes = set()
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        try:
            for _ in range(kills):
                child = int(writer.stdout.readline())
                while path.stat().st_ino == first:  # until a save has ended, however long it takes
                    time.sleep(0.001)
                time.sleep(rng.uniform(0.0, 0.05))
                os.kill(child, signal.SIGKILL)
                found = mercer.load(path)
                sizes.add(len(found.X_fit_))
        finally:
            writer.kill()
    assert sizes <= {40, 41, 50} and sizes & {40, 41}
    left = [name for name in os.listdir(tmp_path) if name != "m"]
    assert all(name.startswith(".m.") and name.endswith(".part") for name in left)


# -- what a killed process leaves


KILLED = """
import os, signal, sys
import mercer
from mercer.model_files import writing

def pieces(*args):
    yield b"half a file"
    print("writing", flush=True)
    {end}

writing._pieces = pieces
mercer.save(mercer.RBF(), sys.argv[1])
"""


def half_written(path: Path, end: str) -> subprocess.Popen:
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED.format(end=end), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None and child.stdout.readline() == "writing\n"
    return child


def test_the_next_save_removes_what_a_killed_one_left(tmp_path):
    path, _ = old_and_new(tmp_path)
    half_written(path, "os.kill(os.getpid(), signal.SIGKILL)").wait()
    assert len(os.listdir(tmp_path)) == 2
    others = [".m.part", ".m.0123.part", ".n.0123456789abcdef.part", "m.0123456789abcdef.part"]
    for name in others:
        (tmp_path / name).touch()
    mercer.save(RBF(), path)
    assert sorted(os.listdir(tmp_path)) == sorted(["m", *others])


def test_a_save_beside_another_one_is_left_alone(tmp_path):
    path, _ = old_and_new(tmp_path)
    child = half_written(path, "sys.stdin.read()")
    try:
        mercer.save(RBF(), path)
        assert len(os.listdir(tmp_path)) == 2
    finally:
        child.kill()
        child.wait()
    mercer.save(RBF(), path)
    assert os.listdir(tmp_path) == ["m"]


class Mine:
    """A class that nobody registered."""


def test_code_is_refused_with_what_keeps_it(tmp_path):
    @mercer.kernel(status="psd")
    def product(x, y):
        return x[0] * y[0]

    remedy = r"pickle keeps it; or build it .*@mercer\.register_function"
    with pytest.raises(mercer.errors.ModelFileError, match=remedy):
        mercer.save(2.0 * product, tmp_path / "m")
    model = KernelRidge(kernel=mercer.Constant()).fit([Mine(), Mine()], [0.0, 1.0])
    remedy = r"pickle keeps it; or decorate the class with mercer\.state\.storable"
    with pytest.raises(mercer.errors.ModelFileError, match=remedy):
        mercer.save(model, tmp_path / "m")
