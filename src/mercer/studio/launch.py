"""Start the server on this machine and open the page."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from mercer.errors import InputError, MissingDependencyError
from mercer.studio.job_limits import Limits

_HOST = "127.0.0.1"


def serve(
    data: Path | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    limits: Limits | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the studio until it is interrupted.

    Parameters
    ----------
    data : path, optional
        The file that every page opens with.
    port : int
        The port; 0 takes a free one.
    browser : bool
        Whether to open the page in the browser.
    limits : Limits, optional
        What a page may use.
    say : callable
        Prints the address.
    """
    try:
        import uvicorn

        from mercer.studio.server import application
    except ImportError as error:
        remedy = "pip install 'mercer[studio]'"
        rule = f"needs the package {error.name}"
        raise MissingDependencyError("mercer studio", "page", rule, remedy) from None
    listener = _listener(port)
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    hosts = (f"{_HOST}:{port}", f"localhost:{port}")
    app = application(token, hosts, data, limits)
    address = f"http://{_HOST}:{port}/{token}/"
    say(f"mercer studio is open at\n\n    {address}\n")
    say("Only this machine can open it. Ctrl-C ends it.")
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, ws_max_size=8 * 2**20
    )
    uvicorn.Server(config).run(sockets=[listener])


def _listener(port: int) -> socket.socket:
    """A socket that only this machine reaches."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HOST, port))
        listener.listen(128)  # a browser that is early waits
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError("port", port, f"cannot be used ({error})", "give another one") from None
    return listener
