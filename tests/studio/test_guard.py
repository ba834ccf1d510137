"""Who is refused: other hosts, other origins, requests without the token."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from studio.serving import HOST, ORIGIN, TOKEN

from mercer.studio.server import application


@pytest.fixture
def browser():
    """Without the processes behind it: nothing here reaches them."""
    return TestClient(application(TOKEN, [HOST]), base_url=f"http://{HOST}")


def test_the_page_is_served_with_its_policy(browser):
    answer = browser.get(f"/{TOKEN}/")
    assert answer.status_code == 200 and "mercer studio" in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    ["/", "/wrong/", "/index.html", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/", "/%00/", f"//{TOKEN}x"],
)
def test_without_the_token_everything_is_refused(browser, path):
    answer = browser.get(path)
    assert answer.status_code == 403 and "token" in answer.text
    assert "<html" not in answer.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:80", f"{HOST}.evil.com"])
def test_another_host_is_refused(browser, host):
    answer = browser.get(f"/{TOKEN}/", headers={"host": host})
    assert answer.status_code == 403 and "own address" in answer.text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://{HOST}", "http://127.0.0.1"]
)
def test_another_origin_is_refused(browser, origin):
    for method in ("GET", "POST"):
        answer = browser.request(method, f"/{TOKEN}/upload/x", headers={"origin": origin})
        assert answer.status_code == 403 and "the page of the studio only" in answer.text


def test_writing_needs_an_origin(browser):
    assert browser.post(f"/{TOKEN}/upload/x", content=b"a").status_code == 403
    assert browser.get(f"/{TOKEN}/", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert browser.get(f"/{TOKEN}/", headers={"sec-fetch-site": "none"}).status_code == 200


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"/{TOKEN}/connection", {"host": HOST, "origin": "http://evil.example"}),
        (f"/{TOKEN}/connection", {"host": HOST}),
        ("/wrong/connection", {**ORIGIN, "host": HOST}),
        (f"/{TOKEN}/connection", {**ORIGIN, "host": "evil.example"}),
    ],
)
def test_connections_of_others_are_refused(browser, path, headers):
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect(path, headers=headers):
        pass


@pytest.mark.parametrize(
    "path",
    [
        "../server.py",
        "..%2fserver.py",
        "%2e%2e/server.py",
        "js/../../server.py",
        "/etc/passwd",
        "..\\server.py",
        "css/",
        "report/x/1",
        "report/../1",
        "model/x/../../1",
    ],
)
def test_paths_lead_nowhere_else(browser, path):
    answer = browser.get(f"/{TOKEN}/{path}")
    assert answer.status_code in (403, 404)
    assert "import" not in answer.text and "root:" not in answer.text


def test_reports_may_hold_styles_but_no_scripts(browser):
    policy = browser.get(f"/{TOKEN}/report/x/1").headers["content-security-policy"]
    assert "script-src" not in policy and "default-src 'none'" in policy
