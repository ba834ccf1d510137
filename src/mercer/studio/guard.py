"""Who may talk to the server: this machine's browser, with the token, from the page itself."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_REPORT = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'none'"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address holds the token
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def _page_policy(host: str) -> str:
    """Scripts, styles and connections of this server alone; nothing inline."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


class Guard:
    """Refuses requests with another Host, another Origin or without the token.

    The token is the first part of every path, ``/TOKEN/...``, and is taken off here. The Host is
    checked because a page of another site may let its name point to this machine (DNS rebinding).

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        The secret.
    hosts : iterable of str
        The values of the Host header that are accepted, with their port.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        self.app = app
        self.token = token.encode("ascii")
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before any of its body is read."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        refusal = self._refusal(scope)
        if refusal:
            return await _refuse(scope, receive, send, refusal)
        _, _, rest = scope["path"].lstrip("/").partition("/")
        inner = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        host = Headers(scope=scope)["host"]
        policy = _REPORT if rest.startswith("report/") else _page_policy(host)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**_HEADERS, "Content-Security-Policy": policy})
            await send(message)

        return await self.app(inner, receive, with_headers)

    def _refusal(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self.hosts:
            return "this server answers to its own address only"
        first = scope["path"].lstrip("/").partition("/")[0].encode("utf-8", "replace")
        if not hmac.compare_digest(first, self.token):
            return "open the address that mercer studio has printed: it holds a token"
        if not self._is_own_origin(scope, headers, host):
            return "requests come from the page of the studio only"
        return ""

    def _is_own_origin(self, scope: Scope, headers: Headers, host: str) -> bool:
        """Whether a request comes from the page; plain reading may have no origin."""
        origin = headers.get("origin")
        if origin is None:
            reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
            return reads and headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        return origin == f"http://{host}"


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    response = PlainTextResponse(f"mercer studio: {reason}\n", 403, headers=_HEADERS)
    await response(scope, receive, send)
