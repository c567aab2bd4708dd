"""The theorems in Coq by cell, for verdicts to cite: the file is the manifest that the proofs are checked with."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from diveval.axioms.proof.subjects import STRUCTURAL, Subject
from diveval.axioms.specification.constraints import AXIOMS, Axiom
from diveval.axioms.specification.readings import READINGS, Reading
from diveval.metrics.metric import Parameter
from diveval.metrics.names import MetricText, as_metric, find
from diveval.metrics.numbers import Number


@dataclass(frozen=True)
class Theorem:
    """A theorem of the folder proofs/, and the verdict that it proves."""

    name: str
    file: str
    verdict: str

    def __str__(self) -> str:
        return f"{self.name} in proofs/{self.file}"


@cache
def _by_cell() -> dict[tuple[str, bool, str, str], Theorem]:
    """By the catalogue's name, whether it has a cutoff, axiom and reading."""
    out = {}
    text = files("diveval.axioms.specification").joinpath("manifest.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        metric = MetricText.of(row["metric"])
        theorem = Theorem(row["theorem"], row["file"], row["verdict"])
        out[find(metric.name).name, metric.cutoff is not None, row["axiom"], row["reading"]] = theorem
    return out


def cited(who: Subject, axiom: Axiom, reading: Reading, verdict: str) -> Theorem | None:
    """The theorem that proves a verdict, if there is one: for this metric, exactly this axiom and exactly this reading.

    Theorems are about all parameters inside their ranges, so a setting is covered as well, unless it is at the end of a
    range or has another form (RBU's `scale=evall`, a cube of another size).
    """
    if AXIOMS.get(axiom.name) is not axiom or READINGS.get(reading.name) != reading:
        return None
    binds = who.cutoff is not None and reading.cutoff_binds
    # A cutoff that does not bind changes nothing, so that the theorem may be the one without.
    kinds = (True,) if binds else (who.cutoff is not None, False)
    found = (_by_cell().get((who.entry, cut, axiom.name, reading.name)) for cut in kinds)
    theorem = next((one for one in found if one is not None), None)
    if theorem is None or theorem.verdict != verdict or not _covered(who):
        return None
    # Where a fixed cutoff does not bind, no ranking is longer, so "some m" is not the same with it and without.
    if axiom.name in ("DeepTh", "CloseTh") and isinstance(who.cutoff, int) and not binds:
        return None
    return theorem


def _covered(who: Subject) -> bool:
    source = who.source.strip().removesuffix("@k") if isinstance(who.source, str) else who.source
    metric = as_metric(source)
    if metric.entry is None:
        return False
    return all(p in who.free or _inside(p, metric.values[p.name]) for p in metric.entry.parameters)


def _inside(parameter: Parameter, value: Number) -> bool:
    if parameter.choices or parameter.name in STRUCTURAL:
        return bool(value == parameter.default)
    return bool(parameter.low < value < parameter.high)
