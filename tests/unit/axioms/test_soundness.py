"""Soundness: metrics of kinds that once received wrong proofs now receive correct verdicts."""

import math
import random
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from diveval.axioms import AS_WRITTEN, AXIOMS, Axiom, Bounds, Case, Pair, check, matrix
from diveval.exact.polynomials import Term
from diveval.metrics.algebra import Aspects, Cascade, Decay, Geometric, Log, Reciprocal
from diveval.metrics.columnwise import PerChannel, Precision
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.subtopics import Blend
from support.present import present
from support.refusals import has_facts, refuses

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out


def breaks(verdict: Any, metric: Any) -> Any:
    """Whether the metric, scored again, contradicts the constraint on the counterexample."""
    return verdict.counterexample is not None and verdict.counterexample.breaks(metric)


# --- ideals, pools, limits --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["as-written", "charitable"])
@pytest.mark.parametrize("axiom", ["Pri", "Deep", "Conf", "AspDiv", "Red", "MRed", "AspRel"])
def test_an_ideal_of_zero_ties_everything(axiom: str, reading: str) -> None:
    """nRBU is 0 for all rankings of documents not worth their effort, so it fails every strict constraint."""
    verdict = check("nRBU", axiom, reading=reading)
    assert verdict.verdict == "fails"
    assert present(verdict.counterexample).breaks("nRBU(p=0.99,e=0.05)")


def test_an_ideal_of_zero_leaves_weak_constraints() -> None:
    """nRBU satisfies Sat, which allows ties; DeepTh needs r_c > e."""
    assert check("nRBU", "Sat").verdict == "holds"
    assert present(check("nRBU", "DeepTh", reading="as-written").region).formula == "r_c > e"
    assert check("nRBU", "CloseTh").verdict == "fails"  # r_c → 0 is below every effort
    assert check(Normalised(Sum(Aspects(), Log(), Cascade())), "Pri").verdict == "holds"  # no effort: never zero


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["CT(limit=0.5)", "CT(limit=0.3)"])
def test_a_limit_below_one_breaks_red(metric: str) -> None:
    """The Cube Test satisfies Red for L = 1, where no aspect fills up; below 1, two full aspects tie."""
    verdict = check(metric, "Red")
    assert verdict.verdict == "fails"
    assert present(verdict.counterexample).breaks(metric.replace(")", ",alpha=0.5)"))
    assert check("CT", "Red").verdict == "holds"


def own_ndcg(ranking: Any) -> Any:
    """nDCG as a user would write it, with the ideal from the pool."""

    def dcg(rows: Any) -> Any:
        return sum(max(row) / math.log2(i + 2) for i, row in enumerate(rows))

    best = dcg(sorted(ranking.pool.tolist(), key=max, reverse=True))
    value = dcg(ranking.relevance.tolist())
    return value / best if best else value * 0


@pytest.mark.slow
def test_a_function_that_uses_the_pool_gets_one() -> None:
    """A function is run with judgments, and a bounded verdict states which; an empty pool proves nothing."""
    verdict = check(own_ndcg, "Sat")
    assert verdict.verdict == "fails" and breaks(verdict, own_ndcg)
    swapped = check(own_ndcg, "Pri", bounds=Bounds(longest=3))
    assert swapped.verdict == "bounded" and present(swapped.proof).bound


# --- ranges and subclasses --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "composition",
    [
        Sum(Aspects(), Geometric(1.2)),
        Sum(Aspects(), Geometric(0)),
        Sum(Aspects(), Geometric(-0.5)),
        Sum(Aspects(), Log(), Decay(-0.5)),
        Sum(Aspects(), Log(), Decay(1.5)),
        Sum(Aspects(), Log(), Decay(0.5, -1)),
        Normalised(Sum(Aspects(), Geometric(1.2))),
        Blend(1.5),
        Blend(-0.1),
    ],
)
def test_compositions_out_of_range_are_refused(composition: Any) -> None:
    """Parameters outside their ranges, where the lemmas do not apply, raise a UsageError."""
    for axiom in ("Pri", "DeepTh", "CloseTh"):
        with refuses("out-of-range"):
            check(composition, axiom)


@dataclass(frozen=True)
class Forgetful(Sum):
    """Equals its base class on short rankings only."""

    def exact(self, ranking: Any) -> Any:
        value = super().exact(ranking)
        return value if len(ranking) < 6 else value * 0


@dataclass(frozen=True)
class Steeper(Reciprocal):
    """A subclass of a discount that overrides it."""

    def at(self, rank: Any, numbers: Any) -> Any:
        return numbers.of(1) / numbers.of(min(6, rank))


@dataclass(frozen=True)
class HalfNew(Cascade):
    """A subclass of a novelty that changes nothing but is another type."""


def test_lemmas_do_not_apply_to_subclasses() -> None:
    """A subclass gets no proof for every length from its base class: it fails, or the verdict is bounded."""
    assert check(Sum(Aspects(), Reciprocal(), Cascade()), "Pri").verdict == "holds"
    broken = check(Forgetful(Aspects(), Reciprocal(), Cascade()), "Pri")
    assert broken.verdict == "fails" and len(present(broken.counterexample).better) >= 6
    level = check(Sum(Aspects(), Steeper(), Cascade()), "Pri")
    assert level.verdict == "fails" and breaks(level, Sum(Aspects(), Steeper(), Cascade()))
    bounded = check(Sum(Aspects(), Reciprocal(), HalfNew()), "Pri")
    assert bounded.verdict == "bounded" and not present(bounded.proof).every_length
    assert check(Sum(Aspects(), Steeper(), Cascade()), "DeepTh").verdict == "unknown"


# --- bounded and vacuous ----------------------------------------------------------------------------------------------


def better(ranking: Any) -> Any:
    """RBU as a user would write it."""
    total, left = 0, [1] * ranking.aspects
    for i, row in enumerate(ranking.relevance):
        gain = sum(w * r * s for w, r, s in zip(ranking.weights, row, left, strict=True))
        total = total + 0.9**i * (gain - 0.05)
        left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
    return total


@pytest.mark.slow
def test_a_bounded_verdict_states_its_bound() -> None:
    """The verdict on a function states its bound, and a larger bound is used when given."""
    verdict = check(better, "Pri")
    documents = present(verdict.proof).documents
    assert verdict.verdict == "bounded" and documents >= 4
    assert has_facts(str(verdict), documents)
    wider = check(better, "Red", bounds=Bounds(longest=5, aspects=4))
    proof = present(wider.proof)
    assert (wider.verdict, proof.documents, proof.aspects) == ("bounded", 5, 4)


def capped(ranking: Any) -> Any:
    """Ignores documents after rank 9."""
    return sum(F(1, i) * row[0] for i, row in enumerate(ranking.relevance[:9], 1))


def three_aspects(ranking: Any) -> Any:
    """Returns 0 for more than three aspects."""
    pairs = [(w, r, i) for i, row in enumerate(ranking.relevance, 1) for w, r in zip(ranking.weights, row, strict=True)]
    return sum(w * r / i for w, r, i in pairs) if ranking.aspects <= 3 else 0


def test_longer_rankings_than_the_bound_are_tried() -> None:
    """Functions that fail only at ten documents, or with four aspects, are refuted."""
    for metric, axiom in ((capped, "Pri"), (three_aspects, "AspRel")):
        verdict = check(metric, axiom)
        assert verdict.verdict == "fails" and breaks(verdict, metric)


@pytest.mark.parametrize(
    ("metric", "axiom"), [("P@1", "Conf"), ("RBU@1", "Pri"), ("nDCG@1", "DeepTh"), ("P@1", "CloseTh")]
)
def test_an_unsatisfiable_premise_is_vacuous(metric: str, axiom: str) -> None:
    """Within a cutoff of 1 no two documents can be swapped, and no 2n documents fit."""
    verdict = check(metric, axiom)
    assert verdict.verdict == "vacuous" and verdict.agrees == "" and verdict.note


@pytest.mark.parametrize(("k", "expected"), [(2, "holds"), (4, "holds"), (5, "holds"), (6, "fails"), (20, "fails")])
def test_deepth_within_a_cutoff_covers_rankings_that_fit(k: int, expected: str) -> None:
    """For nDCG, one document at the top beats two after two others but not three after three."""
    verdict = check(f"nDCG@{k}", "DeepTh")
    assert verdict.verdict == expected
    assert expected == "holds" or present(verdict.counterexample).breaks(f"nDCG@{k}")


# --- misleading functions ---------------------------------------------------------------------------------------------


def counted() -> Any:
    calls = [0]

    def metric(ranking: Any) -> Any:
        calls[0] += 1
        return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance)) if calls[0] < 200 else 0

    return metric


def noisy(ranking: Any) -> Any:
    return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance)) + random.choice([0, 0.01])


def swallowing(ranking: Any) -> Any:
    try:
        return sum(math.sqrt(row[0]) for row in ranking.relevance)
    except Exception:  # noqa: BLE001 - a common mistake
        return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance))


def by_type(ranking: Any) -> Any:
    return sum((row[0] if isinstance(row[0], float) else row[0] / (i + 1)) for i, row in enumerate(ranking.relevance))


def test_inconsistent_functions_are_unknown() -> None:
    """State, noise, an `except` that hides inexact arithmetic, and dependence on number types give `unknown`."""
    for metric in (counted(), noisy, swallowing, by_type):
        verdict = check(metric, "Pri")
        assert verdict.verdict == "unknown" and verdict.note


def hidden(ranking: Any) -> Any:
    """Catches the error of an inexact operation and returns another value."""
    first = ranking.relevance[0][0]
    try:
        return first + (math.exp(first) - math.exp(first))
    except TypeError:
        return first * 2


def test_caught_errors_are_not_hidden() -> None:
    """Inexact arithmetic is `unknown` even if the metric catches the error."""
    assert check(hidden, "Conf").verdict in ("unknown", "fails")
    assert check(hidden, "AspDiv").verdict == "unknown"


def window(ranking: Any) -> Any:
    """Breaks Pri only where the first document's relevance lies between 0.31 and 0.32."""
    column = [row[0] for row in ranking.relevance]
    value = sum(x / (i + 1) for i, x in enumerate(column))
    return value - 1 if 0.31 < column[0] < 0.32 else value


def test_the_solver_finds_a_narrow_window() -> None:
    """A failure in a window that no simple value hits is found through the solver's model."""
    verdict = check(window, "Pri")
    assert verdict.verdict == "fails" and breaks(verdict, window)


def test_an_endless_loop_ends_at_the_time_limit() -> None:
    """A metric that never returns is `unknown`, and one that exits raises a UsageError."""

    def loops(ranking: Any) -> None:
        while True:
            pass

    start = time.monotonic()
    verdict = check(loops, "Pri", time_limit=1)
    assert verdict.verdict == "unknown" and "1 s" in verdict.note
    assert time.monotonic() - start < 30
    with refuses("metric-failed"):
        check(lambda ranking: sys.exit("exits"), "Pri")


def reciprocal_sum(ranking: Any) -> Any:
    return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance))


CONCRETE = {
    "a set": lambda ranking: reciprocal_sum(ranking) - (1 if ranking.relevance[0][0] in {0.3, 0.7} else 0),
    "a dictionary": lambda ranking: reciprocal_sum(ranking) - {0.3: 1}.get(ranking.relevance[0][0], 0),
    "distinct values": lambda ranking: (
        reciprocal_sum(ranking) - (len({row[0] for row in ranking.relevance}) < len(ranking))
    ),
    "text": lambda ranking: reciprocal_sum(ranking) - (1 if str(ranking.relevance[0][0]) == "0.3" else 0),
    "a format": lambda ranking: reciprocal_sum(ranking) - (1 if f"{ranking.relevance[0][0]:.3f}" == "0.300" else 0),
    "int": lambda ranking: reciprocal_sum(ranking) - int(ranking.relevance[0][0] + F(2, 3)),
    "round": lambda ranking: reciprocal_sum(ranking) - round(ranking.relevance[0][0], 2) * 3,
    "a remainder": lambda ranking: reciprocal_sum(ranking) - 3 * (ranking.relevance[0][0] % F(1, 5)),
    "numpy": lambda ranking: np.floor(np.asarray(ranking.relevance)[:, 0] * 7).sum() + reciprocal_sum(ranking),
}


@pytest.mark.parametrize("how", CONCRETE)
def test_operations_that_need_a_value_claim_nothing(how: str) -> None:
    """Hashing, printing and rounding need a concrete number: the verdict is `unknown`, or a confirmed failure."""
    verdict = check(CONCRETE[how], "AspDiv", bounds=Bounds(longest=3))
    assert verdict.verdict == "unknown" or (verdict.verdict == "fails" and breaks(verdict, CONCRETE[how]))


def test_rare_state_is_detected() -> None:
    """Every ranking is scored twice, including those beyond the solver's bound, so rare changes are detected."""
    calls = [0]

    def rarely(ranking: Any) -> Any:
        calls[0] += 1
        return reciprocal_sum(ranking) * (-1 if calls[0] % 977 == 0 else 1)

    assert check(rarely, "Pri").verdict == "unknown"


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_four_threads_decide_at_once() -> None:
    """Concurrent checks in four threads all give the right verdict."""
    cells = [("RBU", "Pri"), ("EU", "Conf"), ("NRBP", "Red"), ("ERR-IA@k", "MRed")]
    found = {}

    def work(metric: Any, axiom: Any) -> None:
        found[metric] = [check(metric, axiom).verdict for _ in range(3)]

    threads = [threading.Thread(target=work, args=cell) for cell in cells]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {metric: ["holds"] * 3 for metric, _ in cells}


# --- users' axioms ----------------------------------------------------------------------------------------------------


def top_shapes(reading: Any, bounds: Any) -> Iterator[Any]:
    """A relevant document on top beats the same ranking without it."""
    for n in range(1, bounds.longest):
        names = tuple(f"r{i}" for i in range(1, n + 1))

        def build(v: Any, names: Any = names) -> Any:
            rows = [[v[name]] for name in names]
            premises = [p for name in names for p in (v[name] >= 0, v[name] < 1)]
            one = Term.of(1) / 2
            return Pair([[one], *rows], [[Term.of(0)], *rows], [Term.of(1)], premises, pool=[[one], *rows])

        yield Case("Top", "a relevant document comes first", n + 1, 1, names, build, names)


TOP = Axiom(
    "Top",
    "Relevance on top",
    "Q(d₁ relevant, d) > Q(d₁ non-relevant, d)",
    "the first document counts",
    shapes=top_shapes,
)


def test_a_users_axiom_is_decided_printed_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A user's axiom works in text, JSON and matrix; without a lemma the verdict is bounded, never a proof."""
    verdict = check("RBU", TOP)
    assert verdict.verdict == "bounded" and verdict.paper == ""
    assert "Relevance on top" in str(verdict) and "the first document counts" in str(verdict)
    assert type(verdict).from_dict(verdict.as_dict()) == verdict
    for metric, expected in (("S-Recall@1", "bounded"), ("S-Recall@3", "fails"), ("S-Recall@k", "unknown")):
        assert check(metric, TOP, reading=AS_WRITTEN).verdict == expected, metric
    found = matrix(["RBU", "S-Recall@k"], axioms=[TOP, "Pri"], readings=["charitable"], jobs=1)
    assert found.axioms == ["Top", "Pri"] and found.cell("RBU", "Top", "charitable") == verdict
    assert "Top" in str(found)


def test_an_axiom_with_a_known_name_gets_no_lemma() -> None:
    """A user's axiom named like a constraint is not proved by the constraint's lemmas."""
    impostor = Axiom("Pri", "Priority", "", "", shapes=top_shapes)
    assert check("RBU", impostor).verdict == "bounded"
    assert AXIOMS["Pri"] is not impostor and check("RBU", "Pri").verdict == "holds"
    with refuses("axiom-not-applicable"):
        check("RBU", Axiom("Empty", "", "", ""))


def test_precision_without_a_cutoff_is_not_proved() -> None:
    """P without a cutoff divides by the length, so the lemma for P@k must not prove Conf."""
    verdict = check(PerChannel(Precision(), Aspects()), "Conf", reading="as-written")
    assert verdict.verdict in ("fails", "bounded", "unknown")
