"""A verdict: the answer, the reading it was given under, and the evidence. It prints itself and exports JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from diveval.axioms.proof.evidence import Answer, Counterexample, Proof, Region
from diveval.axioms.proof.explain import explained

# Only `holds` and `region` are proofs for every length; `bounded` is excluded up to a size and says nothing beyond.
MARKS = {
    "holds": "●",
    "bounded": "◕",
    "fails": "○",
    "region": "◐",
    "vacuous": "∅",
    "not-applicable": "–",
    "unknown": "?",
}
PROVED = ("holds", "region")


@dataclass(frozen=True)
class Verdict:
    """Whether a metric satisfies a constraint under a reading, and why."""

    metric: str
    axiom: str
    reading: str
    verdict: Answer
    paper: str = ""  # what Table 1 of the paper says: `holds`, `fails` or nothing
    region: Region | None = None
    counterexample: Counterexample | None = None
    proof: Proof | None = None
    note: str = ""
    parameters: str = ""  # for which parameters this was decided, e.g. `0 < p < 1, e > 0`
    uncut: str = ""  # the answer without a cutoff, where the cutoff alone decides
    title: str = ""  # of the constraint: its name in full, its formula, and what it asks for
    says: str = ""
    why: str = ""
    theorem: str = ""  # the theorem of the Coq development that says the same
    hurried: bool = False  # the time limit ended the search for a proof: not kept, as more time might find one

    @property
    def agrees(self) -> str:
        """`yes` or `no` against the paper's table, `partly` where it holds in a region only; empty without an answer.

        The table prints what does not apply as "fails", so `not-applicable` agrees with that.
        """
        if not self.paper or self.verdict in ("unknown", "bounded", "vacuous"):
            return ""
        if self.verdict == "region":
            return "partly"
        return "yes" if (self.verdict == "holds") == (self.paper == "holds") else "no"

    @property
    def evidence(self) -> str:
        """One line: the scores of the counterexample, the proof's bound, or why there is neither."""
        if self.verdict == "fails":
            return self._failure()
        if self.verdict in ("holds", "bounded", "region") and self.proof is not None:
            said = f"{self.proof}" + (f", for {self.parameters}" if self.parameters else "")
            return f"{said}; nothing beyond is claimed" if self.verdict == "bounded" else said
        return self.note

    def _failure(self) -> str:
        reason = str(self.proof) if self.proof is not None else ""
        found = self.counterexample
        if found is None:
            return reason or self.note
        where = ", ".join(f"{name}={value}" for name, value in found.setting.items())
        first, second = found.decimals
        scores = f"Q = {first} {found.relation} {second}" + (f" at {where}" if where else "")
        return "; ".join(part for part in (f"{found.label}: {scores}", reason, self.note) if part)

    def as_dict(self) -> dict[str, Any]:
        """Everything, in values JSON can hold; fractions as text."""
        region = None if self.region is None else {"formula": self.region.formula, "numbers": list(self.region.numbers)}
        return {
            "metric": self.metric,
            "axiom": self.axiom,
            "reading": self.reading,
            "verdict": self.verdict,
            "paper": self.paper,
            "agrees": self.agrees,
            "region": region,
            "evidence": self.evidence,
            "counterexample": None if self.counterexample is None else self.counterexample.as_dict(),
            "proof": None if self.proof is None else self.proof.as_dict(),
            "note": self.note,
            "parameters": self.parameters,
            "uncut": self.uncut,
            "title": self.title,
            "says": self.says,
            "why": self.why,
            "theorem": self.theorem,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Verdict:
        region, found, proof = data["region"], data["counterexample"], data["proof"]
        return cls(
            data["metric"],
            data["axiom"],
            data["reading"],
            data["verdict"],
            data["paper"],
            None if region is None else Region(region["formula"], tuple(region["numbers"])),
            None if found is None else Counterexample.from_dict(found),
            None if proof is None else Proof.from_dict(proof),
            data["note"],
            data["parameters"],
            data["uncut"],
            data["title"],
            data["says"],
            data["why"],
            data["theorem"],
        )

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.as_dict(), ensure_ascii=False, indent=2)

    def __str__(self) -> str:
        return explained(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
