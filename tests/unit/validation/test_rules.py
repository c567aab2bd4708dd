"""Every rule of validation: a file that breaks it, and the same file corrected."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diveval.reading import read_run
from diveval.validation import validate
from diveval.validation.declared import Documents, topics_of
from diveval.validation.rules import LISTED, RULES, Admission, Declaration, FileVerdict
from support.characters import ANY

TOPICS = topics_of(["1", "2"])
GOOD = "1 Q0 a 1 3.5 run\n1 Q0 b 2 2.5 run\n2 Q0 a 1 0.5 run\n"


def checked(
    text: str | bytes,
    admission: Admission | None = None,
    *,
    file: str = "run.txt",
    name: str = "run",
    team: Any = None,
    kind: Any = None,
    metadata: Any = None,
    documents: Documents | None = None,
) -> FileVerdict:
    data = text.encode() if isinstance(text, str) else text
    declared = Declaration(name, team, kind, metadata)
    return validate(data, file, admission or Admission(), TOPICS, documents or Documents(), declared)


def broken(verdict: FileVerdict) -> dict[str, str]:
    """The rules that a file breaks, with their severities."""
    return {finding.rule: finding.severity for finding in verdict.findings}


def test_a_good_run_has_no_finding() -> None:
    """The file that the cases below change is accepted without findings."""
    verdict = checked(GOOD)
    assert (verdict.verdict, broken(verdict)) == ("accepted", {})
    assert (verdict.facts.lines, verdict.facts.topics, verdict.facts.least, verdict.facts.most) == (3, 2, 1, 2)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


CASES: dict[str, tuple[str, str | bytes, str]] = {  # name → rule, file, severity
    "empty": ("F01", "", "error"),
    "comments only": ("F01", "# x\n\n", "error"),
    "cut gzip": ("F02", gzip.compress(GOOD.encode())[:-9], "error"),
    "not UTF-8": ("F03", GOOD.encode() + b"1 Q0 \xff 3 1 run\n", "error"),
    "UTF-16": ("F03", GOOD.encode("utf-16"), "error"),
    "NUL": ("F03", GOOD.encode() + b"1 Q0 \0 3 1 run\n", "error"),
    "byte order mark": ("F03", b"\xef\xbb\xbf" + GOOD.encode(), "warning"),
    "no last line end": ("F05", GOOD[:-1], "warning"),
    "five columns": ("L01", changed("1 3.5 run", "3.5 run"), "error"),
    "column 2": ("L02", changed("1 Q0 a", "1 0 a"), "warning"),
    "rank 1.0": ("L03", changed("a 1 3.5", "a 1.0 3.5"), "error"),
    "rank below 0": ("L03", changed("a 1 3.5", "a -1 3.5"), "error"),
    "score nan": ("L04", changed("3.5", "nan"), "error"),
    "score inf": ("L04", changed("3.5", "inf"), "error"),
    "a # line": ("L05", GOOD + "#1 Q0 c 3 1 run\n", "warning"),
    "no-break space": ("L06", changed("Q0 b", "Q0 b\u00a0x"), "error"),
    "control": ("L06", changed("Q0 b", "Q0 b\x07"), "error"),
    "two tags": ("N02", changed("2.5 run", "2.5 other"), "error"),
    "missing topic": ("T01", GOOD[:34], "error"),
    "unknown topic": ("T02", changed("2 Q0 a", "9 Q0 a"), "error"),
    "twice": ("D01", changed("Q0 b 2", "Q0 a 2"), "error"),
    "rising score": ("S01", changed("2.5", "4.5"), "error"),
    "equal scores": ("S02", GOOD.replace("2.5", "3.5") + "1 Q0 c 3 1 run\n", "warning"),
    "ranks": ("S03", changed("b 2 2.5", "b 7 2.5"), "warning"),
    "constant": ("S04", changed("2.5", "3.5"), "error"),
    "single precision": ("S05", changed("2.5", "3.49999999999"), "note"),
}


@pytest.mark.parametrize(("rule", "file", "severity"), CASES.values(), ids=CASES)
def test_a_broken_rule_is_found_with_its_severity(rule: Any, file: Any, severity: Any) -> None:
    """The rule is reported with its severity, and the verdict follows from it."""
    verdict = checked(file)
    assert broken(verdict).get(rule) == severity, verdict.lines()
    expected = {"error": {"rejected"}, "warning": {"warned", "rejected"}, "note": {"accepted", "warned"}}[severity]
    assert verdict.verdict in expected


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("rule", "column", "value"),
    [("L02", 1, "0"), ("L03", 3, "x"), ("L04", 4, "nan"), ("L06", 2, "b\u00a0"), ("L01", 5, ""), ("F03", 2, "\0")],
)
def test_one_fault_of_a_line_causes_no_other(rule: str, column: int, value: str, place: int) -> None:
    """A line that breaks a rule still counts for its topic, wherever in the topic it is."""
    lines = [["1", "Q0", document, str(rank), str(9.5 - rank), "run"] for rank, document in enumerate("abc", 1)]
    lines[place][column] = value
    text = "".join(" ".join(line) + "\n" for line in lines) + "2 Q0 a 1 3.5 run\n"
    assert list(broken(checked(text))) == [rule]


def test_names_tags_and_the_file(tmp_path: Path) -> None:
    """N01, N03 and N04 check the tag, the name of the run, and the name of the file with its team."""
    assert broken(checked(GOOD.replace("run", "-run"), name="-run")) == {"N01": "error"}
    assert broken(checked(GOOD, name="other")) == {"N03": "error"}
    assert broken(checked(GOOD, replace(Admission(), tag_is_name=False), name="other")) == {}
    assert broken(checked(GOOD, file="a b.txt")) == {"N04": "error"}
    pattern = replace(Admission(), file_name=r"(?P<team>[a-z]+)-(?P<priority>\d)\.txt", tag_is_name=False)
    assert broken(checked(GOOD, pattern, file="beta-1.txt", team="beta")) == {}
    assert broken(checked(GOOD, pattern, file="beta-1.txt", team="alpha")) == {"N04": "error"}


def test_archives() -> None:
    """An archive must contain one file with a safe name and bounded size (F02, F04); dot files and __MACOSX are ignored."""

    def zipped(files: dict[str, str]) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return stream.getvalue()

    assert broken(checked(zipped({"run": GOOD}))) == {}
    assert broken(checked(zipped({"run": GOOD, "other": GOOD})))["F04"] == "error"
    assert broken(checked(zipped({"../run": GOOD})))["F04"] == "error"
    assert broken(checked(zipped(dict.fromkeys(("run.txt", "__MACOSX/._run.txt", ".DS_Store"), GOOD)))) == {}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as packed:
        info = tarfile.TarInfo("run.txt")
        info.size = len(GOOD)
        packed.addfile(info, io.BytesIO(GOOD.encode()))
    assert broken(checked(stream.getvalue())) == {}
    assert broken(checked(gzip.compress(b" " * 5_000_000)))["F02"] == "error"
    assert broken(checked(GOOD, replace(Admission(), max_bytes=10)))["F02"] == "error"


def test_limits_documents_and_hints() -> None:
    """T01, T03 and D02; a topic with leading zeros or a document with a suffix gets the likely id as a hint."""
    assert broken(checked(GOOD, replace(Admission(), max_documents=1))) == {"T03": "error"}
    assert broken(checked(GOOD, replace(Admission(), min_documents=2))) == {"T01": "error"}
    assert re.search(r"\b2\b", checked(GOOD.replace("2 Q0", "002 Q0")).lines()[0])
    corpus = Documents({"a", "b"}.__contains__)
    assert broken(checked(GOOD, documents=corpus)) == {}
    verdict = checked(GOOD.replace(" b ", " b.html "), documents=corpus)
    assert broken(verdict) == {"D02": "error"}
    assert "'b'" in verdict.lines()[0]


@pytest.mark.parametrize(
    ("setting", "file", "rule"),
    [
        ("missing_topics", GOOD[:34], "T01"),
        ("unknown_topics", GOOD + "9 Q0 a 1 1 run\n", "T02"),
        ("duplicates", GOOD + "1 Q0 a 3 1 run\n", "D01"),
        ("rank_against_score", changed("2.5", "4.5"), "S01"),
        ("constant_scores", changed("2.5", "3.5"), "S04"),
        ("equal_scores", GOOD.replace("2.5", "3.5") + "1 Q0 c 3 1 run\n", "S02"),
        ("q0", changed("1 Q0 a", "1 0 a"), "L02"),
    ],
)
def test_a_track_sets_the_severity_of_a_rule(setting: str, file: Any, rule: str) -> None:
    """`reject` makes a rule an error, `warn` a warning, and `allow` turns it off."""
    for value, expected in (("reject", "error"), ("warn", "warning"), ("allow", None)):
        chosen: dict[str, Any] = {setting: value}
        assert broken(checked(file, replace(Admission(), **chosen))).get(rule) == expected


def test_metadata() -> None:
    """Required metadata must be a table (M01), have all fields (M02) and agree with the submission (M03)."""
    head = "# ir_metadata.start\n# actor:\n#   team: alpha\n# method:\n#   automatic: true\n# ir_metadata.end\n"
    needed = replace(Admission(), metadata="required", metadata_fields=("actor.team", "method.automatic"))
    assert broken(checked(head + GOOD, needed, team="alpha", kind="automatic")) == {}
    assert broken(checked(GOOD, needed)) == {"M01": "error"}
    assert broken(checked(GOOD, needed, metadata=b"[not, a, table]")) == {"M01": "error"}
    assert broken(checked(GOOD, needed, metadata=b"actor: {team: alpha}")) == {"M02": "error"}
    assert broken(checked(head + GOOD, needed, team="beta", kind="automatic")) == {"M03": "error"}
    assert broken(checked(head + GOOD, needed, team="alpha", kind="manual")) == {"M03": "error"}
    templated = b"actor: {team: ENTER_VALUE}\nmethod: {automatic: true}"
    assert "M02" in broken(checked(GOOD, needed, metadata=templated))


def test_every_fault_is_counted_and_the_first_are_listed() -> None:
    """All 40 faults of a rule are counted; the list ends after the first `LISTED` and a summary."""
    text = GOOD + "".join(f"1 Q0 d{n} {n + 3} nan run\n" for n in range(40))
    verdict = checked(text)
    assert verdict.counts()["error"] == 40
    listed = [finding for finding in verdict.findings if finding.rule == "L04"]
    assert len(listed) == LISTED + 1
    assert [finding.line for finding in listed[:3]] == [4, 5, 6]


def test_messages_contain_no_control_characters() -> None:
    """Control characters of a file or its name are escaped in messages."""
    verdict = checked("1 Q0 \x1b[31m 1 1 run\n" + GOOD, file="\x1b[2J.txt")
    assert all(line.isprintable() for line in verdict.lines())


LINES = st.lists(
    st.one_of(
        st.builds(
            "{} {} {} {} {} {}".format,
            st.sampled_from(["1", "2", "02", "9"]),
            st.sampled_from(["Q0", "0"]),
            st.sampled_from(["a", "b", "c", "é", "#"]),
            st.sampled_from(["1", "2", "0", "1.5"]),
            st.sampled_from(["1", "2.5", "1e3", "nan", "x", "-0", "3.0000000001"]),
            st.sampled_from(["run", "other"]),
        ),
        st.text(ANY, max_size=12),
    ),
    max_size=8,
)
LENIENT = Admission(missing_topics="allow", unknown_topics="allow", rank_against_score="allow", constant_scores="allow")


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_what_is_accepted_can_be_read(tmp_path_factory: pytest.TempPathFactory, lines: Any, end: Any) -> None:
    """Any text gets a verdict without an exception, and a run that is not rejected can be read."""
    data = "".join(line + end for line in lines).encode("utf-8", "surrogatepass")
    verdict = checked(data, LENIENT)
    assert verdict.as_json("t") == checked(data, LENIENT).as_json("t")
    if verdict.verdict != "rejected":
        path = Path(tmp_path_factory.mktemp("run"), "run.txt")
        path.write_bytes(data)
        run = read_run(path, format="trec")
        assert sum(len(topic.documents) for topic in run.topics.values()) == verdict.facts.lines


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_get_a_verdict(data: Any) -> None:
    """Validation of any bytes ends with a verdict."""
    assert checked(data).verdict in ("accepted", "warned", "rejected")


def test_the_verdict_does_not_depend_on_judgments(tmp_path: Path) -> None:
    """The same bytes give the same verdict without judgments, with judgments, and with other judgments."""
    from support.tracks import answer, judge, run_text, small

    place = small(tmp_path)
    file = tmp_path / "r.txt"
    file.write_text(run_text("r") + "9 Q0 doc-999 1 nan r\n")
    words = ("validate", file, "--track", place, "--team", "alpha")
    verdicts = [answer(*words, code=1)["verdicts"]]
    judge(place)
    verdicts.append(answer(*words, code=1)["verdicts"])
    (place / "private/qrels.txt").write_text("1 1 x 1\n")
    verdicts.append(answer(*words, code=1)["verdicts"])
    assert verdicts[0] == verdicts[1] == verdicts[2]


def test_every_rule_is_described() -> None:
    """The text of every rule is a sentence."""
    assert all(rule.text.endswith(".") for rule in RULES.values())
