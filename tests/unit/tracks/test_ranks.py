"""Scoring and ranks: missing topics, selection of runs, ties, placeholders, failures and feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.tracks.record import Record
from support.present import present
from support.tracks import EXAMPLE, answer, board, edit, events, filled, judge, run_text, scored, send, small, track


def test_missing_topics_lower_the_score(tmp_path: Path) -> None:
    """Missing topics count as the worst value by default: a complete run ranks above a part of it."""
    place = small(
        tmp_path, ('missing_topics = "reject"', 'missing_topics = "warn"'), ('per_team = "primary"', 'per_team = "all"')
    )
    assert 'missing_topics = "worst"' in (place / "track.toml").read_text()
    text = (EXAMPLE / "inbox/beta/beta-1.txt").read_text()
    send(place, "beta", "complete", text.replace("beta-1", "complete"))
    part = "".join(line for line in text.splitlines(keepends=True) if line.split()[0] in ("1", "2"))
    send(place, "alpha", "part", part.replace("beta-1", "part"))
    empty = "1 Q0 doc-102 1 1.0 empty\n"
    send(place, "gamma", "empty", empty)
    judge(place, "")
    rows = {row["name"]: row for row in scored(place)["rows"]}
    assert rows["complete"]["value"] > rows["part"]["value"] > rows["empty"]["value"]


@pytest.mark.parametrize(
    ("per_team", "chosen"), [("primary", ["S0002"]), ("last", ["S0003"]), ("all", ["S0001", "S0002", "S0003"])]
)
def test_which_runs_of_a_team_are_ranked(tmp_path: Path, per_team: str, chosen: list[str]) -> None:
    """`per_team` selects the primary, last, best or all runs of a team; the others are listed as unranked."""
    place = small(tmp_path, ('per_team = "primary"', f'per_team = "{per_team}"'))
    for number, priority in enumerate((2, 1, 3)):
        send(place, "alpha", f"r{number}", run_text(f"r{number}", shift=2 * number), "--priority", str(priority))
    judge(place, "")
    ranking = scored(place)
    assert sorted(row["submission"] for row in ranking["rows"]) == chosen
    assert sorted(entry["submission"] for entry in ranking["unranked"]) == sorted(
        {"S0001", "S0002", "S0003"} - set(chosen)
    )
    edit(place, (f'per_team = "{per_team}"', 'per_team = "best"'), reason="the best run counts")
    best = scored(place)
    assert len(best["rows"]) == 1 and best["rows"][0]["of_team"] == 3
    assert set(best["notes"]) - set(ranking["notes"])  # a note that the choice is biased upwards


def test_ties_share_a_position_and_time_never_counts(tmp_path: Path) -> None:
    """Equal means give equal positions and ranks, whichever was submitted first."""
    place = small(tmp_path, ('ranks = "significance"', 'ranks = "score"'))
    send(place, "beta", "late-name", run_text("late-name"))
    send(place, "alpha", "a", run_text("a"))
    send(place, "gamma", "c", run_text("c", shift=4))
    judge(place, "")
    rows = scored(place)["rows"]
    tied = [row for row in rows if row["name"] in ("late-name", "a")]
    assert len({(row["position"], row["rank"]) for row in tied}) == 1


def test_a_placeholder_is_an_empty_list(tmp_path: Path) -> None:
    """A topic with only the placeholder document is an empty ranking, not a missing topic."""
    place = small(tmp_path, ('placeholder = ""', 'placeholder = "doc-000"'))
    send(place, "alpha", "none", "".join(f"{topic} Q0 doc-000 1 1.0 none\n" for topic in (1, 2, 3, 4)))
    judge(place, "")
    assert scored(place)["rows"][0]["value"] == 0.0


def test_a_run_that_cannot_be_scored_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is listed as `failed` with its message and exit code 1; the other runs are scored."""
    place = filled(tmp_path)
    from diveval.tracks import scorings

    original = scorings.locate_run

    def broken(track_of: Any, submission: Any, config: Any) -> Any:
        if submission.id == "S0002":
            from diveval.errors import InputError

            raise InputError("cannot-read", "a document nobody can read", source=submission.id)
        return original(track_of, submission, config)

    with monkeypatch.context() as patched:
        patched.setattr(scorings, "locate_run", broken)
        shown = answer("score", place, code=1)
        assert (shown["failed"], shown["scored"]) == (["S0002"], ["S0001", "S0003"])
        track("rank", place)
    entry = next(e for e in board(place)["unranked"] if e["submission"] == "S0002")
    assert (entry["status"], "nobody can read" in entry["why"]) == ("failed", True)


def test_feedback_reports_only_clear_improvements(tmp_path: Path) -> None:
    """In ladder mode a score is reported only if it beats the last report by a step, and at most `max_reports` times."""
    place = small(
        tmp_path,
        ('mode = "none"', 'mode = "ladder"'),
        ("step = 0.01", "step = 0.05"),
        ("max_reports = 10", "max_reports = 2"),
    )
    judge(place)
    feedback = [
        send(place, "alpha", f"r{shift}", run_text(f"r{shift}", shift=shift)).get("feedback") for shift in (4, 5, 0, 2)
    ]
    values = [float(present(value)) for value in feedback]
    assert values == sorted(values)
    assert all(abs(value / 0.05 - round(value / 0.05)) < 1e-9 for value in values)
    assert len(events(place, "feedback")) <= 2


def test_every_answer_has_the_head_of_the_record(tmp_path: Path) -> None:
    """With --json every answer has a schema and the hash of the record's last event; errors are JSON too."""
    place = filled(tmp_path)
    for words in (("score",), ("rank",), ("site",), ("export", "kit"), ("verify",)):
        shape = answer(*words, "--track", place)
        assert shape["schema"].startswith("diveval.track.")
        head = Record.read(place / "record.jsonl").head
        assert shape["record"]["hash"] == head
    refused = answer("rank", "--scoring", "R0009", "--track", place, code=2)
    assert (refused["code"], refused["exit_code"]) == ("unknown-scoring", 2)


def test_options_of_one_submission_are_refused_for_the_inbox(tmp_path: Path) -> None:
    """--team, --name, --type and --priority cannot be combined with --inbox."""
    place = small(tmp_path)
    for words in (("--team", "alpha"), ("--name", "x"), ("--type", "manual"), ("--priority", "2")):
        assert words[0] in track("add", "--inbox", *words, "--track", place, code=2)
