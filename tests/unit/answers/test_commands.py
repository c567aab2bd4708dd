"""Commands for rankings also accept answers: they give the numbers of the Python API, or a one-line error."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval.answers import contents, evaluate, gather
from diveval.answers.answer_collection import as_collection
from diveval.answers.material import AnswerFiles, Nugget, Sentence, System
from diveval.cli import main
from diveval.datasets import make_rag
from diveval.defaults import RBU
from diveval.errors import DivevalWarning, capture_warnings
from diveval.stats import compare
from support.refusals import is_refusal, is_warning

INPUT = Path(__file__).parents[2] / "data" / "rag" / "synthetic"
NUGGETS = [
    str(INPUT / "nuggetizer" / name) for name in ("nuggets.jsonl", "assignments.run_a.jsonl", "assignments.run_b.jsonl")
]
SENTENCES = [str(INPUT / "sentences" / name) for name in ("nuggets.jsonl", "sentences.jsonl")]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        yield


def printed(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    """The standard output of a command that succeeds."""
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("files", [NUGGETS, SENTENCES])
def test_compare(capsys: pytest.CaptureFixture[str], files: Any) -> None:
    """Differences and p-values are those of `compare` on the scores of answers."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "compare", *files, "-m", "Coverage", "-f", "csv"))))
    expected = compare(evaluate(files, ["Coverage"]))
    assert [(row["run"], row["other"], float(row["difference"])) for row in rows] == [
        (row.run, row.other, row.difference) for row in expected.rows
    ]


def test_unanimity(capsys: pytest.CaptureFixture[str]) -> None:
    """All metrics that the files allow are compared, without residuals and stopping points."""
    found = json.loads(printed(capsys, "meta", "unanimity", *SENTENCES, "--bootstrap", "0", "-f", "json"))
    names = {row["metric"] for row in found["rows"]}
    assert {"Coverage", RBU} <= names
    assert not any("residual" in name or "stop" in name for name in names)


def test_conclusions(capsys: pytest.CaptureFixture[str]) -> None:
    """The better system depends on p and e, with tokens as effort, and is certain in a narrow range."""
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "conclusions", *SENTENCES, "-f", "csv"))))
    assert [row["verdict"] for row in rows] == ["flips"]
    fixed = printed(capsys, "conclusions", *SENTENCES, "-m", "RBU(p=0.99,e=0.05..0.06)", "-f", "csv")
    (row,) = csv.DictReader(io.StringIO(fixed))
    assert (row["better"], row["verdict"]) == ("crisp", "certain")
    assert main(["conclusions", *SENTENCES, "--unjudged", "any"]) == 2


@pytest.mark.parametrize("files", [NUGGETS, SENTENCES])
def test_report(capsys: pytest.CaptureFixture[str], tmp_path: Path, files: Any) -> None:
    """The page holds the leaderboard and every answer, and no view of rankings."""
    page = tmp_path / "r.html"
    printed(capsys, "report", *files, "-o", str(page))
    text = page.read_text()
    start = text.index('id="data">') + len('id="data">')
    data = json.loads(text[start : text.index("</script>", start)])
    assert data["runs"] == list(evaluate(files, ["Coverage"]).runs)
    assert len(data["answers"]) == len(data["topics"])
    assert "walks" not in data and "axioms" not in data


@pytest.mark.parametrize("command", ["compare", "meta unanimity", "conclusions", "report"])
def test_options_of_rankings_are_refused(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option about reading rankings is refused, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), *SENTENCES, "--gain", "linear"]) == 2
    assert not list(tmp_path.iterdir())


def test_an_answer_sentence_by_sentence() -> None:
    """`contents` lists what each sentence adds and repeats, and where the answer should end."""
    bank: dict[str, tuple[Nugget, ...]] = {"q": (Nugget("a", "vital"), Nugget("b", "okay"))}
    sentences = (
        Sentence("one", labels={0: "partial_support"}, tokens=5),
        Sentence("two", labels={0: "support", 1: "support"}, tokens=5),
        Sentence("three", labels={0: "support"}, tokens=200),
    )
    (answer,) = contents(AnswerFiles(bank=bank, systems={"r": System("r", labelled={"q": sentences})}))
    assert [[(b["nugget"], b["before"], b["grade"]) for b in s["brought"]] for s in answer["sentences"]] == [
        [(0, 0.0, 0.5)],
        [(0, 0.5, 1.0), (1, 0.0, 1.0)],
        [],
    ]
    assert [s["repeated"] for s in answer["sentences"]] == [[], [], [0]]
    assert answer["stop"] == 2 and [s["past_the_end"] for s in answer["sentences"]] == [False, False, True]
    assert answer["utility_at_stop"] > answer["utility"]


LABELS = st.sampled_from(["support", "partial_support", "not_support", "failed", "odd"])
ANSWERS = st.lists(st.tuples(st.lists(LABELS, min_size=3, max_size=3), st.integers(0, 60)), max_size=5)


@settings(max_examples=60, deadline=None)
@given(st.lists(ANSWERS, min_size=2, max_size=3), st.floats(0.05, 1), st.floats(0, 0.3))
def test_answers_are_rankings_of_sentences(drawn: Any, p: Any, e: Any) -> None:
    """RBU of an answer equals RBU of its sentences as a ranking."""
    bank: dict[str, tuple[Nugget, ...]] = {"q": (Nugget("a", "vital"), Nugget("b", "okay"), Nugget("c", "vital"))}
    systems = {
        f"s{i}": System(
            f"s{i}",
            labelled={"q": tuple(Sentence(labels=dict(enumerate(row)), tokens=float(n)) for row, n in sentences)},
        )
        for i, sentences in enumerate(drawn)
        if sentences
    }
    if not systems:
        return
    material = AnswerFiles(bank=bank, systems=systems)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        name = f"RBU(p={p!r},e={e!r})"
        ours = evaluate(material, [name])
        collection = as_collection(material)
        theirs = diveval.evaluate(collection.judgments, list(collection.runs), name, options=collection.options)
    assert theirs.runs == ours.runs
    assert theirs.means[:, 0] == pytest.approx(ours.means[:, 0], abs=1e-12)


def test_answers_without_sentences_are_rankings_of_one_document() -> None:
    """For labels of complete answers, RBU(p=1,e=0) is weighted coverage."""
    material = gather(NUGGETS)
    drawn = as_collection(material)
    assert not drawn.by_sentence
    scores = diveval.evaluate(drawn.judgments, list(drawn.runs), "RBU(p=1,e=0)", options=drawn.options)
    assert scores.means == pytest.approx(evaluate(material, ["Coverage_weighted"]).means)


def test_a_query_that_does_not_count_is_a_dash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the table by query, the vital score of a query without vital nuggets is a dash, not 0."""
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"qid": "1", "nuggets": [{"text": "a", "importance": "okay", "assignment": "support"}]}\n'
        '{"qid": "2", "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}]}\n'
    )
    rows = printed(capsys, "answers", str(path), "-m", "Coverage", "-m", "Coverage_vital", "-q").splitlines()
    assert [row.split()[-1] for row in rows if row.startswith("a ")] == ["–", "1.0000", "1.0000"]


def test_systems_are_named_after_several_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Facts and labels in two files, and the systems to look at; a missing file is no system."""
    folder = make_rag(tmp_path / "rag", questions=8)
    bank, labels = str(folder / "facts.csv"), str(folder / "labels.csv")
    with capture_warnings():
        for words in (
            ["compare", bank, labels, "long", "cited", "-f", "csv"], ["why", bank, labels, "long", "cited", "--no-axioms"],
            ["violations", bank, labels, "long", "short"], ["plot", "leaderboard", bank, labels, "long", "-o", str(tmp_path / "p.svg")],
            ["report", bank, labels, "long", "short", "-o", str(tmp_path / "r.html")],
        ):  # fmt: skip
            assert main(words) == 0, words
        capsys.readouterr()
        assert main(["gate", bank, labels, "short", "long", "--margin", "1"]) in (0, 1, 3)
        capsys.readouterr()
        for words, code, fact in (
            (["compare", bank, labels, "lon", "cited"], "unknown-run", "lon"),
            (["compare", bank, labels, "lost.csv"], "cannot-read", "lost.csv"),
            (["compare", bank, "lost.csv"], "cannot-read", "lost.csv"),
        ):
            assert main(words) == 2
            assert is_refusal(capsys.readouterr().err, code, fact)


def test_tables_of_one_system_each_are_named_in_every_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also the first, by every command that takes answers; judgments of rankings have no name."""
    paths = [tmp_path / "v1.csv", tmp_path / "v2.csv"]
    for path, label in zip(paths, ("no", "yes"), strict=True):
        path.write_text("question,nugget,label\n" + "".join(f"q{q},n{n},{label}\n" for q in (1, 2) for n in (1, 2)))
    words = [f"before={paths[0]}", f"after={paths[1]}", "--labels", "yes=1,no=0"]
    with capture_warnings():
        for command, *others in (
            ["answers"], ["compare"], ["why", "--no-axioms"], ["conclusions"], ["violations"], ["check"],
            ["meta unanimity", "--bootstrap", "0"], ["gate", "--margin", "1", "-m", "Coverage", "--unclear", "pass"],
            ["plot leaderboard", "-o", str(tmp_path / "p.svg")], ["report", "-o", str(tmp_path / "r.html")],
        ):  # fmt: skip
            out = printed(capsys, *command.split(), *words, *others)
            assert (
                {"-o"} & {*others}
                or command in ("meta unanimity", "violations")
                or ("before" in out and "after" in out)
            )
        for command in ("why", "violations"):
            assert main([command, *words, "-m", "Coverage"]) == 2
            assert is_refusal(capsys.readouterr().err, "option-not-applicable", "Coverage")
    (tmp_path / "qrels.txt").write_text("1 1 d1 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 1.0 a\n")
    assert main(["evaluate", f"x={tmp_path / 'qrels.txt'}", str(tmp_path / "a.run")]) == 2
    assert is_refusal(capsys.readouterr().err, "invalid-argument", "x")


def test_what_another_judge_did_not_label_is_no_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A question of which a judge of `--judgments` labelled only some answers, or none, is left out and named."""
    answers = [("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 1), ("q2", "b", 0), ("q3", "a", 0), ("q3", "b", 1)]

    def write(name: str, lost: set[tuple[str, str]]) -> str:
        rows = "".join(f"{q},{s},n,{label == 1}\n" for q, s, label in answers if (q, s) not in lost)
        (tmp_path / name).write_text(f"question,system,nugget,label\n{rows}")
        return str(tmp_path / name)

    first = write("first.csv", set())
    for lost in ({("q3", "a"), ("q3", "b")}, {("q3", "b")}):
        other = write("other.csv", lost)
        with warnings.catch_warnings():
            warnings.simplefilter("always", DivevalWarning)
            assert main(["conclusions", first, "--judgments", other, "-f", "json"]) == 0
        shown = capsys.readouterr()
        assert is_warning(shown.err, "topics-left-out", "q3")
        result = json.loads(shown.out)
        (pair,) = (row for row in result["rows"] if row["doubt"] == "judges")
        assert (result["topics"], pair["better"], pair["margin"]) == (2, "a", 1.0)
    assert main(["conclusions", first, "--judgments", write("other.csv", {("q1", "a"), ("q2", "b"), ("q3", "b")})]) == 2
    assert is_refusal(capsys.readouterr().err, "missing-labels", "other.csv")
