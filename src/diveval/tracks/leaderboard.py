"""The leaderboard of a scoring: ranks from pairs that differ significantly, and unranked submissions with a reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from diveval.errors import UsageError, capture_warnings, quote
from diveval.results.scores import Scores
from diveval.stats import compare
from diveval.stats.tests import TESTS
from diveval.stats.ties import dense_ranks
from diveval.tracks import disk
from diveval.tracks.config import Config
from diveval.tracks.folder import Track
from diveval.tracks.record import Event, State, Submission
from diveval.tracks.scorings import failures_of, rebuild, scores_of
from diveval.tracks.submission_verdicts import is_late, moment, repair
from diveval.validation.rules import json_bytes

SCHEMA = "diveval.leaderboard/1"
Board = dict[str, Any]
Test = tuple[set[tuple[str, str]], Mapping[str, str | None]]  # (better run, worse run) significantly; letters of runs


@dataclass(frozen=True)
class _Entry:
    """A submission on the board: in a row, or in the list without a rank, with the reason."""

    submission: Submission
    status: str
    why: str = ""
    of_team: int = 1  # how many runs of its team could have been chosen

    @property
    def in_rows(self) -> bool:
        return self.status in ("ranked", "baseline")


def _entries(track: Track, event: Event, config: Config, scores: Scores | None) -> list[_Entry]:
    """Every submission with its status as of a scoring."""
    state, failed = track.state_before(event["seq"]), failures_of(track, event)
    first = {s.id: _entry(s, config, failed, event) for s in state.submissions.values()}
    by_team: dict[str, list[Submission]] = {}
    for entry in first.values():
        if entry.status == "ranked" and entry.submission.role == "participant":
            by_team.setdefault(entry.submission.team, []).append(entry.submission)
    for runs in by_team.values():
        chosen = _choose(runs, config, scores)
        for run in runs:
            entry = replace(first[run.id], of_team=len(runs))
            if run.id not in chosen:
                why = f"the {config['ranking.per_team']} run of the team is {chosen[0]}"
                entry = replace(entry, status="not selected", why=why)
            first[run.id] = entry
    return list(first.values())


def _entry(submission: Submission, config: Config, failed: Mapping[str, str], event: Event) -> _Entry:
    if not submission.verdict:
        return _Entry(submission, "received", "not validated yet")
    if submission.verdict == "rejected":
        return _Entry(submission, "rejected", f"{submission.errors} error{'s' if submission.errors != 1 else ''}")
    if submission.standing == "superseded":
        return _Entry(submission, "superseded", f"replaced by {submission.newer}")
    if submission.standing != "standing":
        return _Entry(submission, submission.standing, submission.reason)
    if submission.id in failed or submission.id not in event["submissions"]:
        return _Entry(submission, "failed", failed.get(submission.id, "not scored"))
    if submission.late and not submission.late_accepted:
        after = "the close" if is_late(config, moment(submission.at)) else "the release"
        return _Entry(submission, "late", f"arrived after {after}")
    if submission.role == "organiser":
        return _Entry(submission, "organiser", "a run of the organisers")
    if submission.type == "manual" and not config["ranking.rank_manual"]:
        return _Entry(submission, "manual", "manual runs are not ranked")
    if submission.role == "baseline" and not config["ranking.rank_baselines"]:
        return _Entry(submission, "baseline")
    return _Entry(submission, "ranked")


def _choose(runs: Sequence[Submission], config: Config, scores: Scores | None) -> list[str]:
    """Which runs of a team are ranked."""
    per_team = config["ranking.per_team"]
    if per_team == "all" or scores is None:
        return [run.id for run in runs]
    if per_team == "last":
        return [runs[-1].id]
    if per_team == "primary":
        return [min(runs, key=lambda run: (run.priority, run.id)).id]
    means = scores.mean()
    return [min(runs, key=lambda run: (-config.sign * means[run.id][config.official], run.id)).id]


def _test(scores: Scores | None, runs: list[str], config: Config) -> tuple[Test, list[str]]:
    """Which rows differ significantly, their letters, and notes on the test."""
    if scores is None or len(runs) < 2:
        return (set(), dict.fromkeys(runs, "a")), []
    table = scores.select(runs=runs, metrics=[config.official])
    if config["scoring.best"] == "low":
        table = Scores.of(
            -table.values, runs=table.runs, metrics=table.metrics, topics=table.topics, counted=table.counted
        )
    names = ("test", "correction", "confidence", "resamples", "seed")
    with capture_warnings():  # its warnings are in `result.notes`, which the board shows
        result = compare(table, config.official, **{name: config[f"ranking.{name}"] for name in names})
    better = set()
    for row in result.rows:
        if row.significant:
            better.add((row.run, row.other) if row.direction > 0 else (row.other, row.run))
    return (better, {run.run: run.letters for run in result.runs}), list(result.notes)


def board_of(track: Track, event: Event) -> Board:
    """The leaderboard of a scoring: a function of the record up to it, its scores and its configuration."""
    config, scores = track.config_at(event["seq"]), scores_of(track, event)
    entries = _entries(track, event, config, scores)
    rows = [entry for entry in entries if entry.in_rows]
    test, notes = _test(scores, [entry.submission.id for entry in rows], config)
    if config["ranking.per_team"] == "best":
        notes.append("the best run of each team was chosen on the test topics, so its value is optimistic")
    return {
        "schema": SCHEMA,
        "track": config.id,
        **({"task": track.task} if track.task else {}),
        "scoring": event["scoring"],
        "metric": config.official,
        "best": config["scoring.best"],
        "topics": 0 if scores is None else len(scores.topics),
        "test": _test_shape(config),
        "rows": [] if scores is None else _rows(track, config, scores, rows, test),
        "unranked": [
            {"submission": f.submission.id, "team": _team_of(track, f.submission), "status": f.status, "why": f.why}
            for f in entries
            if not f.in_rows
        ],
        "notes": notes,
    }


def _team_of(track: Track, given: Submission) -> str:
    """The id of a team: of a rejected run the published data have no more than its key, which the list of teams explains."""
    return next((team for team in track.teams if track.secret.team(team) == given.team), "") or track.info(given).team


def _test_shape(config: Config) -> dict[str, Any]:
    shape: dict[str, Any] = {"name": config["ranking.test"], "confidence": repr(config["ranking.confidence"])}
    if not TESTS[config["ranking.test"]].simultaneous:
        shape["correction"] = config["ranking.correction"]
    return {**shape, "resamples": config["ranking.resamples"], "seed": config["ranking.seed"]}


def _rows(track: Track, config: Config, scores: Scores, rows: Sequence[_Entry], test: Test) -> list[dict[str, Any]]:
    if not rows:
        return []
    names = [entry.submission.id for entry in rows]
    table = scores.select(runs=names, metrics=[config.official])
    means, counted = table.means[:, 0], table.counted[:, 0].sum(axis=1)
    levels = dense_ranks(config.sign * means)
    ranked = {i for i, entry in enumerate(rows) if entry.status == "ranked"}
    out = []
    for i in sorted(range(len(rows)), key=lambda i: (-levels[i], names[i])):
        entry, info = rows[i], track.info(rows[i].submission)
        best, worst = _ranks(i, ranked, levels, names, test, config) if i in ranked else (None, None)
        out.append(
            {
                "position": int((levels > levels[i]).sum()) + 1,
                "rank": best,
                "rank_best": best,
                "rank_worst": worst,
                "group": test[1].get(names[i]),
                "submission": names[i],
                "team": info.team,
                "name": info.name,
                "status": entry.status,
                "value": float(means[i]),
                "topics": int(counted[i]),
                "of_team": entry.of_team,
            }
        )
    return out


def _ranks(
    i: int, ranked: set[int], levels: np.ndarray[Any, Any], names: list[str], test: Test, config: Config
) -> tuple[int, int]:
    """Best and worst rank of a ranked row, from the ranked rows that are better and worse; the best is its rank."""
    if config["ranking.ranks"] == "score":
        above = sum(levels[j] > levels[i] for j in ranked)
        below = sum(levels[j] < levels[i] for j in ranked)
    else:
        above = sum((names[j], names[i]) in test[0] for j in ranked)
        below = sum((names[i], names[j]) in test[0] for j in ranked)
    return int(above) + 1, len(ranked) - int(below)


def _letters(row: Mapping[str, Any]) -> set[str]:
    return set(re.findall(r"[A-Za-z][0-9]*", row["group"] or ""))


def share_a_letter(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    """Whether two rows of a board are not significantly different."""
    return bool(_letters(one) & _letters(two))


def divide(board: Board) -> list[int]:
    """After which rows a line is drawn: every row above differs from every row below (no letter is shared)."""
    letters = [_letters(row) for row in board["rows"]]
    if any(not group for group in letters):
        return []
    return [i for i in range(len(letters) - 1) if not set().union(*letters[: i + 1]) & set().union(*letters[i + 1 :])]


# --- the command ------------------------------------------------------------------------------------------------------


def scoring_event(state: State, scoring: str | None) -> Event:
    """The scoring asked for, or the newest."""
    if not state.scored:
        raise UsageError("step-not-done", "nothing is scored yet", hint="run `diveval track score` first")
    chosen = [event for event in state.scored if scoring in (None, event["scoring"])]
    if not chosen:
        raise UsageError(
            "unknown-scoring",
            f"no scoring is called {quote(scoring)}",
            hint=f"the newest is {state.scored[-1]['scoring']}",
        )
    return chosen[-1]


def rank(track: Track, scoring: str | None = None, *, wait: float = 30.0) -> tuple[Board, bool]:
    """The leaderboard of a scoring, written and recorded, and whether it is new."""
    track.require_decided()
    with track.writing(wait):
        repair(track)
        state = track.state
        event = scoring_event(state, scoring)
        if scoring is None and state.changed:
            raise UsageError(
                "scoring-outdated",
                f"something changed since {event['scoring']}",
                hint="run `diveval track score` first, or name --scoring",
            )
        rebuild(track, state)
        board = board_of(track, event)
        name, data = event["scoring"], json_bytes(board)
        total = track.secret.sum("leaderboard", data)
        before = state.ranked.get(name)
        if before is not None and before["leaderboard"] != total:
            raise UsageError(
                "differs-from-record",
                f"the leaderboard of {name} differs from the recorded one",
                hint="see `diveval track verify`",
            )
        disk.write(track.path(f"boards/{name}.json"), data, derived=True)
        if before is None:
            rules = track.config_at(event["seq"]).section("ranking")
            track.add("ranked", scoring=name, ranking_rules=rules, leaderboard=total)
    return board, before is None
