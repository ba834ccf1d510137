"""How long mercer studio takes from a slider to the new pictures, for 500 points.

The server runs in a process of its own and a page is connected to it as a browser is, so that all
is counted but the drawing: the way to the server, the worker, and the arrays back. Chromium's own
time, from the event of the slider to the last canvas, is measured too where it is installed. Every
view is asked for; a page asks for fewer while a point is only pointed at. The column CPU is the
processor time of the worker, which does not depend on what else the machine does.

    python benchmarks/studio.py
"""

from __future__ import annotations

import json
import re
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

TURNS = 25
LEARNERS = {
    "SVC": {"C": 5.0},
    "KernelRidgeClassifier": {"alpha": 0.1},
    "KernelLogisticRegression": {"C": 1.0},
    "GaussianProcessClassifier": {},
    "KernelNeighborsClassifier": {"n_neighbors": 5},
}
KERNELS = ("RBF(length_scale={})", "0.5 * RBF(length_scale={}) + Polynomial(degree=2) * Linear()")


_DRAW = """
    const done = arguments[0];
    const names = ['plane', 'panels/gram', 'panels/spectrum', 'panels/components', 'panels/draws'];
    const load = (name) => import(new URL(`js/${name}.js`, document.baseURI));
    Promise.all([...names, 'state'].map(load)).then((modules) => {
      const [plane, gram, spectrum, map, draws, { state }] = modules;
      const all = [() => plane.drawPlane(), () => gram.drawGram(state.answer),
        () => spectrum.drawSpectrum(state.answer), () => map.drawComponents(state.answer),
        () => draws.drawDraws(state.answer, 'prior')];
      const best = (draw) => Math.min(...Array.from({ length: 30 }, () => {
        const begun = performance.now();
        draw();
        return performance.now() - begun;
      }));
      done(all.map(best).reduce((a, b) => a + b));
    });
"""


def start() -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "mercer", "studio", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            return server, found[0]
    raise RuntimeError("the server did not start")


def points(count: int) -> list[list[float]]:
    X = np.random.default_rng(0).uniform(-2, 2, (count, 2))
    return np.column_stack([X, X[:, 0] * X[:, 1] > 0]).round(3).tolist()


def over_the_wire(address: str, count: int) -> None:
    from websockets.sync.client import connect

    from mercer.studio.wire import unpack

    origin = "/".join(address.split("/")[:3])
    url = address.replace("http://", "ws://") + "connection"
    with connect(url, origin=origin, max_size=None) as socket:  # type: ignore[arg-type]
        socket.recv()
        table = points(count)
        for kernel in KERNELS:
            for name, options in LEARNERS.items():
                wall, worker, size = [], [], 0
                for turn in range(TURNS + 3):
                    request = {
                        "id": turn,
                        "do": "look",
                        "data": {"points": table},
                        "kernel": kernel.format(round(0.4 + 0.02 * turn, 3)),
                        "learner": {"name": name, "options": options},
                        "window": [-2.5, 2.5, -2.5, 2.5],
                    }
                    begun = time.perf_counter()
                    socket.send(json.dumps(request))
                    frame = socket.recv()
                    seconds = time.perf_counter() - begun
                    if turn >= 3:
                        wall.append(1e3 * seconds)
                        worker.append(1e3 * unpack(frame)["cpu"])
                        size = len(frame)
                show(f"{name}, {kernel.split('(')[0]}...", wall, worker, size)


def show(title: str, wall: list[float], worker: list[float], size: int) -> None:
    middle, late = statistics.median(wall), sorted(wall)[int(0.9 * len(wall))]
    best = min(wall)
    print(
        f"{title:52}{best:9.0f}{middle:9.0f}{late:9.0f}{statistics.median(worker):9.0f}"
        f"{size / 1000:9.0f}",
        flush=True,
    )


def in_the_browser(address: str, count: int) -> None:
    """From the event of a slider to the drawn answer, in Chromium."""
    module = runpy.run_path(str(Path(__file__).parents[1] / "tests" / "studio" / "browsing.py"))
    with tempfile.TemporaryDirectory() as folder, module["driving"](Path(folder)) as driver:
        tab = module["Tab"](driver).open(address)
        load = (
            "const [table, done] = arguments; import(new URL('js/state.js', document.baseURI))"
            ".then((m) => { m.state.points = table; m.emit('points'); done(true); })"
        )
        driver.execute_async_script(load, points(count))
        tab.settle()
        move = """
            const [at, done] = arguments;
            const slider = document.querySelector('#builder .leaf input[type=range]');
            const begun = performance.now(), before = document.body.dataset.answers;
            slider.value = at;
            slider.dispatchEvent(new Event('input'));
            const wait = () => document.body.dataset.answers !== before
              ? done(performance.now() - begun) : setTimeout(wait, 10);
            wait();
        """
        wall = [driver.execute_async_script(move, 150 + 3 * turn) for turn in range(TURNS)]
        drawn = driver.execute_async_script(_DRAW)
        show("in Chromium, SVC; CPU is the drawing alone, at best", wall, [drawn], 0)


def main() -> None:
    server, address = start()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    try:
        print(f"{count} points, all views, milliseconds of {TURNS} changes of a slider\n")
        print(f"{'':52}{'best':>9}{'median':>9}{'90 %':>9}{'CPU':>9}{'kB':>9}")
        over_the_wire(address, count)
        if shutil.which("chromium") and shutil.which("chromedriver"):
            in_the_browser(address, count)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
