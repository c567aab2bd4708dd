"""A small track for tests with three teams and four topics, two of them held back; and the example track."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from diveval.cli import main
from diveval.tracks.record import Record

EXAMPLE = Path(__file__).parents[1] / "unit" / "tracks" / "example"
TEAMS = """
[[team]]
id = "alpha"
name = "University of Alpha"
[[team]]
id = "beta"
name = "Beta <Labs>"
[[team]]
id = "gamma"
name = "Gamma Institute"
[[team]]
id = "organiser"
name = "Track organisers"
role = "baseline"
"""
INSIDE = "2026-04-01T00:00:00Z"  # a time at which the small track is open
EXPORTS = ("kit", "codabench", "evalai", "tira")


def example(folder: Path) -> Path:
    """A copy of the example track."""
    return Path(shutil.copytree(EXAMPLE, folder / "example"))


def track(*words: str | Path, code: int = 0) -> str:
    """Run `diveval track …`, check its exit code, and return what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        got = main(["track", *map(str, words)])
    assert got == code, f"exit code {got}, expected {code}: {out.getvalue()}{err.getvalue()}"
    return out.getvalue() + err.getvalue()


def answer(*words: str | Path, code: int = 0) -> dict[str, Any]:
    """The JSON answer of a command."""
    text = track(*words, "--json", code=code)
    parsed: dict[str, Any] = json.loads(text[: text.rindex("}") + 1])
    return parsed


def run_text(name: str, *, shift: int = 0, topics: tuple[int, ...] = (1, 2, 3, 4), documents: int = 6) -> str:
    """A run over the documents of the example; `shift` changes its order."""
    lines = []
    for topic in topics:
        for rank in range(1, documents + 1):
            lines.append(f"{topic} Q0 doc-{topic}{(rank + shift - 1) % 8 + 1:02d} {rank} {10 - rank} {name}\n")
    return "".join(lines)


def qrels_text(topics: tuple[int, ...] = (1, 2, 3, 4)) -> str:
    """Judgments for two aspects of each topic."""
    lines = (EXAMPLE / "private/qrels.txt").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if int(line.split()[0]) in topics)


def _copied(source: Path, folder: Path) -> Path:
    """A copy of a track and its submitted files, which contain no absolute path."""
    shutil.copytree(source, folder, dirs_exist_ok=True)
    return folder / "track"


@cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tracks-")  # removed at the end of the process


def _new(folder_of: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=folder_of, dir=_scratch().name))


def small(folder: Path, *changes: tuple[str, str]) -> Path:
    """A new track made by `init`, with teams and some changes of its configuration."""
    return _copied(_small(changes), folder)


@cache
def _small(changes: tuple[tuple[str, str], ...]) -> Path:
    folder = _new("small-")
    place = folder / "track"
    topics = folder / "topics.txt"
    topics.write_text("1\n2\n3\n4\n")
    track(
        "init",
        place,
        "--id",
        "small",
        "--topics",
        topics,
        "--opens",
        "2026-03-01T00:00:00Z",
        "--closes",
        "2026-06-01T00:00:00Z",
        "--documents",
        "pattern:doc-[0-9]{3}",
        "-m",
        "RBU(p=0.9,e=0.02)@20",
        "-m",
        "alpha_nDCG@20",
    )
    (place / "teams.toml").write_text(TEAMS)
    edit(place, ("resamples = 10000", "resamples = 500"), *changes, reason="set up")
    return folder


def edit(place: Path, *changes: tuple[str, str], reason: str = "") -> None:
    """Replace text in `track.toml`; with a reason the change is decided."""
    path = place / "track.toml"
    text = path.read_text()
    for old, new in changes:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    path.write_text(text)
    if reason:
        track("decide", "config", "--track", place, "--reason", reason)


def judge(place: Path, held_back: str = "3\n4\n") -> None:
    """Add judgments to the track and decide them."""
    (place / "private/qrels.txt").write_text(qrels_text())
    changes = [('qrels = ""', 'qrels = "private/qrels.txt"')]
    if held_back:
        (place / "private/held-back.txt").write_text(held_back)
        changes.append(('held_back = ""', 'held_back = "private/held-back.txt"'))
    edit(place, *changes, reason="judgments are there")
    track("decide", "judged", "--track", place, "--reason", "first judgments")


def send(place: Path, team: str, name: str, text: str, *more: str, code: int = 0) -> dict[str, Any]:
    """Submit a run of a team; its receipt."""
    path = place.parent / f"{name}.txt"
    path.write_text(text)
    words: tuple[str | Path, ...] = ("add", path, "--team", team, "--track", place, "--received", INSIDE, *more)
    receipt: dict[str, Any] = answer(*words, code=code)["receipts"][0]
    return receipt


def filled(folder: Path, *changes: tuple[str, str], held_back: str = "3\n4\n") -> Path:
    """A track with a baseline, two accepted runs, a rejected one, and judgments; not scored yet."""
    return _copied(_filled(changes, held_back), folder)


@cache
def _filled(changes: tuple[tuple[str, str], ...], held_back: str) -> Path:
    folder = _new("filled-")
    place = small(folder, *changes)
    send(place, "organiser", "base", run_text("base", shift=3))
    send(place, "alpha", "alpha-1", (EXAMPLE / "inbox/alpha/alpha-1.txt").read_text())
    send(place, "beta", "beta-1", run_text("beta-1"))
    send(place, "gamma", "gamma", run_text("other", topics=(1, 2)), code=1)
    judge(place, held_back)
    return folder


def ranked(folder: Path, *changes: tuple[str, str]) -> Path:
    """A track as `filled` makes it, scored and ranked."""
    return _copied(_ranked(changes), folder)


@cache
def _ranked(changes: tuple[tuple[str, str], ...]) -> Path:
    folder = _new("ranked-")
    place = filled(folder, *changes)
    track("score", place)
    track("rank", place)
    return folder


def released(folder: Path, *changes: tuple[str, str]) -> Path:
    """A track as `ranked` makes it, released, with its site."""
    return _copied(_released(changes), folder)


@cache
def _released(changes: tuple[tuple[str, str], ...]) -> Path:
    folder = _new("released-")
    place = ranked(folder, *changes)
    track("decide", "release", "--track", place, "--reason", "the workshop is over")
    track("site", place)
    return folder


def events(place: Any, kind: Any = None) -> Any:
    """The events of the record, of one kind or all."""
    return [event for event in Record.read(place / "record.jsonl").events if kind in (None, event["event"])]


def board(place: Any, name: str = "R0001") -> Any:
    """The board of a scoring."""
    return json.loads((place / f"boards/{name}.json").read_text())


def scored(place: Any) -> Any:
    """Score and rank the track; the newest board."""
    track("score", place)
    track("rank", place)
    return board(place, events(place, "scored")[-1]["scoring"])
