"""Write the cells of the manifest as Coq statements: each theorem must prove the verdict that the manifest claims.

    python3 proofs/cells.py cells Cells.v               one statement per cell of the manifest
    python3 proofs/cells.py assumptions Assumptions.v   `Print Assumptions` of all theorems of the manifest, by file
    python3 proofs/cells.py report Assumptions.log      print the axioms of every theorem, and the counts

Needs only Python. A statement is derived from the names in the manifest, not from the theorem, so that a theorem about
another metric, axiom or reading does not pass.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Each metric of the manifest in Coq: its parameters, the premises about them, and the term.
METRICS = {
    "RBU": ("p e", ("0 < p < 1", "0 < e"), "RBU p e"),
    "RBP": ("p", ("0 < p < 1",), "RBP p"),
    "RBP-IA": ("p", ("0 < p < 1",), "RBP_IA p"),
    "ERR-IA": ("", (), "ERR_IA"),
    "ERR": ("", (), "ERR"),
    "NRBP": ("p alpha", ("0 < p < 1", "0 < alpha < 1"), "NRBP p alpha"),
    "alpha-DCG": ("alpha", ("0 < alpha < 1",), "alpha_DCG alpha"),
    "EU": ("alpha e", ("0 < alpha < 1", "0 < e"), "EU alpha e"),
    "CT": ("alpha", ("0 < alpha < 1",), "CT alpha 1"),
}
# The condition of each region: what its theorem states after "if and only if". CloseTh as written depends on the relevance r.
_EFFORT = "e * sum_to ({ranks} - 1) (fun i => {paid}) < r * (sum_to {shown} (fun j => {gained}) - {first})"
_RBU = {"paid": "p ^ (i + 2)", "gained": "p ^ (n + j + 1) * (1 - r) ^ j", "first": "p"}
_EU = {
    "paid": "shifted_log (S (S i))",
    "gained": "shifted_log (S (n + j)) * (1 - alpha) ^ j",
    "first": "shifted_log 1",
}
_SOME = "exists n, (1 <= n)%nat /\\ "
_FADING = _SOME + "{0} 1 < sum_to n (fun j => {0} (S (n + j)) * (1 - alpha) ^ j)"
REGIONS = {
    ("RBU@k", "DeepTh", "charitable"): "sum_to (k / 2) (fun j => p ^ (k / 2 + j + 1) * (1 - r) ^ j) < p",
    ("RBU", "CloseTh", "charitable"): "1 < p ^ 2 + p ^ 3",
    ("RBU", "CloseTh", "as-written"): _SOME + _EFFORT.format(ranks="2 * n", shown="n", **_RBU),
    ("RBU@k", "CloseTh", "charitable"): "(4 <= k)%nat /\\ 1 < p ^ 2 + p ^ 3",
    ("RBU@k", "CloseTh", "as-written"): _SOME
    + _EFFORT.format(ranks="Nat.min k (2 * n)", shown="(Nat.min (k - n) n)", **_RBU),
    ("RBP", "CloseTh", "charitable"): "1 < p ^ 2 + p ^ 3",
    ("RBP", "CloseTh", "as-written"): "1 < p ^ 2 + p ^ 3",
    ("RBP-IA", "CloseTh", "charitable"): "1 < p ^ 2 + p ^ 3",
    ("RBP-IA", "CloseTh", "as-written"): "1 < p ^ 2 + p ^ 3",
    ("NRBP", "CloseTh", "charitable"): "1 < p ^ 2 + p ^ 3 * (1 - alpha)",
    ("NRBP", "CloseTh", "as-written"): "1 < p ^ 2 + p ^ 3 * (1 - alpha)",
    ("alpha-DCG", "CloseTh", "charitable"): _FADING.format("logarithmic"),
    ("alpha-DCG", "CloseTh", "as-written"): _FADING.format("logarithmic"),
    ("EU", "CloseTh", "charitable"): _FADING.format("shifted_log"),
    ("EU", "CloseTh", "as-written"): _SOME + _EFFORT.format(ranks="2 * n", shown="n", **_EU),
    ("EU", "Sat", "charitable"): "1 <= alpha + e",
    ("EU", "Sat", "as-written"): "1 <= alpha + e",
}
# Axioms of Coq's real numbers and of classical logic, which they use.
LIBRARY = ("ClassicalDedekindReals.", "FunctionalExtensionality.", "Classical_Prop.")


def manifest() -> list[dict[str, str]]:
    """The rows of the manifest."""
    with (HERE / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def statement(row: dict[str, str]) -> str:
    """The statement that the theorem of a row must prove."""
    name, _, cutoff = row["metric"].partition("@")
    parameters, premises, term = METRICS[name]
    metric = f"({term})" if " " in term else term
    bound = [f"({parameters} : R)"] if parameters else []
    constraint = f"{row['axiom']}_{row['reading'].replace('-', '_')}"
    # Charitably no ranking is longer than k. Some premises cannot be met at k = 1.
    if cutoff:
        bound.append("(k : nat)")
        metric = f"(cut k {metric})"
        least = 2 if row["reading"] == "charitable" else 1
        if least == 1 or row["axiom"] == "DeepTh" or row["verdict"] == "fails":
            premises = (*premises, f"({least} <= k)%nat")
        constraint = constraint if least == 1 else f"{constraint}_within k"
    if row["verdict"] == "region":
        border = REGIONS[row["metric"], row["axiom"], row["reading"]]
        at = {"CloseTh_as_written": "CloseTh_at", "DeepTh_charitable_within k": "DeepTh_charitable_within_at k"}
        if constraint in at:
            bound.append("(r : R)")
            premises = (*premises, "0 < r < 1")
            claim = f"({at[constraint]} {metric} r <-> {border})"
        else:
            claim = f"({constraint} {metric} <-> {border})"
    else:
        claim = f"{'~ ' if row['verdict'] == 'fails' else ''}{constraint} {metric}"
    return (f"forall {' '.join(bound)}, " if bound else "") + " -> ".join([*premises, claim])


# The theorems about axioms that exclude each other, which no cell cites.
CONFLICTS = (
    *("deepth_closeth_exclusive", "reciprocal_exclusive", "logarithmic_exclusive", "geometric_not_monotone"),
    *("sat_iff_effort", "sat_iff_one_document", "sat_decay", "sat_red_exclusive"),
    *("counts_break_pri", "red_pri_exclusive", "conf_continuous_monotone_exclusive"),
    *("effort_breaks_closeth", "sat_closeth_exclusive"),
)


def _header(rows: list[dict[str, str]]) -> list[str]:
    files = dict.fromkeys([*(row["file"].removesuffix(".v") for row in rows), "Conflicts"])
    return [
        "From Coq Require Import Reals List.",
        f"From DivEval Require Import Definitions Constraints {' '.join(files)}.",
        "Open Scope R_scope.",
    ]


def cells() -> str:
    """A Coq file that proves the claim of every cell by its theorem."""
    rows = manifest()
    lines = _header(rows)
    for row in rows:
        lines.append(f"(* {row['metric']}, {row['axiom']}, {row['reading']}: {row['verdict']} *)")
        lines.append(f"Goal {statement(row)}. Proof. intros; apply {row['theorem']}; assumption. Qed.")
    return "\n".join(lines) + "\n"


def _by_file(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    out: dict[str, dict[str, None]] = {}
    for row in rows:
        out.setdefault(row["file"], {})[row["theorem"]] = None
    out["Conflicts.v"] = dict.fromkeys(CONFLICTS)
    return {file: list(theorems) for file, theorems in out.items()}


def assumptions() -> str:
    """A Coq file that prints the axioms that theorems use, together for those of a file.

    Each `Print Assumptions` traverses the real numbers, which takes a second: one per theorem would take minutes.
    """
    rows = manifest()
    lines = _header(rows)
    for file, theorems in _by_file(rows).items():
        lines.append(f'Goal True. idtac "FILE {file}". exact I. Qed.')
        name = f"theorems_of_{file.removesuffix('.v')}"
        lines.append(f"Definition {name} := ({', '.join(theorems)}). Print Assumptions {name}.")
    return "\n".join(lines) + "\n"


def report(path: Path) -> int:
    """Print every theorem with the axioms it may use, then the counts; returns 1 if one is not of Coq's real numbers."""
    rows = manifest()
    printed: dict[str, tuple[str, ...]] = {}
    for part in path.read_text(encoding="utf-8").split("FILE ")[1:]:
        file, _, rest = part.partition("\n")
        printed[file.strip()] = tuple(re.findall(r"^(\w[\w.]*\.\w+)\s*:", rest, re.MULTILINE))
    files = _by_file(rows)
    for file, theorems in files.items():
        axioms = ", ".join(printed.get(file, ("NOT CHECKED",))) or "nothing"
        for theorem in theorems:
            print(f"{theorem} ({file}): {axioms}")
    verdicts = Counter(row["verdict"] for row in rows).most_common()
    total = sum(map(len, files.values()))
    print(f"\n{len(rows)} cells by {total} theorems: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts))
    everything = sorted({axiom for axioms in printed.values() for axiom in axioms})
    print("assumed, all from Coq's own library: " + ", ".join(everything))
    foreign = [axiom for axiom in everything if not axiom.startswith(LIBRARY)]
    missing = sorted(set(files) - set(printed))
    if missing or foreign:
        print(f"not checked: {missing}; assumed beyond Coq's real numbers: {foreign}", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    command, path = sys.argv[1], Path(sys.argv[2])
    if command == "report":
        return report(path)
    path.write_text({"cells": cells, "assumptions": assumptions}[command](), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
