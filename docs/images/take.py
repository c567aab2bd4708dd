"""Take the screenshots in this folder again: `python docs/images/take.py [NAME …]`, all or only the given ones.

Shows the views of the report and of the studio that the pages show, with a synthetic collection.
"""

from __future__ import annotations

import io
import secrets
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from diveval.cli import main as diveval
from diveval.datasets import make_collection
from diveval.metrics import as_metrics
from diveval.studio.server import bind, make_server
from diveval.studio.session import Studio

METRICS = [
    "RBU(p=0.9,e=0.01)@20",
    "alpha_nDCG@20",
    "ERR_IA@20",
    "Dsharp_nDCG@20",
    "StRecall@20",
    "NRBP@20",
    "P@20",
    "EU@20",
]
REPORT = ("verdict", "leaderboard", "bump", "conclusions", "inspector", "parameters")
STUDIO = (*REPORT[1:], "topics", "metrics", "axioms", "whatif", "playground")
WIDTH = 1400
HIGHEST = 1500
FOLDER = Path(__file__).parent


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        made = make_collection(Path(name) / "made", topics=30, systems=22, depth=100)
        runs = sorted((made / "runs").glob("*.run"))
        _report(browser, _written(made, runs))
        _studio(browser, made, runs)
        browser.close()


def _written(made: Path, runs: list[Path]) -> str:
    """The report of the collection, written on first use."""
    page = made / "report.html"
    if not page.exists():
        words = [x for metric in METRICS for x in ("-m", metric)]
        more = ["--weights", str(made / "weights.txt"), "--topics", str(made / "topics.xml"), "--axiom-seconds", "60"]
        more += ["--title", "A report", "-o", str(page)]
        diveval(["report", str(made / "qrels.txt"), *map(str, runs), *words, *more])
    return page.as_uri()


def _report(browser: Any, address: str) -> None:
    wanted = [view for view in REPORT if _asked(f"report-{view}")]
    if not wanted:
        return
    page = browser.new_page(viewport={"width": WIDTH, "height": 900}, offline=True)
    page.goto(address)
    page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)
    _choose(page)
    page.set_viewport_size({"width": WIDTH, "height": 24_000})  # so high that nothing scrolls or is covered
    page.wait_for_timeout(800)
    for view in wanted:
        box = page.locator(f"#{view}").bounding_box()
        clip = {"x": 0, "y": box["y"] + 1, "width": WIDTH, "height": min(box["height"] - 1, HIGHEST)}
        _save(page.screenshot(clip=clip), f"report-{view}")
    page.close()


def _studio(browser: Any, made: Path, runs: list[Path]) -> None:
    wanted = [view for view in STUDIO if _asked(f"studio-{view}")]
    if not wanted:
        return
    listener, token = bind(0), secrets.token_urlsafe(12)
    port = listener.getsockname()[1]
    extra = {"weights": made / "weights.txt", "topics": made / "topics.xml"}
    studio = Studio([made / "qrels.txt", *runs], metrics=as_metrics(METRICS), **extra)
    server = make_server(studio, port=port, token=token)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    page = browser.new_page(viewport={"width": WIDTH, "height": 900})
    page.goto(f"http://127.0.0.1:{port}/#token={token}")
    page.wait_for_selector(".headline a", state="attached", timeout=400_000)
    for view in wanted:
        page.locator(f"#views a[data-view={view}]").click()
        page.wait_for_timeout(1500)
        if view == "axioms":
            page.wait_for_selector("#matrix small.often", timeout=900_000)
        if view == "conclusions":
            page.wait_for_selector("#order svg", timeout=900_000)
        if view == "playground":
            page.select_option("#preset", "MRed")
        _choose(page)
        page.wait_for_timeout(1500)
        _save(page.screenshot(), f"studio-{view}")
    page.close()
    server.should_exit = True
    thread.join(10)
    listener.close()


def _choose(page: Any) -> None:
    """Select something in each view, so that the screenshot shows the effect."""
    if page.locator("#board tbody th button").count():
        page.locator("#board tbody th button").nth(3).click()
    if page.locator("[data-cell='ERR_IA@20/Conf']").count():
        page.locator("[data-cell='ERR_IA@20/Conf']").click()
    if page.locator("#inspect-right").count():
        page.locator("#inspect-left").select_option("diverse")
        page.locator("#inspect-right").select_option("redundant")
        page.wait_for_selector(".panel.right[data-run=redundant] .curve svg")
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)


def _asked(name: str) -> bool:
    return len(sys.argv) == 1 or name in sys.argv[1:]


def _save(content: bytes, name: str) -> None:
    """Save with few colours, to keep the file small."""
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    target = FOLDER / f"{name}.png"
    picture.quantize(128, kmeans=1, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target.name}: {target.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
