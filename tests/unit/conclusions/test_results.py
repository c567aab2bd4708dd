"""What is counted and printed of conclusions is recounted from their rows; agreement of judges from their labels."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from diveval import as_judgments, compare, evaluate
from diveval.conclusions import conclude
from diveval.conclusions.results import Conclusions
from diveval.settings import Efforts, Options
from support.late import late
from support.present import present

pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
alphas = late("krippendorff")
METRICS = ["RBU(p=0.6..0.95,e=0..0.05)@5", "ERR_IA@5"]


def draw(seed: int, systems: int, topics: int = 8) -> tuple[Any, Any]:
    """Judgments with a clear order of most systems; the last one lacks a topic."""
    rng = random.Random(seed)
    judged = {str(t): {a: {f"d{i}": rng.choice([0, 0, 1, 2]) for i in range(8)} for a in "ab"} for t in range(topics)}
    for own in judged.values():
        own["a"]["d0"] = 2
    runs: dict[str, dict[str, list[str]]] = {}
    for s in range(systems):
        runs[f"s{s}"] = {}
        for topic, own in judged.items():
            worth = {d: -(own["a"][d] + own["b"][d]) * (systems - s) / systems + rng.gauss(0, 0.7) for d in own["a"]}
            runs[f"s{s}"][topic] = sorted(worth, key=worth.__getitem__)[:5]
    del runs[f"s{systems - 1}"]["0"]
    return judged, runs


@cache
def concluded(systems: int = 5) -> Conclusions:
    """The conclusions about a few systems."""
    return conclude(*draw(3, systems), METRICS)


@pytest.mark.parametrize("systems", [4, 5])
def test_certain_and_significant_are_counted(systems: int) -> None:
    """Four counts over the pairs of each metric; those in doubt and not significant are left out."""
    result = concluded(systems)
    for metric in METRICS:
        rows = [row for row in result.rows if row.metric == metric]
        kinds = Counter((row.verdict == "certain", bool(row.significant)) for row in rows)
        told = result.told_apart(metric)
        assert told["certain, significant"] == kinds[True, True]
        assert told["certain, not significant"] == kinds[True, False]
        assert told["in doubt, significant"] == kinds[False, True]
        assert sum(told.values()) == len(rows) - kinds[False, False]
    assert sum(sum(result.told_apart(metric).values()) for metric in METRICS) > 3


def test_significance_is_that_of_the_comparison() -> None:
    """The p-values of a metric without ranges are those of `compare`, corrected over the same pairs."""
    judged, runs = draw(3, 5)
    result = conclude(judged, runs, "ERR_IA@5")
    compared = compare(evaluate(judged, runs, "ERR_IA@5"), "ERR_IA@5")
    expected = {frozenset((row.run, row.other)): row.p_adjusted for row in compared.rows}
    assert {frozenset((row.better, row.worse)): pytest.approx(row.p) for row in result.rows} == expected


@pytest.mark.parametrize("width", [60, 400])
@pytest.mark.parametrize("systems", [2, 3, 5, 7])
def test_the_text_has_every_pair(systems: int, width: int) -> None:
    """Systems with what they surely beat, and pairs with their verdicts: of many, those in doubt come first."""
    result = concluded(systems)
    text = result.to_text(width)
    mark = f"s{systems - 1} (7/8)"
    assert result.marked(f"s{systems - 1}") == mark and result.marked("s0") == "s0" and mark in text
    pairs: dict[str, list[str]] = {name: [] for name in result.systems}
    for better, worse in result.edges():
        pairs[better].append(worse)
    if systems > 2:
        block = text[text.index("run ") :].split("\n\n")[0].splitlines()[1:]
        assert len(block) == systems
        for line in block:
            name, beats, beaten, still = line.replace(" (7/8)", "").split()
            sure = len(pairs[name]), sum(name in lost for lost in pairs.values())
            assert (int(beats), int(beaten), int(still)) == (*sure, systems - 1 - sum(sure))
        leads = [int(line.split()[-3]) - int(line.split()[-2]) for line in block]
        assert leads == sorted(leads, reverse=True)
    wins = Counter(row.better for row in result.rows if row.verdict == "certain")
    worth = sorted(result.rows, key=lambda row: (row.verdict == "certain", -wins[row.better] - wins[row.worse]))
    chosen = list(result.rows) if len(result.rows) <= 12 else worth[:10]
    lines = text.splitlines()
    if width == 400:
        at = next(i for i, line in enumerate(lines) if line.startswith("better"))
        for row, line in zip(chosen, lines[at + 1 :], strict=False):
            words = line.replace(" (7/8)", "").split()
            assert words[:5] == [row.better, row.worse, row.metric, row.doubt, row.verdict]
            assert float(words[5]) == pytest.approx(row.margin, rel=6e-3)
        rest = lines[at + 1 + len(chosen) :]
    else:
        heads = [i for i, line in enumerate(lines) if " > " in line]
        assert [lines[i].replace(" (7/8)", "") for i in heads] == [f"{row.better} > {row.worse}" for row in chosen]
        for i, row in zip(heads, chosen, strict=True):
            about, _, rest_of = " ".join(map(str.strip, lines[i + 1 : i + 3])).partition(": margin ")
            assert about == f"{row.metric}, {row.doubt}, {row.verdict}"
            assert float(rest_of.split()[0].rstrip(";")) == pytest.approx(row.margin, rel=6e-3)
        rest = lines[heads[-1] + 2 :]
        assert max(map(len, lines[heads[0] :])) <= width
    left = len(result.rows) - len(chosen)
    assert any(str(left) in line for line in rest) == (left > 0)


def test_agreement_of_judges_is_recounted() -> None:
    """α in two levels as the package krippendorff gives it; shares of equal labels; what all and some judges conclude."""
    rng = random.Random(5)
    first, runs = draw(5, 4, topics=20)
    others = [
        {t: {a: {d: g if rng.random() < share else rng.randint(0, 2) for d, g in rows.items()} for a, rows in own.items()} for t, own in first.items()}
        for share in (0.8, 0.5)
    ]  # fmt: skip
    judges = [first, *others]
    result = conclude(as_judgments(first), runs, "ERR_IA@5", judges=[as_judgments(judge) for judge in others])
    agreed = present(result.judges)
    labels = [
        {(t, a, d): g for t, own in judge.items() for a, rows in own.items() for d, g in rows.items()}
        for judge in judges
    ]
    table = [[own.get(cell) for cell in labels[0]] for own in labels]
    for level, found in (("nominal", agreed.alpha_nominal), ("ordinal", agreed.alpha_ordinal)):
        assert found == pytest.approx(alphas.alpha(table, level_of_measurement=level), abs=1e-9)
    for (i, j), pair in zip(combinations(range(3), 2), agreed.pairs, strict=True):
        same = sum(labels[i][cell] == labels[j][cell] for cell in labels[i])
        assert (pair.labels, pair.same) == (len(labels[0]), same / len(labels[0]))
    sure = []
    for judge in judges:
        rows = compare(evaluate(judge, runs, "ERR_IA@5"), "ERR_IA@5").rows
        sure.append(
            {
                (row.run, row.other) if present(row.difference) > 0 else (row.other, row.run)
                for row in rows
                if row.significant
            }
        )
    assert set(agreed.significant_in_all) == set.intersection(*sure)
    assert agreed.significant_in_some == len(set.union(*sure)) > 0
    differing = {
        t: sum(len({own[cell] for own in labels}) > 1 for cell in labels[0] if cell[0] == t) / 16 for t in first
    }
    assert len(agreed.topics) == min(10, sum(map(bool, differing.values())))
    assert [share for _, share in agreed.topics] == sorted(differing.values(), reverse=True)[: len(agreed.topics)]
    assert all(differing[topic] == share for topic, share in agreed.topics)


@pytest.mark.parametrize("seed", range(6))
def test_conclusions_with_efforts_of_documents_hold(seed: int) -> None:
    """Certain leads are at least the margin at every setting tried, and a flip has its margin where it says."""
    rng = random.Random(seed)
    judged, runs = draw(seed, 3)
    efforts = Efforts({f"d{i}": rng.choice([0.2, 1.0, 4.0]) for i in range(8)}, 1.0, 1.5)
    result = conclude(judged, runs, "RBU(p=0.6..0.95,e=0..0.2)@5", options=Options(efforts=efforts), significance=False)
    kinds = Counter(row.verdict for row in result.rows)

    def lead(row: Any, p: float, e: float) -> float:
        means = evaluate(judged, runs, f"RBU(p={p},e={e})@5", options=Options(efforts=efforts)).mean()
        first, second = (next(iter(means[name].values())) for name in (row.better, row.worse))
        return first - second

    for row in result.rows:
        if row.verdict == "certain":
            assert min(lead(row, p, e) for p in (0.6, 0.8, 0.95) for e in (0, 0.1, 0.2)) >= row.margin - 1e-12 > 0
        elif row.verdict == "flips":
            setting = {name: float(Fraction(text)) for name, text in row.details["setting"].items()}
            assert lead(row, setting["p"], setting["e"]) == pytest.approx(row.margin, abs=1e-9) and row.margin < 0
    assert kinds["certain"] or kinds["flips"]
