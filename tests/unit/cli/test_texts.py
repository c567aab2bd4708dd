"""`--topics` and `--docs` show queries and titles in the commands that print topics and documents."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from diveval.cli import main
from diveval.validation.rules import RULES

RBU = ["-m", "RBU(p=0.9,e=0.01)@5"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Two topics, one of which has a query with a comma and aspects; one document has a title."""
    texts = {
        "q": "1 a d1 1\n1 b d2 2\n2 a d1 1\n",
        "a": "1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n2 Q0 x 1 1 a\n",
        "b": "1 Q0 d2 1 3 b\n2 Q0 d1 1 1 b\n",
        "topics": "1\tcats, dogs\n1\ta\tabout cats\n",
        "docs": "d1\tThe first document\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: str(tmp_path / name) for name in texts}


def test_evaluate_shows_queries(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Tables, CSV (long and wide) and JSON show queries, with unchanged numbers; other formats exit with 2."""
    command = ["evaluate", files["q"], files["a"], "-m", "P@5", "--per-topic"]
    assert main([*command, "--topics", files["topics"]]) == 0
    assert "1 cats, dogs" in capsys.readouterr().out
    for wide in ([], ["--wide"]):
        assert main([*command, "-f", "csv", *wide]) == 0
        plain = list(csv.reader(io.StringIO(capsys.readouterr().out)))
        assert main([*command, "-f", "csv", *wide, "--topics", files["topics"]]) == 0
        rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
        assert [row[:-1] for row in rows] == plain
        place = rows[0].index("topic")
        assert {row[place]: row[-1] for row in rows[1:]} == {"1": "cats, dogs", "2": "", "all": ""}
    assert main([*command, "-f", "json", "--topics", files["topics"]]) == 0
    assert json.loads(capsys.readouterr().out)["queries"] == {"1": "cats, dogs", "2": ""}
    for wrong in (["-f", "latex"], ["-f", "trec"]):
        assert main([*command, *wrong, "--topics", files["topics"]]) == 2
    assert main([*command[:-1], "--topics", files["topics"]]) == 2
    assert "--per-topic" in capsys.readouterr().err


def test_why_shows_queries_aspects_and_titles(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The reasons show the query, the description of the aspect and the title of the document."""
    Path(files["b"]).write_text("1 Q0 d2 1 3 b\n2 Q0 y 1 1 b\n", encoding="utf-8")
    command = ["why", files["q"], files["a"], files["b"], *RBU, "--topics", files["topics"], "--docs", files["docs"]]
    assert main([*command, "-n", "2"]) == 0
    out = capsys.readouterr().out
    assert all(text in out for text in ("cats, dogs", "about cats", "The first document"))
    assert main([*command, "-n", "2", "-f", "json"]) == 0
    topics = {topic["topic"]: topic for topic in json.loads(capsys.readouterr().out)["topics"]}
    assert topics["1"]["query"] == "cats, dogs" and topics["1"]["titles"] == {"d1": "The first document"}


def test_check_reports_missing_texts(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Topics and documents without text are counted, and faults show the texts of their ids."""
    Path(files["a"]).write_text("1 Q0 d1 1 3 a\n1 Q0 d1 2 2 a\n2 Q0 x 1 1 a\n", encoding="utf-8")
    more = ["--topics", files["topics"], "--docs", files["docs"]]
    main(["check", files["q"], files["a"], "-v", *more])
    out = capsys.readouterr().out
    assert re.search(r"\b1 \(1 \D*\b2\)", out) and re.search(r"\b1 \(1 \D*\bd2\)", out)
    assert "cats, dogs" in out and "The first document" in out


def test_paper_lists_the_topics_behind_its_figure(files: dict[str, str], tmp_path: Path) -> None:
    """`topics.csv` has the query and difference of each topic, largest first."""
    folder = tmp_path / "paper"
    command = ["paper", files["q"], files["a"], files["b"], *RBU, "-o", str(folder), "--no-figures"]
    assert main([*command, "--topics", files["topics"]]) == 0
    rows = list(csv.DictReader(io.StringIO((folder / "topics.csv").read_text(encoding="utf-8"))))
    assert {row["topic"]: row["query"] for row in rows} == {"1": "cats, dogs", "2": ""}
    assert [float(row["difference"]) for row in rows] == sorted((float(r["difference"]) for r in rows), reverse=True)


def test_check_explains_broken_rules(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Below the table, every rule that is broken is explained, and no other."""
    Path(files["a"]).write_text("1 Q0 d1 1 3 a\n1 Q0 d1 2 2 a\n2 Q0 x 1 1 a\n", encoding="utf-8")
    assert main(["check", files["q"], files["a"]]) == 1
    out = capsys.readouterr().out
    assert RULES["D01"].text in out and RULES["T02"].text not in out
