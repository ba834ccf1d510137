"""The application for tests: its address, its headers, and a page that is connected to it."""

from __future__ import annotations

import json
from typing import Any

from starlette.testclient import TestClient, WebSocketTestSession

from mercer.studio.job_limits import Limits
from mercer.studio.server import application
from mercer.studio.wire import unpack

TOKEN = "secret-token"
HOST = "127.0.0.1:8765"
ORIGIN = {"origin": f"http://{HOST}"}


def client(limits: Limits | None = None, **options: Any) -> TestClient:
    """A browser on this machine."""
    app = application(TOKEN, [HOST], limits=limits, **options)
    return TestClient(app, base_url=f"http://{HOST}", headers=ORIGIN)


class Page:
    """A page that is connected."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.hello = unpack(socket.receive_bytes())

    def send(self, action: str, **request: Any) -> None:
        self.socket.send_text(json.dumps({"id": 1, "do": action, **request}))

    def receive(self) -> dict[str, Any]:
        """The next message that is no progress."""
        while True:
            message = unpack(self.socket.receive_bytes())
            if "progress" not in message:
                return message

    def ask(self, action: str, **request: Any) -> dict[str, Any]:
        self.send(action, **request)
        return self.receive()
