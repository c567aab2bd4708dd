"""The commands of a track: inbox, limits, dates, decisions, the record, and every exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.refusals import is_refusal
from support.tracks import answer, edit, events, filled, run_text, scored, send, small, track

pytestmark = pytest.mark.slow(seconds=0.2)  # together: `make check` leaves the file out

# --- submissions --------------------------------------------------------------------------------------------------


def test_inbox_files_are_received_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files stay in the inbox and are received once; a folder of an unknown team is reported."""
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


def test_a_growing_file_is_left_in_the_inbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose size changes while the inbox is read is not received, and is reported."""
    place = small(tmp_path)
    path = place / "inbox/alpha/one.txt"
    path.parent.mkdir(parents=True)
    path.write_text(run_text("one"))

    def grow(_seconds: Any) -> None:
        with path.open("a") as stream:
            stream.write("1 Q0 doc-108 7 0.5 one\n")

    monkeypatch.setattr("diveval.tracks.submissions.time.sleep", grow)
    shown = answer("add", "--inbox", "--track", place)
    assert shown["receipts"] == []
    assert "one.txt" in shown["left"][0]


def test_only_an_accepted_run_of_the_same_name_replaces_an_older_one(tmp_path: Path) -> None:
    """A newer accepted run of the same team and name supersedes the older one; a rejected run does not."""
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
    """Rejected and withdrawn runs do not count towards the limit per team."""
    place = small(tmp_path, ("max_runs_per_team = 5", "max_runs_per_team = 2"))
    send(place, "alpha", "bad", run_text("bad", topics=(1,)), code=1)
    send(place, "alpha", "one", run_text("one"))
    send(place, "alpha", "two", run_text("two", shift=1))
    send(place, "alpha", "three", run_text("three", shift=2), code=1)
    track("decide", "withdraw", "S0002", "--track", place, "--reason", "a fault")
    send(place, "alpha", "four", run_text("four", shift=3))


def test_dates_are_enforced_to_the_second(tmp_path: Path) -> None:
    """A run before the opening is rejected, and one after the close and the grace period is late."""
    place = small(tmp_path, ("grace_minutes = 0", "grace_minutes = 2"))
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


def test_equal_rankings_of_two_teams_are_reported_to_the_organisers(tmp_path: Path) -> None:
    """The receipt has a note that names both submissions; the verdict does not mention it."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    receipt = send(place, "beta", "two", run_text("two"))
    (note,) = receipt["notes"]
    assert "S0001" in note and "S0002" in note
    assert "X01" not in (place / "verdicts/S0002.json").read_text()


# --- decisions ------------------------------------------------------------------------------------------------------


def test_changed_files_stop_commands_until_they_are_decided(tmp_path: Path) -> None:
    """A change without a decision gives code 4; after the decision there is a new scoring, and the old one stays."""
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


def test_a_metric_that_computes_other_values_gives_code_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprint of the metrics is recorded; another fingerprint under the same name needs a decision."""
    place = filled(tmp_path)
    scored(place)
    send(place, "gamma", "new", run_text("new", shift=5))
    monkeypatch.setattr("diveval.tracks.scorings.probe", lambda *_: "0" * 15 + "1")
    assert "metric" in track("score", place, code=4)
    track("decide", "config", "--track", place, "--reason", "a fault in the metric was fixed")
    track("score", place)


def test_new_admission_rules_apply_to_later_submissions_unless_revalidated(tmp_path: Path) -> None:
    """Earlier verdicts stay as they are; `--revalidate` applies the new rules to all submissions."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    edit(place, ("max_documents = 1000", "max_documents = 2"), reason="shorter lists")
    assert send(place, "beta", "two", run_text("two"), code=1)["verdict"] == "rejected"
    assert len(events(place, "verdict")) == 2
    edit(place, ("max_documents = 2", "max_documents = 3"))
    track("decide", "config", "--revalidate", "--track", place, "--reason", "all of them")
    assert [e["verdict"] for e in events(place, "verdict")][2:] == ["rejected", "rejected"]
    track("verify", place)


def test_an_undecided_change_of_admission_applies_from_the_next_submission_on(tmp_path: Path) -> None:
    """The change is recorded with that submission, so its verdict can be reproduced; scoring rules are not recorded."""
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


def test_a_decision_needs_a_valid_target_and_a_reason(tmp_path: Path) -> None:
    """An impossible decision is refused with code 2 and does not change the record."""
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


def test_no_release_before_its_date_or_without_a_current_ranking(tmp_path: Path) -> None:
    """An unranked scoring, dates.releases in the future, or a newer submission stops a release."""
    place = filled(tmp_path, ("# releases = 2027-01-01T00:00:00Z", "releases = 2999-01-01T00:00:00Z"))
    track("score", place)
    assert is_refusal(track("decide", "release", "--track", place, "--reason", "x", code=2), "step-not-done")
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
    """A changed, a removed or a reordered line of the record is detected."""
    place = filled(tmp_path)
    path = place / "record.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    changed = [line.replace(b'"errors":0', b'"errors":1') for line in lines]
    assert changed != lines
    for broken in (changed, lines[:2] + lines[3:], [lines[1], lines[0], *lines[2:]]):
        path.write_bytes(b"".join(broken))
        for command in ("score", "rank", "site", "verify"):
            assert is_refusal(track(command, place, code=3), "record-broken", "record.jsonl")
        track("decide", "note", "--track", place, "--reason", "x", code=3)
    path.write_bytes(b"".join(lines))
    track("verify", place)


def test_the_record_contains_no_name_and_no_score(tmp_path: Path) -> None:
    """The record may be public at any time, so it has no teams, files, documents or values."""
    place = filled(tmp_path)
    leaderboard = scored(place)
    text = (place / "record.jsonl").read_text()
    for word in ("alpha", "beta", "gamma", "organiser", "University", ".txt", "@", "doc-"):
        assert word not in text, word
    assert all(repr(row["value"]) not in text for row in leaderboard["rows"])


def test_topics_may_come_after_init(tmp_path: Path) -> None:
    """`init` writes every file; runs can be validated once topics exist, and exported once they are decided."""
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


def test_common_options_work_before_and_after_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--track` and `--json` work in both places, and the current folder is the default track."""
    place = small(tmp_path)
    after = track("verify", "--track", place, "--json")
    assert track("--track", place, "--json", "verify") == after
    assert track("--json", "verify", place) == after
    monkeypatch.chdir(place)
    assert track("verify", "--json") == after


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    """`init` never writes into an existing folder with files."""
    (tmp_path / "topics.txt").write_text("1\n")
    (tmp_path / "task").mkdir()
    (tmp_path / "task/mine").write_text("x")
    track("init", tmp_path / "task", "--topics", tmp_path / "topics.txt", code=2)
    assert [path.name for path in (tmp_path / "task").iterdir()] == ["mine"]


def test_of_one_name_one_run_counts(tmp_path: Path) -> None:
    """A team whose newer run is withdrawn or rejected is named with the older one; restoring both is refused."""
    place = small(tmp_path, ("max_documents = 1000", "max_documents = 8"))
    send(place, "alpha", "one", run_text("one"))
    send(place, "alpha", "one", run_text("one", documents=8))
    words = ("--track", place, "--reason", "x")
    assert answer("decide", "note", *words)["stranded"] == []
    assert answer("decide", "withdraw", "S0002", *words)["stranded"] == ["S0001"]
    assert "S0001" in next(team["note"] for team in answer("status", place)["teams"] if team["team"] == "alpha")
    assert answer("decide", "restore", "S0001", *words)["stranded"] == []
    assert is_refusal(track("decide", "restore", "S0002", *words, code=2), "duplicate-run", "S0001")
    track("decide", "exclude", "S0001", *words)
    track("decide", "restore", "S0002", *words)
    assert is_refusal(track("decide", "restore", "S0001", *words, code=2), "duplicate-run", "S0002")
    assert len(events(place, "superseded")) == 1
    send(place, "beta", "two", run_text("two", shift=1))
    send(place, "beta", "two", run_text("two", shift=1, documents=8))
    edit(place, ("max_documents = 8", "max_documents = 7"))
    assert answer("decide", "config", "--revalidate", *words)["stranded"] == ["S0003"]
    edit(place, ("max_documents = 7", "max_documents = 8"))
    track("decide", "restore", "S0003", *words)
    track("decide", "config", "--revalidate", *words)  # the newer one is accepted again, and replaces it again
    assert [(e["submission"], e["newer"]) for e in events(place, "superseded")][-1] == ("S0003", "S0004")
    track("verify", place)


def test_a_late_run_is_restored_beside_the_one_in_time(tmp_path: Path) -> None:
    """It counts nowhere, so that it does not compete; once it is accepted it does."""
    place = filled(tmp_path)
    words = ("--track", place, "--reason", "x")
    late = ("add", _beta(tmp_path), "--team", "beta", "--track", place, "--received", "2026-07-01T00:00:00Z")
    assert answer(*late)["receipts"][0]["late"]
    track("decide", "withdraw", "S0005", *words)
    track("decide", "restore", "S0005", *words)
    assert not events(place, "superseded")
    track("decide", "accept-late", "S0005", *words)
    assert answer("decide", "withdraw", "S0005", *words)["stranded"] == ["S0003"]
    track("decide", "restore", "S0003", *words)
    assert is_refusal(track("decide", "restore", "S0005", *words, code=2), "duplicate-run", "S0003")


def _beta(folder: Path) -> Path:
    """Another version of the run of beta."""
    path = folder / "beta-1.txt"
    path.write_text(run_text("beta-1", shift=2))
    return path


def test_a_corrected_file_waits_in_the_inbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes with metadata, or under another name, were not taken yet: `status` lists them until they are."""
    monkeypatch.setattr("diveval.tracks.submissions.SETTLED", 0.0)
    place = small(tmp_path, ("tag_is_name = true", "tag_is_name = false"))
    inbox = place / "inbox/alpha"
    inbox.mkdir(parents=True)
    (inbox / "one.txt").write_text(run_text("one"))
    take = ("add", "--inbox", "--track", place, "--received", "2026-04-01T00:00:00Z")

    def list_waiting() -> list[str]:
        return next(list(team["waiting"]) for team in answer("status", place)["teams"] if team["team"] == "alpha")

    for change in (
        lambda: (inbox / "one.yml").write_text("actor: {team: alpha}\n"),
        lambda: (inbox / "one.txt").rename(inbox / "two.txt"),
    ):
        assert len(list_waiting()) == 1
        answer(*take)
        assert list_waiting() == []
        change()
    assert list_waiting() == ["two.txt"]
