"""Take the screenshots of a track's site again: `python docs/images/take_track.py`

The track is made for them from a synthetic collection: two scorings, a baseline, and runs that are not ranked.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from diveval.cli import main as diveval
from diveval.datasets import make_collection

PAGES = {"leaderboard": "index.html"}
WIDTH = 1400
METRICS = ("RBU(p=0.9,e=0.02)@20", "alpha_nDCG@20", "ERR_IA@20")
TEAMS = {"alpha": "University of Alpha", "beta": "Beta Labs", "gamma": "Gamma Institute", "base": "Track organisers"}
RUNS = (
    ("base", "random"),
    ("alpha", "diverse"),
    ("gamma", "short-confident"),
    ("gamma", "redundant"),
    ("alpha", "sys06"),
    ("beta", "sys07"),
    ("beta", "sys08"),
    ("gamma", "sys09"),
)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        site, folder = _released(Path(scratch)) / "site", Path(__file__).parent
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        # Without scripts and network: the site must work without both.
        context = browser.new_context(viewport={"width": WIDTH, "height": 700}, java_script_enabled=False, offline=True)
        for name, page in PAGES.items():
            opened = context.new_page()
            opened.goto((site / page).as_uri())
            picture = Image.open(io.BytesIO(opened.screenshot(full_page=True))).convert("RGB")
            picture.quantize(96).save(folder / f"track-{name}.png", optimize=True)
        browser.close()


def _released(folder: Path) -> Path:
    """A released track with a late run, a rejected run, corrected judgments and a withdrawn run."""
    made, place = make_collection(folder / "made", topics=25, systems=9, depth=40), folder / "web-2026"
    metrics = [word for metric in METRICS for word in ("-m", metric)]
    dates = ["--opens", "2026-03-01T00:00:00Z", "--closes", "2026-06-01T23:59:59-12:00"]
    about = ["--title", "Web Diversity 2026", "--contact", "tracks@example.org"]
    diveval(["track", "init", str(place), "--topics", str(made / "topics.xml"), *dates, *about, *metrics])
    _edit(place / "track.toml", ('per_team = "primary"', 'per_team = "all"'))
    teams = [f'[[team]]\nid = "{key}"\nname = "{title}"\n' for key, title in TEAMS.items()]
    (place / "teams.toml").write_text("\n".join(teams) + 'role = "baseline"\n')
    for team, run in RUNS:
        _send(place, team, made / "runs" / f"{run}.run")
    text = (made / "runs/sys09.run").read_text()
    late, cut = folder / "latecomer.run", folder / "cut.run"
    late.write_text(text.replace("sys09", "latecomer"))
    cut.write_text("".join(line for line in text.replace("sys09", "cut").splitlines(keepends=True) if line < "109"))
    _send(place, "beta", late, at="2026-06-03T08:00:00Z")
    _send(place, "gamma", cut)
    _judge(place, made, extra="101 1 clueweb09-en0000-00-00000 1\n", reason="first judgments")
    _judge(place, made, extra="", reason="a duplicated batch of judgments is removed")
    _do(place, "decide", "withdraw", "S0007", "--reason", "trained on test topics")
    _do(place, "score")
    _do(place, "rank")
    _do(place, "decide", "release", "--reason", "presented at the workshop")
    _do(place, "site")
    return place


def _judge(place: Path, made: Path, *, extra: str, reason: str) -> None:
    (place / "private/qrels.txt").write_text((made / "qrels.txt").read_text() + extra)
    shutil.copy(made / "weights.txt", place / "private/weights.txt")
    named = [(f'{name} = ""', f'{name} = "private/{name}.txt"') for name in ("qrels", "weights")]
    _edit(place / "track.toml", *named)
    _do(place, "decide", "config", "--reason", "judgments are named")
    _do(place, "decide", "judged", "--reason", reason)
    _do(place, "score")
    _do(place, "rank")


def _send(place: Path, team: str, run: Path, at: str = "2026-04-01T12:00:00Z") -> None:
    _do(place, "add", str(run), "--team", team, "--received", at)


def _edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in changes:
        text = text.replace(old, new)
    path.write_text(text)


def _do(place: Path, *words: str) -> None:
    diveval(["track", *words, "--track", str(place)])


if __name__ == "__main__":
    main()
