"""Submissions, decisions and releases in any order: what counts, what is public, and what readers can compute again."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.tracks.folder import Track
from support.shared import times
from support.tracks import INSIDE, judge, qrels_text, run_text, small

pytestmark = pytest.mark.slow(seconds=1.0)

LATE = "2026-07-01T00:00:00Z"
STEPS = 40
REASON = ("--reason", "x")


def attempt(*words: str | Path) -> tuple[int, str]:
    """The exit code of a command, which ends as one of a track does, and what it printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(["track", *map(str, words)])
    assert code in (0, 1, 2, 4), out.getvalue()
    return code, out.getvalue()


class Walk:
    """A track with two teams and two names of runs each, and what happens to it at random."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.place = small(folder, ('licence = ""', 'licence = "CC0"'))
        self.random = random.Random(seed)
        self.judged = self.public = False

    def take(self, step: str) -> None:
        """One step; a command may be refused, since it need not make sense."""
        own = ("--track", self.place)
        if step in ("in time", "late", "inbox"):
            self._send(step)
        elif step in ("withdraw", "exclude", "restore", "accept-late"):
            attempt("decide", step, self._any(), *own, *REASON)
        elif step == "erase":
            attempt("decide", "withdraw", self._any(), "--erase", *own, *REASON)
        elif step == "judge":
            self._judge()
        elif step == "score":
            attempt("score", *own)
            attempt("rank", *own)
        elif step == "release":
            self.public |= attempt("decide", "release", *own, *REASON)[0] == 0
        elif step == "site":
            if attempt("site", self.place)[0] == 0:
                self.check_published(self.place / "site/data")
        elif attempt("export", "archive", self.place)[0] == 0:
            newest = max((self.place / "export/archive").glob("*.zip"))
            unpacked = self.place.parent / f"unpacked-{self.random.random()}"
            with zipfile.ZipFile(newest) as archive:
                archive.extractall(unpacked)
            self.check_published(unpacked / "data")

    def _any(self) -> str:
        return self.random.choice([*Track(self.place).state.submissions, "S0001"])

    def _send(self, how: str) -> None:
        team = self.random.choice(("alpha", "beta"))
        name = f"{team}-{self.random.choice('ab')}"
        text = run_text(name, shift=self.random.randrange(4), topics=self.random.choice([(1, 2, 3, 4)] * 4 + [(1, 2)]))
        folder = self.place / "inbox" / team if how == "inbox" else self.place.parent
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_text(text)
        words = ("--inbox",) if how == "inbox" else (folder / f"{name}.txt", "--team", team)
        attempt("add", *words, "--track", self.place, "--received", LATE if how == "late" else INSIDE)

    def _judge(self) -> None:
        if not self.judged:
            judge(self.place)
            self.judged = True
        more = f"1 1 doc-1{self.random.randrange(10, 20)} 1\n"
        (self.place / "private/qrels.txt").write_text(qrels_text() + more)
        attempt("decide", "judged", "--track", self.place, *REASON)

    def check_counts(self) -> None:
        """Of a team's runs of one name at most one counts, in the state and in every leaderboard."""
        track = Track(self.place)
        counting = [s for s in track.state.submissions.values() if s.stands and (not s.late or s.late_accepted)]
        names = [(s.team, track.info(s).name) for s in counting]
        assert len(names) == len(set(names))
        for scoring in track.state.ranked:
            rows = json.loads((self.place / f"boards/{scoring}.json").read_text())["rows"]
            assert len(rows) == len({(row["team"], row["name"]) for row in rows})
            assert not {row["submission"] for row in rows} & {
                s.id for s in track.state.submissions.values() if s.late and not s.late_accepted
            }

    def check_published(self, data: Path) -> None:
        """Before a release no run and no key; then runs that stand, and data that verify to the last rank."""
        if not self.public:
            assert not (data / "store").exists() and not (data / "private/secret").exists()
            return
        track = Track(self.place)
        standing = {s.id: track.info(s).sha256 for s in track.state.submissions.values() if s.stands}
        assert {path.name for path in data.glob("store/*")} <= set(standing.values())
        assert {path.stem for path in data.glob("verdicts/*")} <= set(standing)
        code, said = attempt("verify", data, "--json")
        assert code == 0
        items: list[dict[str, Any]] = json.loads(said[: said.rindex("}") + 1])["items"]
        boards = [item for item in items if item["what"].startswith("boards/") and item["result"] == "same"]
        assert all("why" not in item for item in boards)  # each was computed again


@pytest.mark.parametrize("seed", range(times(4, 60)))
def test_any_order_of_submissions_and_decisions(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Late, repeated, corrected, withdrawn and restored runs, before and after judgments, scorings and releases."""
    monkeypatch.setattr("diveval.tracks.submissions.SETTLED", 0.0)
    walk = Walk(tmp_path, seed)
    steps = ["in time"] * 4 + ["restore", "score", "release", "site"] * 2
    steps += ["late", "inbox", "withdraw", "exclude", "accept-late", "erase", "judge", "archive"]
    for _ in range(STEPS):
        walk.take(walk.random.choice(steps))
        walk.check_counts()
    assert attempt("verify", walk.place)[0] == 0
