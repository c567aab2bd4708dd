"""The commands: what they print, where they write, and one clear line for what cannot be."""

import argparse
import csv
import io
import json
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from diveval.axioms.proof import scheduler
from diveval.axioms.proof.verdicts import MARKS
from diveval.cli import axioms as commands
from diveval.cli import reproduce
from diveval.errors import UsageError
from diveval.metrics.names import load
from diveval.metrics.ranking import Ranking
from support.shared import THOROUGH

DOCS = Path(__file__).parents[3] / "docs"


def run(*words: Any) -> Any:
    """A command as the command line would run it."""
    parser = argparse.ArgumentParser(prog="diveval")
    commands.register(parser.add_subparsers())
    arguments = parser.parse_args([str(word) for word in words])
    return arguments.run(arguments)


def printed(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    assert run(*words) == 0
    return capsys.readouterr().out


def test_axioms_prints_csv(capsys: pytest.CaptureFixture[str], private_cache: Any) -> None:
    """The agreed header, one row a cell."""
    cells = ("axioms", "RBU", "--axiom", "Conf", "--axiom", "AspRel", "-f", "csv", "--jobs", "1")
    text = printed(capsys, *cells, "--reading", "both")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(r["axiom"], r["reading"], r["verdict"]) for r in rows] == [
        ("Conf", "as-written", "holds"),
        ("Conf", "charitable", "holds"),
        ("AspRel", "as-written", "fails"),
        ("AspRel", "charitable", "holds"),
    ]
    assert rows[2]["paper"] == "holds" and rows[2]["agrees"] == "no"
    one = list(csv.DictReader(io.StringIO(printed(capsys, *cells))))
    assert one == [row for row in rows if row["reading"] == "charitable"]  # the default of every command


def test_the_other_reading_is_named_in_one_line(capsys: pytest.CaptureFixture[str], private_cache: Any) -> None:
    """The table shows one reading and says how to get the other; `both` shows both."""
    cells = ("axioms", "RBU", "--axiom", "Conf", "--jobs", "1")
    assert printed(capsys, *cells).splitlines()[-1] == "The other reading: --reading as-written"
    both = printed(capsys, *cells, "--reading", "both")
    assert "as-written, charitable" in both and "The other reading" not in both


def test_output_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], private_cache: Any) -> None:
    """-o writes the file and nothing else."""
    target = tmp_path / "out.json"
    assert printed(capsys, "axioms", "RBP", "--axiom", "Conf", "-f", "json", "-o", target, "--jobs", "1") == ""
    assert json.loads(target.read_text(encoding="utf-8"))[0]["verdict"] == "fails"


def test_explain_draws_the_rankings(capsys: pytest.CaptureFixture[str]) -> None:
    """The two rankings, both scores, why it should be otherwise."""
    text = printed(capsys, "explain", "RBU", "AspRel", "--reading", "as-written")
    assert "RBU" in text and "as-written: fails" in text and "heavier aspect" in text
    assert "charitable: holds" in printed(capsys, "explain", "RBU", "AspRel")  # the default of every command
    text = printed(capsys, "explain", "RBU(p=0.8,e=0.05)", "CloseTh", "--rc", "1/2", "--reading", "both")
    assert text.count("fails") >= 2 and "r_c = 1/2" in text
    shape = json.loads(printed(capsys, "explain", "EU", "Sat", "-f", "json"))
    assert shape[0]["region"]["formula"] == "α + e ≥ 1"


def test_regions_prints_formula_and_number(capsys: pytest.CaptureFixture[str]) -> None:
    """RBU: CloseTh iff p² + p³ > 1, that is p > 0.754878."""
    text = printed(capsys, "regions", "RBU", "--axiom", "CloseTh", "--axiom", "Conf")
    assert "p² + p³ > 1" in text and "p > 0.754878" in text and "e = 0: fails" in text
    assert "--reading as-written" in text  # the other reading is named
    shape = json.loads(printed(capsys, "regions", "RBU", "--axiom", "Conf", "-f", "json"))
    assert shape[0]["ends"]["e = 0"] == "fails"


def test_a_metric_that_violates_priority_is_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], private_cache: Any
) -> None:
    """A person's file is run, and the rankings that break it are shown."""
    path = tmp_path / "mine.py"
    path.write_text(
        "def score(ranking):\n    return sum(r for row in ranking.relevance for r in row)\n", encoding="utf-8"
    )
    text = printed(capsys, "explain", f"{path}:score", "Pri")
    assert "charitable: fails" in text and "equals" in text


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "RBU", "Prio"),
        ("explain", "RBQ", "Pri"),
        ("explain", "RBU", "Pri", "--rc", "two"),
        ("explain", "RBU", "CloseTh", "--rc", "3/2"),
        ("axioms", "RBU", "--family"),
        ("advise", "--need", ","),
        ("explain", "no/such.py:score", "Pri"),
        ("axioms", "RBU", "--time-limit", "soon"),
    ],
)
def test_wrong_words_get_one_line(words: Any) -> None:
    """UsageError, one line."""
    with pytest.raises(UsageError) as error:
        run(*words)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_table1_tells_every_disagreement(whole: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """From the cache of the whole matrix: paper and readings side by side, and the evidence."""
    assert reproduce.run_table1(argparse.Namespace(format="table", output=None)) == 0
    text = capsys.readouterr().out
    assert "charitable: 183 of 200 cells agree with the paper" in text
    assert "AP-IA Pri: paper holds, ours fails" in text and "EU Sat: paper fails, ours region (α + e ≥ 1" in text


@pytest.mark.slow
def test_advise_from_the_matrix(whole: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """RBU alone has Conf, MRed and Sat."""
    text = printed(capsys, "advise", "--need", "Conf,MRed,Sat")
    assert "RBU@k, 0 < p < 1, e > 0" in text and "EU: MRed" in text
    text = printed(capsys, "advise", "--need", "Sat", "--grades", "--weights", "-f", "json")
    assert [item["metric"] for item in json.loads(text) if item["suitable"]] == ["ERR-IA@k", "EU", "CT@k", "RBU@k"]


def blocks(text: Any, language: Any) -> Any:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def _steps_by_name(text: Any) -> Any:
    """The steps of a proof by kind and name alone: their wording is free."""
    return re.sub(r"^(\s+\[[^\]]+\] [^:]+):.*$", r"\1", text, flags=re.MULTILINE)


def _marks(text: str) -> dict[str, str]:
    """The verdicts of a table of one metric, by axiom."""
    header, row = next(pair for pair in pairwise(text.splitlines()) if pair[0].split()[:1] == ["Pri"])
    return dict(zip(header.split(), row.split()[1:], strict=True))


@pytest.mark.slow(seconds=6)
def test_the_session_in_the_docs_is_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], private_cache: Any
) -> None:
    """docs/write-a-metric.md: the file it shows, run as it says, prints what it shows.

    A cell that a function does not break takes a second; the suite decides some of those, others each time.
    """
    page = (DOCS / "write-a-metric.md").read_text(encoding="utf-8")
    (source,) = blocks(page, "python")
    (recipe,) = blocks(page, "py")
    exec(recipe, {})  # the axiom of one's own
    assert "Relevance on top" in capsys.readouterr().out
    (tmp_path / "mymetric.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    sessions = blocks(page, "console")
    assert len(sessions) >= 4
    for session in sessions:
        command, _, expected = session.partition("\n")
        assert command.startswith("$ diveval ")
        words = command.removeprefix("$ diveval ").split()
        extra = ["--jobs", "1"] if words[0] == "axioms" else []
        if "mymetric.py:better" in words and not THOROUGH:
            page_marks, extra = _marks(expected), [*extra, "-f", "csv"]
            drawn = random.sample(list(page_marks), 2)
            chosen = [word for axiom in drawn for word in ("--axiom", axiom)]
            rows = csv.DictReader(io.StringIO(printed(capsys, *words, *extra, *chosen)))
            assert {row["axiom"]: MARKS[row["verdict"]] for row in rows} == {a: page_marks[a] for a in drawn}
            continue
        shown = printed(capsys, *words, *extra).rstrip()
        assert _steps_by_name(shown) == _steps_by_name(expected.rstrip()), command


@pytest.mark.slow
def test_the_tables_in_the_docs_are_the_engines(whole: Any) -> None:
    """docs/axioms.md shows the matrix that this engine decides."""
    from diveval.axioms.presentation.matrix import markdown_text

    page = (DOCS / "axioms.md").read_text(encoding="utf-8")
    table = [line for line in markdown_text(whole[0]).splitlines() if line.startswith("|")]
    assert all(line in page for line in table)


@pytest.mark.slow
def test_the_family_table_in_the_docs_is_the_engines(private_cache: Any) -> None:
    """Four of its 48 rows, decided again: among them both compositions that satisfy all ten."""
    from diveval.axioms import AXIOMS, CHARITABLE, check
    from diveval.axioms.presentation.family import Composition

    page = (DOCS / "axioms.md").read_text(encoding="utf-8")
    for parts in (
        ("p^i", "Π(1−r)", "yes", "e"),
        ("1/log(i+1)", "Π(1−r)", "yes", "e"),
        ("1/i", "none", "no", "no"),
        ("1/log(i+1)", "none", "yes", "no"),
    ):
        marks = [MARKS[check(Composition(*parts).subject(), axiom, reading=CHARITABLE).verdict] for axiom in AXIOMS]
        assert "| " + " | ".join([*parts, *marks]) + " |" in page


@pytest.mark.slow
def test_the_errata_rest_on_verdicts(whole: Any) -> None:
    """Every cell that docs/errata.md names is decided as it says."""
    page = (DOCS / "errata.md").read_text(encoding="utf-8")
    named = re.findall(r"<!-- cell: (\S+) (\S+) (\S+) (\S+) -->", page)
    assert len(named) >= 12
    for metric, axiom, reading, verdict in named:
        assert whole[0].cell(metric, axiom, reading).verdict == verdict, (metric, axiom, reading)


def test_a_module_the_metric_imports_is_part_of_the_cache_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file with another module behind it, two imports away, is decided again; the same one is not.

    The modules lie beside the file, which is where Python finds those of a script, and not where the command runs.
    """
    (tmp_path / "mine.py").write_text(
        "from helper_of_mine import cost\n\n\ndef score(ranking):\n"
        "    return sum(max(row) - cost() for row in ranking.relevance)\n",
        encoding="utf-8",
    )
    (tmp_path / "helper_of_mine.py").write_text(
        "import deeper_of_mine\n\n\ndef cost():\n    return deeper_of_mine.COST\n", encoding="utf-8"
    )
    kept = tmp_path / "cache"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("DIVEVAL_CACHE", str(kept))

    def decided() -> Any:
        text = printed(capsys, "axioms", "../mine.py:score", "--axiom", "Conf", "-f", "csv")
        return next(csv.DictReader(io.StringIO(text)))["verdict"], len(list((kept / "axioms").iterdir()))

    (tmp_path / "deeper_of_mine.py").write_text("COST = 0.05\n", encoding="utf-8")
    assert decided() == decided() == ("bounded", 1)
    (tmp_path / "deeper_of_mine.py").write_text("COST = 0.0\n", encoding="utf-8")
    assert decided() == ("fails", 2)


def test_a_module_that_was_edited_is_imported_again(tmp_path: Path) -> None:
    """In one process, as the studio is one: a metric never runs with a module as it was before."""
    (tmp_path / "pays.py").write_text(
        "import amount_of_pays\n\n\ndef score(ranking):\n    return amount_of_pays.value()\n", encoding="utf-8"
    )
    (tmp_path / "amount_of_pays.py").write_text(
        "from base_of_pays import BASE\n\n\ndef value():\n    return BASE\n", encoding="utf-8"
    )
    scores = []
    for base in ("1", "22"):
        (tmp_path / "base_of_pays.py").write_text(f"BASE = {base}\n", encoding="utf-8")
        scores.append(float(load(f"{tmp_path / 'pays.py'}:score").formula.exact(Ranking.of([[1.0]], weights=[1.0]))))
    assert scores == [1, 22]


@pytest.mark.parametrize(
    "line",
    [
        "from pathlib import Path; X = Path('x').read_text()",
        "import os; X = os.environ.get('X')",
        "X = open('x').read()",
    ],
)
def test_what_the_sources_do_not_show_is_not_cached(tmp_path: Path, line: str) -> None:
    """A metric that reads files or its surroundings may change without its sources: it has no digest."""
    path = tmp_path / "reads.py"
    path.write_text("def score(ranking):\n    return 1\n", encoding="utf-8")
    assert scheduler.sources(path) is not None
    path.write_text(f"def score(ranking):\n    {line}\n    return X\n", encoding="utf-8")
    assert scheduler.sources(path) is None
