"""Several tasks and phases in one folder: each is the settings of the track with its own changes, and keeps to itself."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from diveval.tracks.config import Config
from diveval.tracks.record import Record, Secret, canonical
from support.refusals import is_refusal, refuses
from support.tracks import (
    INSIDE,
    _copied,
    _new,
    answer,
    board,
    edit,
    events,
    qrels_text,
    run_text,
    small,
    track,
)
from support.tracks import filled as one_task
from support.tracks import released as one_released
from unit.tracks.test_what_is_public import PLATFORM, contains

pytestmark = pytest.mark.slow(seconds=0.5)
TASKS = """
[tasks.broad]
track.title = "Broad results"
data.qrels = "private/broad.txt"
data.held_back = "private/held-back.txt"

[tasks.deep]
data.topics = "data/deep.xml"
scoring.metrics = ["alpha_nDCG@10", "ERR_IA@20"]
scoring.official = "ERR_IA@20"
submission.max_runs_per_team = 1

[tasks.deep.phases.dev.dates]
closes = 2026-04-15T00:00:00Z

[tasks.deep.phases.test]
dates.opens = 2026-04-16T00:00:00Z
data.qrels = "private/deep.txt"
"""
NAMES = ("broad", "deep/dev", "deep/test")
LATER = "2026-05-01T00:00:00Z"
DEEP = "".join(
    [
        "<topics>\n",
        *(
            f'<topic number="{t}"><query>deep {t}</query><subtopic number="1">HIDDEN-{t}</subtopic></topic>\n'
            for t in (1, 2)
        ),
        "</topics>\n",
    ]
)


def several(folder: Path) -> Path:
    """A track with a task, and a task with two phases; nothing is sent yet."""
    return _copied(_several(), folder)


@cache
def _several() -> Path:
    folder = _new("several-")
    place = small(folder, *PLATFORM, ('licence = ""', 'licence = "CC0-1.0"'))
    (place / "track.toml").write_text((place / "track.toml").read_text() + TASKS)
    (place / "data/deep.xml").write_text(DEEP)
    track("decide", "config", "--track", place, "--reason", "tasks")
    return folder


def hand_in(place: Path, team: str, name: str, task: str, shift: int = 0, at: str = INSIDE, code: int = 0) -> Any:
    """Submit a run to a task; its receipt."""
    path = place.parent / f"{name}.txt"
    path.write_text(run_text(name, shift=shift, topics=(1, 2, 3, 4) if task == "broad" else (1, 2)))
    words = ("add", path, "--team", team, "--track", place, "--task", task, "--received", at)
    return answer(*words, code=code)["receipts"][0]


def judged(folder: Path) -> Path:
    """Runs of three teams in two tasks, judged, scored and ranked."""
    return _copied(_judged(), folder)


@cache
def _judged() -> Path:
    folder = _new("judged-")
    place = several(folder)
    hand_in(place, "alpha", "one", "broad")
    hand_in(place, "beta", "two", "broad", shift=2)
    hand_in(place, "alpha", "one", "deep/test", at=LATER)
    hand_in(place, "gamma", "three", "deep/test", shift=3, at=LATER)
    (place / "private/broad.txt").write_text(qrels_text())
    (place / "private/held-back.txt").write_text("3\n4\n")
    (place / "private/deep.txt").write_text(qrels_text((1, 2)) + "1 9 doc-199 1\n")
    for task in ("broad", "deep/test"):
        in_task(place, task, "decide", "judged", "--reason", "judged")
        in_task(place, task, "score")
        in_task(place, task, "rank")
    return folder


def in_task(place: Path, task: str, *words: str, code: int = 0) -> str:
    return track(*words, "--track", place, "--task", task, code=code)


def release(place: Path, task: str, code: int = 0) -> str:
    return in_task(place, task, "decide", "release", "--reason", "done", code=code)


# --- what a task is ---------------------------------------------------------------------------------------------------


def test_a_task_is_the_settings_of_the_track_with_its_own_changes(tmp_path: Path) -> None:
    """Phase before task before track; a track without tables of tasks has none, and its settings are as before."""
    text = (several(tmp_path) / "track.toml").read_text()
    base, dev, test = (Config.parse(text.encode(), task=task) for task in ("", "deep/dev", "deep/test"))
    assert base.tasks == NAMES
    assert dev["dates.opens"] == base["dates.opens"] and dev["dates.closes"] < test["dates.opens"]
    assert test["dates.closes"] == base["dates.closes"] and dev["data.qrels"] == ""
    assert dev.official == test.official == "ERR_IA@20" and base.official != dev.official
    assert Config.parse(text.encode(), task="broad")["submission.max_runs_per_team"] == 5
    alone = Config.parse(text.replace(TASKS, "").encode())
    assert alone.tasks == () and alone.tables == base.tables


def test_phases_of_the_track_are_phases_of_every_task(tmp_path: Path) -> None:
    """`[phases.NAME]` beside tasks applies to each, and without tasks makes phases of the track itself."""
    text = (small(tmp_path) / "track.toml").read_text()
    phases = "[phases.dry.dates]\ncloses = 2026-03-10T00:00:00Z\n[phases.formal.dates]\nopens = 2026-04-01T00:00:00Z\n"
    alone = Config.parse((text + phases).encode())
    assert alone.tasks == ("dry", "formal")
    both = Config.parse((text + phases + "[tasks.a]\n[tasks.b]\n").encode())
    assert both.tasks == ("a/dry", "a/formal", "b/dry", "b/formal")


@pytest.mark.parametrize(
    ("more", "code", "facts"),
    [
        ("[tasks.a]\ndata.topcis = 'x'\n", "unknown-option", ["data.topcis"]),
        ("[tasks.a]\nspec = 2\n", "wrong-value", ["spec"]),
        ("[tasks.a]\nsite.out = 'other'\n", "wrong-value", ["site.out"]),
        ("[tasks.A]\n", "wrong-value", ["A"]),
        ("[tasks.'a/b']\n", "wrong-value", ["a/b"]),
        ("[tasks.'..']\n", "wrong-value", [".."]),
        ("tasks = 3\n", "wrong-type", ["tasks"]),
        ("[tasks]\na = 3\n", "wrong-type", ["tasks"]),
        ("[tasks.a]\nphases = 3\n", "wrong-type", ["tasks.a.phases"]),
        ("[tasks.a]\nscoring.official = 'ERR_IA@5'\n", "wrong-value", ["ERR_IA@5"]),
        ("[tasks.a]\ndata.qrels = '../x'\n", "wrong-value", ["../x"]),
        ("[tasks.a]\ndates.closes = 2026-02-01T00:00:00Z\n", "wrong-value", ["dates.closes"]),
        ("[tasks.a]\ndates.closes = 2026-05-01T00:00:00\n", "wrong-type", ["dates.closes"]),
        ("[phases.a]\n[phases.b]\n", "wrong-value", ["a", "b"]),
        ("[tasks.a]\ndata.qrels='private/q'\ndata.held_back='private/h'\n[tasks.b]\ndata.qrels='private/./q'\n",
         "wrong-value", ["a", "b"]),
    ],
)  # fmt: skip
def test_a_wrong_table_of_a_task_is_an_error(tmp_path: Path, more: str, code: str, facts: list[str]) -> None:
    """Unknown keys, keys of the whole track, ids that are no folder, phases at the same time, shared judgments."""
    text = (small(tmp_path) / "track.toml").read_text()
    whole = more + text if more.startswith("tasks =") else text + more
    with refuses(code, *facts):
        Config.parse(whole.encode())


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        ("2026-03-29T01:30:00+01:00", "2026-03-29T03:00:00+02:00", True),  # the night when clocks go forward
        ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", True),  # 02:30 comes twice
        ("2026-10-25T02:30:00+01:00", "2026-10-25T02:45:00+02:00", False),
        ("2026-03-29T12:00:00-12:00", "2026-03-29T23:00:00+00:00", False),  # anywhere on earth
    ],
)
def test_phases_follow_each_other_in_time_and_not_on_the_clock(
    tmp_path: Path, first: str, second: str, apart: bool
) -> None:
    """Offsets count; the grace of the earlier phase does, too."""
    text = (small(tmp_path) / "track.toml").read_text().replace("closes = 2026-06-01", "closes = 2026-12-01")
    phases = f"[phases.a]\ndates.closes = {first}\n[phases.b]\ndates.opens = {second}\n"
    if not apart:
        with refuses("wrong-value", "b"):
            Config.parse((text + phases).encode())
        return
    assert Config.parse((text + phases).encode()).tasks == ("a", "b")
    with refuses("wrong-value", "b"):
        Config.parse((text + phases).replace("grace_minutes = 0", "grace_minutes = 90").encode())


@pytest.mark.parametrize(
    "more",
    [
        "[tasks.a]\ndata.topics = 'data/x'\n[tasks.b]\ndata.qrels = 'data/x'\n",
        "[tasks.a]\ndata.documents = 'list:data/X'\n[tasks.b]\ndata.held_back = 'data/x'\n",
        "[tasks.a]\ndata.topics = 'private/x'\n",
        "[tasks.a]\ndata.qrels = 'private/secrets/a'\n",
        "[tasks.a]\ndata.qrels = 'site/a/x'\n",
        "[tasks.a]\ndata.documents = 'list:/etc/passwd'\n",
    ],
)
def test_what_one_task_publishes_no_other_hides(tmp_path: Path, more: str) -> None:
    """Paths are checked over all tasks, before anything is written."""
    place = small(tmp_path)
    (place / "track.toml").write_text((place / "track.toml").read_text() + more)
    for words in (("site",), ("export", "kit"), ("decide", "config", "--reason", "x")):
        assert is_refusal(track(*words, "--track", place, code=2), "wrong-value")


def test_a_task_cannot_be_added_or_renamed_under_its_submissions(tmp_path: Path) -> None:
    """Runs of a track without tasks have none, and a renamed task would lose its own; `verify` names what is lost."""
    place = one_task(tmp_path / "one")
    (place / "track.toml").write_text((place / "track.toml").read_text() + "[tasks.a]\n")
    assert is_refusal(track("decide", "config", "--track", place, "--reason", "x", code=2), "unknown-task")
    place = several(tmp_path)
    hand_in(place, "alpha", "one", "broad")
    edit(place, ("[tasks.broad]", "[tasks.wide]"))
    assert is_refusal(track("decide", "config", "--track", place, "--reason", "x", code=2), "unknown-task")
    found = {item["what"]: item["result"] for item in answer("verify", place, code=1)["items"]}
    assert found["tasks"] == "differs"


# --- submissions ------------------------------------------------------------------------------------------------------


def test_commands_about_one_task_need_its_name(tmp_path: Path) -> None:
    """Nothing is guessed; commands about the whole track refuse the option instead of ignoring it."""
    place = judged(tmp_path)
    (tmp_path / "x.txt").write_text(run_text("x"))
    single: list[tuple[str | Path, ...]] = [
        ("add", tmp_path / "x.txt", "--team", "alpha"),
        ("validate", tmp_path / "x.txt"),
        ("score",),
        ("rank",),
        ("pool", "--depth", "2"),
        ("labels",),
        ("decide", "judged", "--reason", "x"),
        ("decide", "release", "--reason", "x"),
    ]
    before = (place / "record.jsonl").read_bytes()
    for words in single:
        assert is_refusal(track(*words, "--track", place, code=2), "missing-task"), words
        assert is_refusal(track(*words, "--track", place, "--task", "brod", code=2), "unknown-task"), words
    for words in (("site",), ("verify",)):
        assert is_refusal(track(*words, "--track", place, "--task", "broad", code=2), "option-not-applicable")
    assert (place / "record.jsonl").read_bytes() == before
    assert is_refusal(track("score", one_task(tmp_path / "one"), "--task", "broad", code=2), "unknown-task")


def test_names_limits_dates_and_repetitions_are_those_of_the_task(tmp_path: Path) -> None:
    """The same name and bytes in two tasks are two runs; ids are numbered in the whole track."""
    place = several(tmp_path)
    assert hand_in(place, "alpha", "one", "deep/dev")["submission"] == "S0001"
    assert hand_in(place, "alpha", "one", "deep/test", at=LATER)["submission"] == "S0002"
    assert hand_in(place, "beta", "one", "broad")["submission"] == "S0003"
    assert hand_in(place, "alpha", "one", "deep/test", at=LATER)["again"]
    assert hand_in(place, "alpha", "two", "deep/test", shift=1, at=LATER, code=1)["verdict"] == "rejected"
    assert hand_in(place, "alpha", "two", "broad", shift=1)["verdict"] == "accepted"
    assert hand_in(place, "beta", "early", "deep/test", code=1)["verdict"] == "rejected"
    assert hand_in(place, "gamma", "late", "deep/dev", at=LATER)["late"]
    keys = {event["submission"]: event["team"] for event in events(place, "received")}
    assert keys["S0001"] != keys["S0002"]  # a release of one phase names no team of the other
    track("verify", place)


def test_a_late_resubmission_keeps_the_run_in_time_in_each_task(tmp_path: Path) -> None:
    """As in a track without tasks, and without looking at the other phase."""
    place = several(tmp_path)
    hand_in(place, "alpha", "one", "deep/dev")
    hand_in(place, "alpha", "one", "deep/test", at=LATER)
    late = hand_in(place, "alpha", "one", "deep/dev", shift=1, at="2026-04-20T00:00:00Z")
    assert late["late"] and late["kept"] == ["S0001"]
    assert not events(place, "superseded")
    corrected = hand_in(place, "alpha", "one", "deep/test", shift=2, at=LATER)
    assert corrected["replaces"] == ["S0002"]


def test_the_inbox_has_a_folder_per_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files elsewhere are named and left; links to folders of tasks, or in them, are refused; nothing is taken twice."""
    monkeypatch.setattr("diveval.tracks.submissions.SETTLED", 0.0)
    place = several(tmp_path)
    inbox = place / "inbox/alpha"
    (inbox / "deep/dev").mkdir(parents=True)
    (inbox / "deep/dev/one.txt").write_text(run_text("one", topics=(1, 2)))
    (inbox / "deep/dev/leak.txt").symlink_to(place / "private/secret")
    for stray in ("stray.txt", "deep/stray.txt"):
        (inbox / stray).write_text(run_text("stray"))
    (inbox / "other").mkdir()
    (place / "inbox/beta").mkdir()
    (place / "inbox/beta/broad").symlink_to(inbox / "deep/dev")
    words = ("add", "--inbox", "--track", place, "--received", INSIDE)
    first = answer(*words, code=1)
    assert [(r["submission"], r["verdict"]) for r in first["receipts"]] == [("S0001", "accepted")]
    assert len(first["refused"]) == 2
    for named in ("stray.txt", "deep/stray.txt", "other"):
        assert any(named in left for left in first["left"]), named
    assert answer(*words, code=1)["receipts"][0]["again"]
    assert len(events(place, "received")) == 1
    waiting = answer("status", place)["tasks"]
    assert {task: shape["counts"]["in the inbox"] for task, shape in waiting.items()} == dict.fromkeys(NAMES, 0)


def test_erasing_a_run_keeps_the_same_bytes_of_another_task(tmp_path: Path) -> None:
    """The store keeps bytes once for all tasks, so the last task that needs them deletes them."""
    place = several(tmp_path)
    hand_in(place, "alpha", "one", "deep/dev")
    hand_in(place, "beta", "one", "deep/test", at=LATER)
    track("decide", "withdraw", "S0001", "--erase", "--track", place, "--reason", "wrong file")
    assert len(list((place / "store").iterdir())) == 1
    track("verify", place)
    track("decide", "withdraw", "S0002", "--erase", "--track", place, "--reason", "wrong file")
    assert not list((place / "store").iterdir())
    track("verify", place)


FORGED = [
    {"event": "verdict", "submission": "S0001", "verdict": "accepted", "errors": 0, "warnings": 0, "sum": "0" * 64,
     "task": "deep/dev"},
    {"event": "withdrawn", "submission": "S0001", "reason": "x"},
    {"event": "withdrawn", "submission": "S0001", "reason": "x", "task": "../broad"},
    {"event": "noted", "text": "x", "task": "broad"},
    {"event": "config", "section": "config", "sum": "0" * 64, "reason": "x", "task": "broad"},
    {"event": "scored", "scoring": "R0003", "judged": 22, "scoring_rules": "0" * 64, "submissions": [], "failed": [],
     "scores": "0" * 64, "versions": {}, "probe": "", "task": "deep/dev"},
    {"event": "released", "scoring": "R0001", "leaderboard": "0" * 64, "reason": "x", "task": "deep/test"},
    {"event": "withdrawn", "submission": "S0001", "reason": "x", "task": ["broad"]},
]  # fmt: skip


@pytest.mark.parametrize("fields", FORGED)
def test_an_event_about_something_of_another_task_is_broken(tmp_path: Path, fields: dict[str, object]) -> None:
    """A well-chained line cannot move a submission, judgments or a scoring to another task."""
    place = judged(tmp_path)
    record = Record.read(place / "record.jsonl")
    event = {"seq": len(record.events), "at": INSIDE, "by": "x", "prev": record.head, **fields}
    with (place / "record.jsonl").open("ab") as stream:
        stream.write(canonical(event) + b"\n")
    assert is_refusal(track("verify", place, code=3), "record-broken")


# --- scoring, release, publication ------------------------------------------------------------------------------------


def test_each_task_is_scored_and_ranked_by_itself(tmp_path: Path) -> None:
    """Boards have their own runs, metrics and topics, and equal those of a track with that task alone."""
    place = judged(tmp_path)
    one, two = board(place, "R0001"), board(place, "R0002")
    assert (one["task"], two["task"]) == ("broad", "deep/test")
    assert {row["submission"] for row in one["rows"]} == {"S0001", "S0002"}
    assert {row["submission"] for row in two["rows"]} == {"S0003", "S0004"}
    assert (one["topics"], two["topics"]) == (4, 2)
    alone = small(tmp_path / "alone", ('qrels = ""', 'qrels = "private/qrels.txt"'))
    (alone / "private/qrels.txt").write_bytes((place / "private/broad.txt").read_bytes())
    for team, name, shift in (("alpha", "one", 0), ("beta", "two", 2)):
        path = tmp_path / f"{name}.txt"
        path.write_text(run_text(name, shift=shift))
        track("add", path, "--team", team, "--track", alone, "--received", INSIDE)
    track("decide", "judged", "--track", alone, "--reason", "x")
    track("score", alone)
    track("rank", alone)
    same = board(alone)
    assert [(r["submission"], r["value"], r["rank"]) for r in same["rows"]] == [
        (r["submission"], r["value"], r["rank"]) for r in one["rows"]
    ]
    track("verify", place)


def test_a_release_waits_for_tasks_with_the_same_hidden_files(tmp_path: Path) -> None:
    """Judgments, or subtopics, of a task that is still open are not published by another one."""
    for shared in ("qrels", "topics"):
        place = judged(tmp_path / shared)
        text = (place / "track.toml").read_text()
        if shared == "qrels":  # a copy under another name
            (place / "private/copy.txt").write_bytes((place / "private/broad.txt").read_bytes())
            more = '[tasks.open]\ndates.closes = 2999-01-01T00:00:00Z\ndata.qrels = "private/copy.txt"\n'
            more += 'data.held_back = "private/held-back.txt"\n'
            first, other = "broad", "deep/test"
        else:
            more = '[tasks.open]\ndates.closes = 2999-01-01T00:00:00Z\ndata.topics = "data/deep.xml"\n'
            first, other = "deep/test", "broad"
        (place / "track.toml").write_text(text + more)
        track("decide", "config", "--track", place, "--reason", "one more task")
        assert is_refusal(release(place, first, code=2), "too-early")
        release(place, other)


def open_task(place: Path, name: str, content: str, *more: str) -> None:
    """A task that is open for long, with judgments of its own."""
    (place / f"private/{name}.txt").write_text(content)
    lines = [f"[tasks.{name}]", "dates.closes = 2999-01-01T00:00:00Z", f'data.qrels = "private/{name}.txt"', *more]
    (place / "track.toml").write_text((place / "track.toml").read_text() + "\n".join(lines) + "\n")
    track("decide", "config", "--track", place, "--reason", "one more task")


HELD = 'data.held_back = "private/held-back.txt"'


@pytest.mark.parametrize("form", ["part", "more", "shuffled", "evall"])
def test_a_release_waits_for_tasks_with_some_of_the_judgments(tmp_path: Path, form: str) -> None:
    """Neither another order, nor another format, nor lines that only one of both has let judgments of an open task out."""
    place = judged(tmp_path)
    lines = (place / "private/broad.txt").read_text().splitlines(keepends=True)
    rows = [line.split() for line in lines]
    content = {
        "part": lines[-1],
        "more": "".join([*lines, "4 9 doc-499 1\n"]),
        "shuffled": "".join("  ".join(row) + "\n" for row in reversed(rows)),
        "evall": "".join(f"{t}\t{d}\t{g}\t{a}\t1\n" for t, a, d, g in rows),
    }[form]
    open_task(place, "open", content, HELD)
    assert is_refusal(release(place, "broad", code=2), "too-early")


def test_topics_of_one_id_in_two_tasks_may_be_different_topics(tmp_path: Path) -> None:
    """Equal lines of judgments about topics with other queries keep no release waiting."""
    place = judged(tmp_path)
    (place / "data/other.txt").write_text("1:other\n2:others\n3:third\n4:fourth\n")
    open_task(place, "open", qrels_text((1,)) + "4 9 doc-499 1\n", 'data.topics = "data/other.txt"')
    release(place, "broad")


def test_subtopics_in_another_file_keep_a_release_waiting(tmp_path: Path) -> None:
    """A task asks for some of the same subtopics, in JSON."""
    place = judged(tmp_path)
    row = {"id": "2", "query": "Deep  2", "subtopics": {"1": "HIDDEN-2"}}
    (place / "data/new.jsonl").write_text(json.dumps(row) + "\n")
    more = '[tasks.open]\ndates.closes = 2999-01-01T00:00:00Z\ndata.topics = "data/new.jsonl"\n'
    (place / "track.toml").write_text((place / "track.toml").read_text() + more)
    track("decide", "config", "--track", place, "--reason", "one more task")
    assert is_refusal(release(place, "deep/test", code=2), "too-early")
    release(place, "broad")


def test_tasks_hold_back_the_same_of_the_topics_that_they_share(tmp_path: Path) -> None:
    """An export of the task that opens topic 3 would publish what the other holds back; other topics are its own affair."""
    place = judged(tmp_path)
    open_task(place, "open", qrels_text((3,)) + "3 9 doc-399 1\n")
    assert is_refusal(in_task(place, "open", "decide", "judged", "--reason", "x", code=2), "wrong-value", "3")
    (place / "private/open.txt").write_text(qrels_text((1, 2)))
    in_task(place, "open", "decide", "judged", "--reason", "x")


def test_a_run_sent_after_a_release_of_the_same_judgments_is_late(tmp_path: Path) -> None:
    """Its team has seen them, whichever task published them."""
    place = judged(tmp_path)
    more = '[tasks.again]\ndata.qrels = "private/broad.txt"\ndata.held_back = "private/held-back.txt"\n'
    (place / "track.toml").write_text((place / "track.toml").read_text() + more)
    track("decide", "config", "--track", place, "--reason", "one more task")
    path = tmp_path / "x.txt"
    path.write_text(run_text("x"))
    words = ("add", path, "--team", "beta", "--track", place, "--task", "again", "--received", INSIDE)
    release(place, "broad")
    assert answer(*words)["receipts"][0]["late"]


def test_the_same_judgments_hold_back_the_same_topics(tmp_path: Path) -> None:
    """A copy of the judgments under another name cannot open topics that the first task holds back."""
    place = judged(tmp_path)
    (place / "private/copy.txt").write_bytes((place / "private/broad.txt").read_bytes())
    more = '[tasks.again]\ndata.qrels = "private/copy.txt"\n'
    (place / "track.toml").write_text((place / "track.toml").read_text() + more)
    track("decide", "config", "--track", place, "--reason", "one more task")
    assert is_refusal(in_task(place, "again", "decide", "judged", "--reason", "x", code=2), "wrong-value")


def publish(place: Path) -> None:
    track("site", place)
    track("export", "kit", place)
    for task in ("broad", "deep/test"):
        for what in ("codabench", "evalai", "tira"):
            in_task(place, task, "export", what)


def hidden_of(place: Path) -> dict[str, dict[str, str]]:
    """Per task what nobody may see before its release: a name, a run, a judgment, its key, what its topics hide."""
    key = Secret(bytes.fromhex((place / "private/secret").read_text().strip()))
    deep = {"name": "Gamma Institute", "judgment": "1 9 doc-199 1", "subtopics": "HIDDEN-1", "run": " 1 9 three\n"}
    held = next(line for line in (place / "private/broad.txt").read_text().splitlines() if line.startswith("3 "))
    broad = {"name": "Beta <Labs>", "judgment": held, "run": " 1 9 two\n"}
    return {
        task: {**rest, "key": key.of_task(task).key.hex()} for task, rest in (("broad", broad), ("deep/test", deep))
    }


@pytest.mark.parametrize("first", ["broad", "deep/test"])
def test_the_table_of_what_is_public_holds_per_task(tmp_path: Path, first: str) -> None:
    """A release of one task publishes nothing of another, in the site, in any export and in the archive."""
    place = judged(tmp_path)
    site, exports, hidden = place / "site", place / "export", hidden_of(place)
    whole = (place / "private/secret").read_text().strip()

    def is_hidden(task: str) -> None:
        for what, text in hidden[task].items():
            assert not contains(site, text), (task, what)
            if what != "judgment" or task == "broad":  # platforms get the judgments of topics that are not held back
                assert not contains(exports, text), (task, what)

    publish(place)
    for task in hidden:
        is_hidden(task)
    assert contains(site / "deep/test", "deep 1") and contains(exports / "deep/test", "deep 1")
    second = next(task for task in hidden if task != first)
    release(place, first)
    publish(place)
    in_task(place, first, "export", "archive")
    is_hidden(second)
    for what, text in hidden[first].items():
        shown = contains(site / first / "data", text)
        assert shown or what == "name", what
    assert contains(site / first, "Gamma Institute" if first == "deep/test" else "Beta &lt;Labs&gt;")
    assert not contains(site, whole) and not contains(exports, whole)
    assert is_refusal(in_task(place, second, "export", "archive", code=2), "step-not-done")
    track("verify", site / first / "data")
    release(place, second)
    publish(place)
    for task in hidden:
        track("verify", site / task / "data")
        in_task(place, task, "export", "archive")
    assert len(list(exports.rglob("*edition-1.zip"))) == 2
    track("verify", place)


def test_the_first_page_shows_of_each_task_what_its_own_page_shows(tmp_path: Path) -> None:
    """Dates and counts of all tasks; a scoring only of the released one."""
    place = judged(tmp_path)
    release(place, "broad")
    track("site", place)
    page = (place / "site/index.html").read_text()
    for task in NAMES:
        assert f'href="{task}/index.html"' in page
        assert (place / f"site/{task}/index.html").exists()
    assert "R0001" in page and "R0002" not in page
    assert 'href="../../index.html"' in (place / "site/deep/test/rules.html").read_text()
    edited = json.loads((place / "site/broad/results.json").read_text())
    assert {row["submission"] for row in edited["runs"]} == {"S0001", "S0002"}


def test_a_verdict_of_the_kit_is_that_of_the_task(tmp_path: Path) -> None:
    """Each task has a kit with its own topics and rules, and nothing of the other tasks."""
    place = several(tmp_path)
    track("export", "kit", place)
    path = tmp_path / "one.txt"
    path.write_text(run_text("one", topics=(1, 2)))
    for task, code in (("broad", 1), ("deep/dev", 0), ("deep/test", 0)):
        kit = place / f"export/{task}/kit/kit.zip"
        words = ("validate", path, "--team", "alpha")
        at_home = answer(*words, "--track", kit, code=code)["verdicts"]
        assert at_home == answer(*words, "--track", place, "--task", task, code=code)["verdicts"]
        others = [other for other in NAMES if other.partition("/")[0] != task.partition("/")[0]]
        assert not any(contains(kit.parent, f"private/{other}") for other in others)
        assert not contains(kit.parent, "HIDDEN")


def test_pools_and_labels_are_those_of_the_task(tmp_path: Path) -> None:
    """Two tasks are pooled and labelled side by side, and `verify` checks both."""
    place = several(tmp_path)
    hand_in(place, "alpha", "one", "broad")
    hand_in(place, "beta", "two", "deep/test", shift=2, at=LATER)
    for task, topics in (("broad", 4), ("deep/test", 2)):
        in_task(place, task, "pool", "--depth", "3")
        tables = sorted((place / f"private/pool/{task}/assessor").glob("*.csv"))
        assert len(tables) == topics
        lines = [line for table in tables for line in table.read_text().splitlines()[1:]]
        labels = tmp_path / "labels.csv"
        labels.write_text("assessor,topic,aspect,document,label\n" + "".join(f"{line}1\n" for line in lines))
        in_task(place, task, "labels", str(labels))
        assert (place / f"private/qrels-from-labels/{task}.txt").exists()
    items = {item["what"]: item["result"] for item in answer("verify", place)["items"]}
    assert items["private/pool/broad, private/labels"] == "same"
    assert items["private/pool/deep/test, private/labels"] == "same"


def test_a_track_without_tasks_has_the_same_bytes_as_before(tmp_path: Path) -> None:
    """No event, file or page of it names a task."""
    place = one_released(tmp_path)
    assert not any("task" in event for event in events(place))
    assert not (place / "site/data/private/secrets").exists()
    assert (place / "site/data/private/secret").read_bytes() == (place / "private/secret").read_bytes()
    assert "All tasks" not in (place / "site/index.html").read_text()
