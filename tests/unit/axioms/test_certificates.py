"""Certificates: written for anyone, checked without diveval, and any change to them is noticed."""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from diveval.axioms.presentation.matrix import cells_of
from diveval.axioms.proof import checker
from diveval.axioms.proof.certificates import write_certificates
from diveval.errors import UsageError

CELLS = (["RBP-IA", "nDCG@k", "EU(alpha=0.5,e=0.5)"], ["Pri", "AspDiv", "Conf", "Sat", "DeepTh", "CloseTh"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of a few metrics under both readings."""
    target = tmp_path_factory.mktemp("certificates") / "all"
    write_certificates(target, cells_of(*CELLS, None, None, 600.0), jobs=1)
    return target


def run(folder: Path, *words: str) -> Any:
    """The checker as its reader runs it: another process, isolated from this package."""
    command = [sys.executable, "-I", str(folder / "check.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def test_the_checker_needs_python_alone() -> None:
    """At most 400 lines, nothing of diveval, nothing installed unless a solver is asked for."""
    source = Path(checker.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400
    imported = [
        line.split()[1].partition(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))
    ]
    assert set(imported) <= sys.stdlib_module_names | {"__future__"}


@pytest.mark.slow
def test_every_cell_is_confirmed_and_another_solver_agrees(folder: Path) -> None:
    """Counterexamples are scored again, shapes and steps hold together, cvc5 says `unsat` to every query."""
    solver = ["--solver", "cvc5"] if importlib.util.find_spec("cvc5") else []
    done = run(folder, *solver)
    assert done.returncode == 0, done.stdout
    assert "36 cells" in done.stdout and "\n0 disagreements" in done.stdout
    assert not solver or "unsat" in done.stdout
    assert len(list((folder / "cells").iterdir())) == 36


@pytest.mark.slow
def test_steps_that_conclude_an_equality_are_confirmed(tmp_path: Path) -> None:
    """Their queries assume that two values differ: the negation of the claim, and nothing more."""
    cells = [
        *cells_of(["S-Recall@k"], ["Sat", "CloseTh"], ["charitable"], None, 600.0),
        *cells_of(["P-IA@k", "AP-IA"], ["AspRel"], ["charitable"], None, 600.0),
    ]
    write_certificates(tmp_path / "all", cells, jobs=1)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "all" / "cells").iterdir()]
    steps = [step for text in texts for step in json.loads(text)["steps"]]
    assert any(one.startswith("(= ") for step in steps for way in step["ways"] for one in way["concludes"])
    done = run(tmp_path / "all")
    assert done.returncode == 0, done.stdout


@cache
def confirmed(folder: Path, cell: str) -> bool:
    """Whether the checker confirms one cell as it was written; many changes are made to the same cell."""
    with TemporaryDirectory() as place:
        return bool(run(alone(folder, cell, Path(place))).returncode == 0)


def alone(folder: Path, cell: str, place: Path) -> Path:
    """A copy of one cell, with what every cell needs."""
    copy = place / "copy"
    (copy / "cells").mkdir(parents=True)
    for name in ("check.py", f"cells/{cell}"):
        shutil.copyfile(folder / name, copy / name)
    named = set(re.findall(r'"([^"]+\.smt2)"', (copy / "cells" / cell).read_text(encoding="utf-8")))
    shutil.copytree(folder / "queries", copy / "queries", ignore=lambda _, files: set(files) - named)
    return copy


def tampered(folder: Path, tmp_path: Path, change: Any) -> Any:
    """The first cell that could be changed, in a copy: confirmed before, checked after."""
    for path in sorted((folder / "cells").iterdir()):
        data = json.loads(path.read_text(encoding="utf-8"))
        if change(data):
            assert confirmed(folder, path.name)
            copy = alone(folder, path.name, tmp_path)
            (copy / "cells" / path.name).write_text(json.dumps(data), encoding="utf-8")
            return run(copy)
    raise AssertionError("nothing to change")


def steps(data: Any, kind: str = "claim") -> list[Any]:
    """The steps of a kind in a proof for every length of a constraint about all rankings."""
    return [step for step in data["steps"] if step["kind"] == kind and data["shapes"]]


def exchanged(data: Any) -> bool:
    """The two rankings of a counterexample exchanged: the better one now scores more."""
    found = data["verdict"]["counterexample"]
    if found is None or found["scores"][0] == found["scores"][1]:
        return False
    found["better"], found["worse"] = found["worse"], found["better"]
    return True


def wrong_score(data: Any) -> bool:
    """A score that is not that of the definition."""
    found = data["verdict"]["counterexample"]
    if found is not None:
        found["decimals"][0] = "0.123456"
    return found is not None


def no_pair_of_the_constraint(data: Any) -> bool:
    """Two rankings that tie, but of which the constraint says nothing."""
    found = data["verdict"]["counterexample"]
    if found is None or data["verdict"]["axiom"] != "Pri":
        return False
    found["better"] = found["worse"]
    found["decimals"][0] = found["decimals"][1]
    return True


def another_setting(data: Any) -> bool:
    """A counterexample to another metric."""
    formula = data["counterexample_formula"]
    if formula is None or formula["kind"] != "Sum" or formula["effort"] == "0":
        return False
    data["formula"]["effort"] = "1/7"
    return True


def failure_as_proof(data: Any) -> bool:
    """The claim turned round."""
    changes: bool = data["verdict"]["verdict"] == "fails"
    data["verdict"]["verdict"] = "holds"
    return changes


def proof_as_failure(data: Any) -> bool:
    """The claim turned round the other way."""
    changes: bool = data["verdict"]["verdict"] == "holds"
    data["verdict"]["verdict"] = "fails"
    return changes


def of_another_constraint(data: Any) -> bool:
    """The evidence for one constraint, claimed of another."""
    changes: bool = data["verdict"]["axiom"] == "Pri"
    data["verdict"]["axiom"] = "Deep"
    return changes


def of_another_reading(data: Any) -> bool:
    """The evidence for contiguous swaps, claimed of any."""
    changes: bool = (
        data["verdict"]["axiom"] == "Pri" and data["reading"]["swap"] == "contiguous" and bool(data["shapes"])
    )
    data["reading"]["swap"] = "any"
    data["reading"]["contribution"] = "each"
    return changes


def of_another_metric(data: Any) -> bool:
    """The evidence for one metric, claimed of another."""
    changes = bool(data["shapes"]) and data["formula"]["kind"] == "Sum"
    if changes:
        data["formula"]["novelty"]["kind"] = "BestSoFar"
    return changes


def wrong_polynomial(data: Any) -> bool:
    """The metric of a shape replaced by another."""
    for shape in data["shapes"]:
        if shape["formula"]["kind"] == "Sum":
            shape["formula"]["effort"] = "1/7"
            shape["better"].append(["1.0" for _ in shape["weights"]])
            return True
    return False


def flipped_sign(data: Any) -> bool:
    """The polynomial of a shape with its sign turned."""
    for shape in data["shapes"]:
        way = shape["ways"][0]
        way["gap"] = f"(- {way['gap']})"
        return True
    return False


def shape_left_out(data: Any) -> bool:
    """One shape fewer than the proof speaks of."""
    changes = len(data["shapes"]) > 1 and data["verdict"]["axiom"] not in ("DeepTh", "CloseTh")
    data["shapes"] = data["shapes"][1:]
    return changes


def stronger_shape(data: Any) -> bool:
    """A shape that assumes more than its constraint does."""
    for shape in data["shapes"]:
        symbol = next((r for row in shape["worse"] for r in row if r[0] == "r"), None)
        if symbol is not None:
            shape["held"].append(f"(< (+ {symbol} (- (/ 1.0 2.0))) 0)")
            return True
    return False


def weaker_shape(data: Any) -> bool:
    """A shape without a premise of its constraint."""
    for shape in data["shapes"]:
        kept = [text for text in shape["held"] if text in data["ranges"]]
        if kept != shape["held"]:
            shape["held"] = kept
            return True
    return False


def unfounded(data: Any) -> bool:
    """A step that rests on one that is not there."""
    for step in data["steps"]:
        for given in step["given"]:
            if given["from"].startswith("step "):
                given["from"] = "step nowhere"
                return True
    return False


def dropped(place: int) -> Callable[[Any], bool]:
    """A proof without one of its steps."""

    def change(data: Any) -> bool:
        changes = len(data["steps"]) > 2
        if changes:
            del data["steps"][place]
        return changes

    return change


def premises_dropped(data: Any) -> bool:
    """Premises taken away, so that a query assumes more than its step is given."""
    for step in data["steps"]:
        if step["kind"] == "claim" and step["given"]:
            step["given"] = []
            return True
    return False


def assumed(source: str, formula: str) -> Callable[[Any], bool]:
    """A premise that nothing justifies: what should be shown, a narrower range, an impossibility."""

    def change(data: Any) -> bool:
        for step in steps(data):
            step["given"].append({"formula": formula, "from": source, "instance": {}})
            return True
        return False

    return change


def another_conclusion(data: Any) -> bool:
    """A later step cites what was not concluded."""
    for step in data["steps"]:
        for given in step["given"]:
            if given["from"].startswith("step ") and given["from"] != "step logarithm":
                given["formula"] = "(< (+ d1 1.0) 0)"
                return True
    return False


def another_bound(data: Any) -> bool:
    """A later step cites a conclusion with another number on its right side."""
    for step in steps(data):
        for given in step["given"]:
            if given["from"].startswith("step ") and given["formula"].endswith(" 0)"):
                given["formula"] = given["formula"][:-2] + "5)"
                return True
    return False


def invented_fact(data: Any) -> bool:
    """The fact that no solver is asked cited for something else."""
    for step in data["steps"]:
        for given in step["given"]:
            if given["from"] == "step logarithm":
                given["formula"] = "(< (* gain (- (/ 1.0 1.0))) 0)"
                return True
    return False


def invariant_strengthened(data: Any) -> bool:
    """An invariant that neither the start nor the step shows."""
    for step in steps(data, "induction"):
        step["invariant"].append(f"(< (+ {step['variables'][0]} 7.0) 0)")
        return True
    return False


def unasked(data: Any) -> bool:
    """A conclusion for which no query stands."""
    for step in steps(data):
        step["ways"][0]["queries"] = []
        return True
    return False


CHANGES: dict[str, Callable[[Any], bool]] = {
    change.__name__: change
    for change in (
        exchanged,
        wrong_score,
        no_pair_of_the_constraint,
        another_setting,
        failure_as_proof,
        proof_as_failure,
        of_another_constraint,
        of_another_reading,
        of_another_metric,
        wrong_polynomial,
        flipped_sign,
        shape_left_out,
        stronger_shape,
        weaker_shape,
        unfounded,
        premises_dropped,
        another_conclusion,
        another_bound,
        invented_fact,
        invariant_strengthened,
        unasked,
    )
} | {
    "first_step_dropped": dropped(0),
    "last_step_dropped": dropped(-1),
    "conclusion_assumed": assumed("range", "(< (* gain (- (/ 1.0 1.0))) 0)"),
    "conclusion_as_premise": assumed("premise", "(< (* gain (- (/ 1.0 1.0))) 0)"),
    "narrower_range": assumed("range", "(< (+ x 3.0) 0)"),
    "impossible_premise": assumed("premise", "(< (+ y (* x (- (/ 1.0 1.0)))) 0)"),
    "gain_defined": assumed("definition", "(= (+ gain (- (/ 1.0 1.0))) 0)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_certificate_is_noticed(folder: Path, tmp_path: Path, change: Any) -> None:
    """Whatever part is changed, the checker disagrees and says where."""
    done = tampered(folder, tmp_path, change)
    assert done.returncode == 1 and not done.stdout.splitlines()[-1].startswith("0 disagreements"), done.stderr


def query_of_a_swap(folder: Path, tmp_path: Path) -> Path:
    """A query of one step of one cell, in a copy that the checker confirms."""
    path = next(path for path in sorted((folder / "cells").iterdir()) if "RBP-IA__Pri__charitable" in path.name)
    assert confirmed(folder, path.name)
    data = json.loads(path.read_text(encoding="utf-8"))
    named = next(step for step in data["steps"] if step["name"] == "swap")["ways"][0]["queries"][0]
    return alone(folder, path.name, tmp_path) / "queries" / str(named)


QUERIES: dict[str, Callable[[str], str]] = {
    "assumes false": lambda text: "(assert false)\n(check-sat)\n",
    "assumes more": lambda text: text.replace("(check-sat)", "(assert (< d1 (- 1.0)))\n(check-sat)"),
    "another claim": lambda text: text.replace("(assert (<= ", "(assert (< (+ 1.0 x) 0))\n(assert (<= ", 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", QUERIES.values(), ids=QUERIES)
def test_a_query_that_assumes_more_is_noticed(folder: Path, tmp_path: Path, change: Any) -> None:
    """A query that is `unsat` for another reason than its claim is no evidence."""
    query = query_of_a_swap(folder, tmp_path)
    before = query.read_text(encoding="utf-8")
    query.write_text(change(before), encoding="utf-8")
    assert query.read_text(encoding="utf-8") != before
    done = run(query.parents[1])
    assert done.returncode == 1 and "a query assumes" in done.stdout


@pytest.mark.slow
def test_a_query_that_assumes_less_is_noticed_by_the_solver(folder: Path, tmp_path: Path) -> None:
    """Without a premise the claim does not follow, and the solver says so."""
    pytest.importorskip("cvc5")
    query = query_of_a_swap(folder, tmp_path)
    lines = query.read_text(encoding="utf-8").splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("(assert "))
    query.write_text("\n".join(lines[:last] + lines[last + 1 :]) + "\n", encoding="utf-8")
    done = run(query.parents[1], "--solver", "cvc5")
    assert done.returncode == 1 and f"to {query.name}" in done.stdout


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    """Nothing is overwritten."""
    (tmp_path / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(UsageError, match="empty"):
        write_certificates(tmp_path, cells_of(["RR"], ["Conf"], ["charitable"], None, 60.0))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
