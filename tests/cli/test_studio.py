"""``mercer studio``: its help, its mistakes, and a server that starts, answers and ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from cli.conftest import call

pytest.importorskip("starlette", reason="the extra studio is not installed")


def test_a_file_that_is_absent_is_named(tmp_path):
    said = call("studio", tmp_path / "nothing.csv", "--no-browser")
    assert said.code == 2 and "is not there" in said.err


def test_a_port_that_is_taken_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = call("studio", "--no-browser", "--port", taken.getsockname()[1])
    assert said.code == 2 and "cannot be used" in said.err and "give another one" in said.err


def test_without_the_extra_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = call("studio", "--no-browser")
    assert said.code == 2 and "pip install 'mercer[studio]'" in said.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_the_server_starts_answers_and_ends():
    command = [sys.executable, "-m", "mercer", "studio", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        found = next(filter(None, (re.search(r"http://\S+", line) for line in run.stdout)))
        address = found[0]
        assert address.startswith("http://127.0.0.1:") and len(address.split("/")[3]) >= 32
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"mercer studio" in answer.read()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(address.rsplit("/", 2)[0] + "/", timeout=60)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) in (0, 130)
