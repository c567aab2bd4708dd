"""Attack every `holds`: random exact rankings, scored by the plain metrics, must never break what is claimed.

The suite runs a small number; the whole attack is
    python tests/unit/axioms/attack.py --rankings 10000
"""

from __future__ import annotations

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import plain
from pairs import Pairs


def setting(metric, source):
    """Parameters inside their ranges, sometimes close to an end."""
    def inside():
        return F(source.choice([1, 5, 50, 95, 99, source.randrange(1, 100)]), 100)

    return {name: inside() * (2 if name == "e" else 1) for name in plain.PARAMETERS.get(metric, ())}


def attack(metric, axiom, reading, rankings, seed, region=None, cutoff=None):
    """(pairs scored, the first pair that breaks the claim or None). `region` accepts a setting."""
    source = random.Random(f"{metric} {axiom} {reading} {seed}")
    pairs = Pairs(reading, source.random())
    tried = 0
    while tried < rankings:
        chosen = setting(metric, source)
        if region is not None and not region(chosen):
            continue
        pair = pairs.make(axiom)
        if pair is None:
            continue
        tried += 1
        better, worse, weights, pool, strict = pair
        k = max(len(better), len(worse)) if cutoff is None else cutoff
        first = plain.score(metric, better, weights, pool, k, chosen)
        second = plain.score(metric, worse, weights, pool, k, chosen)
        if first <= second if strict else first < second:
            return tried, (better, worse, weights, pool, chosen, first, second)
    return tried, None


def attack_threshold(metric, axiom, reading, rankings, seed, region=None):
    """The existential constraints: some n (or all late ones) must do, at random parameters and r_c."""
    source = random.Random(f"{metric} {axiom} {reading} {seed}")
    tried = 0
    while tried < rankings:
        chosen = setting(metric, source)
        r = F(source.randrange(1, 100), 100)
        if axiom == "CloseTh" and reading == "charitable":
            r = r / 10**4  # r_c → 0
        if "p" in chosen and reading == "charitable" and axiom == "DeepTh":
            chosen["p"] = min(chosen["p"], F(3, 4))  # so that p^n < 1 − p for the n tried
        if "alpha" in chosen and reading == "charitable" and axiom == "DeepTh":
            chosen["alpha"] = max(chosen["alpha"], F(1, 2))  # and D(n+1) < α
        if region is not None and not region({**chosen, "r": r}):
            continue
        k = source.randrange(1, 12) if reading == "as-written" and metric.endswith("@k") else None
        late = range(12, 16) if reading == "charitable" and axiom == "DeepTh" else range(1, 13)
        answers = [does(metric, axiom, reading, n, r, chosen, k) for n in late]
        tried += len(answers)
        good = all(answers) if reading == "charitable" and axiom == "DeepTh" else any(answers)
        if not good:
            return tried, (r, k, chosen)
    return tried, None


def does(metric, axiom, reading, n, r, chosen, k):
    """Whether n is a witness."""
    first = [[r]] + ([[F(0)]] * (2 * n - 1) if reading == "charitable" else [])
    second = [[F(0)]] * n + [[r]] * n
    pool = [*second, [r]]
    cutoff = 2 * n if k is None else k
    one = plain.score(metric, first, [F(1)], pool, cutoff, chosen)
    many = plain.score(metric, second, [F(1)], pool, cutoff, chosen)
    return one > many if axiom == "DeepTh" else one < many


def claim(job):
    """One cell, in a process of its own."""
    metric, axiom, reading, rankings = job
    run = attack_threshold if axiom in ("DeepTh", "CloseTh") else attack
    tried, broken = run(metric, axiom, reading, rankings, seed=1)
    return metric, axiom, reading, tried, broken


def claims(found):
    """The cells that hold, as jobs. A cutoff never helps a universal constraint, so they are attacked without one."""
    return [(v.metric, v.axiom, v.reading) for v in found if v.verdict == "holds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rankings", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    from diveval.axioms import matrix

    jobs = [(*cell, arguments.rankings) for cell in claims(matrix())]
    total, broken = 0, 0
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for done, (metric, axiom, reading, tried, found) in enumerate(pool.map(claim, jobs), 1):
            total += tried
            print(f"{done}/{len(jobs)} {metric} {axiom} {reading}", file=sys.stderr, flush=True)
            if found is not None:
                broken += 1
                print(f"BROKEN {metric} {axiom} {reading}: {found}")
    print(f"{len(jobs)} claims attacked with {total} pairs of rankings; {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
