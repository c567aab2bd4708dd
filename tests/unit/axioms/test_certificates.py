"""Certificates: they are checked without diveval, and any change to them is detected."""

import importlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from diveval.axioms.presentation.matrix import cells_of
from diveval.axioms.proof.certificates import CHECKER, declare, write_certificates
from diveval.axioms.proof.published import ROWS
from diveval.axioms.proof.subjects import as_symbolic
from diveval.axioms.specification.readings import READINGS
from diveval.metrics.catalogue import OWN
from support.refusals import refuses
from support.shared import times
from unit.axioms.every_field import try_every_field
from unit.axioms.tampering import CHANGES

# By this name mypy would find the file twice: it reads `check` and the files beside it as modules without a package.
checker = importlib.import_module("diveval.axioms.proof.bundled.check")
is_covered = importlib.import_module("diveval.axioms.proof.bundled.claims").is_covered

METRICS, ALWAYS, SOMETIMES = (
    ["RBP-IA", "nDCG@k", "EU(alpha=0.5,e=0.5)"],
    ["Pri", "Conf", "Sat"],
    ["AspDiv", "DeepTh", "CloseTh"],
)
OTHERS = [("RBP", "CloseTh"), ("alpha-nDCG@k", "Conf")]  # a region, and a metric with an ideal

SHORT = ["RBU@5", "nDCG@4"]  # thresholds at a given cutoff


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of a few metrics under both readings; some axioms are sampled, unless the run is thorough."""
    target = tmp_path_factory.mktemp("certificates") / "all"
    axioms = [*ALWAYS, *random.sample(SOMETIMES, times(1, 3))]
    others = [cell for metric, axiom in OTHERS for cell in cells_of([metric], [axiom], ["charitable"], None, 600.0)]
    at_a_cutoff = cells_of(SHORT, ["DeepTh", "CloseTh"], None, None, 600.0)
    write_certificates(target, [*cells_of(METRICS, axioms, None, None, 600.0), *others, *at_a_cutoff], jobs=1)
    return target


def run_separately(folder: Path, *words: str) -> Any:
    """Runs the checker as users do: in another process, isolated from this package."""
    command = [sys.executable, "-I", str(folder / "check.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def run(folder: Path, *words: str) -> tuple[int, str]:
    """Runs the checker in this process, for its exit code and output: fifty processes would take ten seconds."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setattr(sys, "argv", ["check.py", str(folder), *words])
        returned = checker.main()
    assert isinstance(returned, int), returned
    return returned, printed.getvalue()


def test_the_checker_needs_only_python() -> None:
    """At most 400 lines per file, nothing of diveval, nothing installed unless a solver is asked for."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in Path(str(checker.__file__)).parent.glob("*.py")}
    assert sorted(sources) == sorted(CHECKER)
    own = {name.removesuffix(".py") for name in CHECKER}
    for source in sources.values():
        lines = source.splitlines()
        assert len(lines) <= 400
        imported = {line.split()[1].partition(".")[0] for line in lines if line.startswith(("import ", "from "))}
        assert imported <= sys.stdlib_module_names | {"__future__"} | own


def test_the_checker_knows_every_part() -> None:
    """The checker's own definitions have a case for each part of the paper's twenty metrics."""
    known = (Path(str(checker.__file__)).parent / "definitions.py").read_text(encoding="utf-8")
    parts = {type(part).__name__ for row in ROWS for part in as_symbolic(row).formula.parts}
    assert {name for name in parts if f'"{name}"' not in known} == set()


@pytest.mark.parametrize("isolated", [True, False])
def test_the_checker_runs_from_any_folder(tmp_path: Path, isolated: bool) -> None:
    """It runs under `python -I` from another folder, where its own is not on the path, and in its own folder."""
    folder = tmp_path / "all"
    write_certificates(folder, cells_of(["RR"], ["Conf"], ["charitable"], None, 60.0), jobs=1)
    program, place = (folder / "check.py", tmp_path) if isolated else (Path("check.py"), folder)
    command = [sys.executable, *(["-I"] if isolated else []), str(program)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0 and done.stdout.startswith("1 cells"), done.stdout + done.stderr


@pytest.mark.slow
def test_every_cell_is_confirmed(folder: Path) -> None:
    """The checker confirms every cell and reports no disagreement."""
    done = run_separately(folder)
    assert done.returncode == 0, done.stdout
    cells = len(METRICS) * (len(ALWAYS) + times(1, 3)) * 2 + len(OTHERS) + 4 * len(SHORT)
    assert f"{cells} cells" in done.stdout and "\n0 disagreements" in done.stdout
    assert len(list((folder / "cells").iterdir())) == cells


@pytest.mark.slow
def test_another_solver_agrees(folder: Path, tmp_path: Path) -> None:
    """cvc5 answers `unsat` to every query, or in the suite to those of a random sample of cells."""
    pytest.importorskip("cvc5")
    cells = sorted(path.name for path in (folder / "cells").iterdir() if ".smt2" in path.read_text(encoding="utf-8"))
    done = run_separately(copy_of(folder, tmp_path, *random.sample(cells, times(8, len(cells)))), "--solver", "cvc5")
    assert done.returncode == 0, done.stdout
    assert "unsat" in done.stdout and "\n0 disagreements" in done.stdout


@pytest.mark.slow
def test_steps_that_conclude_an_equality_are_confirmed(tmp_path: Path) -> None:
    """Their queries assume exactly the negation of the claim: that two values differ."""
    cells = [
        *cells_of(["S-Recall@k"], ["Sat", "CloseTh"], ["charitable"], None, 600.0),
        *cells_of(["P-IA@k", "AP-IA"], ["AspRel"], ["charitable"], None, 600.0),
    ]
    write_certificates(tmp_path / "all", cells, jobs=1)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "all" / "cells").iterdir()]
    steps = [step for text in texts for step in json.loads(text)["steps"]]
    assert any(one.startswith("(= ") for step in steps for way in step["ways"] for one in way["concludes"])
    code, printed = run(tmp_path / "all")
    assert code == 0, printed


@pytest.mark.slow
def test_thresholds_at_a_cutoff_are_confirmed(tmp_path: Path) -> None:
    """At a given cutoff each verdict on the thresholds agrees with the scores, of tools' formulas and of one's own."""
    metrics = ["nDCG@5", "ERR_IA@10", "alpha-nDCG@6", "ndeval.alpha_nDCG@4", "RBU(p=0.99,e=0.05)@4"]
    more = [
        "alpha-nDCG@20",
        "ndeval.P_IA@5",
        "nRBU@6",
        "RBP@7",
        "alphabeta_nDCG@6",
        "Dsharp_nDCG@5",
        "NRBP@4",
        "RBU@30",
    ]
    metrics += random.sample(more[1:], 1) if times(0, 1) == 0 else more
    cells = cells_of(metrics, ["DeepTh", "CloseTh"], None, None, 600.0)
    verdicts = {verdict.verdict for verdict in write_certificates(tmp_path / "all", cells, jobs=1)}
    assert {"holds", "region", "fails"} <= verdicts
    code, printed = run(tmp_path / "all")
    assert code == 0, printed


@pytest.mark.slow
def test_a_metric_of_a_tool_is_confirmed(tmp_path: Path) -> None:
    """Its name, its outline and the ranges of the parameters that its formula has are in the certificate."""
    names = ["ndeval.alpha_nDCG@5", "ndeval.ERR_IA@5", "ndeval.nERR_IA@5", "ndeval.strec@5", "ndeval.NRBP"]
    write_certificates(tmp_path / "all", cells_of(names, ["Conf", "Red"], None, None, 600.0), jobs=1)
    assert run(tmp_path / "all")[0] == 0


@cache
def confirmed(folder: Path, cell: str) -> bool:
    """Whether the checker confirms an unchanged cell; cached, because many changes are made to the same cell."""
    with TemporaryDirectory() as place:
        return run(copy_of(folder, Path(place), cell))[0] == 0


def copy_of(folder: Path, place: Path, *cells: str) -> Path:
    """A copy of some cells, with the checker and their queries."""
    copy = place / "copy"
    (copy / "cells").mkdir(parents=True)
    (copy / "queries").mkdir()
    for name in (*CHECKER, *(f"cells/{cell}" for cell in cells)):
        shutil.copyfile(folder / name, copy / name)
    texts = [(copy / "cells" / cell).read_text(encoding="utf-8") for cell in cells]
    for name in {name for text in texts for name in re.findall(r'"([^"]+\.smt2)"', text)}:
        shutil.copyfile(folder / "queries" / name, copy / "queries" / name)
    return copy


def tampered(folder: Path, tmp_path: Path, change: Any) -> Any:
    """Changes the first suitable cell in a copy and runs the checker, which confirms it unchanged."""
    for path in sorted((folder / "cells").iterdir()):
        data = json.loads(path.read_text(encoding="utf-8"))
        if change(data):
            assert confirmed(folder, path.name)
            copy = copy_of(folder, tmp_path, path.name)
            (copy / "cells" / path.name).write_text(json.dumps(data), encoding="utf-8")
            return run(copy)
    raise AssertionError("nothing to change")


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_certificate_is_rejected(folder: Path, tmp_path: Path, change: Any) -> None:
    """Whichever part is changed, the checker reports a disagreement."""
    code, printed = tampered(folder, tmp_path, change)
    assert code == 1 and not printed.splitlines()[-1].startswith("0 disagreements"), printed


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["RBP__CloseTh__charitable", "RBP-IA__Conf__as-written", "nDCG@k__Sat__as-written"])
def test_every_changed_field_is_refused_or_printed_as_not_covered(folder: Path, cell: str) -> None:
    """Each field of a certificate changed by itself: what is accepted is in the checker's list of what it does not cover."""
    path = next(path for path in (folder / "cells").iterdir() if cell in path.name)
    tried = try_every_field(folder, path, times(1, 3))
    accepted = {name for name, outcome in tried if outcome == "accepted"}
    assert sum(tried.values()) > 30
    assert {name for name in accepted if is_covered(name)} == set()


def test_a_damaged_certificate_is_a_disagreement(folder: Path, tmp_path: Path) -> None:
    """A part of another kind, or one that is missing, is reported without a traceback."""
    path = next((folder / "cells").iterdir())
    data = json.loads(path.read_text(encoding="utf-8"))
    changes: list[dict[str, Any]] = [
        {"verdict": {**data["verdict"], "region": "x"}},
        {"steps": None},
        {"shapes": [{}]},
    ]
    for change in changes:
        copy = copy_of(folder, tmp_path / str(next(iter(change))), path.name)
        (copy / "cells" / path.name).write_text(json.dumps({**data, **change}), encoding="utf-8")
        assert run(copy)[0] == 1


@pytest.mark.slow
def test_certificates_at_one_relevance(tmp_path: Path) -> None:
    """Claims about one r_c are confirmed; with another r_c, or about an axiom that has none, they are refused."""
    named = replace(READINGS["charitable"], r_c=Fraction(1, 2), small_rc=False, name="charitable, r_c = 1/2")
    write_certificates(tmp_path / "all", cells_of(["RBU(p=0.8,e=0.05)"], ["CloseTh"], [named], None, 600.0), jobs=1)
    assert run(tmp_path / "all")[0] == 0
    (path,) = (tmp_path / "all" / "cells").iterdir()
    data = json.loads(path.read_text(encoding="utf-8"))
    for reading in ({"r_c": "1/3"}, {"r_c": "1/3", "name": "charitable, r_c = 1/3"}, {"small_rc": True}):
        path.write_text(json.dumps({**data, "reading": {**data["reading"], **reading}}), encoding="utf-8")
        assert run(tmp_path / "all")[0] == 1


def test_the_suite_of_changes_is_large() -> None:
    """At least sixty kinds of change are tried."""
    assert len(CHANGES) + len(QUERIES) >= 60


def test_the_checker_has_the_definitions_of_the_catalogue() -> None:
    """The outline of each metric in the checker is that of the catalogue's formula."""
    claims = importlib.import_module("diveval.axioms.proof.bundled.claims")
    for row in (*ROWS, *(entry.name for entry in OWN if entry.name != "Judged")):
        name = re.sub(r"[(@].*", "", row)
        assert claims.DEFINITIONS[name] == claims._outline(declare(as_symbolic(row).formula)), row


def query_of_a_swap(folder: Path, tmp_path: Path) -> Path:
    """A query of one step of one cell, in a copy that the checker confirms."""
    path = next(path for path in sorted((folder / "cells").iterdir()) if "RBP-IA__Pri__charitable" in path.name)
    assert confirmed(folder, path.name)
    data = json.loads(path.read_text(encoding="utf-8"))
    named = next(step for step in data["steps"] if step["name"] == "swap")["ways"][0]["queries"][0]
    return copy_of(folder, tmp_path, path.name) / "queries" / str(named)


QUERIES: dict[str, tuple[str, Callable[[str], str]]] = {
    "assumes false": ("false", lambda text: "(assert false)\n(check-sat)\n"),
    "assumes more": (
        "(< d1 (- 1.0))",
        lambda text: text.replace("(check-sat)", "(assert (< d1 (- 1.0)))\n(check-sat)"),
    ),
    "indented": (" (assert false)", lambda text: text.replace("(check-sat)", " (assert false)\n(check-sat)")),
    "two on a line": (
        "true) (assert false",
        lambda text: text.replace("(check-sat)", "(assert true) (assert false)\n(check-sat)"),
    ),
    "another command": ("define-fun", lambda text: "(define-fun x () Real 1.0)\n" + text),
    "another claim": (
        "(< (+ 1.0 x) 0)",
        lambda text: text.replace("(assert (<= ", "(assert (< (+ 1.0 x) 0))\n(assert (<= ", 1),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("assumption", "change"), QUERIES.values(), ids=QUERIES)
def test_a_query_that_assumes_more_is_rejected(folder: Path, tmp_path: Path, assumption: str, change: Any) -> None:
    """A query with an additional assumption is rejected, and the assumption is named."""
    query = query_of_a_swap(folder, tmp_path)
    before = query.read_text(encoding="utf-8")
    query.write_text(change(before), encoding="utf-8")
    assert query.read_text(encoding="utf-8") != before
    code, printed = run(query.parents[1])
    assert code == 1 and assumption in printed


@pytest.mark.slow
def test_the_solver_rejects_a_query_that_assumes_less(folder: Path, tmp_path: Path) -> None:
    """Without a premise the claim does not follow, and the query is named."""
    pytest.importorskip("cvc5")
    query = query_of_a_swap(folder, tmp_path)
    lines = query.read_text(encoding="utf-8").splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("(assert "))
    query.write_text("\n".join(lines[:last] + lines[last + 1 :]) + "\n", encoding="utf-8")
    code, printed = run(query.parents[1], "--solver", "cvc5")
    assert code == 1 and f"to {query.name}" in printed


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    (tmp_path / "mine.txt").write_text("kept", encoding="utf-8")
    with refuses("folder-not-empty", str(tmp_path)):
        write_certificates(tmp_path, cells_of(["RR"], ["Conf"], ["charitable"], None, 60.0))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
