"""Queries and titles beside ids: `--topics` and `--docs` in the commands that print topics and documents."""

from __future__ import annotations

import csv
import io
import json
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


def test_evaluate_puts_the_query_beside_its_topic(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """In tables, CSV (long and wide) and JSON; the numbers are those without it."""
    asked = ["evaluate", files["q"], files["a"], "-m", "P@5", "--per-topic"]
    assert main([*asked, "--topics", files["topics"]]) == 0
    assert "1 cats, dogs" in capsys.readouterr().out
    for wide in ([], ["--wide"]):
        assert main([*asked, "-f", "csv", *wide]) == 0
        plain = list(csv.reader(io.StringIO(capsys.readouterr().out)))
        assert main([*asked, "-f", "csv", *wide, "--topics", files["topics"]]) == 0
        rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
        assert [row[:-1] for row in rows] == plain
        place = rows[0].index("topic")
        assert {row[place]: row[-1] for row in rows[1:]} == {"1": "cats, dogs", "2": "", "all": ""}
    assert main([*asked, "-f", "json", "--topics", files["topics"]]) == 0
    assert json.loads(capsys.readouterr().out)["queries"] == {"1": "cats, dogs", "2": ""}
    for wrong in (["-f", "latex"], ["-f", "trec"]):
        assert main([*asked, *wrong, "--topics", files["topics"]]) == 2
    assert main([*asked[:-1], "--topics", files["topics"]]) == 2
    assert "--per-topic" in capsys.readouterr().err


def test_why_explains_topics_aspects_and_documents(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The query, the aspect's words and the document's title stand in the reasons; the count is -n."""
    Path(files["b"]).write_text("1 Q0 d2 1 3 b\n2 Q0 y 1 1 b\n", encoding="utf-8")
    asked = ["why", files["q"], files["a"], files["b"], *RBU, "--topics", files["topics"], "--docs", files["docs"]]
    assert main([*asked, "-n", "2"]) == 0
    out = capsys.readouterr().out
    assert "(cats, dogs)" in out and "aspect a: about cats" in out and "d1: The first document" in out
    assert main([*asked, "-n", "2", "-f", "json"]) == 0
    topics = {topic["topic"]: topic for topic in json.loads(capsys.readouterr().out)["topics"]}
    assert topics["1"]["query"] == "cats, dogs" and topics["1"]["titles"] == {"d1": "The first document"}


def test_check_counts_what_has_text_and_names_what_is_wrong(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Topics and documents without text are counted; a fault's ids come with their words."""
    Path(files["a"]).write_text("1 Q0 d1 1 3 a\n1 Q0 d1 2 2 a\n2 Q0 x 1 1 a\n", encoding="utf-8")
    more = ["--topics", files["topics"], "--docs", files["docs"]]
    main(["check", files["q"], files["a"], "-v", *more])
    out = capsys.readouterr().out
    assert "1 (1 without: 2)" in out and "1 (1 without: d2)" in out
    assert "(cats, dogs; The first document)" in out


def test_paper_lists_the_topics_behind_its_figure(files: dict[str, str], tmp_path: Path) -> None:
    """`topics.csv` holds each topic's query and difference, largest first."""
    folder = tmp_path / "paper"
    asked = ["paper", files["q"], files["a"], files["b"], *RBU, "-o", str(folder), "--no-figures"]
    assert main([*asked, "--topics", files["topics"]]) == 0
    rows = list(csv.DictReader(io.StringIO((folder / "topics.csv").read_text(encoding="utf-8"))))
    assert {row["topic"]: row["query"] for row in rows} == {"1": "cats, dogs", "2": ""}
    assert [float(row["difference"]) for row in rows] == sorted((float(r["difference"]) for r in rows), reverse=True)


def test_check_says_what_a_broken_rule_is(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the ids of rules; the rule behind every id stands below, and no rule that nobody breaks."""
    Path(files["a"]).write_text("1 Q0 d1 1 3 a\n1 Q0 d1 2 2 a\n2 Q0 x 1 1 a\n", encoding="utf-8")
    assert main(["check", files["q"], files["a"]]) == 1
    out = capsys.readouterr().out
    assert f"D01 {RULES['D01'].text}" in out and RULES["T02"].text not in out
