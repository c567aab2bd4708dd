"""What is public when: the bytes of the site and of every export, in each state of a track, against the table of the docs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from diveval.tracks.record import Record, canonical
from support.refusals import is_refusal
from support.tracks import (
    INSIDE,
    answer,
    events,
    filled,
    judge,
    ranked,
    released,
    run_text,
    scored,
    send,
    small,
    track,
)

pytestmark = pytest.mark.slow(seconds=0.5)
TOPICS = "".join(
    f'<topic number="{t}"><query>query {t}</query><subtopic number="1">SUBTOPIC-{t}</subtopic></topic>\n'
    for t in range(1, 5)
)
AFTER = "2026-06-02T00:00:00Z"
PLATFORM = (
    ('image = ""', 'image = "registry.example.org/x:1"'),
    ('baseline_link = ""', 'baseline_link = "https://x.org/b"'),
)


def unpacked(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """A file, and every file packed in it."""
    yield name, data
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for inner in archive.namelist():
                yield from unpacked(f"{name}/{inner}", archive.read(inner))


def contains(folder: Path, text: str) -> list[str]:
    """The files below a folder, packed or not, that contain a text."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    found = (pair for path in files for pair in unpacked(path.relative_to(folder).as_posix(), path.read_bytes()))
    return [name for name, data in found if text.encode() in data]


def line_of(place: Path, topic: int) -> str:
    lines = (place / "private/qrels.txt").read_text().splitlines()
    return next(line for line in lines if line.startswith(f"{topic} ") and line.split()[2] != "doc-307")


def publish(place: Path) -> None:
    track("site", place)
    for what in ("kit", "codabench", "evalai", "tira") if events(place, "judged") else ("kit",):
        track("export", what, place)


def run_line(name: str) -> str:
    return f" 1 9 {name}\n"


def play(folder: Path) -> Path:
    """A track with subtopics, a comment in its configuration, and a run in every standing."""
    place = small(folder, *PLATFORM)
    (place / "data/topics.txt").write_text(TOPICS)
    (place / "track.toml").write_text((place / "track.toml").read_text() + "# PRIVATE-COMMENT\n")
    teams = (place / "teams.toml").read_text().replace('id = "alpha"', 'id = "alpha"\ncontact = "MAIL@example.org"')
    (place / "teams.toml").write_text(teams)
    track("decide", "config", "--track", place, "--reason", "topics")
    send(place, "organiser", "base", run_text("base", shift=3))
    send(place, "alpha", "old", run_text("old"))
    send(place, "alpha", "old", run_text("old", shift=1, documents=7))
    send(place, "beta", "gone", run_text("gone", shift=2))
    send(place, "beta", "stays", run_text("stays", shift=4))
    send(place, "gamma", "wrong", run_text("other", topics=(1, 2)), code=1)
    track("decide", "withdraw", "S0004", "--track", place, "--reason", "a fault")
    return place


RUNS = {"S0002": "superseded", "S0004": "withdrawn", "S0006": "rejected", "S0003": "standing"}


def stored(place: Path, submission: str) -> str:
    import json

    return str(json.loads((place / f"private/received/{submission}.json").read_text())["sha256"])


def test_the_table_of_what_is_public(tmp_path: Path) -> None:
    """Each kind of content is in the site and the exports in exactly the states in which the table says so."""
    place = play(tmp_path)
    site, exports = place / "site", place / "export"
    secret = (place / "private/secret").read_text().strip()

    def never_yet() -> None:
        for text in ("SUBTOPIC", "PRIVATE-COMMENT", "MAIL@", "University of Alpha", secret, "stays", "held-back.txt"):
            assert not contains(site, text), text
            assert not contains(exports, text), text
        for submission in RUNS:
            assert not (site / "data/store" / stored(place, submission)).exists()

    publish(place)
    never_yet()
    assert contains(exports, "query 1") and contains(site, "query 1")
    judge(place)
    (place / "private/qrels.txt").write_text((place / "private/qrels.txt").read_text())
    scored(place)
    publish(place)
    never_yet()
    assert contains(exports, line_of(place, 1)) and not contains(site, line_of(place, 1))
    assert not contains(exports, line_of(place, 3)) and not contains(site, line_of(place, 3))
    track("decide", "release", "--track", place, "--reason", "done")
    publish(place)
    for text in ("University of Alpha", line_of(place, 3), secret, "SUBTOPIC"):
        assert contains(site, text), text
    for text in ("MAIL@", line_of(place, 3), "SUBTOPIC", "PRIVATE-COMMENT", secret):
        assert not contains(exports, text), text
    assert not contains(site, "MAIL@")
    for submission, standing in RUNS.items():
        full = standing == "standing"
        assert (site / "data/store" / stored(place, submission)).exists() == full, standing
        assert (site / f"data/verdicts/{submission}.json").exists() == full, standing
    items = {item["what"]: item for item in answer("verify", site / "data")["items"]}
    # What is not published of some runs does not keep readers from computing every rank again.
    assert items["boards/R0001.json"] == {"what": "boards/R0001.json", "result": "same"}
    _judge_again(place, site, exports)


def _judge_again(place: Path, site: Path, exports: Path) -> None:
    """New judgments and new topics after a release stay as hidden as the first ones were."""
    qrels = place / "private/qrels.txt"
    qrels.write_text(qrels.read_text() + "3 9 doc-399 1\n")
    track("decide", "judged", "--track", place, "--reason", "corrected")
    (place / "data/topics.txt").write_text(TOPICS.replace("SUBTOPIC-1", "NEXT-YEAR"))
    track("decide", "config", "--track", place, "--reason", "next year")
    track("score", place)
    shown = answer("rank", place)
    assert shown["leaderboard"] is None and shown["scoring"] == "R0002"
    assert answer("rank", place, "--scoring", "R0001")["leaderboard"] is not None
    publish(place)
    for text in ("3 9 doc-399", "NEXT-YEAR"):
        assert not contains(site, text) and not contains(exports, text), text
    assert not (site / "data/scores/R0002").exists()


def test_a_team_that_sent_nothing_is_not_named(tmp_path: Path) -> None:
    """Whoever registered and sent no run is in nothing that is published; a rejected run is listed with its team."""
    place = ranked(tmp_path, ('licence = ""', 'licence = "CC0"'))
    teams = place / "teams.toml"
    teams.write_text(teams.read_text() + '[[team]]\nid = "silent"\nname = "Silent Team"\n')
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    track("export", "archive", place)
    for folder in ("site", "export"):
        assert not contains(place / folder, "Silent Team") and not contains(place / folder, "silent")
    assert contains(place / "site", "Gamma Institute")
    track("verify", place / "site/data")


def test_a_secret_is_not_published_where_judgments_never_are(tmp_path: Path) -> None:
    """With site.judgments = "never" neither the secret nor the file of topics leaves the folder."""
    place = released(tmp_path, ('judgments = "after-release"', 'judgments = "never"'))
    secret = (place / "private/secret").read_text().strip()
    assert not contains(place / "site", secret)
    assert not contains(place / "site", line_of(place, 1))
    track("verify", place / "site/data")


def test_scorings_that_were_not_released_are_not_published(tmp_path: Path) -> None:
    """A run withdrawn between two scorings leaves no score in the data of the released one."""
    place = ranked(tmp_path)
    track("decide", "withdraw", "S0002", "--track", place, "--reason", "a fault")
    scored(place)
    track("decide", "release", "--track", place, "--reason", "done")
    track("site", place)
    assert not (place / "site/data/scores/R0001").exists()
    assert "S0002" not in (place / "site/data/scores/R0002/scores.csv").read_text()
    track("verify", place / "site/data")


def test_erasing_deletes_metadata_and_verdict_too(tmp_path: Path) -> None:
    """`--erase` leaves no byte of the run, of its metadata, or of the verdict that quotes it."""
    place, meta = small(tmp_path), tmp_path / "m.yml"
    meta.write_text("actor: {team: alpha}\n")
    send(place, "alpha", "one", run_text("one"), "--meta", str(meta))
    track("decide", "withdraw", "S0001", "--erase", "--track", place, "--reason", "personal data")
    assert not list((place / "store").iterdir()) and not list((place / "verdicts").iterdir())
    track("verify", place)


# --- dates and repetitions ------------------------------------------------------------------------------------------


def test_no_release_while_the_track_is_open(tmp_path: Path) -> None:
    """A release before the close, grace included, would publish the judgments to those who still submit."""
    place = ranked(tmp_path, ("closes = 2026-06-01T00:00:00Z", "closes = 2999-06-01T00:00:00Z"))
    assert is_refusal(track("decide", "release", "--track", place, "--reason", "x", code=2), "too-early")


def test_a_run_sent_after_the_release_has_no_rank(tmp_path: Path) -> None:
    """Its sender has seen the judgments, whatever arrival time is entered; only a decision gives it a rank."""
    place = released(tmp_path)
    assert send(place, "gamma", "perfect", run_text("perfect", shift=5))["late"]
    statuses = {entry["submission"]: entry["status"] for entry in scored(place)["unranked"]}
    assert statuses["S0005"] == "late"
    track("decide", "accept-late", "S0005", "--track", place, "--reason", "lost by our server")
    assert "S0005" in {row["submission"] for row in scored(place)["rows"]}
    track("verify", place)


def test_a_late_run_does_not_replace_one_that_was_in_time(tmp_path: Path) -> None:
    """The team keeps its ranked run, and both teams and organisers are told; accepting the late one replaces it."""
    place = filled(tmp_path)
    path = tmp_path / "beta-1.txt"
    path.write_text(run_text("beta-1", shift=2))
    receipt = answer("add", path, "--team", "beta", "--track", place, "--received", AFTER)["receipts"][0]
    assert receipt["kept"] == ["S0003"] and not events(place, "superseded")
    assert "S0003" in {row["submission"] for row in scored(place)["rows"]}
    track("decide", "accept-late", "S0005", "--track", place, "--reason", "our server was down")
    assert [(e["submission"], e["newer"]) for e in events(place, "superseded")] == [("S0003", "S0005")]
    track("verify", place)


@pytest.mark.parametrize("more", [("--priority", "2"), ("--type", "manual"), ("--name", "two"), ("--meta", "META")])
def test_the_same_bytes_with_another_description_are_a_new_submission(tmp_path: Path, more: tuple[str, str]) -> None:
    """Priority, type, name and metadata can be corrected without touching the run."""
    place, meta = small(tmp_path, ("tag_is_name = true", "tag_is_name = false")), tmp_path / "m.yml"
    meta.write_text("actor: {team: alpha}\n")
    send(place, "alpha", "one", run_text("one"))
    words = [str(meta) if word == "META" else word for word in more]
    receipt = send(place, "alpha", "one", run_text("one"), *words)
    assert not receipt["again"] and receipt["submission"] == "S0002"
    assert receipt.get("replaces") == (None if "--name" in more else ["S0001"])
    assert send(place, "alpha", "one", run_text("one"), *words)["again"]
    track("verify", place)


def test_a_file_refused_for_its_date_is_taken_from_the_inbox_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the opening it is rejected once; after it, it is taken, and once."""
    monkeypatch.setattr("diveval.tracks.submissions.SETTLED", 0.0)
    place = small(tmp_path)
    (place / "inbox/alpha").mkdir(parents=True)
    (place / "inbox/alpha/one.txt").write_text(run_text("one"))
    early, words = "2026-02-01T00:00:00Z", ("add", "--inbox", "--track", place, "--received")
    assert answer(*words, early, code=1)["receipts"][0]["verdict"] == "rejected"
    assert answer(*words, early)["receipts"][0]["again"]
    assert answer(*words, INSIDE)["receipts"][0]["verdict"] == "accepted"
    assert answer(*words, INSIDE)["receipts"][0]["again"]
    assert len(events(place, "received")) == 2


def test_rejected_submissions_use_up_the_day(tmp_path: Path) -> None:
    """Sending faulty files all day long ends at the limit per day."""
    place = small(tmp_path, ("max_per_day = 0", "max_per_day = 1"))
    send(place, "alpha", "bad", run_text("bad", topics=(1,)), code=1)
    assert send(place, "alpha", "one", run_text("one"), code=1)["verdict"] == "rejected"


def test_names_that_differ_by_case_only_are_refused(tmp_path: Path) -> None:
    """Neither two runs nor two teams can be mixed up."""
    place = small(tmp_path)
    send(place, "alpha", "alpha-1", run_text("alpha-1"))
    assert send(place, "beta", "ALPHA-1", run_text("ALPHA-1", shift=1), code=1)["verdict"] == "rejected"
    teams = place / "teams.toml"
    teams.write_text(teams.read_text() + '[[team]]\nid = "alpha2"\nname = "university  of ALPHA"\n')
    said = track("add", tmp_path / "alpha-1.txt", "--team", "beta", "--track", place, code=2)
    assert is_refusal(said, "duplicate-team")


ALPHA = "University of Alpha"
MIXED_UP = [
    (ALPHA, "UNIVERSITY  of alpha"),
    (ALPHA, "University of \u0410lpha"),  # a Cyrillic letter
    (ALPHA, "U\uff4eiversity of Alpha"),  # a wide one
    (ALPHA, "University of Al\u200bpha"),
    (ALPHA, "University of Alp\u00adha"),
    (ALPHA, "Universit\u00fd of Alpha"),
    (ALPHA, "Un\u03b9v\u03b5rsity of \u0391lpha"),  # Greek ones
    ("Team l1O", "Team Il0"),
]


@pytest.mark.parametrize(("one", "two"), MIXED_UP)
def test_teams_whose_names_look_alike_are_refused(tmp_path: Path, one: str, two: str) -> None:
    """Nobody can enter under the name of another team; names that differ in a number are different."""
    place = small(tmp_path)
    teams = place / "teams.toml"
    original = teams.read_text().replace(ALPHA, one)
    teams.write_text(original + f'[[team]]\nid = "other"\nname = "{two}"\n')
    assert is_refusal(track("status", place, code=2), "duplicate-team", "other", "alpha")
    teams.write_text(original + f'[[team]]\nid = "other"\nname = "{one} 2"\n')
    track("status", place)


# --- well-chained records that make no sense ------------------------------------------------------------------------

FORGED = [
    {"event": "verdict", "submission": "S0099", "verdict": "accepted", "errors": 0, "warnings": 0, "sum": "0" * 64},
    {"event": "superseded", "submission": "S0001", "newer": "S0099"},
    {"event": "withdrawn", "submission": "S0001"},
    {"event": "received", "submission": "S0009"},
    {"event": "noted", "text": "x", "at": 5},
    {"event": "bribed", "text": "x"},
    {"event": "scored", "scoring": "R0001", "judged": 0},
    {"event": "released", "scoring": "R0001", "leaderboard": "0" * 64, "reason": "x"},
    {"event": ["noted"]},
    {"event": "config", "section": {}, "sum": "x", "reason": "x"},
]


@pytest.mark.parametrize("fields", FORGED)
def test_a_well_chained_record_that_makes_no_sense_is_broken(tmp_path: Path, fields: dict[str, object]) -> None:
    """Exit code 3 for events of unknown kind, without their fields, or about what does not exist."""
    place = small(tmp_path)
    send(place, "alpha", "one", run_text("one"))
    record = Record.read(place / "record.jsonl")
    event = {"seq": len(record.events), "at": INSIDE, "by": "x", "prev": record.head, **fields}
    with (place / "record.jsonl").open("ab") as stream:
        stream.write(canonical(event) + b"\n")
    assert is_refusal(track("verify", place, code=3), "record-broken")


def test_a_deeply_nested_record_is_broken(tmp_path: Path) -> None:
    """A line that exhausts the parser is a broken record, too."""
    place = small(tmp_path)
    with (place / "record.jsonl").open("ab") as stream:
        stream.write(b"[" * 200_000 + b"]" * 200_000 + b"\n")
    assert is_refusal(track("verify", place, code=3), "record-broken")


def test_the_ignore_file_covers_what_is_private(tmp_path: Path) -> None:
    """A folder under version control does not publish runs, verdicts, names or judgments by accident."""
    ignored = (small(tmp_path) / ".gitignore").read_text().split()
    assert {"private/", "inbox/", "store/", "verdicts/", "scores/", "boards/", "teams.toml"} <= set(ignored)
    assert {"data/", "export/"} <= set(ignored)  # subtopics, and bundles with judgments


def test_assessment_and_overlap_are_in_no_export_and_no_site(tmp_path: Path) -> None:
    """Whatever is exported in whatever state: no name of an assessor, no label of one, no pair of similar runs."""
    place = small(tmp_path, *PLATFORM, ('licence = ""', 'licence = "CC0"'))
    send(place, "alpha", "alpha-1", run_text("alpha-1"))
    send(place, "beta", "beta-1", run_text("beta-1"))  # ranks as alpha-1 does
    track("pool", place, "--depth", "2", "--assessors", "zoe", "yann")
    for name in ("zoe", "yann"):
        tables = [path.read_text().splitlines() for path in (place / "private/pool" / name).glob("*.csv")]
        lines = [f"{line}1" for table in tables for line in table[1:]]
        (tmp_path / f"{name}.csv").write_text("\n".join([tables[0][0], *lines]) + "\n")
        track("labels", tmp_path / f"{name}.csv", "--track", place)
    judge(place)
    scored(place)
    for released_now in (False, True):
        if released_now:
            track("decide", "release", "--track", place, "--reason", "done")
        track("site", place)
        track("site", place, "--private")
        for what in ("kit", "codabench", "evalai", "tira", *(["archive"] if released_now else [])):
            track("export", what, place)
        assert contains(place / "private/site", "overlap.html")
        for folder in ("site", "export"):
            for text in ("zoe", "yann", "overlap.html", "nearly the same", "qrels-from-labels"):
                assert contains(place / folder, text) == [], (folder, text)
