"""What a certificate claims, bound to the evidence in it: metric, verdict, constraint, reading, cutoff, quantifiers."""

from __future__ import annotations

import random
import re
from fractions import Fraction as F
from typing import Any

from definitions import PARAMETERS, BoundFormula, is_instance, meets
from formulas import Env, parsed, random_point, same_comparison, symbols_of
from regions import THRESHOLDS

VERDICTS = ("holds", "bounded", "fails", "region", "vacuous", "not-applicable", "unknown")
LEAST = {
    "Pri": 2,
    "Deep": 4,
    "DeepTh": 2,
    "CloseTh": 2,
    "Conf": 2,
    "AspDiv": 1,
    "Red": 2,
    "MRed": 2,
    "Sat": 2,
    "AspRel": 1,
}
DIVERSITY = ("AspDiv", "Red", "MRed", "Sat", "AspRel")
# The options of the two readings that have a name; any other value is a reading of one's own and is printed.
WRITTEN: dict[str, Any] = {
    "contribution": "each",
    "swap": "any",
    "deep_threshold": "some",
    "padded": False,
    "small_rc": False,
    "r_c": None,
    "documents_behind": True,
    "full_relevance": True,
    "empty_prefix": False,
    "empty_ranking": False,
    "saturation": "any",
    "elsewhere": True,
    "same_ideal": False,
    "cutoff_binds": True,
    "overall": True,
}
KINDLY: dict[str, Any] = {
    "contribution": "sum",
    "swap": "contiguous",
    "deep_threshold": "eventually",
    "padded": True,
    "small_rc": True,
    "r_c": None,
    "documents_behind": False,
    "full_relevance": False,
    "empty_prefix": False,
    "empty_ranking": False,
    "saturation": "one",
    "elsewhere": False,
    "same_ideal": True,
    "cutoff_binds": False,
    "overall": False,
}
READINGS = {"as-written": WRITTEN, "charitable": KINDLY}
# Texts for people, and further queries: nothing rests on them, and the checker prints this list.
NOT_COVERED = (
    *("label", "title", "says", "why", "note", "evidence", "paper", "agrees", "uncut", "theorem", "parameters"),
    *("numbers", "scores", "bound", "witness", "claim", "rests_on", "by", "documents", "aspects", "every_length"),
    *("asked", "proof.steps"),
)
# Fields of which some changes are not noticed, and which.
PARTLY_COVERED = {
    "region.formula": "of regions without a given cutoff, which steps prove",
    "names": "what a step calls its terms",
    "variables": "what a step calls its terms",
    "instance": "what a step calls its terms",
    "shapes.held": "fewer assumptions, which prove more",
    "shapes.pool": "for metrics that do not read it",
    "shapes.same_ideal": "for metrics without an ideal",
    "shapes.ways.forks": "in cases that no random point reaches, which are counted",
    "shapes.ways.gap": "in cases that no random point reaches, which are counted",
    "counterexample.pool": "judged documents that are not ranked",
}


def is_covered(field: str) -> bool:
    """Whether every change of a field is refused, given its place in the file with dots between."""
    return not any(f".{one}." in f".{field}." for one in (*NOT_COVERED, *PARTLY_COVERED))


def list_faults(data: Any, source: random.Random) -> list[str]:
    """What the claim says that its evidence does not."""
    verdict, faults = data["verdict"], []
    faults += [] if verdict["verdict"] in VERDICTS else [f"{verdict['verdict']} is no verdict"]
    faults += [] if verdict["axiom"] in LEAST else [f"{verdict['axiom']} is none of the ten constraints"]
    faults += [] if READINGS.get(data["reading"]["name"]) == _options(data) or _is_at_rc(data) else ["no such reading"]
    if faults:
        return faults
    for check in (
        _cutoffs,
        _parameters,
        _name,
        _nothing_to_decide,
        _finite_thresholds,
        _quantifiers,
        _options_are_used,
    ):
        faults += check(data)
    return faults + _small_cutoffs(data, source)


def _options(data: Any) -> dict[str, Any]:
    return {name: option for name, option in data["reading"].items() if name != "name"}


def _is_at_rc(data: Any) -> bool:
    """Whether this is a named reading at one r_c, about a threshold, whose evidence has this relevance."""
    given, (base, _, said) = _options(data), data["reading"]["name"].partition(", r_c = ")
    named, r = READINGS.get(base), given.get("r_c")
    if named is None or r is None or said != r or not 0 < F(r) < 1 or data["verdict"]["axiom"] not in THRESHOLDS:
        return False
    example = data["verdict"]["counterexample"] or {"better": [], "worse": []}
    shown = {F(value) for side in ("better", "worse") for row in example[side] for value in row}
    return given == {**named, "small_rc": False, "r_c": r} and shown <= {F(0), F(r)}


def _parameters(data: Any) -> list[str]:
    """The ranges are those of the formula's symbols, and the counterexample's formula has the values of its setting."""
    if data["formula"] is None:
        return []
    leaves = [value for place, value in _leaves(data["formula"]) if place in PARAMETERS and isinstance(value, str)]
    free = symbols_of(parsed(text) for text in leaves)
    inside = {f"(< (* {name} (- (/ 1.0 1.0))) 0)" for name in free}
    inside |= {f"(< (+ {name} (- (/ 1.0 1.0))) 0)" for name in free - {"e"}}
    faults = [] if set(data["ranges"]) == inside else ["the ranges are not those of the formula's parameters"]
    example, setting = data["verdict"]["counterexample"], dict[str, str]()
    if example is None:
        return faults + ([] if data["counterexample_formula"] is None else ["a formula of no counterexample"])
    same = is_instance(data["formula"], data["counterexample_formula"], setting)
    used = {name: F(value) for name, value in setting.items()}
    said = {name: F(value) for name, value in example["setting"].items() if name not in ("r", "rmax")}
    faults += [] if same and used == said else ["the counterexample's formula has another setting"]
    judged, *ranked = (
        [row for row in example[name] if any(F(value) for value in row)] for name in ("pool", "better", "worse")
    )
    threshold = data["verdict"]["axiom"] in THRESHOLDS  # the document of the short ranking is another one
    most = {str(row): max(rows.count(row) for rows in ranked) + threshold for rows in ranked for row in rows}
    fits = all(judged.count(row) >= most[str(row)] for row in [*ranked[0], *ranked[1]])
    faults += [] if fits else ["the judged documents are not those of the counterexample"]
    return faults


def _cutoffs(data: Any) -> list[str]:
    """The evidence has the cutoff of the metric, and its rankings fit where the reading wants that."""
    k, example, binds = data["cutoff"], data["verdict"]["counterexample"], data["reading"]["cutoff_binds"]
    faults = []
    if data["formula"] is not None and data["formula"]["cutoff"] != (str(k) if isinstance(k, int) else None):
        faults.append("the formula has another cutoff than the metric")
    if example is not None and data["counterexample_formula"] is not None:
        used, shown = data["counterexample_formula"]["cutoff"], example["cutoff"]
        same = used == (None if shown is None else str(shown))
        right = shown is None if k is None else shown == k if isinstance(k, int) else isinstance(shown, int)
        fits = binds or shown is None or max(len(example["better"]), len(example["worse"])) <= shown
        faults += [] if same and right and fits else ["the counterexample has another cutoff than the metric"]
    for shape in data["shapes"]:
        used, length = shape["formula"]["cutoff"], max(len(shape["better"]), len(shape["worse"]))
        own = used == (None if k is None else str(k)) or ((k == "k" or binds) and used == str(max(length, 1)))
        faults += [] if own and (binds or not isinstance(k, int) or length <= k) else ["a shape has another cutoff"]
    return faults


def _name(data: Any) -> list[str]:
    """The cutoff and the numbers in the metric's name are those of its formula."""
    name, faults = data["verdict"]["metric"], []
    said = re.search(r"@(\d+|k)$", name)
    if data["formula"] is None or name.endswith("%") or "(cutoff=" in name:
        return []
    if str(data["cutoff"] or "") != (said[1] if said else ""):
        faults.append("the name of the metric has another cutoff")
    kinds = set(_kinds(data["formula"]))
    starts = [value for place, value in _leaves(data["formula"]) if place == "start"]
    faults += [] if {*starts} <= {"0", "1"} else ["a discount starts at p^0 or p^1"]
    known = DEFINITIONS.get(re.sub(r"[(@].*", "", name))
    if known is not None and not re.search(r"=[a-z]", name) and _outline(data["formula"]) != known:
        faults.append(f"{name} is not defined as {_outline(data['formula'])}")
    composed = known is not None or " × " in name or name.startswith(tuple(f"{kind}(" for kind in kinds))
    faults += [] if kinds and composed else [f"no metric is called {name}"]
    for key, number in re.findall(r"(\w+)=([\d./]+)", name):
        field = {"e": "effort", "lambda": "lam"}.get(key, key)
        written = [value for place, value in _leaves(data["formula"]) if place == field]
        faults += [] if not written or str(F(number)) in written else [f"{key} is not {number} in the formula"]
    return faults


def _leaves(part: Any) -> list[tuple[str, Any]]:
    if not isinstance(part, dict):
        return []
    here = [(key, value) for key, value in part.items() if not isinstance(value, dict)]
    return here + [one for value in part.values() for one in _leaves(value)]


def _kinds(part: Any) -> list[str]:
    return [value for key, value in _leaves(part) if key == "kind"]


def _outline(part: Any) -> str:
    """The parts of a formula by name, with the fields that are neither numbers nor the cutoff."""
    inner = [_outline(value) for value in part.values() if isinstance(value, dict)]
    words = [f"{key}={value}" for key, value in part.items() if isinstance(value, bool)]
    return f"{part['kind']}({', '.join([*words, *inner])})"


def _nothing_to_decide(data: Any) -> list[str]:
    """`vacuous` and `not-applicable` are true of the constraint and the metric alone."""
    said, k, axiom = data["verdict"]["verdict"], data["cutoff"], data["verdict"]["axiom"]
    short = isinstance(k, int) and not data["reading"]["cutoff_binds"] and k < LEAST[axiom]
    overall = data["formula"] is not None and "Overall" in _kinds(data["formula"])
    no_aspects = overall and axiom in DIVERSITY and not data["reading"]["overall"]
    if (said == "vacuous") != short and not (no_aspects and short):
        return ["vacuous although a ranking meets the premise" if said == "vacuous" else f"{said} of no ranking at all"]
    if said == "not-applicable" and not no_aspects:
        return ["it applies to a metric of aspects"]
    return []


def _pair_size(shape: Any) -> int:
    return max(len(shape["better"]), len(shape["worse"])) // 2


def _finite_thresholds(data: Any) -> list[str]:
    """A pair of DeepTh or CloseTh is a proof only where its n is the one that the quantifiers ask for."""
    verdict, k, reading = data["verdict"], data["cutoff"], data["reading"]
    if verdict["axiom"] not in ("DeepTh", "CloseTh") or verdict["verdict"] != "holds":
        return []
    fits = not isinstance(k, int) or reading["cutoff_binds"]
    sizes = [_pair_size(shape) for shape in data["shapes"]]
    if not fits and any(2 * n > k for n in sizes):
        return ["the rankings of the witness do not fit the cutoff"]
    every = verdict["axiom"] == "DeepTh" and reading["deep_threshold"] == "eventually"
    if every and sizes and (fits or sizes != [k // 2]):
        return ["one n does not show that every n from one on does"]
    return []


def _quantifiers(data: Any) -> list[str]:
    """A proof about every n ends with T(n) < 1 where DeepTh holds, T(n) ≥ 1 or no pair at all where it fails."""
    verdict, steps = data["verdict"], data["steps"]
    if verdict["axiom"] != "DeepTh" or not steps or verdict["verdict"] not in ("holds", "fails"):
        return []
    if steps[-1]["name"] == "sight":
        return [] if data["reading"]["cutoff_binds"] else ["no ranking is longer than the cutoff"]
    wanted: tuple[str, ...] = ("(< (+ T (- 1.0)) 0)", "(< (+ (* F S) (- 1.0)) 0)", "(< (+ d (* u (- 1.0))) 0)")
    wanted = wanted if verdict["verdict"] == "holds" else ("(<= (+ 1.0 (* T (- 1.0))) 0)",)
    source = random.Random(1)  # noqa: S311 (points, no secrets)
    last = [steps[-1]] if steps[-1]["kind"] == "claim" else [step for step in steps if step["kind"] == "claim"]
    shown = [one for step in last for way in step["ways"] for one in way["concludes"]]
    fine = any(same_comparison(goal, one, {}, source) for goal in wanted for one in shown)
    small = any(step["kind"] == "exact" and step["claim"].startswith("D(") for step in steps)
    return [] if fine or small else ["the proof does not end with the claim about T(n)"]


def _options_are_used(data: Any) -> list[str]:
    """Shapes whose ideals are one symbol need a reading that gives both aspects the same ideal."""
    wrong = [shape for shape in data["shapes"] if shape["same_ideal"] and not data["reading"]["same_ideal"]]
    strict = [shape for shape in data["shapes"] if shape["strict"] != (data["verdict"]["axiom"] != "Sat")]
    example = data["verdict"]["counterexample"]
    loose = example is not None and example["strict"] != (data["verdict"]["axiom"] != "Sat")
    return ["the relation is another"] if strict or loose else ["two ideals are taken for one"] if wrong else []


def _small_cutoffs(data: Any, source: random.Random) -> list[str]:
    """DeepTh where k ≤ K: the pairs that fit are ordered rightly at random parameters, and the first that does not fit is not."""
    verdict = data["verdict"]
    most = re.fullmatch(r"k ≤ (\d+)", (verdict["region"] or {}).get("formula", ""))
    if most is None or data["formula"] is None or verdict["counterexample"] is None:
        return []
    k = int(most[1])
    beyond = verdict["counterexample"]["cutoff"]
    if beyond is None or beyond <= k:
        return ["the counterexample has a cutoff of the region"]
    if verdict["axiom"] != "DeepTh":
        return []
    faults = []
    for n in range(1, k // 2 + 1):
        env: Env = random_point(symbols_of(parsed(text) for text in data["ranges"]), source)
        r, zero = F(source.randrange(1, 100), 100), [F(0)]
        one, many = [[r], *[zero] * (2 * n - 1)], [*[zero] * n, *[[r]] * n]
        metric = BoundFormula({**data["formula"], "cutoff": str(k)}, [F(1)], [*many, [r]], env)
        if not metric.score(one) > metric.score(many) or not meets(
            "DeepTh", data["reading"], one, many, [F(1)], str(k)
        ):
            faults.append(f"n = {n} fits k ≤ {k} and is no witness")
    return faults


def state(data: Any) -> str:
    """The claim in words, from what was checked and not from the texts in the file."""
    verdict, formula = data["verdict"], data["formula"]
    metric = verdict["metric"] if formula is None else f"{verdict['metric']} = {_outline(formula)}"
    where = (
        "" if data["cutoff"] is None else f", at {'every k' if data['cutoff'] == 'k' else 'k = ' + str(data['cutoff'])}"
    )
    given = f" with r_c = {data['reading']['r_c']}" if data["reading"]["r_c"] is not None else ""
    region = f" where {' and '.join(data['region'])}" if data["region"] else ""
    return f"{metric}{where}: {verdict['axiom']} {verdict['verdict']}{region}, read {data['reading']['name']}{given}"


# Each metric of the catalogue, by its names: which parts it has.
_OUTLINES = {
    "PerChannel(Precision(), Overall())": "P Precision",
    "PerChannel(ReciprocalRank(), Overall())": "RR MRR",
    "PerChannel(AveragePrecision(), Overall())": "AP MAP",
    "Sum(Overall(), Log(), Always())": "DCG",
    "PerChannel(NormalisedDCG(), Overall())": "nDCG",
    "Sum(Overall(), Reciprocal(), Cascade())": "ERR",
    "Sum(Overall(), Geometric(scaled=True), Always())": "RBP",
    "PerChannel(Precision(), Aspects(weighted=True))": "P_IA P-IA",
    "PerChannel(ReciprocalRank(), Aspects(weighted=True))": "RR_IA MRR-IA RR-IA",
    "PerChannel(AveragePrecision(), Aspects(weighted=True))": "AP_IA MAP-IA AP-IA",
    "Sum(Aspects(weighted=True), Log(), Always())": "DCG_IA",
    "PerChannel(NormalisedDCG(), Aspects(weighted=True))": "nDCG_IA nDCG-IA",
    "Sum(Aspects(weighted=True), Reciprocal(), Cascade())": "ERR_IA ERR-IA",
    "Sum(Aspects(weighted=True), Geometric(scaled=True), Always())": "RBP_IA RBP-IA",
    "SubtopicRecall()": "StRecall S-Recall I-rec strec ndeval.strec",
    "SubtopicReciprocalRank()": "SRR S-RR",
    "Sum(Aspects(weighted=False), Log(), Decay())": "alpha_DCG α-DCG alpha-DCG-IA",
    "Normalised(Sum(Aspects(weighted=False), Log(), Decay()))": "alpha_nDCG α-nDCG alpha-nDCG",
    "AlphaBeta()": "alphabeta_nDCG αβ-nDCG",
    "Sum(Aspects(weighted=False), Geometric(scaled=False), Decay())": "NRBP",
    "Normalised(Sum(GlobalGain(), Log(), Always()))": "D_nDCG D-nDCG",
    "Blend(SubtopicRecall(), Normalised(Sum(GlobalGain(), Log(), Always())))": "Dsharp_nDCG D#-nDCG D#-Measure",
    "Sum(Aspects(weighted=True), ShiftedLog(), Decay())": "EU",
    "Sum(Aspects(weighted=True), Reciprocal(), Decay())": "CT",
    "PrefixMean(Sum(Aspects(weighted=True), Reciprocal(), Decay()))": "ACT",
    "Sum(Aspects(weighted=True), Geometric(scaled=False), Cascade())": "RBU",
    "Normalised(Sum(Aspects(weighted=True), Geometric(scaled=False), Cascade()))": "nRBU",
    "Sum(GlobalGain(), Geometric(scaled=False), Cascade())": "iRBU",
    "Normalised(Sum(BinaryAspects(averaged=False), Log(), Decay()))": "ndeval.alpha_nDCG",
    "Sum(BinaryAspects(averaged=True), Geometric(scaled=False), Decay())": "ndeval.NRBP",
    "Sum(BinaryAspects(averaged=True), Scaled(Reciprocal()), Decay())": "ndeval.ERR_IA",
    "Normalised(Sum(BinaryAspects(averaged=False), Reciprocal(), Decay()))": "ndeval.nERR_IA",
    "Sum(BinaryAspects(averaged=True), Scaled(Flat()), Always())": "ndeval.P_IA",
}
DEFINITIONS: dict[str, str] = {name: outline for outline, names in _OUTLINES.items() for name in names.split()}
