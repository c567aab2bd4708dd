"""Scoring and ranks: missing topics, which runs count, ties, placeholders, failures and feedback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.tracks.record import Record
from support.present import present
from support.tracks import EXAMPLE, answer, board, edit, events, filled, judge, run_text, scored, send, small, track


def test_a_run_that_lacks_topics_does_not_gain_by_it(tmp_path: Path) -> None:
    """The rule `worst` is the default: a track that allows missing topics ranks the whole run above the part of it."""
    place = small(
        tmp_path, ('missing_topics = "reject"', 'missing_topics = "warn"'), ('per_team = "primary"', 'per_team = "all"')
    )
    assert 'missing_topics = "worst"' in (place / "track.toml").read_text()
    text = (EXAMPLE / "inbox/beta/beta-1.txt").read_text()
    send(place, "beta", "whole", text.replace("beta-1", "whole"))
    part = "".join(line for line in text.splitlines(keepends=True) if line.split()[0] in ("1", "2"))
    send(place, "alpha", "part", part.replace("beta-1", "part"))
    empty = "1 Q0 doc-102 1 1.0 empty\n"
    send(place, "gamma", "empty", empty)
    judge(place, "")
    rows = {row["name"]: row for row in scored(place)["rows"]}
    assert rows["whole"]["value"] > rows["part"]["value"] > rows["empty"]["value"]


@pytest.mark.parametrize(
    ("per_team", "chosen"), [("primary", ["S0002"]), ("last", ["S0003"]), ("all", ["S0001", "S0002", "S0003"])]
)
def test_which_runs_of_a_team_are_ranked(tmp_path: Path, per_team: str, chosen: list[str]) -> None:
    """primary, last, all; the others are listed with the reason. best is the best by the official metric."""
    place = small(tmp_path, ('per_team = "primary"', f'per_team = "{per_team}"'))
    for number, priority in enumerate((2, 1, 3)):
        send(place, "alpha", f"r{number}", run_text(f"r{number}", shift=2 * number), "--priority", str(priority))
    judge(place, "")
    found = scored(place)
    assert sorted(row["submission"] for row in found["rows"]) == chosen
    assert sorted(entry["submission"] for entry in found["unranked"]) == sorted(
        {"S0001", "S0002", "S0003"} - set(chosen)
    )
    edit(place, (f'per_team = "{per_team}"', 'per_team = "best"'), reason="the best run counts")
    best = scored(place)
    assert len(best["rows"]) == 1 and best["rows"][0]["of_team"] == 3
    assert any("optimistic" in note for note in best["notes"])


def test_ties_share_a_position_and_time_never_counts(tmp_path: Path) -> None:
    """Equal means, equal positions and ranks, whoever came first."""
    place = small(tmp_path, ('ranks = "significance"', 'ranks = "score"'))
    send(place, "beta", "late-name", run_text("late-name"))
    send(place, "alpha", "a", run_text("a"))
    send(place, "gamma", "c", run_text("c", shift=4))
    judge(place, "")
    rows = scored(place)["rows"]
    tied = [row for row in rows if row["name"] in ("late-name", "a")]
    assert len({(row["position"], row["rank"]) for row in tied}) == 1


def test_a_placeholder_is_an_empty_list(tmp_path: Path) -> None:
    """A topic that holds the placeholder alone is an answer: an empty list, not a missing topic."""
    place = small(tmp_path, ('placeholder = ""', 'placeholder = "doc-000"'))
    send(place, "alpha", "none", "".join(f"{topic} Q0 doc-000 1 1.0 none\n" for topic in (1, 2, 3, 4)))
    judge(place, "")
    assert scored(place)["rows"][0]["value"] == 0.0


def test_a_run_that_cannot_be_scored_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`failed` with its message and code 1; the others are scored."""
    place = filled(tmp_path)
    from diveval.tracks import scorings

    original = scorings._run

    def broken(track_of: Any, submission: Any, config: Any) -> Any:
        if submission.id == "S0002":
            from diveval.errors import InputError

            raise InputError("a document nobody can read", source=submission.id)
        return original(track_of, submission, config)

    with monkeypatch.context() as patched:
        patched.setattr(scorings, "_run", broken)
        shown = answer("score", place, code=1)
        assert (shown["failed"], shown["scored"]) == (["S0002"], ["S0001", "S0003"])
        track("rank", place)
    entry = next(e for e in board(place)["unranked"] if e["submission"] == "S0002")
    assert (entry["status"], "nobody can read" in entry["why"]) == ("failed", True)


def test_feedback_climbs_a_ladder(tmp_path: Path) -> None:
    """Only a score that beats the best one told by a step is told, on open topics, and not more often than allowed."""
    place = small(
        tmp_path,
        ('mode = "none"', 'mode = "ladder"'),
        ("step = 0.01", "step = 0.05"),
        ("max_reports = 10", "max_reports = 2"),
    )
    judge(place)
    told = [
        send(place, "alpha", f"r{shift}", run_text(f"r{shift}", shift=shift)).get("feedback") for shift in (4, 5, 0, 2)
    ]
    assert told[0] is not None
    values = [float(present(value)) for value in told]
    assert values == sorted(values)
    assert all(abs(value / 0.05 - round(value / 0.05)) < 1e-9 for value in values)
    assert len(events(place, "feedback")) <= 2


def test_every_answer_has_the_head_of_the_record(tmp_path: Path) -> None:
    """--json: schema, track, seq and hash; errors too are JSON."""
    place = filled(tmp_path)
    for words in (("score",), ("rank",), ("site",), ("export", "kit"), ("verify",)):
        shape = answer(*words, "--track", place)
        assert shape["schema"].startswith("diveval.track.")
        head = Record.read(place / "record.jsonl").head
        assert shape["record"]["hash"] == head
    assert answer("rank", "--scoring", "R0009", "--track", place, code=2)["code"] == 2


def test_what_a_sender_says_goes_with_files_not_with_the_inbox(tmp_path: Path) -> None:
    """A team or a name beside --inbox would be ignored, so it is refused."""
    place = small(tmp_path)
    for words in (("--team", "alpha"), ("--name", "x"), ("--type", "manual"), ("--priority", "2")):
        assert words[0] in track("add", "--inbox", *words, "--track", place, code=2)
