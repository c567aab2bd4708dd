"""PyEvALL's files in each of their forms: the same judgments and rankings, PyEvALL's values, and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.reading import read_judgments, read_run
from support.refusals import refuses

GOLD = [("Q1", "A", 2), ("Q1", "B", 0), ("Q1", "C", 1), ("Q2", "A", 1), ("Q2", "D", 0)]
PREDICTED = [("Q1", "C", 2), ("Q1", "A", 3), ("Q1", "X", 1), ("Q2", "D", 1), ("Q2", "A", 2)]
FORMS = ["json", "tsv", "tsv without header", "csv", "quoted tsv"]


def write(path: Any, rows: Any, form: Any) -> Any:
    """Write the rows in one of the forms that PyEvALL reads."""
    if form == "json":
        path.write_text(json.dumps([{"test_case": t, "id": d, "value": v} for t, d, v in rows], indent=1))
        return path
    quote = '"' if form == "quoted tsv" else ""
    separator = "," if form == "csv" else "\t"
    lines = [separator.join(f"{quote}{cell}{quote}" for cell in row) for row in rows]
    header = [] if "without" in form else [separator.join(("test_case", "id", "value"))]
    path.write_text("\n".join([*header, *lines]) + "\n")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_recognised_by_its_content(tmp_path: Path, form: Any) -> None:
    """Values are grades in judgments and ranks in runs, whatever the order of the lines."""
    gold, run = write(tmp_path / "gold", GOLD, form), write(tmp_path / "mine", PREDICTED, form)
    judgments, ranked = read_judgments(gold), read_run(run)
    assert judgments.format == ranked.format == "pyevall"
    assert {(t, d): g for t, _, d, g in judgments.rows()} == {(t, d): float(g) for t, d, g in GOLD}
    assert {t: list(listed.documents) for t, listed in ranked.topics.items()} == {
        "Q1": ["X", "C", "A"],
        "Q2": ["D", "A"],
    }
    scores = diveval.evaluate(gold, run, ["P@1", "P@2"])
    assert scores.means[0].tolist() == [0.0, 0.5]


def test_the_values_of_pyevall() -> None:
    """P@10, reciprocal rank and average precision of every topic are those PyEvALL printed for the files."""
    folder = Path(__file__).parents[2] / "data" / "pyevall"
    peers = json.loads((folder / "peers.json").read_text())
    names = {"PrecisionAtK": "P@10", "MRR": "trec_eval.recip_rank", "MAP": "AP"}
    scores = diveval.evaluate(folder / "gold.json", folder / "run.json", list(names.values()), gain="binary")
    for theirs, ours in names.items():
        assert scores.per_topic(scores.runs[0], ours) == pytest.approx(peers[theirs], abs=1e-15)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("test_case\tid\tvalue\nQ1\tA\n", ("wrong-columns", "2")),
        ("test_case\tid\tvalue\nQ1\tA\tnone\n", ("missing-value",)),
        ('[{"test_case": "Q1", "id": "A", "value": "x"}]', ("not-a-number",)),
        ('[{"test_case": "Q1", "id": null, "value": 1}]', ("invalid-id", "test_case")),
    ],
)
def test_an_invalid_file_is_a_one_line_error(tmp_path: Path, text: str, refusal: tuple[str, ...]) -> None:
    """The error gives the problem or the line."""
    path = tmp_path / "gold"
    path.write_text(text)
    with refuses(*refusal):
        read_judgments(path)


def test_scores_are_not_read_as_ranks(tmp_path: Path) -> None:
    """Three columns with decimal numbers may be scores, so they are an error."""
    path = tmp_path / "run"
    path.write_text("Q1\tA\t0.9\nQ1\tB\t0.8\n")
    with refuses("wrong-columns", "6"):
        read_run(path)
    write(path, [("Q1", "A", 1.5)], "json")
    with refuses("not-a-number"):
        read_run(path)
