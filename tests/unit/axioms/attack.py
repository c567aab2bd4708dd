"""Tries to refute the engine's verdicts with random exact rankings that are scored without diveval.

The targets are the paper's rows, every metric of the catalogue, forty compositions of the algebra, and functions and
subclasses, some designed to mislead the engine. The test suite tries a few rankings per cell; the full attack is
    python tests/unit/axioms/attack.py --rankings 10000
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction as F
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from unit.axioms import plain
from unit.axioms.many import doubles, packs, unclear
from unit.axioms.pairs import Pairs, meets
from unit.axioms.regions import NAMES, admits, parse_line
from unit.axioms.scoring import broken, gaps, value
from unit.axioms.targets import NONDETERMINISTIC, Target, targets

THRESHOLDS = ("DeepTh", "CloseTh")
AXIOMS = ("Pri", "Deep", "Conf", "AspDiv", "Red", "MRed", "Sat", "AspRel", *THRESHOLDS)
READINGS = ("as-written", "charitable")
PLAIN = 1e-9  # doubles with a larger relative difference have the order of the exact values
PATIENCE = 1200  # seconds per verdict; generous, so that a busy machine does not cause `unknown`
SAMPLED = 16  # pairs per cell that are scored exactly although doubles are clear
OTHER_SETTINGS = 2  # random settings at which a `fails` for all settings is checked again


def _plain_metric(name: str, setting: dict[str, F]) -> tuple[str, dict[str, F]]:
    return name, setting


def paper_rows() -> list[Target]:
    """The twenty rows of the paper's table, scored by the plain metrics."""
    return [
        Target(
            name,
            name,
            partial(_plain_metric, name),
            plain.PARAMETERS.get(name, ()),
            _cutoff(name),
            "paper",
        )
        for name in plain.METRICS
    ]


def _cutoff(name: Any) -> Any:
    return "k" if name.endswith("@k") else None


def all_targets() -> Any:
    return [*paper_rows(), *targets()]


def setting(target: Any, source: Any) -> Any:
    """Parameters inside their ranges, sometimes close to an end."""

    def inside() -> Any:
        return F(source.choice([1, 5, 50, 95, 99, source.randrange(1, 100)]), 100)

    return {name: inside() * (2 if name == "e" else 1) for name in target.free}


def sizes(verdict: Any) -> Any:
    """The longest rankings that a bounded verdict covers, per number of aspects."""
    covered = re.findall(r"(\d+) documents with (\d+) aspect", verdict.proof.bound)
    return {int(aspects): int(documents) for documents, aspects in covered}


# --- constraints about all rankings -----------------------------------------------------------------------------------


def attack(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any) -> Any:
    """(pairs scored, the first pair that contradicts the verdict or None)."""
    source = random.Random(f"{target.name} {axiom} {reading}")
    bounded = tuple(sorted(sizes(verdict).items())) if verdict.verdict == "bounded" else None
    longest = target.cutoff if isinstance(target.cutoff, int) and reading == "charitable" else 8
    tried, sampled = 0, 0
    for pack in packs(axiom, reading, longest, rankings, bounded):
        k = _k(target, reading, pack.length, source)
        chosen = admitted(target, verdict, source, k)
        if chosen is None:
            continue
        metric = target.build(chosen)
        tried += len(pack.pairs)
        differences = gaps(target, metric, chosen, pack, k)
        doubtful = set(unclear(differences))
        sample = [i for i in range(len(pack.pairs)) if i not in doubtful][: 1 if sampled < SAMPLED else 0]
        sampled += len(sample)
        for i in sorted(doubtful):
            if broken(metric, pack.pairs[i], k):
                return tried, (pack.pairs[i], k, chosen)
        for i in sample:
            if broken(metric, pack.pairs[i], k):
                return tried, (pack.pairs[i], k, chosen, f"although the doubles differ by {differences[i]}")
    return tried, None


def admitted(target: Any, verdict: Any, source: Any, k: Any) -> Any:
    """A random setting that the verdict covers at a cutoff; None if none is found."""
    for _ in range(2000 if target.free else 1):
        chosen = setting(target, source)
        if verdict.verdict != "region" or admits(verdict.region.formula, {**chosen, "k": k}):
            return chosen
    return None


def _k(target: Any, reading: Any, length: Any, source: Any) -> Any:
    """The cutoff: random for `k`, and under the charitable reading at least the length of the rankings."""
    if target.cutoff != "k":
        return target.cutoff
    return max(1, length + source.randrange(3)) if reading == "charitable" else source.randrange(1, 12)


# --- the existential constraints --------------------------------------------------------------------------------------


def is_witness(metric: Any, axiom: Any, reading: Any, n: Any, r: Any, k: Any) -> Any:
    """Whether n is a witness for an existential constraint."""
    first = [[r]] + ([[r * 0]] * (2 * n - 1) if reading == "charitable" else [])
    second = [[r * 0]] * n + [[r]] * n
    pool = [*second, [r]]
    better, worse = (first, second) if axiom == "DeepTh" else (second, first)
    first, second = (value(metric, doubles(rows), [1.0], doubles(pool), k) for rows in (better, worse))
    if abs(first - second) > PLAIN * max(abs(first), abs(second)):
        return bool(first > second)
    return not broken(metric, (better, worse, [F(1)], pool, True), k)


def small_r(axiom: Any, reading: Any, source: Any) -> Any:
    r = F(source.randrange(1, 100), 100)
    return r / 10**7 if axiom == "CloseTh" and reading == "charitable" else r  # r_c → 0


def fitting(reading: Any, k: Any, most: Any) -> Any:
    """The n to try: under the charitable reading, rankings of 2n documents must fit the cutoff."""
    return range(1, (k // 2 if k is not None and reading == "charitable" else most) + 1)


def attack_threshold(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any, seed: int = 1) -> Any:
    """(pairs scored, a setting that contradicts the verdict or None)."""
    source = random.Random(f"{target.name} {axiom} {reading} {seed}")
    tried = 0
    if verdict.verdict == "region" and admits(verdict.region.formula, None) is None:
        return attack_lines(target, axiom, reading, rankings, verdict, source)
    witness = re.search(r"[nm] = (\d+|k) does", verdict.proof.witness if verdict.proof else "")
    while tried < rankings:
        chosen, r = setting(target, source), small_r(axiom, reading, source)
        k = source.randrange(1, 14) if target.cutoff == "k" else target.cutoff
        each_k = target.cutoff == "k" and axiom == "DeepTh" and reading == "charitable"
        if each_k and k == 1:
            continue  # no two rankings fit: vacuous
        metric = target.build(chosen)
        if verdict.verdict == "region":
            want = admits(verdict.region.formula, {**chosen, "r": r, "k": k})
            tried += 24
            among = fitting(reading, k, 24)
            if axiom == "DeepTh" and reading == "charitable":
                among = among[-1:]  # all large n must be witnesses: try the largest that fits
            some = any(is_witness(metric, axiom, reading, n, r, k) for n in among)
            if some != want and not (
                want and any(is_witness(metric, axiom, reading, n, r, k) for n in fitting(reading, k, 400))
            ):
                return tried, (r, k, chosen, f"region says {want}")
        elif verdict.verdict == "fails":
            answers = [is_witness(metric, axiom, reading, n, r, k) for n in fitting(reading, k, 24)]
            tried += len(answers)
            late = axiom == "DeepTh" and reading == "charitable" and not each_k
            if answers and (all(answers[-6:]) if late else any(answers)):
                return tried, (r, k, chosen, "a witness despite `fails`")
        elif each_k:
            tried += 12
            wrong = [n for n in range(1, 13) if not is_witness(metric, axiom, reading, n, r, 2 * n)]
            if wrong:
                return tried, (r, 2 * wrong[0], chosen, f"n = {wrong[0]} is no witness")
        elif witness is not None:
            n = k if witness[1] == "k" else int(witness[1])
            tried += 1
            cut = max(k, 2 * n) if target.cutoff == "k" and reading == "charitable" else k
            if not is_witness(metric, axiom, reading, n, r, cut):
                return tried, (r, cut, chosen, f"n = {n} is no witness")
        else:
            chosen, r = {**chosen, **_reachable(chosen)}, F(source.randrange(50, 100), 100)
            tried += 4
            metric, reached = target.build(chosen), False
            for n in (24, 200, 3000, 40000):
                numbers = r if n < 100 else float(r)
                reached = all(is_witness(metric, axiom, reading, m, numbers, k) for m in (n, n + 1))
                if reached or target.group == "paper":
                    break
            if not reached:
                return tried, (r, k, chosen, "no large n is a witness")
    return tried, None


def _reachable(chosen: Any) -> Any:
    """Parameters at which the n tried are large enough: p^n < 1 − p, D(n+1) < α."""
    near: dict[str, Callable[[F], F]] = {
        "p": lambda p: min(p, F(3, 4)),
        "alpha": lambda a: max(a, F(1, 2)),
        "beta": lambda b: max(b, F(3, 4)),
    }
    return {name: near[name](x) for name, x in chosen.items() if name in near}


def attack_lines(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any, source: Any) -> Any:
    """Regions that contain sums: values on both sides of the ends of each printed line."""
    tried, parsed = 0, [line for line in map(parse_line, verdict.region.numbers) if line is not None]
    if not parsed:
        return 0, None
    from_cutoff = re.match(r"k ≥ (\d+)", verdict.region.formula)
    least = int(from_cutoff[1]) if from_cutoff else 1  # a line without a cutoff covers all
    while tried < rankings:
        name, inside, given, cutoffs = source.choice(parsed)
        x = F(source.randrange(1, 400), 400)
        want = inside(x)
        if want is None:
            continue
        k = source.choice(cutoffs or [least, least + 1, least + 2, 60]) if target.cutoff == "k" else target.cutoff
        values = {**setting(target, source), "r": small_r(axiom, reading, source), **given, **shares(name, x, source)}
        metric = target.build({key: v for key, v in values.items() if key in target.free})
        most = 24
        tried += most
        among = fitting(reading, k, most)
        among = among[-1:] if axiom == "DeepTh" and reading == "charitable" else among
        some = any(is_witness(metric, axiom, reading, m, values["r"], k) for m in among)
        if some != want:
            return tried, (values, k, f"the line says {want}")
    return tried, None


def shares(name: str, x: F, source: Any) -> dict[str, F]:
    """Values for the variable of a line: one parameter, or the product of two."""
    if "·" not in name:
        return {name: x}
    one, other = (NAMES.get(part, part) for part in name.split("·"))
    share = x + (1 - x) * F(source.randrange(1, 100), 100)
    return {one: share, other: x / share}


# --- one cell ---------------------------------------------------------------------------------------------------------


def contradiction(target: Any, axiom: Any, reading: Any, verdict: Any) -> Any:
    """What is wrong with a counterexample, its premise or its scores; None if nothing is."""
    example = verdict.counterexample
    if verdict.verdict not in ("fails", "region") or example is None:
        return None
    if not meets(axiom, reading, example.better, example.worse, example.weights):
        return "the premise is not met", example
    if isinstance(target.cutoff, int) and example.cutoff != target.cutoff:
        return "the cutoff is another", example
    metric = target.build({name: F(example.setting[name]) for name in target.free})
    pair = ([list(r) for r in example.better], [list(r) for r in example.worse], list(example.weights))
    pool = [list(r) for r in example.pool]
    if not broken(metric, (*pair, pool, example.strict), example.cutoff, ties=1e-12):
        return "the metric satisfies the constraint on it", example
    return None


def attack_other_settings(target: Any, axiom: Any, reading: Any, verdict: Any) -> Any:
    """Where `fails` covers every setting, settings at which the counterexample does not work must have another one."""
    from diveval.axioms import check
    from diveval.axioms.proof.subjects import as_symbolic

    source, tried, example = random.Random(f"{target.name} {axiom}"), 0, verdict.counterexample
    if not target.free or example is None or "at every setting" not in verdict.note:
        return 0, None  # the verdict covers only the setting that the note names
    pair = ([list(r) for r in example.better], [list(r) for r in example.worse], list(example.weights))
    for _ in range(OTHER_SETTINGS):
        chosen = setting(target, source)
        tried += 1
        if broken(target.build(chosen), (*pair, [list(r) for r in example.pool], example.strict), example.cutoff):
            continue
        declaration = as_symbolic(target.item).at(chosen)
        at = check(declaration, axiom, reading=reading)
        if at.verdict not in ("fails", "unknown"):
            return tried, (chosen, at.verdict)
    return tried, None


def attack_cell(job: Any) -> Any:
    """Decides and attacks one cell: (group, target, axiom, reading, verdict, pairs, contradiction or None)."""
    from diveval.axioms import check
    from diveval.errors import DivevalError

    place, axiom, reading, rankings = job
    target = all_targets()[place]
    try:
        verdict = check(target.item, axiom, reading=reading, time_limit=PATIENCE)
    except DivevalError as error:
        expected = target.function or "BestSoFar" in repr(target.item)  # no ideal list is defined for it
        return target.group, target.name, axiom, reading, "refused", 0, None if expected else str(error)
    try:
        tried, wrong = attack_verdict(target, axiom, reading, rankings, verdict)
    except Exception as error:  # noqa: BLE001 - reported for this cell; the others go on
        tried, wrong = 0, f"not attacked: {error!r}"
    return target.group, target.name, axiom, reading, verdict.verdict, tried, wrong


def attack_verdict(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any) -> Any:
    """(pairs scored, what contradicts the verdict or None)."""
    if target.name in NONDETERMINISTIC:
        return 0, None if verdict.verdict in (
            "unknown",
            "fails",
        ) else f"{verdict.verdict} for a nondeterministic metric"
    if (
        (target.function or target.group == "subclasses")
        and verdict.verdict in ("holds", "region")
        and axiom not in THRESHOLDS
    ):
        return 0, "a proof for every length of a user's code"
    wrong = contradiction(target, axiom, reading, verdict)
    if wrong is not None:
        return 1, wrong
    if axiom in THRESHOLDS:
        if verdict.verdict == "vacuous":
            return 0, None if target.cutoff == 1 else "vacuous"
        if verdict.verdict in ("unknown", "not-applicable") or (target.function and verdict.verdict == "bounded"):
            return 0, None
        return attack_threshold(target, axiom, reading, max(24, rankings // 10), verdict)
    if verdict.verdict in ("holds", "region", "bounded"):
        return attack(target, axiom, reading, rankings, verdict)
    if verdict.verdict == "vacuous":
        pairs = Pairs(reading, 1)
        generated = [pair for _ in range(300) if (pair := pairs.make(axiom)) is not None]
        fits = [pair for pair in generated if max(len(pair[0]), len(pair[1])) <= target.cutoff]
        return len(generated), fits[0] if fits else None
    return attack_other_settings(target, axiom, reading, verdict) if verdict.verdict == "fails" else (0, None)


def results(jobs: Any, processes: int, record: Path | None) -> Any:
    """The result of each cell; with a record, results of an earlier run of the same code are reused."""
    from diveval.axioms.proof.cache import version

    before: dict[str, Any] = {}
    for line in record.read_text(encoding="utf-8").splitlines() if record is not None and record.exists() else []:
        recorded, *job, result = json.loads(line)
        before |= {str(job): result} if recorded == version() else {}
    yield from (before[str(list(job))] for job in jobs if str(list(job)) in before)
    waiting = [job for job in jobs if str(list(job)) not in before]
    with ProcessPoolExecutor(processes) as pool:
        for job, result in zip(waiting, pool.map(attack_cell, waiting), strict=True):
            if record is not None:
                with record.open("a", encoding="utf-8") as out:
                    out.write(json.dumps([version(), *job, [*result[:-1], result[-1] and str(result[-1])]]) + "\n")
            yield result


def main() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rankings", type=int, default=10_000, help="pairs per cell (a tenth for DeepTh and CloseTh)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a group (paper, catalogue, compositions, …) or part of a name")
    parser.add_argument("--record", type=Path, help="file to keep results in, so that an interrupted run can continue")
    arguments = parser.parse_args()
    chosen = [
        place
        for place, target in enumerate(all_targets())
        if arguments.only in target.name or arguments.only == target.group
    ]
    cells, total, wrong = len(chosen) * len(AXIOMS) * len(READINGS), 0, 0
    verdicts: Counter[tuple[str, str]] = Counter()
    for axiom, reading in product(AXIOMS, READINGS):
        if axiom not in THRESHOLDS:
            packs(axiom, reading, 8, arguments.rankings)  # cached before the worker processes are forked
        jobs = [(place, axiom, reading, arguments.rankings) for place in chosen]
        for group, name, _, _, verdict, tried, contradiction in results(jobs, arguments.jobs, arguments.record):
            total += tried
            verdicts[group, verdict] += 1
            if contradiction is not None:
                wrong += 1
                print(f"CONTRADICTED {name} {axiom} {reading} {verdict}: {str(contradiction)[:400]}", flush=True)
        done = sum(verdicts.values())
        print(f"{done}/{cells} cells, {total} pairs; {axiom} {reading} done", file=sys.stderr, flush=True)
    for (group, verdict), count in sorted(verdicts.items()):
        print(f"{group}: {count} {verdict}")
    print(f"{cells} cells, {total} pairs of rankings scored; {wrong} contradicted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
