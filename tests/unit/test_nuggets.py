"""Nugget assignments are weighted graded judgments, and the worked example of the documentation is correct."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval.reading import read_efforts, read_judgments
from support.console import ROOT, commands
from support.refusals import refuses, warns

LINES = [
    {"query": "q1", "nugget": "n1", "importance": "vital", "support": ["p1", 2], "not_support": ["p9"]},
    {"qid": "q1", "nugget_id": "n2", "importance": "okay", "passages": {"p1": "partial_support", "p3": "support"}},
    {"topic": 2, "criterion": "c", "weight": 3, "full": ["p1"], "partial": ["p4"]},
]


def written(tmp_path: Path, lines: Any) -> Path:
    """A file of these lines, given as objects or as text."""
    path = tmp_path / "nuggets.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_nuggets_are_aspects(tmp_path: Path) -> None:
    """Importance is the weight and support the grade, under every spelling of the keys; the format is detected."""
    judgments = read_judgments(written(tmp_path, LINES))
    assert judgments.format == "nuggets"
    assert sorted(judgments.rows()) == sorted(
        [
            ("q1", "n1", "p1", 2.0),
            ("q1", "n1", "2", 2.0),
            ("q1", "n1", "p9", 0.0),
            ("q1", "n2", "p1", 1.0),
            ("q1", "n2", "p3", 2.0),
            ("2", "c", "p1", 2.0),
            ("2", "c", "p4", 1.0),
        ]
    )
    assert judgments.aspect_weights() == {("q1", "n1"): 1.0, ("q1", "n2"): 0.5, ("2", "c"): 3.0}


def test_a_nugget_without_support_counts_on_request(tmp_path: Path) -> None:
    """It is an aspect without relevant documents: dropped by default, kept with empty_aspects=keep."""
    path = written(tmp_path, [{"query": "q", "nugget": "a", "support": ["p"]}, {"query": "q", "nugget": "b"}])
    run = {"q": ["p"]}
    assert diveval.evaluate(path, run, "StRecall").values.item() == 1.0
    assert diveval.evaluate(path, run, "StRecall", empty_aspects="keep").values.item() == 0.5


def test_a_query_without_passages_gets_a_warning(tmp_path: Path) -> None:
    """A query without passages is left out with a warning."""
    path = written(tmp_path, [{"query": "q", "nugget": "a", "support": ["p"]}, {"query": "r", "nugget": "b"}])
    with warns("topics-left-out", "r"):
        assert list(read_judgments(path).topics) == ["q"]


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ('{"query": "q", ', ("cannot-parse", "2", "JSON")),
        ("[1]", ("wrong-value", "JSON")),
        ({"nugget": "n"}, ("missing-key", "query_id")),
        ({"query": "q"}, ("missing-key",)),
        ({"query": True, "nugget": "n"}, ("missing-key",)),
        ({"query": "q", "nugget": "n", "importance": "huge"}, ("invalid-choice",)),
        ({"query": "q", "nugget": "n", "importance": -1}, ("invalid-choice",)),
        ({"query": "q", "nugget": "n", "support": "p1"}, ("wrong-value", "p1")),
        ({"query": "q", "nugget": "n", "support": [None]}, ("invalid-id", "None")),
        ({"query": "q", "nugget": "n", "passages": {"p": "maybe"}}, ("invalid-choice",)),
        ({"query": "q", "nugget": "n", "passages": ["p"]}, ("wrong-value",)),
        ({"query": "q", "nugget": "n", "support": ["p"], "partial": ["p"]}, ("conflicting-grades",)),
        ({"query": "q0", "nugget": "n0", "importance": 7}, ("conflicting-weights",)),
    ],
)
def test_broken_lines_are_one_clear_line(tmp_path: Path, line: Any, refusal: tuple[str, ...]) -> None:
    """The error names the file, the line and what was expected."""
    path = written(tmp_path, [{"query": "q0", "nugget": "n0", "support": ["p"]}, line])
    with refuses(*refusal) as error:
        read_judgments(path)
    assert str(error.value).startswith(f"{path}:2: ")


def test_the_worked_example_is_correct(tmp_path: Path) -> None:
    """The sums that the page works out equal diveval's values for the files that its commands write."""
    page = ROOT / "docs" / "rag-nuggets.md"
    files = "\n".join(
        command.text for command in commands(page.read_text()) if command.text.startswith(("cat >", "printf"))
    )
    subprocess.run(["bash", "-c", files], cwd=tmp_path, check=True)
    scores = diveval.evaluate(
        tmp_path / "nuggets.jsonl",
        [tmp_path / "short.tsv", tmp_path / "long.tsv"],
        "RBU(p=0.99,e=0.05)",
        gain="linear",
        efforts=read_efforts(tmp_path / "tokens.txt", unit=400),
    )
    for (terms, total), value in zip(
        re.findall(r"^(0\.99\\,.*) = ([0-9.]+)$", page.read_text(), re.MULTILINE), scores.means, strict=True
    ):
        by_hand = terms.replace(r"\tfrac{1}{2}", "0.5").replace(r"\cdot", "*").replace(r"\,", "*").replace("^", "**")
        assert eval(by_hand) == pytest.approx(value[0], abs=1e-12)
        assert f"{value[0]:.4f}" == total
