"""The command line: ``mercer fit``, ``predict``, ``explain``, ``check``, ``kernels``, ``gallery``."""

from __future__ import annotations

import os
import sys
from typing import Any

BAD_INPUT, STOPPED = (
    2,
    130,
)  # exit codes: 0 done, 1 refuted, 2 bad input, 3 unknown, 70 a fault of ours, 130 stopped


def main() -> None:
    """Run; every error is one line."""
    try:
        import typer

        from mercer.cli.app import app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "click", "rich"):
            raise
        sys.exit(_fail("the command line needs typer: pip install 'mercer[cli]'", BAD_INPUT))
    try:
        code = app(standalone_mode=False)
        if code == STOPPED:  # so typer tells of Ctrl-C
            _fail("stopped", STOPPED)
    except (typer.Abort, KeyboardInterrupt):
        code = _fail("stopped", STOPPED)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        code = 0
    except Exception as error:
        code = _misused(error) if isinstance(error, _usage_error(typer)) else _told(error)
    sys.exit(code if isinstance(code, int) else 0)


def _usage_error(typer: Any) -> Any:
    """What typer raises for bad arguments: a class of click's, or of the copy of click that newer ones carry."""
    return next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _misused(error: Any) -> int:
    text = error.format_message()
    if type(error).__name__ != "NoArgsIsHelpError":
        return _fail(" ".join(text.split()), BAD_INPUT)
    print(text)
    return BAD_INPUT


def _told(error: Exception) -> int:
    from mercer.errors import MercerError

    if os.environ.get("MERCER_TRACEBACK"):
        raise error
    line = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, (MercerError, ValueError, OSError, MemoryError)):
        return _fail(line, BAD_INPUT)
    return _fail(
        f"{type(error).__name__}: {line} (a fault of mercer's; MERCER_TRACEBACK=1 shows where)", 70
    )


def _fail(line: str, code: int) -> int:
    print(f"mercer: {line}", file=sys.stderr)
    return code
