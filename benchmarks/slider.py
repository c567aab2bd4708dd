"""Time of one step of the studio's slider in Chromium, with 22 and with 100 runs and twenty metrics.

A step lasts from pressing an arrow key on the slider of p to the frame that shows the new column. Wall time depends on the
load of the machine, so the CPU time of the main thread (thread ticks in the DevTools protocol) is printed too.

    python benchmarks/slider.py [RUNS …]
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from diveval.datasets import make_collection
from diveval.defaults import USUAL
from diveval.metrics import as_metrics
from diveval.studio.server import bind, make_server
from diveval.studio.session import Studio

STEPS = 15
METRICS = [*USUAL, "RBU(p=0.99,e=0.05)@20", "RBP@20", "RBP_IA@20", "iRBU@20"]
TIMES = ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
# The page itself records when the slider moved and when the first frame with each new column was drawn: a query from
# outside takes longer than a step, and polling at every frame would force frames and distort the measurement.
RECORD = """() => {
    window.moved = 0;
    window.shown = {};
    addEventListener("input", () => { window.moved = performance.now(); }, true);
    const look = () => {
        for (const cell of document.querySelectorAll("#board td[data-metric^='RBU(p=']")) {
            const name = cell.dataset.metric;
            if (name in window.shown) continue;
            window.shown[name] = null;
            requestAnimationFrame(() => setTimeout(() => { window.shown[name] = performance.now(); }));
        }
    };
    look();
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-metric"] });
}"""
SHOWN = "name => window.shown[name] && window.shown[name] - window.moved"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        for runs in [int(word) for word in sys.argv[1:]] or [22, 100]:
            print(json.dumps(_measure(browser, Path(folder), runs)), flush=True)
        browser.close()


def _measure(browser: Any, folder: Path, systems: int) -> dict[str, Any]:
    made = make_collection(folder / str(systems), topics=50, systems=systems, depth=100)
    listener, token = bind(0), secrets.token_urlsafe(12)
    port = listener.getsockname()[1]
    studio = Studio([made / "qrels.txt", *sorted((made / "runs").glob("*.run"))], metrics=as_metrics(METRICS))
    server = make_server(studio, port=port, token=token)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(90_000)
    page.goto(f"http://127.0.0.1:{port}/#token={token}")
    page.wait_for_selector(".headline a")
    page.wait_for_selector("#sliders input[type=range]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    slider = page.locator("#sliders input[type=range]").first
    slider.focus()
    page.evaluate(RECORD)
    wall, own = [], {name: [] for name in TIMES}
    for _ in range(STEPS):
        before = _times(session)
        page.keyboard.press("ArrowLeft")
        value = slider.input_value()
        wall.append(page.wait_for_function(SHOWN, arg=f"RBU(p={float(value):g},e=0.01)@20", polling=20).json_value())
        page.wait_for_timeout(60)
        after = _times(session)
        for name in TIMES:
            own[name].append(1000 * (after[name] - before[name]))
    page.close()
    server.should_exit = True
    thread.join(10)
    listener.close()
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    middle = {name.removesuffix("Duration"): round(statistics.median(values)) for name, values in own.items()}
    return {
        "runs": systems,
        "metrics": len(METRICS),
        "wall ms": round(statistics.median(wall)),
        "own ms": middle,
        "load per core": round(load, 1),
    }


def _times(session: Any) -> dict[str, float]:
    return {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}


if __name__ == "__main__":
    main()
