"""Pages and their processes: answers, uploads, limits, and the end of everything with the page."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pytest
from studio.serving import HOST, ORIGIN, TOKEN, Page, client

from mercer.studio.job_limits import Limits
from mercer.studio.tabs import Spares, Tab

LIMITS = Limits(seconds=120.0, upload=10_000, memory=2 * 2**30)


@pytest.fixture(scope="module")
def browser():
    with client(LIMITS) as browser:
        yield browser


def connect(browser):
    return browser.websocket_connect(f"/{TOKEN}/connection", headers={**ORIGIN, "host": HOST})


def upload(browser, tab, content=b"a,b\n1,2\n3,4\n", name="some.csv", **headers):
    path = f"/{TOKEN}/upload/{tab}?name={name}"
    return browser.post(path, content=content, headers={**ORIGIN, **headers})


LONG = "a,b\n" + "\n".join(f"{at % 7},{at % 3}" for at in range(400))  # takes seconds to fit


def folders(browser):
    return [tab.folder for tab in browser.app.state.tabs.open.values()]


def wait_for(condition):
    for _ in range(1200):  # a busy machine takes longer
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it never happened")


def test_two_pages_do_not_know_of_each_other(browser):
    with connect(browser) as one, connect(browser) as other:
        first, second = Page(one), Page(other)
        assert first.hello["tab"] != second.hello["tab"]
        assert upload(browser, first.hello["tab"]).status_code == 200
        assert first.ask("columns")["count"] == 2
        assert "choose a file" in second.ask("columns")["error"]
        request = {"data": {"points": [[0, 0, 0], [1, 1, 1]]}, "want": ["gram"]}
        first.send("look", kernel="RBF()", **request)
        second.send("look", kernel="Linear()", **request)
        assert second.receive()["gram"].tolist() == [[0, 0], [0, 2]]
        np.testing.assert_allclose(first.receive()["gram"][0, 1], np.exp(-1), rtol=1e-6)
        workers = {tab.worker.process.pid for tab in browser.app.state.tabs.open.values()}
        assert len(workers) == 2


def test_a_closed_page_takes_its_process_and_its_files_along(browser):
    with connect(browser) as socket:
        page = Page(socket)
        upload(browser, page.hello["tab"], LONG.encode())
        page.ask("columns")
        tab = browser.app.state.tabs.open[page.hello["tab"]]
        # in the middle of a computation
        page.send("fit", target="b", quick=False)
        wait_for(lambda: tab.job is not None)
        folder, processes = tab.folder, [tab.worker.process, tab.job.process]
        assert folder.is_dir()
    wait_for(lambda: not folder.exists())
    wait_for(lambda: all(process.returncode is not None for process in processes))
    assert page.hello["tab"] not in browser.app.state.tabs.open


def test_a_fit_can_be_stopped(browser):
    with connect(browser) as socket:
        page = Page(socket)
        upload(browser, page.hello["tab"], LONG.encode())
        page.send("fit", target="b", quick=False)
        tab = browser.app.state.tabs.open[page.hello["tab"]]
        wait_for(lambda: tab.job is not None)
        page.send("stop", id=2)
        answers = [page.receive(), page.receive()]
        assert {answer["id"] for answer in answers} == {1, 2}
        stopped = next(answer for answer in answers if answer["id"] == 1)
        assert "was stopped" in stopped["error"]


def test_hostile_expressions_are_answers_and_the_page_goes_on(browser):
    with connect(browser) as socket:
        page = Page(socket)
        for text in ("__import__('os').abort()", "RBF().__class__", "9**9**9", "(" * 5000, "\x00"):
            assert "error" in page.ask("look", kernel=text)
        assert "error" in page.ask("nothing")
        assert page.ask("look", kernel="RBF()", want=["proof"])["proof"]["status"] == "strict"


def test_what_only_the_server_knows_is_not_taken_from_the_page(browser):
    with connect(browser) as socket:
        page = Page(socket)
        asked = page.ask("columns", path="/etc/passwd", file="x", folder="/etc")
        assert "choose a file" in asked["error"]
        assert "fit a model first" in page.ask("predict", model=1, folder="/etc")["error"]


def test_an_upload_of_a_gigabyte_is_refused_before_it_is_read(browser):
    with connect(browser) as socket:
        tab = Page(socket).hello["tab"]
        headers = {"content-length": str(10**9)}
        answer = browser.post(
            f"/{TOKEN}/upload/{tab}?name=big.csv", content=b"", headers={**ORIGIN, **headers}
        )
        assert answer.status_code == 413 and "1000 MB" in answer.text
        assert upload(browser, tab, b"x" * 10_001).status_code == 413
        chunked = browser.post(
            f"/{TOKEN}/upload/{tab}", content=iter([b"a"]), headers=ORIGIN
        )  # of unknown length
        assert chunked.status_code == 411
        liar = upload(browser, tab, b"x" * 10_001, **{"content-length": "5"})
        assert liar.status_code == 413
        assert browser.app.state.tabs.open[tab].files == []
        assert not list(folders(browser)[0].iterdir())


def test_uploads_need_a_page_that_is_open(browser):
    assert upload(browser, "somebody").status_code == 404


@pytest.mark.parametrize(
    "name", ["../../evil.csv", "/etc/cron.d/x.csv", "..\\..\\x.csv", "", "a" * 500]
)
def test_names_of_uploads_are_no_paths(name, tmp_path):
    tab = Tab(LIMITS, None, Spares(LIMITS))
    try:
        path = tab.add_file(name)
        assert path.parent == tab.folder and path.name.startswith("upload-0")
        assert "/" not in tab.files[0][0] and "\\" not in tab.files[0][0]
    finally:
        tab.close()
    assert not tab.folder.exists()


def test_a_request_that_is_no_object_ends_the_connection(browser):
    for text in ("[]", "not json", "1"):
        with connect(browser) as socket:
            Page(socket)
            socket.send_text(text)
            wait_for(lambda: not browser.app.state.tabs.open)


def test_more_pages_than_allowed_are_turned_away():
    with client(Limits(tabs=1)) as browser, connect(browser) as first:
        Page(first)
        with connect(browser) as second:
            message = second.receive()
            assert message["type"] == "websocket.close" and "pages are open" in message["reason"]


def test_a_computation_that_takes_too_long_is_ended(browser):
    with connect(browser) as socket:
        page = Page(socket)
        tab = browser.app.state.tabs.open[page.hello["tab"]]
        page.ask("look", kernel="RBF()", want=["proof"])
        first = tab.worker.process.pid
        tab.limits = dataclasses.replace(LIMITS, seconds=0.01)
        points = np.random.default_rng(0).normal(size=(2000, 3)).round(2).tolist()
        late = page.ask("look", kernel="RBF()", data={"points": points})
        assert "took longer than 0.01 s" in late["error"]
        tab.limits = LIMITS
        again = page.ask("look", kernel="RBF()", want=["proof"])
        assert again["proof"]["status"] == "strict" and tab.worker.process.pid != first
