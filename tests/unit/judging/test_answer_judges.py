"""`diveval.judges` on answers: labels of nuggets by people and by a model, by answer and by sentence."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diveval
from diveval import answers
from diveval.cli import main
from diveval.judging.judges import Judges
from support.judged import codes_of_warnings, quietly
from support.refusals import refuses

VALUE = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": 0.0}
LABELS = list(VALUE)
Labelled = dict[str, dict[str, list[str]]]  # run → query → label of each nugget


def _draw(seed: int, queries: int = 30) -> tuple[Labelled, Labelled]:
    """A model's labels of two runs, and people's of the first 12 queries, which differ in some."""
    rng = np.random.default_rng(seed)
    model = {run: {f"q{q}": [str(x) for x in rng.choice(LABELS, 4)] for q in range(queries)} for run in "ab"}
    people = {
        run: {q: [x if rng.random() < 0.8 else "support" for x in labels] for q, labels in list(of.items())[:12]}
        for run, of in model.items()
    }
    return people, model


def _write(folder: Path, labelled: Labelled) -> str:
    folder.mkdir()
    for run, of in labelled.items():
        lines = [
            {"qid": q, "run_id": run, "answer_text": "text",
             "nuggets": [{"text": f"n{i}", "importance": "vital", "assignment": x} for i, x in enumerate(labels)]}
            for q, labels in of.items()
        ]  # fmt: skip
        (folder / f"assignments.{run}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(folder)


def _judge(tmp_path: Path, people: Labelled, model: Labelled, **more: Any) -> Judges:
    files = _write(tmp_path / "people", people), _write(tmp_path / "model", model)
    return quietly(lambda: diveval.judges(*files, metrics="Coverage", **more))


def _coverage(labels: list[str]) -> float:
    return statistics.fmean(VALUE[label] for label in labels)


@pytest.mark.parametrize("seed", range(3))
def test_estimates_and_agreement_are_those_of_the_labels(tmp_path: Path, seed: int) -> None:
    """People's and the model's means, items and equal labels are counted from the labels in plain Python."""
    people, model = _draw(seed)
    result = _judge(tmp_path, people, model)
    assert (result.topics_both, result.topics_model) == (12, 18)
    for run in "ab":
        (name,) = {row.metric for row in result.rows}
        mine, theirs = (
            statistics.fmean(_coverage(labels) for labels in judge[run].values()) for judge in (people, model)
        )
        assert result.row(run, name, estimator="people").estimate == pytest.approx(mine, abs=1e-12)
        assert result.row(run, name, estimator="model").estimate == pytest.approx(theirs, abs=1e-12)
    pairs = [
        (x, y) for run in "ab" for q in people[run] for x, y in zip(people[run][q], model[run][q], strict=True)
        if "failed" not in (x, y)
    ]  # fmt: skip
    (agreement,) = result.agreement
    assert agreement.items == len(pairs)
    assert agreement.value("agreement") == pytest.approx(statistics.fmean(x == y for x, y in pairs))


def test_an_answer_that_only_one_judge_labelled_is_left_out_and_not_scored_zero(tmp_path: Path) -> None:
    """Where people labelled one run's answer only, the other run's topic does not count for people."""
    people, model = _draw(4)
    for q in ("q0", "q1"):
        del people["b"][q]
    with codes_of_warnings() as codes:
        files = _write(tmp_path / "people", people), _write(tmp_path / "model", model)
        result = diveval.judges(*files, metrics="Coverage")
    assert "unpaired-labels" in codes
    row = result.row("b", result.rows[0].metric, estimator="people")
    assert row.topics_people == 10
    assert row.estimate == pytest.approx(statistics.fmean(_coverage(labels) for labels in people["b"].values()))


def test_labels_by_sentence_are_compared_sentence_by_sentence(tmp_path: Path) -> None:
    """Answers in long form: an item is a nugget in a sentence, and scores are those of `answers.evaluate`."""
    rng = np.random.default_rng(0)
    bank = [{"qid": f"q{q}", "nuggets": [{"id": f"n{i}", "text": f"t{i}"} for i in range(3)]} for q in range(12)]
    (tmp_path / "nuggets.jsonl").write_text("".join(json.dumps(line) + "\n" for line in bank))
    for judge in ("people", "model"):
        lines = [
            {"qid": f"q{q}", "run_id": run, "sentences": [
                {"text": "s", "tokens": 9, "nuggets": {f"n{i}": str(rng.choice(LABELS[:3])) for i in range(3)}}
                for _ in range(4)]}
            for run in "ab" for q in range(12)
        ]  # fmt: skip
        (tmp_path / f"{judge}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = [str(tmp_path / f"{name}.jsonl") for name in ("people", "model", "nuggets")]
    result = quietly(lambda: diveval.judges(files[0], files[1], files[2], "RBU"))
    assert result.agreement[0].items == 2 * 12 * 4 * 3
    for judge, estimator in zip(files[:2], ("people", "model"), strict=True):
        expected = quietly(lambda judge=judge: answers.evaluate([files[2], judge], ["RBU"]))  # type: ignore[misc]
        for run in "ab":
            row = result.row(run, result.rows[0].metric, estimator=estimator)
            assert row.estimate == pytest.approx(expected[run, "RBU"], abs=1e-12)


def test_faults_of_answers_are_refused(tmp_path: Path) -> None:
    """Other runs, an answer beside judgments of documents, options of rankings, a function as metric."""
    people, model = _draw(1)
    others = {f"other {run}": of for run, of in model.items()}
    names = _write(tmp_path / "p", people), _write(tmp_path / "m", others), _write(tmp_path / "same", model)
    with refuses("no-shared-run", "other a"):
        diveval.judges(names[0], names[1])
    with refuses("wrong-kind-of-file"):
        diveval.judges(names[0], {"q0": {"d": 1}})
    with refuses("option-not-applicable"):
        diveval.judges(names[0], names[2], gain="binary")
    with refuses("wrong-type"):
        diveval.judges(names[0], names[2], metrics=[len])


def test_the_command_takes_folders_of_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PEOPLE and MODEL may be folders with a file of labels per run, without any RUN."""
    people, model = _draw(2)
    names = _write(tmp_path / "people", people), _write(tmp_path / "model", model)
    assert main(["judges", *names, "-m", "Coverage", "-f", "csv"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + 3 * 3  # two runs and their difference, by three estimators


def test_gates_and_plans_take_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A gate on files of labels passes a better system, fails a worse one, refuses one that lacks queries or another bank."""
    _, model = _draw(7)
    bad = {run: {q: ["not_support"] * 4 for q in of} for run, of in model.items()}
    lacking = {run: dict(list(of.items())[:20]) for run, of in model.items()}
    good, worse, fewer = (
        _write(tmp_path / name, labelled)
        for name, labelled in (("good", model), ("bad", bad), ("fewer", lacking))
    )  # fmt: skip
    files = [f"{folder}/assignments.a.jsonl" for folder in (good, worse, fewer)]
    bank = [{"qid": q, "nuggets": [{"text": f"n{i}", "importance": "vital"} for i in range(4)]} for q in model["a"]]
    (tmp_path / "bank.jsonl").write_text("".join(json.dumps(line) + "\n" for line in bank))
    shared = str(tmp_path / "bank.jsonl")

    def outcome(baseline: str, candidate: str) -> str:
        return quietly(lambda: diveval.gate(shared, baseline, candidate, "Coverage", margin=0.02)).outcome

    assert outcome(files[1], files[0]) == "pass" and outcome(files[0], files[1]) == "fail"
    assert outcome(files[0], files[2]) == "broken"
    stored = str(tmp_path / "base.json")
    assert main(["gate", shared, files[0], "-m", "Coverage", "--save-baseline", stored]) == 0
    assert main(["gate", shared, stored, files[0], "-m", "Coverage", "--margin", "0.01"]) == 0
    assert main(["gate", shared, stored, files[0], "-m", "Coverage_strict", "--margin", "0.01"]) == 2
    both = [f"{good}/assignments.a.jsonl", f"{good}/assignments.b.jsonl"]
    scores = quietly(lambda: answers.evaluate([shared, *both], ["Coverage"]))
    row = quietly(lambda: diveval.plan(shared, both, "Coverage", difference=0.05)).rows[0]
    d = scores.values[0, 0] - scores.values[1, 0]
    assert row.sd == pytest.approx(float(d.std(ddof=1)), abs=1e-12)
    people, labels = _draw(8)
    names = (
        _write(tmp_path / "people", {run: dict(of) for run, of in people.items()}),
        _write(tmp_path / "model", labels),
    )
    planned = quietly(lambda: diveval.plan(None, names[0], "Coverage", difference=0.05, model=names[1]))
    assert {row.design for row in planned.rows} >= {"paired-t", "ppi"}
    capsys.readouterr()
    assert main(["plan", shared, *both, "-m", "Coverage", "--difference", "0.05", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("Coverage,paired-t")


def test_one_table_of_labels_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A spreadsheet of labels, with the meaning of its words, serves judges, gates and plans; systems are named."""
    rng = np.random.default_rng(2)
    rows = [
        (f"q{q}", s, f"n{n}", str(rng.choice(["yes", "no"]))) for q in range(24) for s in ("old", "new") for n in "abc"
    ]
    for name, some in (("people.csv", rows[: 12 * 6]), ("model.csv", rows)):
        lines = "".join(",".join(row) + "\n" for row in some)
        (tmp_path / name).write_text(f"question,system,nugget,label\n{lines}")
    people, model = str(tmp_path / "people.csv"), str(tmp_path / "model.csv")
    told = ["--labels", "yes=1,no=0", "-m", "Coverage"]
    assert main(["judges", people, model, *told, "-f", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 9
    assert main(["gate", model, "old", "old", "--margin", "0", *told]) == 0
    capsys.readouterr()
    assert main(["gate", model, "old", "new", "--margin", "0", *told, "-f", "json"]) in (0, 1, 3)
    mean = {s: statistics.fmean(label == "yes" for _, system, _, label in rows if system == s) for s in ("old", "new")}
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert (row["baseline"], row["candidate"]) == (pytest.approx(mean["old"]), pytest.approx(mean["new"]))
    assert main(["plan", people, "--model", model, "--difference", "0.1", *told, "-f", "csv"]) == 0
    assert "Coverage,ppi" in capsys.readouterr().out
    assert main(["judges", people, model, "-m", "Coverage"]) == 2  # nothing says what yes means
