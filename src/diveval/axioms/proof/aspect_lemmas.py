"""Lemmas about several aspects: more of all, the less covered one, the satisfied one, the heavier one."""

from __future__ import annotations

from diveval.axioms.proof.column_machine import GAIN, RECALL, Argument, Named, gaining, same_state, two_runs
from diveval.axioms.proof.derivation import SYMBOLS, Given, State, definitions, premises, ranges, symbol
from diveval.exact.polynomials import Term, Truth


def aspect_diversity(a: Argument) -> bool:
    if a.column.binary:
        return False
    a.ranks.establish(a.derivation)
    a.facts.establish(a.derivation, alive=True)
    _recall_of_more(a)
    source = _one_column_of_many(a)
    state = a.facts.fresh("s")
    x, y, d1 = symbol("x"), symbol("y"), symbol("d1")
    grown = [*ranges(x >= 0), *premises(x < y), *source]
    if a.reading.documents_behind:
        if not a.facts.commutes or not a.ranks.falls:
            return False
        gained = _behind(a, state, grown)
    else:
        given = [*a.facts.list_facts(a.derivation, state), *a.limits([y], state), *grown, *a.weights(d1)]
        a.derivation.claim(
            "last",
            "from any state, a more relevant last document gains in every aspect's column",
            given,
            lambda: gaining(a.run(state, [(y, d1)])[0] - a.run(state, [(x, d1)])[0]),
        )
        gained = a.derivation.cite("last", GAIN > 0)
    if a.column.over.takes_best or (a.column.mixes_aspects and a.facts.remembers):
        a.conclude(gained)
        return True
    w = symbol("w1")
    a.derivation.induction(
        "aspects",
        "over the aspects: the sum of what each column gains, by its weight, is positive",
        begin={"total": w * GAIN},
        after=lambda now: {"total": now["total"] + w * GAIN},
        invariant=lambda now: [now["total"] > 0],
        first=[*gained, *ranges(w > 0)],
        given=[*gained, *ranges(w > 0)],
    )
    a.conclude(a.derivation.recall_invariant("aspects", {"total": GAIN}))
    return True


def _one_column_of_many(a: Argument) -> list[Given]:
    """What a metric with one column for all aspects sees of a document that is more relevant to every aspect."""
    r, s, w = symbol("r2"), symbol("r3"), symbol("w2")
    inside = [*ranges(r >= 0, s < 1), *premises(r < s)]
    if a.column.over.takes_best:
        a.derivation.induction(
            "seen",
            "over the aspects: the largest relevance grows too",
            begin={"x": r, "y": s},
            after=lambda now: {"x": SYMBOLS.largest([now["x"], r]), "y": SYMBOLS.largest([now["y"], s])},
            invariant=lambda now: [now["x"] < now["y"], now["x"] >= 0, now["y"] < 1],
            first=inside,
            given=inside,
        )
        return a.derivation.recall_invariant("seen", {"x": symbol("x"), "y": symbol("y")})
    if a.column.mixes_aspects and a.facts.remembers:
        full = [*inside, *ranges(w > 0)]
        a.derivation.induction(
            "seen",
            "over the aspects: the global gain grows too, and stays below the sum of the weights",
            begin={"x": w * r, "y": w * s, "W": w},
            after=lambda now: {"x": now["x"] + w * r, "y": now["y"] + w * s, "W": now["W"] + w},
            invariant=lambda now: [now["x"] < now["y"], now["x"] >= 0, now["y"] < now["W"]],
            first=full,
            given=full,
        )
        return a.derivation.recall_invariant("seen", {"x": symbol("x"), "y": symbol("y"), "W": Term.of(1)})
    return []


def _behind(a: Argument, state: State, grown: list[Given]) -> list[Given]:
    """Documents behind the better one: Δ + D·(f(a) − f(b)) > 0, by induction."""
    x, y, r, d1, d2, d, further = (symbol(name) for name in ("x", "y", "r1", "d1", "d2", "d", "d3"))

    def invariant(now: State) -> list[Truth]:
        one, other = two_runs(now)
        lost = a.facts.factor(one) - a.facts.factor(other)
        inside = [*a.facts.inside(one, alive=True), *a.facts.inside(other, alive=True)]
        return [now["delta"] + now["d"] * lost > 0, lost <= 0, now["delta"] > 0, now["d"] > 0, *inside]

    a.derivation.induction(
        "behind",
        "over the documents behind: Δ + D·(f(a) − f(b)) > 0, a and b being the states of the two runs",
        begin=a.diverge(state, x, y, d1, d2),
        after=lambda now: a.both_read(now, r, further),
        invariant=invariant,
        first=[*a.facts.list_facts(a.derivation, state), *grown, *ranges(y < 1), *a.weights(d1, d2)],
        given=[*ranges(r >= 0, r < 1), *a.weights(d, further)],
    )
    return a.derivation.recall_invariant("behind", {**a.facts.fresh("a"), **a.facts.fresh("b"), "delta": GAIN, "d": d})


def redundancy(a: Argument) -> bool:
    if a.column.binary and a.facts.graded:
        return False
    full = a.reading.full_relevance or a.column.binary  # what a binary metric reads of a relevant document is 1
    a.ranks.establish(a.derivation)
    a.facts.establish(a.derivation, alive=not full)
    less, more = a.facts.fresh("s"), a.facts.fresh("a")
    if not less:
        return False
    r, d, w = symbol("r"), symbol("d1"), symbol("w1")
    value = definitions(r == 1) if a.column.binary else [*ranges(r > 0), *ranges(r <= 1 if full else r < 1)]
    room = [] if full else premises(a.facts.sum_seen(less) + 2 * r < 1)
    left = [] if full else premises(a.facts.sum_seen(more) + 2 * r < 1)
    at_end = [] if full else premises(a.facts.sum_seen(more) + r < 1)
    known = a.facts.list_facts(a.derivation, less)

    a.derivation.induction(
        "further",
        "over the documents about t beyond those about t': what the next one about t is worth stays below",
        begin=lambda: a.rename("a", a.facts.after(less, r)),
        after=lambda now: a.facts.after(now, r),
        invariant=lambda now: [a.facts.level(now) < a.facts.level(less), *a.facts.inside(now, alive=not full)],
        first=[*known, *value, *room],
        given=[*known, *value, *room, *left],
        variables=tuple(more),
    )
    says = "a document about nothing, or about another aspect, changes no state"
    a.derivation.claim("idle", says, known, lambda: same_state(a.facts.after(less, Term.of(0)), less))
    a.derivation.claim(
        "later",
        "so the document about t' is worth more",
        [
            *known,
            *a.derivation.recall_invariant("further", more),
            *value,
            *room,
            *at_end,
            *ranges(w > 0),
            *a.weights(d),
        ],
        lambda: gaining(w * (a.run(less, [(r, d)])[0] - a.run(more, [(r, d)])[0])),
    )
    a.conclude(a.derivation.cite("later", GAIN > 0))
    return True


def monotonic_redundancy(a: Argument) -> bool:
    if a.column.binary or not a.facts.graded:
        return False
    a.ranks.establish(a.derivation)
    a.facts.establish(a.derivation, alive=True)
    x, y, r, d, w = symbol("x"), symbol("y"), symbol("r"), symbol("d1"), symbol("w1")
    values = [*ranges(x >= 0, y < 1), *premises(x < y)]

    def read(more: State, less: State) -> State:
        return {**a.facts.after(more, y), **a.facts.after(less, x)}

    def invariant(now: State) -> list[Truth]:
        more, less = two_runs(now)
        inside = [*a.facts.inside(more, alive=True), *a.facts.inside(less, alive=True)]
        return [a.facts.factor(more) < a.facts.factor(less), *inside]

    a.derivation.induction(
        "before",
        "over the documents before, each more about t: less of t is left to gain than of t'",
        begin=read(a.facts.begin("a"), a.facts.begin("b")),
        after=lambda now: read(*two_runs(now)),
        invariant=invariant,
        first=values,
        given=values,
    )
    more, less = a.facts.fresh("a"), a.facts.fresh("b")
    a.derivation.claim(
        "later",
        "so the document about t' gains more",
        [*a.derivation.recall_invariant("before", {**more, **less}), *ranges(r > 0, w > 0), *a.weights(d)],
        lambda: gaining(w * (a.run(less, [(r, d)])[0] - a.run(more, [(r, d)])[0])),
    )
    a.conclude(a.derivation.cite("later", GAIN > 0))
    return True


def saturation(a: Argument) -> bool:
    a.ranks.establish(a.derivation)
    a.facts.establish(a.derivation, alive=False)
    state = a.facts.fresh("s")
    r, w, d = symbol("r"), symbol("w1"), symbol("d1")
    effort = SYMBOLS.of(a.column.effort)
    relevance = definitions(r == 1) if a.column.binary else ranges(r > 0, r <= 1)

    def gain() -> Named:
        value, _ = a.run(a.facts.after(state, Term.of(1)), [(r, d)])
        return gaining(effort * d - w * value, strict=False)

    a.derivation.claim(
        "full",
        "behind any state and a document with r = 1, one more about the aspect adds nothing net of its effort",
        [*a.facts.list_facts(a.derivation, state), *relevance, *ranges(w > 0, w <= 1), *a.region, *a.weights(d)],
        gain,
    )
    a.conclude(a.derivation.cite("full", GAIN >= 0), strict=False)
    return True


def aspect_relevance(a: Argument) -> bool:
    a.ranks.establish(a.derivation)
    if a.reading.elsewhere and a.facts.remembers:
        return False
    begin, any_state = a.facts.begin("s"), a.facts.fresh("a")
    w, v, r, d, zero = symbol("w1"), symbol("w2"), symbol("r"), symbol("d1"), Term.of(0)
    given = [*ranges(w > 0, r > 0, r <= 1), *premises(w < v), *a.weights(d)]
    given += definitions(r == 1) if a.column.binary else []

    def gain() -> Named:
        value, _ = a.run(begin, [(r, d)])
        nothing, _ = a.run(any_state, [(zero, d)])
        unseen = [] if a.reading.elsewhere else [nothing == 0]
        return gaining(v * value - w * value, *same_state(a.facts.after(begin, zero), begin), *unseen)

    text = (
        "novelty has no memory: the heavier aspect gains more and no later rank differs"
        if a.reading.elsewhere
        else "an aspect not seen before is still in its first state, so the heavier one gains more; t and t' occur"
        " nowhere else, and a document about other aspects adds nothing to them"
    )
    a.derivation.claim("heavier", text, given, gain)
    _recall_of_another(a)
    a.conclude(a.derivation.cite("heavier", GAIN > 0))
    return True


# --- aspect recall beside a column ----------------------------------------------------------------------------------


def _recall_of_more(a: Argument) -> None:
    if a.column.beside_recall:
        s, x, y, r = symbol("q"), symbol("x"), symbol("y"), symbol("r1")
        facts = RECALL.facts

        def after(now: State) -> State:
            b = SYMBOLS.positive(r)
            return {name: facts.after({"q": now[name]}, b)["q"] for name in ("u", "v")}

        a.derivation.induction(
            "coverage",
            "over the documents behind: what is uncovered in the better ranking is uncovered in the other",
            begin={"u": Term.of(0), "v": s},
            after=after,
            given=ranges(r >= 0),
            first=ranges(s >= 0, s <= 1),
            invariant=lambda now: [now["u"] <= now["v"], now["u"] >= 0],
        )
        u, v = symbol("u"), symbol("v")
        given = [*ranges(x >= 0, s >= 0), *premises(x < y)]
        covered = "the better document covers every aspect"
        a.derivation.claim("covers", covered, given, lambda: [facts.after({"q": s}, SYMBOLS.positive(y))["q"] == 0])
        known = a.derivation.recall_invariant("coverage", {"u": u, "v": v})
        a.derivation.claim(
            "recall", "so aspect recall is not smaller", known, lambda: ({"recalled": v - u}, [v - u >= 0])
        )


def _recall_of_another(a: Argument) -> None:
    if a.column.beside_recall:
        facts, r = RECALL.facts, symbol("r")

        def cover() -> Named:
            new = facts.after(facts.begin("q"), SYMBOLS.positive(r))["q"]
            value = (1 - new) - (1 - new)
            return {"recalled": value}, [new == 0, value >= 0]

        a.derivation.claim("recall", "one aspect is covered in either ranking, t' or t", ranges(r > 0), cover)
