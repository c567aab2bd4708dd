"""Made-up verdicts of every kind, and all that is printed of them: `stories.txt` holds the text.

`python tests/unit/axioms/stories.py` writes it again; read the difference before it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from pathlib import Path

from diveval.axioms import AXIOMS, Verdict
from diveval.axioms.advice import Advice, Where
from diveval.axioms.evidence import Counterexample, Proof, Region, Step
from diveval.axioms.family import Composition, Family, markdown
from diveval.axioms.layout import FORMATS, against_the_paper, html_text
from diveval.axioms.matrix import Matrix
from diveval.axioms.numbers import decimal
from diveval.axioms.polynomials import Condition, Term
from diveval.axioms.solver import Solver, _written, falling_and_convex

STORIES = Path(__file__).with_name("stories.txt")

SWAP = Counterexample(
    "swap ranks 1 and 2", ((F(3, 4),), (F(1, 2),)), ((F(1, 2),), (F(3, 4),)), (F(1),), ((F(1, 2),), (F(3, 4),)),
    {"p": F(4, 5), "e": F(1, 20)}, 1, True, ("1/3", "1/2"), ("0.333333", "0.5"),
)  # fmt: skip
ASPECTS = Counterexample(
    "a document about t'", ((F(1), F(0), F(1, 128), F(0)), (F(0), F(1), F(0), F(0))), ((F(0), F(0), F(0), F(1)),),
    (F(1, 4), F(1, 4), F(1, 3), F(1, 6)), ((F(1), F(1), F(0), F(0)), (F(0), F(0), F(0), F(1))), {}, None, False,
    ("1/2", "1/2"), ("0.5", "0.5"),
)  # fmt: skip
PROOF = Proof(
    "z3 excludes every ranking of up to 4 documents", tuple(Step(f"step {by}", by) for by in ("solver", "exact", "analysis", "induction")), True, "m = 2 does:",
)  # fmt: skip
REGION = Region("p² + p³ > 1", ("p > 0.754878", "e < 1 at p = 4/5"))
VERDICTS = (
    Verdict("RBU@k", "Pri", "as-written", "holds", "holds", proof=PROOF, parameters="0 < p < 1, e > 0"),
    Verdict("RBU@k", "Pri", "charitable", "holds", "fails", proof=Proof("z3 excludes up to 4 documents")),
    Verdict("RBU@k", "Sat", "as-written", "fails", "holds", counterexample=SWAP, note="everywhere", proof=Proof("why", (Step("so"),))),
    Verdict("RBU@k", "Sat", "charitable", "region", "holds", REGION, ASPECTS, Proof("z3 up to 4"), "a note", "e > 0"),
    Verdict("x_%&#$", "Pri", "as-written", "not-applicable", "fails", note="the metric has no aspects"),
    Verdict("x_%&#$", "Pri", "charitable", "unknown", "", note="time is up"),
    Verdict("x_%&#$", "Sat", "as-written", "fails", "fails", counterexample=ASPECTS, note="only behind the cutoff", uncut="holds"),
    Verdict("x_%&#$", "Sat", "charitable", "fails", "holds", proof=Proof("for no m")),
)  # fmt: skip


def stories() -> Iterator[tuple[str, str]]:
    """A title and the text, one after the other."""
    found = Matrix(VERDICTS)
    for verdict in VERDICTS:
        yield f"{verdict.metric} {verdict.axiom} {verdict.reading}", f"{verdict}\n{verdict.evidence}|{verdict.agrees}"
        yield (
            f"{verdict.metric} {verdict.axiom} {verdict.reading}, at the ends",
            str(Where(verdict, (("e = 0", VERDICTS[2]), ("p = 1", VERDICTS[0])))),
        )
    yield "a verdict for a notebook", VERDICTS[2]._repr_html_()
    yield "a verdict as JSON", VERDICTS[3].to_json()
    for name in ("table", "csv", "md", "latex"):
        yield f"matrix as {name}", FORMATS[name](found)
    yield "matrix for a notebook", html_text(found) + found._repr_html_()
    yield "against the paper", against_the_paper(found)
    yield "against the paper, one metric", against_the_paper(found, metrics=["RBU@k"])
    for number, good in enumerate((("Pri",), tuple(AXIOMS))):
        walked = _walk(good)
        yield f"a walk {number}", str(walked)
        yield f"a walk for a page {number}", markdown(walked)
    for advice in (Advice("RBU@k", VERDICTS[:4]), Advice("RBU@k", VERDICTS[3:4]), Advice("x", (), ("grades",))):
        yield f"advice {advice.metric} {len(advice.needed)}", f"{advice.suitable} {advice.conditions} {advice.missing}"
    values = [
        F(0),
        F(-1, 10**9),
        F(1, 3),
        F(-5, 2),
        F(10),
        F(199999999, 10**8),
        Term.symbol("L3"),
        Term.of(1) / Term.symbol("L6"),
    ]
    yield "decimals", " ".join(decimal(value) for value in values) + " " + decimal(F(2, 3), 2)
    yield "questions", "\n".join(_questions())


def _walk(good: tuple[str, ...]) -> Family:
    """Eight compositions: these axioms hold with effort, and for p^i with weights in a region; nothing else does."""
    some = tuple(Composition(*parts) for parts in product(("p^i", "1/i"), ("none",), ("yes", "no"), ("e", "no")))
    verdicts = []
    for c, axiom in product(some, AXIOMS):
        answer = "fails" if axiom not in good else "holds" if c.effort == "e" else "fails"
        answer = (
            "region" if axiom in good and c.effort == "no" and (c.discount, c.weights) == ("p^i", "yes") else answer
        )
        verdicts.append(Verdict(c.name, axiom, "charitable", answer))
    return Family(some, Matrix(tuple(verdicts)), "charitable")


def _questions() -> Iterator[str]:
    """Conditions as the solver reads them, with all that is known of their symbols."""
    p, e, d = Term.symbol("p"), Term.symbol("e"), Term.symbol("D2")
    conditions = [p * p * 2 - e > 0, p >= F(-1, 3), p == e, p + d != 1, Term.symbol("L3") < p, p - p + 1 <= p]
    yield from (f"{condition}: {_written(condition)}" for condition in conditions if isinstance(condition, Condition))
    solver = Solver({"p": [Condition((-p).num, "<")]})
    yield from (str(fact) for fact in solver.known(["p", "L3", "D2", "D4", "x"]))
    yield from (str(fact) for ranks in ([], [1], [2, 1], [3, 5]) for fact in (ranks, *falling_and_convex(ranks)))


def text() -> str:
    return "".join(f"=== {title}\n{story}\n" for title, story in stories())


if __name__ == "__main__":
    STORIES.write_text(text(), encoding="utf-8")
