"""The Coq proofs: the manifest agrees with the engine and the files, and Coq, if installed, compiles them.

`make proofs` installs Coq, runs its independent checker and prints what every theorem assumes.
"""

import csv
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.programs import load
from support.shared import THOROUGH, times

ROOT = Path(__file__).parents[3]
PROOFS = ROOT / "proofs"
if not PROOFS.is_dir():
    pytest.skip("the proofs are not part of this installation", allow_module_level=True)

with (PROOFS / "manifest.csv").open(encoding="utf-8", newline="") as file:
    MANIFEST = list(csv.DictReader(file))
FILES = [line.strip() for line in (PROOFS / "_CoqProject").read_text().splitlines() if line.endswith(".v")]
TABLE_ROWS = ("ERR@k", "RBP", "RBP-IA", "ERR-IA@k", "NRBP", "EU", "CT@k", "RBU@k")


def cell(row: Any) -> Any:
    return row["metric"], row["axiom"], row["reading"]


def script(name: str) -> ModuleType:
    """A script of proofs/, loaded as a module."""
    return load(PROOFS / f"{name}.py", f"proofs_{name}")


def theorems(file: Any) -> Any:
    """The statements of a Coq file, by name; comments are left out."""
    text = re.sub(r"\(\*.*?\*\)", "", (PROOFS / file).read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"^Theorem (\w+)(.*?)\.\s*\nProof\.", text, re.DOTALL | re.MULTILINE)
    return {name: " ".join(statement.split()) for name, statement in found}


def test_each_cell_has_one_theorem() -> None:
    """No cell has two theorems, and every theorem is in the file that the manifest names."""
    assert max(Counter(map(cell, MANIFEST)).values()) == 1
    stated = {file: theorems(file) for file in FILES}
    assert [row for row in MANIFEST if row["theorem"] not in stated[row["file"]]] == []


def test_statements_are_about_their_cell() -> None:
    """A theorem states the constraint and reading of its cell, negated exactly if the verdict is `fails`."""
    stated = {name: text for file in FILES for name, text in theorems(file).items()}
    wrong = []
    for row in MANIFEST:
        text = stated[row["theorem"]]
        reading = row["reading"].replace("-", "_")
        names = [
            f"{row['axiom']}_{reading} ",
            f"{row['axiom']}_{reading}_within ",
            f"{row['axiom']}_{reading}_within_at ",
            f"{row['axiom']}_at ",
        ]  # CloseTh_at: at one relevance r
        claims = any(name in text for name in names)
        sign = (
            "~" in text
            if row["verdict"] == "fails"
            else "<->" in text
            if row["verdict"] == "region"
            else "~" not in text
        )
        if not (claims and sign):
            wrong.append((*cell(row), text))
    assert wrong == []


def test_nothing_is_assumed() -> None:
    """No statement is admitted or declared as an axiom, and every file belongs to the project."""
    assert sorted(path.name for path in PROOFS.glob("*.v")) == sorted(FILES)
    text = "\n".join((PROOFS / file).read_text(encoding="utf-8") for file in FILES)
    assert re.findall(r"Admitted|Axiom |Parameter |admit\b", text) == []


def disagrees(proved: Any, verdict: Any) -> Any:
    """Whether a verdict of the engine contradicts a theorem; `unknown`, and `bounded` for `holds`, do not."""
    return verdict not in {"holds": ("holds", "bounded", "unknown")}.get(proved, (proved, "unknown"))


@pytest.mark.slow
def test_engine_agrees_with_the_theorems(full_matrix: Any) -> None:
    """No verdict of the engine contradicts the theorem of its cell."""
    from diveval.axioms import matrix

    decided = {(v.metric, v.axiom, v.reading): v.verdict for v in full_matrix}
    others = list(dict.fromkeys(row["metric"] for row in MANIFEST if cell(row) not in decided))
    others = others if THOROUGH else random.sample(others, min(2, len(others)))  # a different sample each time
    decided |= {(v.metric, v.axiom, v.reading): v.verdict for v in matrix(others, jobs=times(1, 2), time_limit=3600)}
    wrong = [
        (*cell(row), row["verdict"], decided[cell(row)])
        for row in MANIFEST
        if cell(row) in decided and disagrees(row["verdict"], decided[cell(row)])
    ]
    assert wrong == []


@pytest.mark.slow
def test_every_cell_of_the_sum_rows_is_proved(full_matrix: Any) -> None:
    """Every applicable cell of the rows of Table 1 that are sums has a theorem."""
    proved = set(map(cell, MANIFEST))
    left = [
        (v.metric, v.axiom, v.reading)
        for v in full_matrix
        if v.metric in TABLE_ROWS and v.verdict != "not-applicable" and (v.metric, v.axiom, v.reading) not in proved
    ]
    assert left == []


def test_a_contradiction_is_detected() -> None:
    """The comparison distinguishes a wrong verdict from a weaker one."""
    assert disagrees("holds", "fails") and disagrees("fails", "holds") and disagrees("region", "holds")
    assert not disagrees("holds", "bounded") and disagrees("fails", "bounded") and not disagrees("fails", "fails")


def test_examples_are_up_to_date() -> None:
    """Examples.v holds at least 300 rankings with the scores of the current exact interpreter."""
    text = (PROOFS / "Examples.v").read_text(encoding="utf-8")
    assert text == script("examples").text(), "run `python proofs/examples.py > proofs/Examples.v`"
    assert text.count("\nExample ") >= 300


def test_statements_at_a_cutoff_are_about_the_cut_metric() -> None:
    """Every row with a cutoff cites a theorem about `cut k`; none cites one about the metric without."""
    stated = {name: text for file in FILES for name, text in theorems(file).items()}
    assert [row for row in MANIFEST if "@" in row["metric"] and "(cut k " not in stated[row["theorem"]]] == []


def test_terms_are_those_of_the_declarations() -> None:
    """Terms.v has, for each metric of the manifest, the term that its declaration in Python gives."""
    text = (PROOFS / "Terms.v").read_text(encoding="utf-8")
    assert text == script("terms").terms(), "run `python proofs/terms.py > proofs/Terms.v`"
    assert text.count("reflexivity") == len({row["metric"] for row in MANIFEST})


def test_a_changed_declaration_changes_its_term(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another discount, limit or cutoff of a metric gives another term."""
    from dataclasses import replace

    from diveval.axioms.proof import subjects
    from diveval.metrics.algebra import Decay, Reciprocal
    from diveval.metrics.formulas import Sum

    terms, known = script("terms"), subjects.as_symbolic("CT@k")
    assert isinstance(known.formula, Sum)
    changes: list[Any] = [
        replace(known, formula=replace(known.formula, discount=Reciprocal(), novelty=Decay(1, 2))),
        replace(known, cutoff=None),
        replace(known, formula=replace(known.formula, effort=1)),
    ]
    for changed in changes:
        monkeypatch.setattr(terms, "as_symbolic", lambda name, changed=changed: changed)
        assert terms.term_of("CT@k") != "(cut k (score (Sum given reciprocal (cube alpha 1) 0)))"


def test_manifest_is_part_of_the_package() -> None:
    """`diveval axioms METRIC AXIOM` reads the same file that the proofs are checked with."""
    from importlib.resources import files

    packaged = files("diveval.axioms.specification").joinpath("manifest.csv").read_text(encoding="utf-8")
    assert packaged == (PROOFS / "manifest.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("metric", "axiom", "reading", "verdict", "theorem"),
    [
        ("RBU", "Pri", "charitable", "holds", "rbu_pri"),
        ("RBU@k", "Pri", "as-written", "fails", "pri_cut_fails"),
        ("RBU(p=0.9,e=0.01)@20", "Sat", "as-written", "holds", "rbu_cut_sat_as_written"),
        ("CT@k", "Sat", "charitable", "holds", "ct_cut_sat"),
        ("RBU", "CloseTh", "charitable", "region", "rbu_closeth_iff"),
        ("RBU@k", "CloseTh", "charitable", "region", "rbu_cut_closeth_iff"),
        ("RBU@k", "DeepTh", "charitable", "region", "rbu_cut_deepth_iff"),
        ("RBP@10", "Pri", "charitable", "holds", "rbp_pri"),
        ("RBP@10", "Conf", "charitable", "fails", None),  # the pair of the theorem may not fit the cutoff
        ("RBP@k", "CloseTh", "charitable", "region", None),  # the region without a cutoff is another one
        ("RBU", "Pri", "charitable", "fails", None),  # a theorem is never cited for another verdict
        ("RBU(e=0)", "Pri", "charitable", "holds", None),  # theorems assume e > 0
        ("RBU(scale=evall)", "Pri", "charitable", "holds", None),
        ("CT(limit=2)", "Sat", "charitable", "holds", None),
        ("RBU@20", "CloseTh", "charitable", "region", None),  # the cutoff bounds m
        ("P@k", "Pri", "charitable", "fails", None),
    ],
)
def test_theorems_are_cited_for_what_they_cover(
    metric: str, axiom: str, reading: str, verdict: str, theorem: Any
) -> None:
    """A verdict cites the theorem of its cell, also for a setting inside the ranges, and nothing else."""
    from diveval.axioms.proof.published import find_theorem
    from diveval.axioms.proof.subjects import as_symbolic
    from diveval.axioms.specification.constraints import AXIOMS
    from diveval.axioms.specification.readings import READINGS

    citation = find_theorem(as_symbolic(metric), AXIOMS[axiom], READINGS[reading], verdict)
    assert citation.partition(" in ")[0] == (theorem or "")


def test_another_reading_of_the_same_name_cites_nothing() -> None:
    """A modified reading or axiom is not what was proved."""
    from dataclasses import replace

    from diveval.axioms.proof.published import find_theorem
    from diveval.axioms.proof.subjects import as_symbolic
    from diveval.axioms.specification.constraints import AXIOMS
    from diveval.axioms.specification.readings import CHARITABLE

    assert find_theorem(as_symbolic("RBU"), AXIOMS["Pri"], replace(CHARITABLE, swap="any"), "holds") == ""
    assert find_theorem(as_symbolic("RBU"), replace(AXIOMS["Pri"], title="mine"), CHARITABLE, "holds") == ""


def test_explain_cites_the_theorem() -> None:
    """`diveval axioms METRIC AXIOM` names the theorem and its file, in text and in JSON."""
    from diveval.axioms import check

    verdict = check("RBU", "Conf")
    assert "rbu_conf in proofs/Rbu.v" in str(verdict)
    assert verdict.as_dict()["theorem"] == "rbu_conf in proofs/Rbu.v"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed: `make proofs` installs it")
def test_coq_compiles_the_proofs() -> None:
    """Coq accepts every file, every cell of the manifest follows from its theorem, and the examples agree."""
    done = subprocess.run(
        [PROOFS / "check", "compile"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PROOFS_BUILD": str(ROOT / "build" / "proofs")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
