"""The command line: ``mercer fit``, ``predict``, ``explain``, ``check``, ``compare``, ``relate``,
``kernels``, ``gallery``, ``warmup``, ``doctor``, ``studio``.

Exit codes are 0 (success), 1 (the kernel is refuted, or files differ in their rows or columns), 2
(bad input), 3 (nothing is known of the kernel), 70 (a bug in mercer) and 130 (interrupted).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

BAD_INPUT = 2
BUG = 70
STOPPED = 130


def main() -> None:
    """Run a command and exit; every error is one line on the error stream."""
    try:
        import typer

        from mercer.cli.app import app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "click", "rich"):
            raise
        sys.exit(_fail("the command line needs typer: pip install 'mercer[cli]'", BAD_INPUT))
    _allow_formulas()
    sys.exit(_run(app, typer))


def _allow_formulas() -> None:
    """Write UTF-8 where the encoding of a stream lacks letters of formulas, as on Windows."""
    for stream in (sys.stdout, sys.stderr):
        encoding = getattr(stream, "encoding", None)
        if not isinstance(encoding, str) or not hasattr(stream, "reconfigure"):
            continue
        try:
            "cᵀKc ≥ 0".encode(encoding)
        except UnicodeEncodeError:
            stream.reconfigure(encoding="utf-8")


def _run(app: Callable[..., object], typer: ModuleType) -> int:
    """The exit code of a command."""
    try:
        code = app(standalone_mode=False, prog_name="mercer")
    except (typer.Abort, KeyboardInterrupt):
        code = STOPPED
    except BrokenPipeError:
        # The reader of the output, such as head, has closed it.
        sys.stderr.close()
        return 0
    except _usage_error(typer) as error:
        return _report_misuse(error)
    except Exception as error:
        return _report_error(error)
    if code == STOPPED:  # some versions of typer return it
        _fail("stopped", STOPPED)
    return code if isinstance(code, int) else 0


def _usage_error(typer: ModuleType) -> type[Exception]:
    """The class that typer raises for bad arguments: click's, or that of typer's copy of click."""
    bases = typer.BadParameter.__mro__
    return next(base for base in bases if base.__name__ == "ClickException")


def _report_misuse(error: Any) -> int:
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        print(text)
        return BAD_INPUT
    return _fail(" ".join(text.split()), BAD_INPUT)


def _report_error(error: Exception) -> int:
    from mercer.errors import MercerError

    if os.environ.get("MERCER_TRACEBACK"):
        raise error
    name = type(error).__name__
    line = " ".join(str(error).split()) or name
    if isinstance(error, MemoryError) and not isinstance(error, MercerError):
        line = f"there is not enough memory ({line}); give fewer samples or columns"
    if isinstance(error, (MercerError, ValueError, OSError, MemoryError)):
        return _fail(line, BAD_INPUT)
    return _fail(f"{name}: {line} (a bug in mercer; MERCER_TRACEBACK=1 shows where)", BUG)


def _fail(line: str, code: int) -> int:
    from mercer.markup import visible

    print(f"mercer: {visible(line)}", file=sys.stderr)
    return code
