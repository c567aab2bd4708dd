"""From submissions to documents for assessors, and from their labels to judgments."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from diveval.tracks.assessment.labels import merge_labels
from support.refusals import is_refusal
from support.tracks import answer, events, filled, run_text, scored, send, small, track

pytestmark = pytest.mark.slow(seconds=0.3)
ASPECTS = "".join(
    f'<topic number="{t}"><query>query {t}</query><subtopic number="1">first {t}</subtopic>'
    f'<subtopic number="2">second {t}</subtopic></topic>\n'
    for t in range(1, 5)
)
MERGED = "private/qrels-from-labels.txt"


def three_runs(folder: Path) -> Path:
    """A track with three runs of three teams, one of them late, and one rejected run."""
    place = small(folder)
    send(place, "organiser", "base", run_text("base", shift=3))
    send(place, "alpha", "alpha-1", run_text("alpha-1"))
    send(place, "beta", "beta-1", run_text("beta-1", shift=1), "--priority", "2")
    late = folder / "late.txt"
    late.write_text(run_text("late", shift=5))
    track("add", late, "--team", "gamma", "--track", place, "--received", "2026-07-01T00:00:00Z")
    send(place, "gamma", "gone", "1 Q0 doc-199 1 1 gone\n", code=1)
    (folder / "aspects.xml").write_text(f"<topics>{ASPECTS}</topics>")
    return place


def pool(place: Path, *more: object, code: int = 0) -> dict[str, object]:
    words: tuple[str | Path, ...] = ("pool", place, "--depth", "2", "--topics", place.parent / "aspects.xml")
    return answer(*words, *map(str, more), code=code)


def fill(place: Path, assessor: str, *, label: str = "1", skip: int = 0) -> Path:
    """The assessor's tables as one file, every label filled in but the first few."""
    rows = []
    for path in sorted((place / "private/pool" / assessor).glob("*.csv")):
        with path.open(newline="") as stream:
            rows += list(csv.reader(stream))[1:]
    for row in rows[skip:]:
        row[-1] = label
    target = place.parent / f"{assessor}.csv"
    with target.open("w", newline="") as stream:
        csv.writer(stream).writerows([["assessor", "topic", "aspect", "document", "label"], *rows])
    return target


def test_the_pool_has_the_first_documents_of_the_runs_in_time(tmp_path: Path) -> None:
    """Late and rejected runs are not pooled, lower priorities only if asked for; the record says which runs were."""
    place = three_runs(tmp_path)
    got = pool(place)
    wanted = {f"doc-{t}0{n}" for t in range(1, 5) for n in (1, 2, 4, 5)} | {f"doc-{t}03" for t in range(1, 5)}
    with (place / "private/pool/pool.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["document"] for row in rows} == wanted
    assert got["documents"] == len(rows) == len(wanted)
    assert got["runs"] == ["S0001", "S0002", "S0003"]
    assert got["left_out"] == {"S0004": "late"}
    (event,) = events(place, "pooled")
    assert (event["submissions"], event["depth"], event["documents"]) == (["S0001", "S0002", "S0003"], 2, len(wanted))
    assert pool(place, "--priority", "1")["runs"] == ["S0001", "S0002"]
    assert pool(place, "--budget", "5")["documents"] == 5
    track("verify", place)


def test_assessors_learn_nothing_about_systems(tmp_path: Path) -> None:
    """No name of a run or team is in a file for assessors, and documents do not come in the order of any run."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "anna", "ben")
    names = [b"base", b"alpha", b"beta", b"S000", b"t-", b"Beta", b"organiser"]
    files = [path for path in (place / "private/pool").rglob("*") if path.is_file()]
    for path in files:
        if path.suffix in (".csv", ".html") and path.name != "pool.csv":
            data = path.read_bytes().partition(b'id="data"')[2] if path.suffix == ".html" else path.read_bytes()
            data = data.partition(b"</script>")[0]
            assert data
            assert not [name for name in names if name in data], path
    orders = set()
    for name in ("anna", "ben"):
        tables = [(place / f"private/pool/{name}/topic-{t}.csv").read_text().splitlines()[1:] for t in range(1, 5)]
        orders.add(tuple(line.split(",")[3] for lines in tables for line in lines))
    assert len(orders) == 2  # each assessor has an order of her own
    again = {path: path.read_bytes() for path in files}
    pool(place, "--assessors", "anna", "ben")
    assert again == {path: path.read_bytes() for path in files}


def test_topics_are_shared_or_divided(tmp_path: Path) -> None:
    """The overlap goes to every assessor, the other topics to one each; nobody is left without a topic."""
    place = three_runs(tmp_path)
    got = pool(place, "--assessors", "anna", "ben", "--overlap", "1")
    topics = {name: one["topics"] for name, one in got["assessors"].items()}  # type: ignore[attr-defined]
    assert topics == {"anna": ["1", "2", "4"], "ben": ["1", "3"]}
    words = ("pool", place, "--depth", "1", "--overlap", "0", "--assessors", "a", "b", "c", "d", "e")
    assert is_refusal(track(*words, code=2), "too-few-topics", "e")


def test_labels_become_judgments_and_agreement(tmp_path: Path) -> None:
    """Two assessors, a correction, and scores from what they labelled; the record has counts and no names."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "anna", "ben", "--highest-label", "2")
    first = answer("labels", fill(place, "anna"), "--track", place)
    items = first["judgments"]
    assert first["assessors"][1] == {"assessor": "ben", "labels": 0, "asked": items, "missing": items}
    second = answer("labels", fill(place, "ben", label="2", skip=3), "--track", place)
    assert second["assessors"][1]["missing"] == 3
    assert second["disputed"] == items - 3
    (pair,) = second["agreement"]
    assert (pair["items"], pair["coefficients"]["agreement"]["value"]) == (items - 3, 0.0)
    assert {line.split()[3] for line in (place / MERGED).read_text().splitlines()} == {
        "1"
    }  # an equal majority: the lower
    corrected = answer("labels", fill(place, "ben", label="1"), "--track", place)
    assert (corrected["disputed"], corrected["changed"][str(tmp_path / "ben.csv")]) == (0, items - 3)
    count = len(events(place))
    answer("labels", tmp_path / "ben.csv", "--track", place)  # the same again: nothing is recorded
    assert len(events(place)) == count
    answer("labels", "--merge", "highest", "--track", place)
    text = (place / "record.jsonl").read_text()
    assert "anna" not in text and "ben" not in text.replace("beta", "")
    judge_by_labels(place)
    assert len(scored(place)["rows"]) == 3
    assert is_refusal(track("pool", place, "--depth", "2", code=2), "nothing-to-judge")
    deeper = pool(place, "--depth", "4")
    assert deeper["judged"] == items / 2
    effect = pool(place, "--depth", "4", "--by", "effect", "--budget", "3")
    assert effect["documents"] == 3
    track("verify", place)


@pytest.mark.parametrize(
    ("line", "code", "fact"),
    [
        ("anna,1,1,doc-199,1", "unknown-document", "doc-199"),
        ("anna,9,1,doc-101,1", "unknown-topic", "9"),
        ("anna,1,7,doc-101,1", "unknown-aspect", "7"),
        ("carl,1,1,doc-101,1", "unknown-assessor", "carl"),
        ("anna,1,1,doc-101,2", "wrong-value", "2"),
        ("anna,1,1,doc-101,-1", "wrong-value", "-1"),
        ("anna,1,1,doc-101,relevant", "wrong-value", "relevant"),
        ("anna,1,1,doc-101,1\nanna,1,1,doc-101,1", "duplicate-judgment", "doc-101"),
        ("anna,1,1,doc-101", "wrong-columns", "4"),
        ("", "empty-input", "x.csv"),
    ],
)
def test_labels_that_were_not_asked_for_are_refused(tmp_path: Path, line: str, code: str, fact: str) -> None:
    """Nothing is taken from a file with one wrong line, nor from the files beside it."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "anna")
    wrong = tmp_path / "x.csv"
    wrong.write_text(f"assessor,topic,aspect,document,label\n{line}\n")
    count = len(events(place))
    said = track("labels", fill(place, "anna"), wrong, "--track", place, code=2)
    assert is_refusal(said, code, fact)
    assert len(events(place)) == count
    assert not (place / "private/labels").exists()


def test_labels_of_topics_that_another_assessor_has_are_refused(tmp_path: Path) -> None:
    """Also once the other has labelled them: who was given what does not change with that."""
    place = small(tmp_path)
    send(place, "alpha", "alpha-1", run_text("alpha-1"))
    track("pool", place, "--depth", "2", "--assessors", "anna", "ben", "--overlap", "0")
    (table, *_) = sorted((place / "private/pool/anna").glob("*.csv"))
    head, *rows = table.read_text().splitlines()
    mine, theirs = tmp_path / "anna.csv", tmp_path / "ben.csv"
    mine.write_text("\n".join([head, *(f"{row}1" for row in rows)]) + "\n")
    theirs.write_text(mine.read_text().replace("anna,", "ben,"))
    assert is_refusal(track("labels", theirs, "--track", place, code=2), "unknown-topic")
    track("labels", mine, "--track", place)
    assert is_refusal(track("labels", theirs, "--track", place, code=2), "unknown-topic")
    assert len(events(place, "labelled")) == 1


def test_spreadsheets_may_change_the_separator(tmp_path: Path) -> None:
    """Semicolons, tabs and a byte order mark are what spreadsheets write; another header is refused."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "anna")
    path = fill(place, "anna")
    text = path.read_text()
    path.write_bytes(b"\xef\xbb\xbf" + text.replace(",", ";").encode())
    assert answer("labels", path, "--track", place)["added"][str(path)] == len(text.splitlines()) - 1
    path.write_text("topic;label\n")
    assert is_refusal(track("labels", path, "--track", place, code=2), "wrong-header")


def test_ids_are_no_formulas_in_an_assessors_spreadsheet(tmp_path: Path) -> None:
    """A participant's document id that is a formula stands as text in the tables, and is read back as it was."""
    place = small(tmp_path, ('documents = "pattern:doc-[0-9]{3}"', 'documents = ""'))
    send(place, "alpha", "alpha-1", "".join(f"{t} Q0 =cmd|'/C,calc'!A0 1 1 alpha-1\n" for t in range(1, 5)))
    track("pool", place, "--depth", "1", "--assessors", "anna")
    for path in (place / "private/pool/anna").glob("*.csv"):
        with path.open(newline="") as stream:
            assert not [cell for row in csv.reader(stream) for cell in row if cell.startswith("=")]
    track("labels", fill(place, "anna"), "--track", place)
    assert (place / MERGED).read_text().splitlines()[0] == "1 0 =cmd|'/C,calc'!A0 1"


def test_a_file_of_the_track_is_no_file_of_labels(tmp_path: Path) -> None:
    """A link to a private file is not read; labels before a pool are refused."""
    place = three_runs(tmp_path)
    assert is_refusal(track("labels", place / "track.toml", "--track", place, code=2), "step-not-done")
    pool(place, "--assessors", "anna")
    link = tmp_path / "labels.csv"
    link.symlink_to(place / "private/secret")
    assert is_refusal(track("labels", link, "--track", place, code=2), "unsafe-file")


def test_nobody_labels_in_the_name_of_another(tmp_path: Path) -> None:
    """A file has the labels of one assessor; with --assessor it must be the one who sent it."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "anna", "ben")
    mine, theirs = fill(place, "anna"), fill(place, "ben")
    both = tmp_path / "both.csv"
    both.write_text(mine.read_text() + theirs.read_text().partition("\n")[2])
    for words in ((both,), (theirs, "--assessor", "anna"), (mine, theirs, "--assessor", "anna")):
        assert is_refusal(track("labels", *words, "--track", place, code=2), "conflicting-assessors")
    assert not events(place, "labelled")
    answer("labels", mine, "--assessor", "anna", "--track", place)


@pytest.mark.parametrize("name", ["private/labels/*.csv", "private/pool/pool.csv", "private/pool/pool.json"])
def test_changed_labels_and_pools_are_noticed(tmp_path: Path, name: str) -> None:
    """`verify` names the file, and nothing is added on top of it."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "anna")
    path = fill(place, "anna")
    track("labels", path, "--track", place)
    (target,) = place.glob(name)
    target.write_text(target.read_text().replace(",1\n", ",0\n", 1).replace('"highest":1', '"highest":2') + "\n")
    assert "private/" in str([i for i in answer("verify", place, code=1)["items"] if i["result"] == "differs"])
    assert is_refusal(track("labels", path, "--track", place, code=2), "differs-from-record")


def judge_by_labels(place: Path) -> None:
    """Make the merged labels the judgments of record."""
    text = (place / "track.toml").read_text()
    (place / "track.toml").write_text(text.replace('qrels = ""', f'qrels = "{MERGED}"'))
    for what in ("config", "judged"):
        track("decide", what, "--track", place, "--reason", "labels are in")


def test_pool_and_labels_are_never_published(tmp_path: Path) -> None:
    """Not before release and not after it: neither the assessors' labels nor the order they saw."""
    place = three_runs(tmp_path)
    pool(place, "--assessors", "zoe")
    track("labels", fill(place, "zoe", skip=4), "--track", place)
    judge_by_labels(place)
    scored(place)
    for release in (False, True):
        if release:
            track("decide", "release", "--track", place, "--reason", "done")
        track("site", place)
        files = [path for path in (place / "site").rglob("*") if path.is_file()]
        assert not [path for path in files if b"zoe" in path.read_bytes() or path.name.startswith(("pool", "labels"))]
    items = answer("verify", place / "site/data")["items"]
    assert {item["result"] for item in items} == {"same", "not published"}
    track("verify", place)


def test_labels_merge_by_majority_or_extremes() -> None:
    """Three labels of one item: the most frequent one, the highest or the lowest; an equal majority takes the lower."""
    item = ("1", "1", "d")
    assert merge_labels([{item: 2}, {item: 2}, {item: 0}], "majority") == ({item: 2}, 1)
    assert merge_labels([{item: 2}, {item: 1}], "majority") == ({item: 1}, 1)
    assert merge_labels([{item: 2}, {item: 1}], "highest") == ({item: 2}, 1)
    assert merge_labels([{item: 2}, {item: 1}], "lowest") == ({item: 1}, 1)


def test_status_says_what_is_due(tmp_path: Path) -> None:
    """The phase follows the record and the clock; teams are listed with what waits for them; a change is named."""
    place = three_runs(tmp_path)
    status = answer("status", place)
    assert status["phase"] == "closed"
    assert {team["team"]: team["standing"] for team in status["teams"]} == {
        "alpha": 1,
        "beta": 1,
        "gamma": 1,
        "organiser": 1,
    }
    (place / "inbox/alpha").mkdir(parents=True)
    (place / "inbox/alpha/new.txt").write_text(run_text("new"))
    (place / "inbox/alpha/alpha-1.txt").write_bytes((tmp_path / "alpha-1.txt").read_bytes())
    (place / "inbox/alpha/link.txt").symlink_to(place / "private/secret")
    text = (place / "track.toml").read_text()
    (place / "track.toml").write_text(text.replace("max_documents = 1000", "max_documents = 900"))
    status = answer("status", place)
    assert next(team["waiting"] for team in status["teams"] if team["team"] == "alpha") == ["new.txt"]
    assert any("admission" in what for what in status["wrong"])
    assert "decide config" in status["due"][0]
    before = (place / "record.jsonl").read_bytes()
    assert json.loads(before.splitlines()[-1])  # status writes nothing
    assert (place / "record.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("steps", "phase"),
    [
        ([], "judged"),
        (["score"], "scored"),
        (["score", "rank"], "ranked"),
        (["score", "rank", "release"], "released"),
        (["score", "rank", "release", "withdraw"], "judged"),
    ],
)
def test_status_follows_the_track(tmp_path: Path, steps: list[str], phase: str) -> None:
    """Each step of a track is a phase, and a change after the release asks for a new scoring."""
    place = filled(tmp_path)
    for step in steps:
        if step in ("score", "rank"):
            track(step, place)
        else:
            track("decide", step, *(["S0002"] if step == "withdraw" else []), "--track", place, "--reason", "x")
    assert answer("status", place)["phase"] == phase
