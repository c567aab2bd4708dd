"""The commands: what they print, where they write, and one clear line for what cannot be."""

import argparse
import csv
import io
import json
import re
from pathlib import Path

import pytest

from diveval.cli import axioms as door
from diveval.errors import UsageError

DOCS = Path(__file__).parents[3] / "docs"


def run(*words):
    """A command as the command line would run it."""
    parser = argparse.ArgumentParser(prog="diveval")
    door.register(parser.add_subparsers())
    arguments = parser.parse_args([str(word) for word in words])
    return arguments.run(arguments)


def printed(capsys, *words):
    assert run(*words) == 0
    return capsys.readouterr().out


def test_axioms_prints_csv(capsys, private_cache):
    """The agreed header, one row a cell."""
    text = printed(capsys, "axioms", "RBU", "--axiom", "Conf", "--axiom", "AspRel", "-f", "csv", "--jobs", "1")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["axiom"], r["reading"], r["verdict"]) for r in rows] == [
        ("Conf", "as-written", "holds"), ("Conf", "charitable", "holds"),
        ("AspRel", "as-written", "fails"), ("AspRel", "charitable", "holds"),
    ]  # fmt: skip
    assert rows[2]["paper"] == "holds" and rows[2]["agrees"] == "no"


def test_output_goes_to_a_file(tmp_path, capsys, private_cache):
    """-o writes the file and nothing else."""
    target = tmp_path / "out.json"
    assert printed(capsys, "axioms", "RBP", "--axiom", "Conf", "-f", "json", "-o", target, "--jobs", "1") == ""
    assert json.loads(target.read_text(encoding="utf-8"))[0]["verdict"] == "fails"


def test_explain_draws_the_rankings(capsys):
    """The two rankings, both scores, why it should be otherwise."""
    text = printed(capsys, "explain", "RBU", "AspRel", "--reading", "as-written")
    assert "RBU · AspRel (Aspect relevance), as-written: fails" in text
    assert "should score more" in text and "heavier aspect" in text
    text = printed(capsys, "explain", "RBU(p=0.8,e=0.05)", "CloseTh", "--rc", "1/2", "--reading", "both")
    assert text.count("fails") >= 2 and "r_c = 1/2" in text
    shape = json.loads(printed(capsys, "explain", "EU", "Sat", "-f", "json"))
    assert shape[0]["region"]["formula"] == "α + e ≥ 1"


def test_regions_prints_formula_and_number(capsys):
    """RBU: CloseTh iff p² + p³ > 1, that is p > 0.754878."""
    text = printed(capsys, "regions", "RBU", "--axiom", "CloseTh", "--axiom", "Conf")
    assert "holds iff p² + p³ > 1" in text and "p > 0.754878" in text and "at the ends: e = 0: fails" in text
    shape = json.loads(printed(capsys, "regions", "RBU", "--axiom", "Conf", "-f", "json"))
    assert shape[0]["ends"]["e = 0"] == "fails"


def test_a_metric_that_violates_priority_is_caught(tmp_path, capsys, private_cache):
    """A person's file is run, and the rankings that break it are shown."""
    path = tmp_path / "mine.py"
    path.write_text("def score(ranking):\n    return sum(r for row in ranking.relevance for r in row)\n", encoding="utf-8")
    text = printed(capsys, "explain", f"{path}:score", "Pri")
    assert "score · Pri (Priority), as-written: fails" in text and "equals" in text


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "RBU", "Prio"), ("explain", "RBQ", "Pri"), ("explain", "RBU", "Pri", "--rc", "two"),
        ("explain", "RBU", "CloseTh", "--rc", "3/2"), ("axioms", "RBU", "--family"), ("advise", "--need", ","),
        ("explain", "no/such.py:score", "Pri"), ("axioms", "RBU", "--time-limit", "soon"),
    ],
)  # fmt: skip
def test_wrong_words_get_one_line(words):
    """UsageError, one line."""
    with pytest.raises(UsageError) as error:
        run(*words)
    assert "\n" not in str(error.value)


def test_table1_tells_every_disagreement(whole, capsys):
    """From the cache of the whole matrix: paper and readings side by side, and the evidence."""
    assert door.reproduce_table1(argparse.Namespace(format="table", output=None)) == 0
    text = capsys.readouterr().out
    assert "charitable: 188 of 200 cells agree with the paper" in text
    assert "AP-IA Pri: paper holds, ours fails" in text and "EU Sat: paper fails, ours region (α + e ≥ 1" in text


def test_advise_from_the_matrix(whole, capsys):
    """RBU alone has Conf, MRed and Sat."""
    text = printed(capsys, "advise", "--need", "Conf,MRed,Sat")
    assert "RBU@k, 0 < p < 1, e > 0" in text and "EU: MRed" in text
    text = printed(capsys, "advise", "--need", "Sat", "--grades", "--weights", "-f", "json")
    assert [item["metric"] for item in json.loads(text) if item["suitable"]] == ["ERR-IA@k", "EU", "CT@k", "RBU@k"]


def blocks(text, language):
    """The fenced blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.S)


def test_the_session_in_the_docs_is_real(tmp_path, monkeypatch, capsys, private_cache):
    """docs/write-a-metric.md: the file it shows, run as it says, prints what it shows."""
    page = (DOCS / "write-a-metric.md").read_text(encoding="utf-8")
    (source,) = blocks(page, "python")
    (tmp_path / "mymetric.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    sessions = blocks(page, "console")
    assert len(sessions) >= 4
    for session in sessions:
        command, _, expected = session.partition("\n")
        assert command.startswith("$ diveval ")
        words = command.removeprefix("$ diveval ").split()
        extra = ["--jobs", "1"] if words[0] == "axioms" else []
        assert printed(capsys, *words, *extra).rstrip() == expected.rstrip(), command


def test_the_tables_in_the_docs_are_the_engines(whole):
    """docs/axioms.md shows the matrix that this engine decides."""
    from diveval.axioms.layout import markdown_text

    page = (DOCS / "axioms.md").read_text(encoding="utf-8")
    table = [line for line in markdown_text(whole[0]).splitlines() if line.startswith("|")]
    assert all(line in page for line in table)


def test_the_family_table_in_the_docs_is_the_engines(private_cache):
    """Four of its 48 rows, decided again: among them both compositions that satisfy all ten."""
    from diveval.axioms import AXIOMS, CHARITABLE, check
    from diveval.axioms.family import Composition
    from diveval.axioms.verdicts import MARKS

    page = (DOCS / "axioms.md").read_text(encoding="utf-8")
    for parts in (
        ("p^i", "Π(1−r)", "yes", "e"), ("1/log(i+1)", "Π(1−r)", "yes", "e"), ("1/i", "none", "no", "no"),
        ("1/log(i+1)", "none", "yes", "no"),
    ):  # fmt: skip
        marks = [MARKS[check(Composition(*parts).subject(), axiom, reading=CHARITABLE).verdict] for axiom in AXIOMS]
        assert "| " + " | ".join([*parts, *marks]) + " |" in page


def test_the_errata_rest_on_verdicts(whole):
    """Every cell that docs/errata.md names is decided as it says."""
    page = (DOCS / "errata.md").read_text(encoding="utf-8")
    named = re.findall(r"<!-- cell: (\S+) (\S+) (\S+) (\S+) -->", page)
    assert len(named) >= 12
    for metric, axiom, reading, verdict in named:
        assert whole[0].cell(metric, axiom, reading).verdict == verdict, (metric, axiom, reading)
