"""The commands about axioms: what they print, where they write, and one-line errors."""

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

from diveval.axioms.proof import cache
from diveval.axioms.proof.verdicts import MARKS
from diveval.cli import parse, reproduce
from diveval.metrics.names import load
from diveval.metrics.ranking import Ranking
from support.refusals import refuses
from support.shared import THOROUGH

DOCS = Path(__file__).parents[3] / "docs"


def run(*words: Any) -> Any:
    """Runs a command as the command line does."""
    arguments = parse([str(word) for word in words])
    return arguments.run(arguments)


def printed(capsys: pytest.CaptureFixture[str], *words: Any) -> Any:
    assert run(*words) == 0
    return capsys.readouterr().out


def test_axioms_prints_csv(capsys: pytest.CaptureFixture[str], private_cache: Any) -> None:
    """One row per cell; the charitable reading is the default."""
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
    assert one == [row for row in rows if row["reading"] == "charitable"]  # the default reading


def test_the_table_names_the_option_for_the_other_reading(
    capsys: pytest.CaptureFixture[str], private_cache: Any
) -> None:
    """The table shows one reading and the option for the other; `both` shows both."""
    cells = ("axioms", "RBU", "--axiom", "Conf", "--jobs", "1")
    assert "--reading as-written" in printed(capsys, *cells).splitlines()[-1]
    both = printed(capsys, *cells, "--reading", "both")
    assert "as-written" in both and "charitable" in both and "--reading" not in both


def test_output_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], private_cache: Any) -> None:
    """-o writes the file and nothing else."""
    target = tmp_path / "out.json"
    assert printed(capsys, "axioms", "RBP", "--axiom", "Conf", "-f", "json", "-o", target, "--jobs", "1") == ""
    assert json.loads(target.read_text(encoding="utf-8"))["rows"][0]["verdict"] == "fails"


def test_explain_shows_verdicts_and_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    """`axioms METRIC AXIOM` names the metric, reading and verdict, takes r_c, and prints JSON."""
    text = printed(capsys, "axioms", "RBU", "AspRel", "--reading", "as-written")
    assert "RBU" in text and re.search(r"as-written\W+fails", text)
    assert re.search(r"charitable\W+holds", printed(capsys, "axioms", "RBU", "AspRel"))  # the default reading
    text = printed(capsys, "axioms", "RBU(p=0.8,e=0.05)", "CloseTh", "--rc", "1/2", "--reading", "both")
    assert text.count("fails") >= 2 and "r_c = 1/2" in text
    shape = json.loads(printed(capsys, "axioms", "EU", "Sat", "-f", "json"))
    assert shape[0]["region"]["formula"] == "α + e ≥ 1"


def test_regions_prints_formula_and_number(capsys: pytest.CaptureFixture[str]) -> None:
    """RBU: CloseTh iff p² + p³ > 1, that is p > 0.754878."""
    text = printed(capsys, "axioms", "--regions", "RBU", "--axiom", "CloseTh", "--axiom", "Conf")
    assert "p² + p³ > 1" in text and "p > 0.754878" in text and re.search(r"e = 0\W+fails", text)
    assert "--reading as-written" in text  # the option for the other reading
    shape = json.loads(printed(capsys, "axioms", "--regions", "RBU", "--axiom", "Conf", "-f", "json"))
    assert shape[0]["ends"]["e = 0"] == "fails"


def test_a_users_file_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str], private_cache: Any) -> None:
    """`axioms METRIC AXIOM` runs the function of a user's file and reports the failure."""
    path = tmp_path / "mine.py"
    path.write_text(
        "def score(ranking):\n    return sum(r for row in ranking.relevance for r in row)\n", encoding="utf-8"
    )
    text = printed(capsys, "axioms", f"{path}:score", "Pri")
    assert re.search(r"charitable\W+fails", text)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("axioms", "RBU", "Prio"), "unknown-axiom"),
        (("axioms", "RBQ", "Pri"), "unknown-metric"),
        (("axioms", "RBU", "Pri", "--rc", "two"), "out-of-range"),
        (("axioms", "RBU", "CloseTh", "--rc", "3/2"), "out-of-range"),
        (("axioms", "RBU", "--family"), "conflicting-options"),
        (("axioms", "--need", ","), "missing-argument"),
        (("axioms", "no/such.py:score", "Pri"), "cannot-read"),
        (("axioms", "RBU", "--time-limit", "soon"), "not-a-number"),
    ],
)
def test_invalid_arguments_raise_a_one_line_error(words: Any, code: str) -> None:
    """Each invalid argument is refused by its code, in one line."""
    with refuses(code):
        run(*words)


@pytest.mark.slow
def test_table1_compares_with_the_paper(full_matrix: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """`data reproduce table1` counts the cells that agree and lists disagreements with both verdicts."""
    assert reproduce.run_table1(argparse.Namespace(format="table", output=None)) == 0
    text = capsys.readouterr().out
    assert re.search(r"charitable\b.*\b188\b.*\b200\b", text)
    assert re.search(r"AP-IA Pri\b.*\bholds\b.*\bfails\b", text)
    assert re.search(r"EU Sat\b.*\bfails\b.*\bregion\b.*α \+ e ≥ 1", text)


@pytest.mark.slow
def test_advise_from_the_matrix(full_matrix: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Only RBU satisfies Conf, MRed and Sat; for EU the missing axiom is named."""
    text = printed(capsys, "axioms", "--need", "Conf,MRed,Sat")
    assert re.search(r"RBU@k\W+0 < p < 1, e > 0", text) and re.search(r"EU\b.*\bMRed", text)
    text = printed(capsys, "axioms", "--need", "Sat", "--grades", "--weights", "-f", "json")
    assert [item["metric"] for item in json.loads(text) if item["suitable"]] == ["ERR-IA@k", "EU", "CT@k", "RBU@k"]


def blocks(text: Any, language: Any) -> Any:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def _steps_by_name(text: Any) -> Any:
    """The steps of a proof reduced to kind and name: their wording may change."""
    return re.sub(r"^(\s+\[[^\]]+\] [^:]+):.*$", r"\1", text, flags=re.MULTILINE)


def _marks(text: str) -> dict[str, str]:
    """The verdicts of a table of one metric, by axiom."""
    header, row = next(pair for pair in pairwise(text.splitlines()) if pair[0].split()[:1] == ["Pri"])
    return dict(zip(header.split(), row.split()[1:], strict=True))


@pytest.mark.slow(seconds=6)
def test_the_session_in_the_docs_is_reproduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], private_cache: Any
) -> None:
    """The commands of docs/write-a-metric.md print what the page shows.

    Cells that a function does not break take a second each, so the suite decides a random sample of them.
    """
    page = (DOCS / "write-a-metric.md").read_text(encoding="utf-8")
    (source,) = blocks(page, "python")
    (recipe,) = blocks(page, "py")
    exec(recipe, {})  # the page's example of a user's axiom
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
            sample = random.sample(list(page_marks), 2)
            chosen = [word for axiom in sample for word in ("--axiom", axiom)]
            rows = csv.DictReader(io.StringIO(printed(capsys, *words, *extra, *chosen)))
            assert {row["axiom"]: MARKS[row["verdict"]] for row in rows} == {a: page_marks[a] for a in sample}
            continue
        shown = printed(capsys, *words, *extra).rstrip()
        assert _steps_by_name(shown) == _steps_by_name(expected.rstrip()), command


@pytest.mark.slow
def test_the_tables_in_the_docs_are_up_to_date(full_matrix: Any) -> None:
    """docs/axioms.md shows the matrix that the engine decides."""
    page = (DOCS / "axioms.md").read_text(encoding="utf-8")
    table = [line for line in full_matrix.to_markdown().splitlines() if line.startswith("|")]
    assert all(line in page for line in table)


@pytest.mark.slow
def test_the_family_table_in_the_docs_is_up_to_date(private_cache: Any) -> None:
    """Four of its 48 rows, including both compositions that satisfy all ten axioms, equal the engine's verdicts."""
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
def test_the_errata_match_the_verdicts(full_matrix: Any) -> None:
    """The engine's verdict on every cell that docs/errata.md names is the one given there."""
    page = (DOCS / "errata.md").read_text(encoding="utf-8")
    named = re.findall(r"<!-- cell: (\S+) (\S+) (\S+) (\S+) -->", page)
    assert len(named) >= 12
    for metric, axiom, reading, verdict in named:
        assert full_matrix.cell(metric, axiom, reading).verdict == verdict, (metric, axiom, reading)


def test_a_module_the_metric_imports_is_part_of_the_cache_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change to a module two imports away causes a new decision; no change uses the cache.

    The modules are beside the file, where Python looks for the imports of a script, not in the working directory.
    """
    (tmp_path / "mine.py").write_text(
        "from helper_of_mine import cost\n\n\ndef score(ranking):\n"
        "    return sum(max(row) - cost() for row in ranking.relevance)\n",
        encoding="utf-8",
    )
    (tmp_path / "helper_of_mine.py").write_text(
        "import deeper_of_mine\n\n\ndef cost():\n    return deeper_of_mine.COST\n", encoding="utf-8"
    )
    cache = tmp_path / "cache"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("DIVEVAL_CACHE", str(cache))

    def decided() -> Any:
        text = printed(capsys, "axioms", "../mine.py:score", "--axiom", "Conf", "-f", "csv")
        return next(csv.DictReader(io.StringIO(text)))["verdict"], len(list((cache / "axioms").iterdir()))

    (tmp_path / "deeper_of_mine.py").write_text("COST = 0.05\n", encoding="utf-8")
    assert decided() == decided() == ("bounded", 1)
    (tmp_path / "deeper_of_mine.py").write_text("COST = 0.0\n", encoding="utf-8")
    assert decided() == ("fails", 2)


def test_an_edited_module_is_imported_again(tmp_path: Path) -> None:
    """Within one process, such as the studio, a metric runs with the current version of its modules."""
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
def test_a_metric_that_reads_its_environment_is_not_cached(tmp_path: Path, line: str) -> None:
    """A metric that reads files or environment variables may change without its sources, so it has no digest."""
    path = tmp_path / "reads.py"
    path.write_text("def score(ranking):\n    return 1\n", encoding="utf-8")
    assert cache.sources(path) is not None
    path.write_text(f"def score(ranking):\n    {line}\n    return X\n", encoding="utf-8")
    assert cache.sources(path) is None
