"""The life of a track, command by command: the inbox, decisions, limits, feedback, ranks, and every exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diveval.tracks.record import Record
from support.present import present
from support.tracks import EXAMPLE, answer, edit, filled, judge, run_text, send, small, track


def events(place: Any, kind: Any = None) -> Any:
    found = Record.read(place / "record.jsonl").events
    return [event for event in found if kind in (None, event["event"])]


def board(place: Any, name: str = "R0001") -> Any:
    return json.loads((place / f"boards/{name}.json").read_text())


def scored(place: Any) -> Any:
    track("score", place)
    track("rank", place)
    return board(place, events(place, "scored")[-1]["scoring"])


# --- submissions --------------------------------------------------------------------------------------------------


def test_the_inbox_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files stay where they are, are taken once, and a folder that is no team's is told."""
    monkeypatch.setattr("diveval.tracks.submissions.SETTLED", 0.0)
    place = small(tmp_path)
    for team, name in (("alpha", "one"), ("beta", "two"), ("nobody", "three")):
        (place / "inbox" / team).mkdir(parents=True)
        (place / "inbox" / team / f"{name}.txt").write_text(run_text(name, shift=len(name)))
    words = ("add", "--inbox", "--track", place, "--received", "2026-04-01T00:00:00Z")
    first = answer(*words)
    assert [receipt["submission"] for receipt in first["receipts"]] == ["S0001", "S0002"]
    assert "nobody" in first["left"][0]
    again = answer(*words)
    assert all(receipt["again"] for receipt in again["receipts"])
    assert len(events(place, "received")) == 2
    assert (place / "inbox/alpha/one.txt").exists()


def test_a_file_that_still_grows_is_left_for_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size changes while the inbox is looked at."""
    place = small(tmp_path)
    path = place / "inbox/alpha/one.txt"
    path.parent.mkdir(parents=True)
    path.write_text(run_text("one"))

    def grow(_seconds: Any) -> None:
        with path.open("a") as stream:
            stream.write("1 Q0 doc-108 7 0.5 one\n")

    monkeypatch.setattr("diveval.tracks.submissions.time.sleep", grow)
    shown = answer("add", "--inbox", "--track", place)
    assert (shown["receipts"], "still growing" in shown["left"][0]) == ([], True)


def test_the_same_name_replaces_and_a_rejected_file_replaces_nothing(tmp_path: Path) -> None:
    """Newer and accepted: the older one is superseded. Newer and rejected: nothing happens to it."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    send(place, "alpha", "one", run_text("one", topics=(1,)), code=1)
    send(place, "alpha", "one", run_text("one", shift=1))
    assert [(e["submission"], e["newer"]) for e in events(place, "superseded")] == [("S0001", "S0003")]
    assert send(place, "alpha", "one", run_text("one", shift=1))["again"]
    assert send(place, "beta", "one", run_text("one", shift=2), code=1)["verdict"] == "rejected"  # the name is taken
    edit(place, ('resubmit = "replace"', 'resubmit = "refuse"'), reason="no more changes")
    send(place, "alpha", "one", run_text("one", shift=3), code=1)


def test_only_accepted_submissions_use_up_the_limit(tmp_path: Path) -> None:
    """Two runs per team: rejected and withdrawn ones do not count."""
    place = small(tmp_path, ("max_runs_per_team = 5", "max_runs_per_team = 2"))
    send(place, "alpha", "bad", run_text("bad", topics=(1,)), code=1)
    send(place, "alpha", "one", run_text("one"))
    send(place, "alpha", "two", run_text("two", shift=1))
    send(place, "alpha", "three", run_text("three", shift=2), code=1)
    track("decide", "withdraw", "S0002", "--track", place, "--reason", "a fault")
    send(place, "alpha", "four", run_text("four", shift=3))


def test_dates_are_held_to_the_second(tmp_path: Path) -> None:
    """Before the opening: rejected. After the close: late, or refused. The grace counts."""
    place = small(tmp_path, ("grace_minutes = 0", "grace_minutes = 2"))
    path = tmp_path / "run.txt"
    for number, (when, code, late) in enumerate(
        (
            ("2026-02-28T23:59:59Z", 1, True),
            ("2026-03-01T00:00:00Z", 0, False),
            ("2026-06-01T00:02:00Z", 0, False),
            ("2026-06-01T00:02:01Z", 0, True),
            ("2026-05-31T23:02:01-01:00", 0, True),
        )
    ):
        path = tmp_path / f"r{number}.txt"
        path.write_text(run_text(f"r{number}", shift=number))
        receipt = answer(
            "add", path, "--team", ("alpha", "beta")[number % 2], "--track", place, "--received", when, code=code
        )
        assert receipt["receipts"][0]["late"] == late, when
    track("add", path, "--team", "alpha", "--track", place, "--received", "2026-04-01T00:00:00", code=2)


def test_equal_rankings_of_two_teams_are_told_to_the_organisers(tmp_path: Path) -> None:
    """X01 stands beside the receipt, not in the verdict."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    receipt = send(place, "beta", "two", run_text("two"))
    assert receipt["notes"] == ["S0002 ranks as S0001 does"]
    assert "X01" not in (place / "verdicts/S0002.json").read_text()


# --- decisions ------------------------------------------------------------------------------------------------------


def test_changed_files_stop_commands_until_they_are_decided(tmp_path: Path) -> None:
    """Code 4 for judgments, rules and topics; a new scoring after the decision, and the old one stays."""
    place = filled(tmp_path)
    scored(place)
    before = (place / "scores/R0001/scores.csv").read_bytes()
    qrels = place / "private/qrels.txt"
    qrels.write_text(qrels.read_text().replace("1 1 doc-106 2", "1 1 doc-106 1"))
    for command in (("score",), ("rank",), ("site",), ("export", "kit")):
        track(*command, "--track", place, code=4)
    track("decide", "judged", "--track", place, "--reason", "a wrong grade")
    scored(place)
    assert [e["scoring"] for e in events(place, "scored")] == ["R0001", "R0002"]
    assert (place / "scores/R0001/scores.csv").read_bytes() == before
    edit(place, ('ranks = "significance"', 'ranks = "score"'))
    track("rank", "--track", place, code=4)
    track("decide", "config", "--track", place, "--reason", "ranks by score")
    assert [row["rank"] for row in scored(place)["rows"]] == [1, 2, None]
    track("verify", place)


def test_a_metric_that_computes_something_else_is_code_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprint of the metrics is recorded; another one under the same name needs a decision."""
    place = filled(tmp_path)
    scored(place)
    send(place, "gamma", "new", run_text("new", shift=5))
    monkeypatch.setattr("diveval.tracks.scoring.probe", lambda *_: "0" * 15 + "1")
    monkeypatch.setattr("diveval.tracks.decisions.probe", lambda *_: "0" * 15 + "1")
    assert "metric" in track("score", place, code=4)
    track("decide", "config", "--track", place, "--reason", "a fault in the metric was fixed")
    track("score", place)


def test_admission_rules_count_for_later_submissions_unless_revalidated(tmp_path: Path) -> None:
    """Earlier verdicts stand; `--revalidate` holds all to the new rules."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    edit(place, ("max_documents = 1000", "max_documents = 2"), reason="shorter lists")
    assert send(place, "beta", "two", run_text("two"), code=1)["verdict"] == "rejected"
    assert len(events(place, "verdict")) == 2
    edit(place, ("max_documents = 2", "max_documents = 3"))
    track("decide", "config", "--revalidate", "--track", place, "--reason", "all of them")
    assert [e["verdict"] for e in events(place, "verdict")][2:] == ["rejected", "rejected"]
    track("verify", place)


def test_an_undecided_change_of_admission_counts_from_the_next_submission_on(tmp_path: Path) -> None:
    """It is recorded with that submission, so that its verdict comes out the same later; scoring rules are not."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    edit(place, ("max_documents = 1000", "max_documents = 2"), ("digits = 4", "digits = 3"))
    assert send(place, "beta", "two", run_text("two"), code=1)["verdict"] == "rejected"
    recorded = [event["section"] for event in events(place, "config") if event["reason"] != "set up"]
    assert recorded == ["config", "admission"]
    assert [event["event"] for event in events(place)[-2:]] == ["received", "verdict"]
    track("site", place, code=4)
    track("decide", "config", "--track", place, "--reason", "fewer digits")
    track("site", place)
    edit(place, ("max_documents = 2", "max_documents = 1000"))
    assert send(place, "gamma", "three", run_text("three"))["verdict"] == "accepted"
    track("verify", place)


def test_decisions_need_sense_and_a_reason(tmp_path: Path) -> None:
    """What cannot be decided is refused with code 2 and leaves the record alone."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    before = (place / "record.jsonl").read_bytes()
    for words in (
        ("withdraw",),
        ("withdraw", "S0009"),
        ("restore", "S0001"),
        ("accept-late", "S0001"),
        ("judged",),
        ("release",),
        ("note", "S0001"),
        ("exclude", "S0001", "--erase"),
    ):
        track("decide", *words, "--track", place, "--reason", "x", code=2)
    track("decide", "note", "--track", place, "--reason", " ", code=2)
    assert (place / "record.jsonl").read_bytes() == before
    track("decide", "exclude", "S0001", "--track", place, "--reason", "not a system of theirs")
    track("decide", "restore", "S0001", "--track", place, "--reason", "a misunderstanding")


def test_no_release_before_its_date_or_with_something_unscored(tmp_path: Path) -> None:
    """dates.releases, an unranked scoring and a newer submission stop a release."""
    place = filled(tmp_path, ("# releases = 2027-01-01T00:00:00Z", "releases = 2999-01-01T00:00:00Z"))
    track("score", place)
    assert "not ranked" in track("decide", "release", "--track", place, "--reason", "x", code=2)
    track("rank", place)
    assert "2999" in track("decide", "release", "--track", place, "--reason", "x", code=2)
    edit(place, ("releases = 2999-01-01T00:00:00Z", "releases = 2020-01-01T00:00:00Z"), reason="earlier")
    send(place, "gamma", "new", run_text("new", shift=5))
    assert "score" in track("decide", "release", "--track", place, "--reason", "x", code=2)
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")
    assert "already" in track("decide", "release", "--track", place, "--reason", "x", code=2)


# --- the record -----------------------------------------------------------------------------------------------------


def test_a_broken_record_stops_every_command_with_code_3(tmp_path: Path) -> None:
    """A changed, a removed and a reordered line."""
    place = filled(tmp_path)
    path = place / "record.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    changed = [line.replace(b'"errors":0', b'"errors":1') for line in lines]
    assert changed != lines
    for broken in (changed, lines[:2] + lines[3:], [lines[1], lines[0], *lines[2:]]):
        path.write_bytes(b"".join(broken))
        for command in ("score", "rank", "site", "verify"):
            assert "the record is broken" in track(command, place, code=3)
        track("decide", "note", "--track", place, "--reason", "x", code=3)
    path.write_bytes(b"".join(lines))
    track("verify", place)


def test_the_record_holds_no_name_and_no_score(tmp_path: Path) -> None:
    """It may be public at any time."""
    place = filled(tmp_path)
    board_of = scored(place)
    text = (place / "record.jsonl").read_text()
    for word in ("alpha", "beta", "gamma", "organiser", "University", ".txt", "@", "doc-"):
        assert word not in text, word
    assert all(repr(row["value"]) not in text for row in board_of["rows"])


def test_topics_may_come_after_init(tmp_path: Path) -> None:
    """The skeleton has every file; nothing can be validated before the topics are there and decided."""
    place, run = tmp_path / "later", tmp_path / "run.txt"
    run.write_text(run_text("run"))
    written = answer("init", place)["written"]
    assert all((place / name).is_file() for name in written)
    assert "data/topics.txt" in track("validate", run, "--track", place, code=2)
    (place / "data/topics.txt").write_text("1\n2\n3\n4\n")
    track("validate", run, "--track", place)
    track("export", "kit", "--track", place, code=4)
    track("decide", "config", "--track", place, "--reason", "the topics are there")
    track("export", "kit", "--track", place)
    track("validate", run, "--track", place / "export/kit/kit.zip")
    track("verify", place)


def test_common_options_stand_before_or_after_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--track` and `--json` mean the same in both places, and a track is found in the current folder."""
    place = small(tmp_path)
    after = track("verify", "--track", place, "--json")
    assert track("--track", place, "--json", "verify") == after
    assert track("--json", "verify", place) == after
    monkeypatch.chdir(place)
    assert track("verify", "--json") == after


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    """`init` never writes into something that is there."""
    (tmp_path / "topics.txt").write_text("1\n")
    (tmp_path / "task").mkdir()
    (tmp_path / "task/mine").write_text("x")
    track("init", tmp_path / "task", "--topics", tmp_path / "topics.txt", code=2)
    assert [path.name for path in (tmp_path / "task").iterdir()] == ["mine"]


# --- scoring and ranks ------------------------------------------------------------------------------------------------


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
    from diveval.tracks import scoring

    original = scoring._run

    def broken(track_of: Any, submission: Any, config: Any) -> Any:
        if submission.id == "S0002":
            from diveval.errors import InputError

            raise InputError("a document nobody can read", source=submission.id)
        return original(track_of, submission, config)

    with monkeypatch.context() as patched:
        patched.setattr(scoring, "_run", broken)
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
