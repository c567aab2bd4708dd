"""Attack what the engine says: random exact rankings, scored without diveval, must never contradict a verdict.

Attacked are the paper's rows, every metric of the catalogue, forty compositions of the algebra, and functions and
subclasses of which some try to fool the engine. The suite runs a small number; the whole attack is
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
from unit.axioms.regions import NAMES, lines, met
from unit.axioms.scoring import broken, gaps, value
from unit.axioms.targets import RESTLESS, Target, targets

THRESHOLDS = ("DeepTh", "CloseTh")
AXIOMS = ("Pri", "Deep", "Conf", "AspDiv", "Red", "MRed", "Sat", "AspRel", *THRESHOLDS)
READINGS = ("as-written", "charitable")
PLAIN = 1e-9  # two doubles further apart than this, relative to their size, are in the order of the exact values
PATIENCE = 1200  # seconds for a verdict, by the clock: a busy machine must not turn claims into `unknown`
SAMPLED = 16  # pairs of each cell that doubles call clear and that are scored exactly all the same
EVERYWHERE = 2  # random settings at which a `fails` for all of them is asked again


def _plain_metric(name: str, setting: dict[str, F]) -> tuple[str, dict[str, F]]:
    return name, setting


def rows_of_the_paper() -> list[Target]:
    """The twenty rows, scored by the plain metrics."""
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


def everything() -> Any:
    return [*rows_of_the_paper(), *targets()]


def setting(target: Any, source: Any) -> Any:
    """Parameters inside their ranges, sometimes close to an end."""

    def inside() -> Any:
        return F(source.choice([1, 5, 50, 95, 99, source.randrange(1, 100)]), 100)

    return {name: inside() * (2 if name == "e" else 1) for name in target.free}


def sizes(verdict: Any) -> Any:
    """What a bounded verdict excludes: the longest ranking per number of aspects."""
    found = re.findall(r"(\d+) documents with (\d+) aspect", verdict.proof.bound)
    return {int(aspects): int(documents) for documents, aspects in found}


# --- constraints about all rankings -----------------------------------------------------------------------------------


def attack(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any) -> Any:
    """(pairs scored, the first pair that breaks the claim or None)."""
    source = random.Random(f"{target.name} {axiom} {reading}")
    bounded = tuple(sorted(sizes(verdict).items())) if verdict.verdict == "bounded" else None
    longest = target.cutoff if isinstance(target.cutoff, int) and reading == "charitable" else 8
    tried, sampled = 0, 0
    for pack in packs(axiom, reading, longest, rankings, bounded):
        chosen = admitted(target, verdict, source)
        if chosen is None:
            break
        k = _k(target, reading, pack.length, source)
        metric = target.build(chosen)
        tried += len(pack.pairs)
        found = gaps(target, metric, chosen, pack, k)
        doubtful = set(unclear(found))
        sample = [i for i in range(len(pack.pairs)) if i not in doubtful][: 1 if sampled < SAMPLED else 0]
        sampled += len(sample)
        for i in sorted(doubtful):
            if broken(metric, pack.pairs[i], k):
                return tried, (pack.pairs[i], k, chosen)
        for i in sample:
            if broken(metric, pack.pairs[i], k):
                return tried, (pack.pairs[i], k, chosen, f"and doubles say {found[i]}")
    return tried, None


def admitted(target: Any, verdict: Any, source: Any) -> Any:
    """A setting of which the verdict speaks; None where none is found."""
    for _ in range(2000):
        chosen = setting(target, source)
        if verdict.verdict != "region" or met(verdict.region.formula, chosen):
            return chosen
    return None


def _k(target: Any, reading: Any, length: Any, source: Any) -> Any:
    """The cutoff: any of them where k stands for all, and under the charitable reading no less than the rankings."""
    if target.cutoff != "k":
        return target.cutoff
    return max(1, length + source.randrange(3)) if reading == "charitable" else source.randrange(1, 12)


# --- the existential constraints --------------------------------------------------------------------------------------


def does(metric: Any, axiom: Any, reading: Any, n: Any, r: Any, k: Any) -> Any:
    """Whether n is a witness."""
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
    """The n to look at: under the charitable reading rankings of 2n documents fit the cutoff."""
    return range(1, (k // 2 if k is not None and reading == "charitable" else most) + 1)


def attack_threshold(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any, seed: int = 1) -> Any:
    """(pairs scored, a setting that contradicts the verdict or None)."""
    source = random.Random(f"{target.name} {axiom} {reading} {seed}")
    tried = 0
    if verdict.verdict == "region" and met(verdict.region.formula, None) is None:
        return attack_lines(target, axiom, reading, rankings, verdict, source)
    witness = re.search(r"[nm] = (\d+|k) does", verdict.proof.witness if verdict.proof else "")
    while tried < rankings:
        chosen, r = setting(target, source), small_r(axiom, reading, source)
        k = source.randrange(1, 14) if target.cutoff == "k" else target.cutoff
        if target.cutoff == "k" and axiom == "DeepTh" and reading == "charitable":
            k = None  # every n from one on: no cutoff is in the way
        metric = target.build(chosen)
        if verdict.verdict == "region":
            want = met(verdict.region.formula, {**chosen, "r": r, "k": k})
            tried += 24
            among = fitting(reading, k, 24)
            if axiom == "DeepTh" and reading == "charitable":
                among = among[-1:]  # every n from one on: the largest that fits
            some = any(does(metric, axiom, reading, n, r, k) for n in among)
            if some != want and not (
                want and any(does(metric, axiom, reading, n, r, k) for n in fitting(reading, k, 400))
            ):
                return tried, (r, k, chosen, f"region says {want}")
        elif verdict.verdict == "fails":
            answers = [does(metric, axiom, reading, n, r, k) for n in fitting(reading, k, 24)]
            tried += len(answers)
            late = axiom == "DeepTh" and reading == "charitable"
            if answers and (all(answers[-6:]) if late else any(answers)):
                return tried, (r, k, chosen, "fails, and yet it does")
        elif witness is not None:
            n = k if witness[1] == "k" else int(witness[1])
            tried += 1
            cut = max(k, 2 * n) if target.cutoff == "k" and reading == "charitable" else k
            if not does(metric, axiom, reading, n, r, cut):
                return tried, (r, cut, chosen, f"n = {n} does not")
        else:
            chosen, r = {**chosen, **_reachable(chosen)}, F(source.randrange(50, 100), 100)
            tried += 4
            metric, reached = target.build(chosen), False
            for n in (24, 200, 3000, 40000):
                numbers = r if n < 100 else float(r)
                reached = all(does(metric, axiom, reading, m, numbers, k) for m in (n, n + 1))
                if reached or target.group == "paper":
                    break
            if not reached:
                return tried, (r, k, chosen, "no late n does")
    return tried, None


def _reachable(chosen: Any) -> Any:
    """Parameters at which an n that can be tried is late: p^n < 1 − p, D(n+1) < α."""
    near: dict[str, Callable[[F], F]] = {
        "p": lambda p: min(p, F(3, 4)),
        "alpha": lambda a: max(a, F(1, 2)),
        "beta": lambda b: max(b, F(3, 4)),
    }
    return {name: near[name](x) for name, x in chosen.items() if name in near}


def attack_lines(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any, source: Any) -> Any:
    """Regions with sums in them: along each printed line, values on both sides of its ends."""
    tried, parsed = 0, [line for line in map(lines, verdict.region.numbers) if line is not None]
    if not parsed:
        return 0, None
    said = re.match(r"k ≥ (\d+)", verdict.region.formula)
    least = int(said[1]) if said else 1  # a line that names no cutoff is said of all of them
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
        some = any(does(metric, axiom, reading, m, values["r"], k) for m in fitting(reading, k, most))
        if some != want:
            return tried, (values, k, f"the line says {want}")
    return tried, None


def shares(name: str, x: F, source: Any) -> dict[str, F]:
    """Values of what a line speaks of: of one parameter, or of the product of two."""
    if "·" not in name:
        return {name: x}
    one, other = (NAMES.get(part, part) for part in name.split("·"))
    share = x + (1 - x) * F(source.randrange(1, 100), 100)
    return {one: share, other: x / share}


# --- one cell ---------------------------------------------------------------------------------------------------------


def contradiction(target: Any, axiom: Any, reading: Any, verdict: Any) -> Any:
    """What is wrong with a counterexample: its premise, or its scores."""
    example = verdict.counterexample
    if verdict.verdict != "fails" or example is None:
        return None
    if not meets(axiom, reading, example.better, example.worse, example.weights):
        return "the premise is not met", example
    metric = target.build({name: F(example.setting[name]) for name in target.free})
    pair = ([list(r) for r in example.better], [list(r) for r in example.worse], list(example.weights))
    pool = [list(r) for r in example.pool]
    if not broken(metric, (*pair, pool, example.strict), example.cutoff, ties=1e-12):
        return "the counterexample breaks nothing", example
    return None


def elsewhere(target: Any, axiom: Any, reading: Any, verdict: Any) -> Any:
    """`fails` is said of every setting: at settings the counterexample spares, another one must be found."""
    from diveval.axioms import check
    from diveval.axioms.proof.subjects import subject

    source, tried, example = random.Random(f"{target.name} {axiom}"), 0, verdict.counterexample
    if not target.free or example is None or "at every setting" not in verdict.note:
        return 0, None  # the note names the setting it is said of
    pair = ([list(r) for r in example.better], [list(r) for r in example.worse], list(example.weights))
    for _ in range(EVERYWHERE):
        chosen = setting(target, source)
        tried += 1
        if broken(target.build(chosen), (*pair, [list(r) for r in example.pool], example.strict), example.cutoff):
            continue
        declaration = subject(target.item).at(chosen)
        at = check(declaration, axiom, reading=reading)
        if at.verdict not in ("fails", "unknown"):
            return tried, (chosen, at.verdict)
    return tried, None


def claim(job: Any) -> Any:
    """One cell, in a process of its own: (target, axiom, reading, verdict, pairs, what contradicts it or None)."""
    from diveval.axioms import check
    from diveval.errors import DivevalError

    place, axiom, reading, rankings = job
    target = everything()[place]
    try:
        verdict = check(target.item, axiom, reading=reading, time_limit=PATIENCE)
    except DivevalError as error:
        known = target.function or "BestSoFar" in repr(target.item)  # of which no ideal list is defined
        return target.group, target.name, axiom, reading, "refused", 0, None if known else str(error)
    try:
        tried, wrong = examined(target, axiom, reading, rankings, verdict)
    except Exception as error:  # noqa: BLE001 - one cell that cannot be attacked must not end the others; it is counted
        tried, wrong = 0, f"not attacked: {error!r}"
    return target.group, target.name, axiom, reading, verdict.verdict, tried, wrong


def examined(target: Any, axiom: Any, reading: Any, rankings: Any, verdict: Any) -> Any:
    """(pairs scored, what contradicts a verdict or None)."""
    if target.name in RESTLESS:
        return 0, None if verdict.verdict in ("unknown", "fails") else f"{verdict.verdict} of no value"
    if (
        (target.function or target.group == "subclasses")
        and verdict.verdict in ("holds", "region")
        and axiom not in THRESHOLDS
    ):
        return 0, "a proof for every length of a function"
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
        made = [pair for _ in range(300) if (pair := pairs.make(axiom)) is not None]
        fits = [pair for pair in made if max(len(pair[0]), len(pair[1])) <= target.cutoff]
        return len(made), fits[0] if fits else None
    return elsewhere(target, axiom, reading, verdict) if verdict.verdict == "fails" else (0, None)


def answered(jobs: Any, processes: int, record: Path | None) -> Any:
    """The result of each cell; with a record, those of an earlier run of the same code are taken from it."""
    from diveval.axioms.proof.scheduler import version

    before: dict[str, Any] = {}
    for line in record.read_text(encoding="utf-8").splitlines() if record is not None and record.exists() else []:
        said, *job, result = json.loads(line)
        before |= {str(job): result} if said == version() else {}
    yield from (before[str(list(job))] for job in jobs if str(list(job)) in before)
    waiting = [job for job in jobs if str(list(job)) not in before]
    with ProcessPoolExecutor(processes) as pool:
        for job, result in zip(waiting, pool.map(claim, waiting), strict=True):
            if record is not None:
                with record.open("a", encoding="utf-8") as out:
                    out.write(json.dumps([version(), *job, [*result[:-1], result[-1] and str(result[-1])]]) + "\n")
            yield result


def main() -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rankings", type=int, default=10_000, help="pairs per claim (a tenth for DeepTh and CloseTh)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="a group (paper, catalogue, compositions, …) or part of a name")
    parser.add_argument("--record", type=Path, help="a file to keep results in, so that a run that was ended can go on")
    arguments = parser.parse_args()
    chosen = [
        place
        for place, target in enumerate(everything())
        if arguments.only in target.name or arguments.only == target.group
    ]
    cells, total, wrong = len(chosen) * len(AXIOMS) * len(READINGS), 0, 0
    verdicts: Counter[tuple[str, str]] = Counter()
    for axiom, reading in product(AXIOMS, READINGS):
        if axiom not in THRESHOLDS:
            packs(axiom, reading, 8, arguments.rankings)  # made here once: the processes started next have them
        jobs = [(place, axiom, reading, arguments.rankings) for place in chosen]
        for group, name, _, _, verdict, tried, found in answered(jobs, arguments.jobs, arguments.record):
            total += tried
            verdicts[group, verdict] += 1
            if found is not None:
                wrong += 1
                print(f"CONTRADICTED {name} {axiom} {reading} {verdict}: {str(found)[:400]}", flush=True)
        done = sum(verdicts.values())
        print(f"{done}/{cells} cells, {total} pairs; {axiom} {reading} done", file=sys.stderr, flush=True)
    for (group, verdict), count in sorted(verdicts.items()):
        print(f"{group}: {count} {verdict}")
    print(f"{cells} cells, {total} pairs of rankings scored; {wrong} contradicted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
