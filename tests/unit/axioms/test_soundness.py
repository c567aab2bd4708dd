"""No false claim: each kind of metric that once got a proof it did not deserve, and what is said of it now."""

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
from diveval.axioms.arithmetic.polynomials import Term
from diveval.errors import UsageError
from diveval.metrics.algebra import Aspects, Cascade, Decay, Geometric, Log, Reciprocal
from diveval.metrics.columnwise import Each, Precision
from diveval.metrics.formulas import Normalised, Sum
from diveval.metrics.subtopics import Blend
from support.present import present
from support.wording import wording

pytestmark = pytest.mark.slow(seconds=0.3)  # together: `make check` leaves the file out


def breaks(verdict: Any, metric: Any) -> Any:
    """That the pair shown is broken by the metric itself, scored again."""
    return verdict.counterexample is not None and verdict.counterexample.breaks(metric)


# --- ideals, pools, limits --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["as-written", "charitable"])
@pytest.mark.parametrize("axiom", ["Pri", "Deep", "Conf", "AspDiv", "Red", "MRed", "AspRel"])
def test_an_ideal_of_zero_ties_everything(axiom: str, reading: str) -> None:
    """nRBU is 0 for all rankings of documents not worth their effort, so nothing strict holds of it."""
    verdict = check("nRBU", axiom, reading=reading)
    assert verdict.verdict == "fails"
    assert present(verdict.counterexample).breaks("nRBU(p=0.99,e=0.05)")


def test_what_is_left_of_a_metric_whose_ideal_may_be_zero() -> None:
    """Sat asks for no more than a tie; the thresholds need r_c > e."""
    assert check("nRBU", "Sat").verdict == "holds"
    assert present(check("nRBU", "DeepTh", reading="as-written").region).formula == "r_c > e"
    assert check("nRBU", "CloseTh").verdict == "fails"  # r_c → 0 is below every effort
    assert check(Normalised(Sum(Aspects(), Log(), Cascade())), "Pri").verdict == "holds"  # no effort: never zero


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["CT(limit=0.5)", "CT(limit=0.3)"])
def test_a_limit_below_one_fills_before_the_reading_expects_it(metric: str) -> None:
    """Red of the Cube Test holds for L = 1, where nothing fills; below, two full aspects tie."""
    verdict = check(metric, "Red")
    assert verdict.verdict == "fails"
    assert present(verdict.counterexample).breaks(metric.replace(")", ",alpha=0.5)"))
    assert check("CT", "Red").verdict == "holds"


def own_ndcg(ranking: Any) -> Any:
    """nDCG as people write it: the ideal from the pool."""

    def dcg(rows: Any) -> Any:
        return sum(max(row) / math.log2(i + 2) for i, row in enumerate(rows))

    best = dcg(sorted(ranking.pool.tolist(), key=max, reverse=True))
    value = dcg(ranking.relevance.tolist())
    return value / best if best else value * 0


@pytest.mark.slow
def test_a_function_that_looks_at_the_pool_gets_one() -> None:
    """It is run with judgments, and what is excluded says which; nothing is proved of an empty pool."""
    verdict = check(own_ndcg, "Sat")
    assert verdict.verdict == "fails" and breaks(verdict, own_ndcg)
    swapped = check(own_ndcg, "Pri", bounds=Bounds(longest=3))
    assert (
        swapped.verdict == "bounded" and "judged are the documents at hand and one more" in present(swapped.proof).bound
    )


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
    """No axiom is decided of p > 1, α < 0 and the like: the lemmas are stated inside the ranges."""
    for axiom in ("Pri", "DeepTh", "CloseTh"):
        with pytest.raises(UsageError):
            check(composition, axiom)


@dataclass(frozen=True)
class Forgetful(Sum):
    """Follows its parent on short lists only."""

    def exact(self, ranking: Any) -> Any:
        value = super().exact(ranking)
        return value if len(ranking) < 6 else value * 0


@dataclass(frozen=True)
class Steeper(Reciprocal):
    """A discount that inherits and changes."""

    def at(self, rank: Any, numbers: Any) -> Any:
        return numbers.of(1) / numbers.of(min(6, rank))


@dataclass(frozen=True)
class HalfNew(Cascade):
    """A novelty that inherits and changes nothing: still of another type."""


def test_a_lemma_is_for_the_type_it_was_stated_for() -> None:
    """What inherits gets no proof for every length from its parent: it is broken, or excluded up to a bound."""
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
    """RBU by hand."""
    total, left = 0, [1] * ranking.aspects
    for i, row in enumerate(ranking.relevance):
        gain = sum(w * r * s for w, r, s in zip(ranking.weights, row, left, strict=True))
        total = total + 0.9**i * (gain - 0.05)
        left = [s * (1 - r) for s, r in zip(left, row, strict=True)]
    return total


@pytest.mark.slow
def test_a_function_is_excluded_up_to_a_bound_that_is_printed() -> None:
    """Nothing is claimed beyond, and raising the bound raises what is claimed."""
    verdict = check(better, "Pri")
    documents = present(verdict.proof).documents
    assert verdict.verdict == "bounded" and documents >= 4
    assert f"up to {documents} documents" in str(verdict) and "nothing beyond" in verdict.evidence
    wider = check(better, "Red", bounds=Bounds(longest=5, aspects=4))
    proof = present(wider.proof)
    assert (wider.verdict, proof.documents, proof.aspects) == ("bounded", 5, 4)


def capped(ranking: Any) -> Any:
    """Looks at nine documents."""
    return sum(F(1, i) * row[0] for i, row in enumerate(ranking.relevance[:9], 1))


def three_aspects(ranking: Any) -> Any:
    """Gives up where there are more than three aspects."""
    pairs = [(w, r, i) for i, row in enumerate(ranking.relevance, 1) for w, r in zip(ranking.weights, row, strict=True)]
    return sum(w * r / i for w, r, i in pairs) if ranking.aspects <= 3 else 0


def test_longer_rankings_than_the_bound_are_tried() -> None:
    """Functions that break at ten documents, or with four aspects, are found out."""
    for metric, axiom in ((capped, "Pri"), (three_aspects, "AspRel")):
        verdict = check(metric, axiom)
        assert verdict.verdict == "fails" and breaks(verdict, metric)


@pytest.mark.parametrize(
    ("metric", "axiom"), [("P@1", "Conf"), ("RBU@1", "Pri"), ("nDCG@1", "DeepTh"), ("P@1", "CloseTh")]
)
def test_a_premise_that_no_ranking_meets_is_vacuous(metric: str, axiom: str) -> None:
    """Within a cutoff of 1 no two documents can be swapped, and no 2n documents fit."""
    verdict = check(metric, axiom)
    assert verdict.verdict == "vacuous" and verdict.agrees == "" and "cutoff" in f"{verdict.note} cutoff"


@pytest.mark.parametrize(("k", "expected"), [(2, "holds"), (4, "holds"), (5, "holds"), (6, "fails"), (20, "fails")])
def test_deepness_within_a_cutoff_is_about_the_rankings_that_fit(k: int, expected: str) -> None:
    """nDCG: one at the top beats two behind two, not three behind three; a failure shows its pair."""
    verdict = check(f"nDCG@{k}", "DeepTh")
    assert verdict.verdict == expected
    assert expected == "holds" or present(verdict.counterexample).breaks(f"nDCG@{k}")


# --- functions that fool ----------------------------------------------------------------------------------------------


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
    except Exception:  # noqa: BLE001 - what a careless person writes
        return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance))


def by_type(ranking: Any) -> Any:
    return sum((row[0] if isinstance(row[0], float) else row[0] / (i + 1)) for i, row in enumerate(ranking.relevance))


def test_functions_without_one_value_per_ranking_get_no_verdict() -> None:
    """A state, noise, an `except` that hides what cannot be followed, a look at the type of the numbers."""
    for metric in (counted(), noisy, swallowing, by_type):
        verdict = check(metric, "Pri")
        assert verdict.verdict == "unknown" and verdict.note


def hidden(ranking: Any) -> Any:
    """An `except` around a comparison that cannot be followed, in one branch only."""
    first = ranking.relevance[0][0]
    try:
        return first + (math.exp(first) - math.exp(first))
    except TypeError:
        return first * 2


def test_what_a_metric_catches_is_not_hidden() -> None:
    """Arithmetic that cannot be followed is `unknown`, even where the metric has an answer to the error."""
    assert check(hidden, "Conf").verdict in ("unknown", "fails")
    assert check(hidden, "AspDiv").verdict == "unknown"


def window(ranking: Any) -> Any:
    """Breaks Pri only where the first document's relevance lies between 0.31 and 0.32."""
    column = [row[0] for row in ranking.relevance]
    value = sum(x / (i + 1) for i, x in enumerate(column))
    return value - 1 if 0.31 < column[0] < 0.32 else value


def test_the_solvers_model_is_a_counterexample() -> None:
    """A narrow window that no simple value hits is found by the solver."""
    verdict = check(window, "Pri")
    assert verdict.verdict == "fails" and breaks(verdict, window)


def test_a_loop_ends_with_the_time() -> None:
    """A metric that never returns is stopped, and so is one that exits."""

    def loops(ranking: Any) -> None:
        while True:
            pass

    start = time.monotonic()
    verdict = check(loops, "Pri", time_limit=1)
    assert verdict.verdict == "unknown" and "1 s" in verdict.note
    assert time.monotonic() - start < 30
    with pytest.raises(UsageError, match="exits"):
        check(lambda ranking: sys.exit("exits"), "Pri")


def plainly(ranking: Any) -> Any:
    return sum(row[0] / (i + 1) for i, row in enumerate(ranking.relevance))


LOOKS = {
    "a set": lambda ranking: plainly(ranking) - (1 if ranking.relevance[0][0] in {0.3, 0.7} else 0),
    "a dictionary": lambda ranking: plainly(ranking) - {0.3: 1}.get(ranking.relevance[0][0], 0),
    "distinct values": lambda ranking: plainly(ranking) - (len({row[0] for row in ranking.relevance}) < len(ranking)),
    "text": lambda ranking: plainly(ranking) - (1 if str(ranking.relevance[0][0]) == "0.3" else 0),
    "a format": lambda ranking: plainly(ranking) - (1 if f"{ranking.relevance[0][0]:.3f}" == "0.300" else 0),
    "int": lambda ranking: plainly(ranking) - int(ranking.relevance[0][0] + F(2, 3)),
    "round": lambda ranking: plainly(ranking) - round(ranking.relevance[0][0], 2) * 3,
    "a remainder": lambda ranking: plainly(ranking) - 3 * (ranking.relevance[0][0] % F(1, 5)),
    "numpy": lambda ranking: np.floor(np.asarray(ranking.relevance)[:, 0] * 7).sum() + plainly(ranking),
}


@pytest.mark.parametrize("how", LOOKS)
def test_what_needs_a_value_is_never_answered_for_a_symbol(how: str) -> None:
    """A set compares hashes before values, text and rounding need a number: no claim rests on them, and none crashes."""
    verdict = check(LOOKS[how], "AspDiv", bounds=Bounds(longest=3))
    assert verdict.verdict == "unknown" or (verdict.verdict == "fails" and breaks(verdict, LOOKS[how]))


def test_a_rare_state_shows_in_the_search() -> None:
    """Every ranking that is scored is scored twice, also those beyond the solver's bound."""
    calls = [0]

    def rarely(ranking: Any) -> Any:
        calls[0] += 1
        return plainly(ranking) * (-1 if calls[0] % 977 == 0 else 1)

    assert check(rarely, "Pri").verdict == "unknown"


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_four_threads_decide_at_once() -> None:
    """Each thread has a context of its own in the solver, and forks of its own."""
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


# --- an axiom of one's own --------------------------------------------------------------------------------------------


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


def test_an_axiom_of_ones_own_is_decided_printed_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Verdict, text, JSON and matrix; without a lemma the verdict is bounded, never a proof."""
    verdict = check("RBU", TOP)
    assert verdict.verdict == "bounded" and verdict.paper == ""
    assert "Relevance on top" in str(verdict) and "the first document counts" in str(verdict)
    assert type(verdict).from_dict(verdict.as_dict()) == verdict
    assert check("S-Recall@k", TOP, reading=AS_WRITTEN).verdict == "fails"
    found = matrix(["RBU", "S-Recall@k"], axioms=[TOP, "Pri"], readings=["charitable"], jobs=1)
    assert found.axioms == ["Top", "Pri"] and found.cell("RBU", "Top", "charitable") == verdict
    assert "Top" in str(found)


def test_an_axiom_with_a_known_name_borrows_no_lemma() -> None:
    """Only the ten constraints themselves have arguments for every length."""
    impostor = Axiom("Pri", "Priority", "", "", shapes=top_shapes)
    assert check("RBU", impostor).verdict == "bounded"
    assert AXIOMS["Pri"] is not impostor and check("RBU", "Pri").verdict == "holds"
    with pytest.raises(UsageError, match=wording("no shapes")):
        check("RBU", Axiom("Empty", "", "", ""))


def test_a_precision_without_a_cutoff_is_not_taken_for_one_with() -> None:
    """P over what was returned divides by the length: Conf then holds for no other reason, and no column claims more."""
    verdict = check(Each(Precision(), Aspects()), "Conf", reading="as-written")
    assert verdict.verdict in ("fails", "bounded", "unknown")
