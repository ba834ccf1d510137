"""The command line: ``mercer fit``, ``predict``, ``explain``, ``check``, ``kernels``, ``gallery``."""

from __future__ import annotations

import os
import sys

BAD_INPUT = 2  # exit codes: 0 done, 1 refuted, 2 bad input, 3 unknown, 70 a fault of ours, 130 stopped


def main() -> None:
    """Run; every error is one line."""
    try:
        import click

        from mercer.cli.app import app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "click", "rich"):
            raise
        sys.exit(_fail("the command line needs typer: pip install 'mercer[cli]'", BAD_INPUT))
    try:
        code = app(standalone_mode=False)
    except click.exceptions.Abort:
        code = _fail("stopped", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        code = BAD_INPUT
    except click.ClickException as error:
        code = _fail(error.format_message(), BAD_INPUT)
    except KeyboardInterrupt:
        code = _fail("stopped", 130)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        code = 0
    except Exception as error:
        code = _told(error)
    sys.exit(code if isinstance(code, int) else 0)


def _told(error: Exception) -> int:
    from mercer.errors import MercerError

    if os.environ.get("MERCER_TRACEBACK"):
        raise error
    line = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, (MercerError, ValueError, OSError, MemoryError)):
        return _fail(line, BAD_INPUT)
    return _fail(f"{type(error).__name__}: {line} (a fault of mercer's; MERCER_TRACEBACK=1 shows where)", 70)


def _fail(line: str, code: int) -> int:
    print(f"mercer: {line}", file=sys.stderr)
    return code
