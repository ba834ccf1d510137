"""A real browser on a real server: Chromium, driven by Selenium."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mercer.studio.job_limits import Limits
from mercer.studio.launch import _listener
from mercer.studio.server import application

TOKEN = "token-of-the-browser-tests"
PATIENCE = 120.0  # seconds for what takes one on an idle machine
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


def chromium() -> tuple[str, str]:
    """The paths of Chromium and its driver; the test is skipped where one is absent."""
    pytest.importorskip("selenium", reason="Selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("Chromium or its driver is not installed")
    return browser, driver


@contextlib.contextmanager
def serving(**options: Any) -> Iterator[tuple[str, Any]]:
    """The server in a thread of this process: its address and its application."""
    import uvicorn

    listener = _listener(0)
    host = f"127.0.0.1:{listener.getsockname()[1]}"
    app = application(TOKEN, [host], limits=Limits(seconds=PATIENCE), **options)
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        yield f"http://{host}/{TOKEN}/", app
    finally:
        server.should_exit = True
        thread.join(20)


@contextlib.contextmanager
def driving(downloads: Path) -> Iterator[Any]:
    """A browser without a window."""
    browser, driver = chromium()
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in FLAGS:
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    controlled = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield controlled
    finally:
        controlled.quit()


class Tab:
    """An open page, by the selectors of its elements."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str, width: int = 1280, height: int = 1000) -> Tab:
        """Open the page anew."""
        driver = self.driver
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(address)
        self.until(lambda: self.run("return document.body.dataset.ready") == "true")
        self.settle()
        return self

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def text(self, selector: str) -> str:
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def click(self, selector: str) -> None:
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def choose(self, selector: str, value: str) -> None:
        from selenium.webdriver.support.ui import Select

        Select(self.find(selector)).select_by_value(value)

    def until(self, condition: Callable[[], Any]) -> Any:
        """What the condition gives, once it is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"it never happened; the console says {self.console()}")

    def settle(self) -> None:
        """Wait until every question was answered and drawn."""
        idle = "return document.body.dataset.busy === 'false' && 'answers' in document.body.dataset"
        self.until(lambda: self.run(idle))

    def answered(self, action: Callable[[], None]) -> None:
        """Do something and wait for the answer that follows."""
        before = self.run("return Number(document.body.dataset.answers)")
        action()
        self.until(lambda: self.run("return Number(document.body.dataset.answers)") > before)
        self.settle()

    def type(self, selector: str, text: str) -> None:
        """Replace the text of a field."""
        script = (
            "const [field, text] = arguments; field.focus(); field.value = text;"
            "field.dispatchEvent(new Event('input', {bubbles: true}));"
            "field.dispatchEvent(new Event('change', {bubbles: true}));"
        )
        self.run(script, self.find(selector), text)

    def pixels(self, selector: str) -> str:
        """A canvas as text, which changes with the picture."""
        return self.run("return document.querySelector(arguments[0]).toDataURL()", selector)

    def console(self) -> list[str]:
        """Errors and warnings of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
