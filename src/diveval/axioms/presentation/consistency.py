"""The map of the axioms: the maximal sets that hold together in the metric algebra, and the minimal ones that do not.

A set holds together if some composition satisfies all of it at some parameters (and, for the two thresholds as written, some
relevance r_c), which is shown by that composition. It is a conflict if every composition fails one of its axioms at all
parameters, which is shown by one axiom per composition. A set for which neither was shown is listed as open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction as F
from html import escape
from itertools import combinations, product
from typing import Any, ClassVar

from diveval.argument_types import explain_types
from diveval.axioms.presentation.family import EVERY, PARTS, Composition, Family, walk
from diveval.axioms.proof.scheduler import Cell, Scheduler
from diveval.axioms.proof.verdicts import Verdict
from diveval.axioms.specification.constraints import AXIOMS, as_axiom
from diveval.axioms.specification.readings import CHARITABLE, Reading, as_reading
from diveval.axioms.specification.shapes import Bounds
from diveval.errors import UsageError, suggestion
from diveval.exact.logs import symbol_text
from diveval.results.protocol import Columns, Result
from diveval.results.setup import Setup
from diveval.results.table_text import TextTable
from diveval.system.progress import Progress

# Parameters at which open cells are decided. A conflict does not depend on them, only which sets are shown to hold.
TRIED = {"p": (F(9, 10), F(99, 100)), "alpha": (F(1, 10), F(9, 10)), "e": (F(1, 100), F(1))}
RELEVANCE = F(1, 2)  # r_c of DeepTh and CloseTh where the reading asks about each
AxiomSet = frozenset[str]


@dataclass(frozen=True)
class ConsistentSet:
    """A maximal set of axioms that one metric satisfies, and that metric."""

    axioms: tuple[str, ...]
    given_up: tuple[str, ...]
    composition: str
    setting: Mapping[str, str]


@dataclass(frozen=True)
class Conflict:
    """A minimal set of axioms that no composition satisfies: for each composition one that it fails.

    `undecided` are compositions for which this was not shown; `theorem` is the letter of a theorem that explains it.
    """

    axioms: tuple[str, ...]
    refuted: Mapping[str, str]
    undecided: tuple[str, ...] = ()
    theorem: str = ""


@dataclass(frozen=True, repr=False)
class AxiomMap(Result):
    """All maximal consistent sets and all minimal conflicts of a part of the algebra, under one reading."""

    reading: str
    within: Mapping[str, tuple[str, ...]]
    compositions: int
    sets: tuple[ConsistentSet, ...]
    conflicts: tuple[Conflict, ...]
    axioms: tuple[str, ...] = tuple(AXIOMS)

    header: ClassVar[tuple[str, ...]] = ("kind", "number", *AXIOMS, "shown_by", "theorem")

    @property
    def open(self) -> tuple[Conflict, ...]:
        """The conflicts that were not shown for every composition."""
        return tuple(one for one in self.conflicts if one.undecided)

    def conflicts_within(self, wanted: Iterable[str]) -> list[Conflict]:
        """The conflicts among the axioms that one wants."""
        names = {as_axiom(name).name for name in wanted}
        return [one for one in self.conflicts if names.issuperset(one.axioms)]

    def ways_out(self, wanted: Iterable[str]) -> list[tuple[str, ...]]:
        """Which of the wanted axioms one must give up: the smallest choices that leave a set that holds together."""
        names = [name for name in AXIOMS if name in {as_axiom(one).name for one in wanted}]
        left = {frozenset(names) & frozenset(one.axioms) for one in self.sets}
        best = [one for one in left if not any(one < other for other in left)]
        return sorted(tuple(name for name in names if name not in one) for one in best)

    def records(self) -> list[dict[str, Any]]:
        """A row per set and per conflict: 1 for each of its axioms."""
        rows = [("consistent", one.axioms, describe_witness(one), "") for one in self.sets]
        for clash in self.conflicts:
            rows.append(("conflict", clash.axioms, "open" if clash.undecided else "every composition", clash.theorem))
        return [
            {
                "kind": kind,
                "number": number,
                **{name: int(name in axioms) for name in AXIOMS},
                "shown_by": shown,
                "theorem": theorem,
            }
            for number, (kind, axioms, shown, theorem) in enumerate(rows, 1)
        ]

    def columns(self) -> Columns:
        records = self.records()
        return {name: [record[name] for record in records] for name in self.header}

    def as_dict(self) -> dict[str, Any]:
        return {
            "reading": self.reading,
            "within": {name: list(values) for name, values in self.within.items()},
            "compositions": self.compositions,
            "consistent": [asdict(one) for one in self.sets],
            "conflicts": [asdict(one) for one in self.conflicts],
            **self._provenance(),
        }

    def display(self) -> TextTable:
        """A row per set (● is in it) and per conflict (× is part of it)."""
        rows = []
        for record in self.records():
            sign = "●" if record["kind"] == "consistent" else "×"
            shown = record["shown_by"] + (f" (theorem {record['theorem']})" if record["theorem"] else "")
            rows.append([record["kind"], *(sign if record[name] else "·" for name in AXIOMS), shown])
        return TextTable(["", *AXIOMS, "shown by"], rows, "l" + "c" * len(AXIOMS) + "l")

    def to_text(self, width: int = 80) -> str:
        """The sets, each with a metric, and the conflicts, each with the reason."""
        where = "; ".join(f"{part} {' or '.join(values)}" for part, values in self.within.items())
        lines = [
            f"{_count(self.compositions, 'composition')} of the metric algebra{f' ({where})' if where else ''}, "
            f"{self.reading} reading",
            "",
            f"{_count(len(self.sets), 'maximal set')} of axioms that hold together:",
        ]
        for one in self.sets:
            missing = f"all but {', '.join(one.given_up)}" if one.given_up else "all ten"
            lines += [f"  {missing}", f"      by {describe_witness(one)}"]
        lines += ["", f"{_count(len(self.conflicts), 'minimal conflict')}:"]
        lines += [f"  {_explain(one)}" for one in self.conflicts] or ["  none"]
        return "\n".join(lines) + "\n"

    def to_svg(self) -> str:
        """The picture: a row per axiom, a column per set and per conflict."""
        from diveval.axioms.presentation.consistency import draw

        return draw(self)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def describe_witness(one: ConsistentSet) -> str:
    """The metric of a set: its parts and parameters."""
    at = ", ".join(f"{name} = {value}" for name, value in one.setting.items())
    return one.composition + (f" at {at}" if at else "")


def _explain(one: Conflict) -> str:
    said = " + ".join(one.axioms)
    if one.undecided:
        return f"{said}: no composition was found; open for {', '.join(one.undecided)}"
    reason = f"; theorem {one.theorem}" if one.theorem else ""
    return f"{said}: each composition fails one of them{reason}"


@explain_types
def map_axioms(
    *,
    reading: str | Reading = CHARITABLE,
    within: Mapping[str, Sequence[str]] | None = None,
    bounds: Bounds | None = None,
    time_limit: float = 60.0,
    jobs: int = 2,
    cached: bool = True,
    progress: Progress | None = None,
) -> AxiomMap:
    """All maximal consistent sets and minimal conflicts of the ten axioms over the compositions of the algebra.

    Args:
        reading: how the constraints are read
        within: a part of the algebra, by part: `{"effort": ["no"], "discount": ["1/i", "1/log(i+1)"]}`
        bounds: how far the solver looks
        time_limit: seconds of CPU time for one cell
        jobs: processes at once
        cached: whether what was decided before is taken from disk
        progress: called with the number done, the number of all, and the latest verdict
    """
    how, chosen = as_reading(reading), _restrict(within or {})
    limits: dict[str, Any] = {"bounds": bounds, "time_limit": time_limit, "jobs": jobs, "cached": cached}
    family = walk(compositions=chosen, reading=how, progress=progress, **limits)
    vectors = _find_satisfied(family, how, Scheduler(jobs=jobs, cached=cached), bounds or Bounds(), time_limit)
    best = _maximal(vectors)
    sets = tuple(ConsistentSet(_sort_names(one), _sort_names(set(AXIOMS) - one), *vectors[one]) for one in best)
    conflicts = tuple(_conflict(family, one, how) for one in _minimal_conflicts(best))
    restriction = {part: tuple(values) for part, values in (within or {}).items()}
    return AxiomMap(how.name, restriction, len(chosen), sets, conflicts, setup=Setup(reading=how.name))


# Words that are easier to type than the parts they stand for.
WORDS = {
    "discount": {"geometric": "p^i", "reciprocal": "1/i", "log": "1/log(i+1)"},
    "novelty": {"decay": "(1−α)^c", "cascade": "Π(1−r)"},
    "effort": {"yes": "e"},
    "weights": {},
}


def parse_parts(texts: Iterable[str]) -> dict[str, list[str]]:
    """Parts of the algebra from `effort=no` or `discount=log|1/i`."""
    out: dict[str, list[str]] = {}
    for text in texts:
        part, equals, values = text.partition("=")
        if not equals or part not in PARTS:
            known = ", ".join(PARTS)
            raise UsageError("invalid-choice", f"expected PART=VALUE, PART one of {known}, got {text!r}")
        out[part] = [WORDS[part].get(value.strip(), value.strip()) for value in values.split("|")]
    return out


def _restrict(within: Mapping[str, Sequence[str]]) -> list[Composition]:
    """The compositions with these parts."""
    for part, values in within.items():
        if part not in PARTS:
            raise UsageError("invalid-choice", f"no part is called {part!r}", hint=suggestion(part, PARTS))
        known = list(dict.fromkeys(getattr(c, part) for c in EVERY))
        for value in values:
            if value not in known:
                raise UsageError(
                    "invalid-choice",
                    f"{part} is one of {', '.join(known)}, got {value!r}",
                    hint="one or more, with | between",
                )
    return [c for c in EVERY if all(getattr(c, part) in values for part, values in within.items())]


def _is_everywhere(verdict: Verdict) -> bool:
    """Whether a failure is one for all parameters: its note names no single setting."""
    return verdict.verdict == "fails" and "other settings were not decided" not in verdict.note


def _find_satisfied(
    family: Family, how: Reading, scheduler: Scheduler, bounds: Bounds, time_limit: float
) -> dict[AxiomSet, tuple[str, dict[str, str]]]:
    """Each set of axioms that a composition satisfies at one of the settings, with the first that does."""
    at_one = how if how.small_rc else replace(how, r_c=RELEVANCE, name=f"{how.name}, r_c = {RELEVANCE}")
    asked: dict[tuple[Composition, tuple[tuple[str, F], ...]], dict[str, Cell]] = {}
    for c in family.compositions:
        verdicts = {v.axiom: v for v in family.verdicts(c)}
        left = [name for name, v in verdicts.items() if v.verdict != "holds" and not _is_everywhere(v)]
        who = c.subject()
        for values in product(*(TRIED[p.name] for p in who.free)):
            setting = dict(zip((p.name for p in who.free), values, strict=True))
            there = replace(who, name=f"{who.name} at {setting}", formula=who.at(setting), free=(), source=None)
            cells = {
                name: Cell.of(there, name, at_one if AXIOMS[name].threshold else how, bounds, time_limit)
                for name in left
            }
            asked[c, tuple(setting.items())] = cells
    found = scheduler.decide([cell for cells in asked.values() for cell in cells.values()])
    out: dict[AxiomSet, tuple[str, dict[str, str]]] = {}
    for (c, pairs), cells in asked.items():
        sure = {v.axiom for v in family.verdicts(c) if v.verdict == "holds"}
        here = sure | {name for name, cell in cells.items() if found[cell].verdict == "holds"}
        shown = {symbol_text(name): str(value) for name, value in pairs}
        if not how.small_rc and any(AXIOMS[name].threshold for name in here - sure):
            shown["r_c"] = str(RELEVANCE)
        out.setdefault(frozenset(here), (c.name, shown))
    return out


def _maximal(sets: Iterable[AxiomSet]) -> list[AxiomSet]:
    every = set(sets)
    best = [one for one in every if not any(one < other for other in every)]
    return sorted(best, key=lambda one: (-len(one), _sort_names(one)))


def _minimal_conflicts(best: Sequence[AxiomSet]) -> list[AxiomSet]:
    """The smallest sets that are inside none of the maximal ones, by size."""
    out: list[AxiomSet] = []
    for size in range(1, len(AXIOMS) + 1):
        for names in combinations(AXIOMS, size):
            one = frozenset(names)
            if not any(one <= other for other in best) and not any(smaller <= one for smaller in out):
                out.append(one)
    return out


def _sort_names(names: Iterable[str]) -> tuple[str, ...]:
    inside = set(names)
    return tuple(name for name in AXIOMS if name in inside)


def _conflict(family: Family, one: AxiomSet, how: Reading) -> Conflict:
    refuted, undecided = {}, []
    for c in family.compositions:
        failed = [v.axiom for v in family.verdicts(c) if v.axiom in one and _is_everywhere(v)]
        if failed:
            refuted[c.name] = failed[0]
        elif _costs_too_much(one, c, how):
            refuted[c.name] = "CloseTh + Sat"
        else:
            undecided.append(c.name)
    theorem = "E" if "CloseTh + Sat" in refuted.values() else _theorem(one, family.compositions, how)
    return Conflict(_sort_names(one), refuted, tuple(undecided), theorem)


def _costs_too_much(one: AxiomSet, c: Composition, how: Reading) -> bool:
    """Theorem E: with rankings as printed, the effort that Sat needs is too much for CloseTh."""
    return one >= {"CloseTh", "Sat"} and not how.padded and c.novelty in ("none", "(1−α)^c")


def _theorem(one: AxiomSet, chosen: Sequence[Composition], how: Reading) -> str:
    """The theorem whose premises all these compositions meet, if one explains the conflict."""
    if how.padded and one == {"DeepTh", "CloseTh"}:
        met = all(c.novelty == "none" and c.discount in ("1/i", "1/log(i+1)") for c in chosen)
        return "A" if met else ""
    if how.full_relevance and one == {"Red", "Sat"}:
        return "B" if all(c.effort == "no" and c.weights == "yes" for c in chosen) else ""
    if how.swap == "any" and one == {"Pri", "Red"}:
        return "C" if all(c.novelty != "Π(1−r)" and c.discount != "none" for c in chosen) else ""
    return ""


STEP, LEFT, TOP, GAP = 26, 84, 56, 30
HOLDS, CLASH, EMPTY, INK = "#0072b2", "#d55e00", "#dddddd", "#222222"


def draw(found: AxiomMap) -> str:
    """An SVG: filled circles are the axioms of a set that holds together, joined crosses are those of a conflict."""
    many = len(found.sets)
    width = LEFT + STEP * (many + len(found.conflicts)) + GAP + 40
    height = TOP + STEP * len(AXIOMS) + 24
    title = f"{found.compositions} compositions, {found.reading} reading"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}" role="img">',
        f"<title>{escape(title)}: {many} maximal sets, {len(found.conflicts)} minimal conflicts</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="16">{escape(title)}</text>',
        f'<text x="{LEFT}" y="38" fill="{HOLDS}">hold together</text>',
    ]
    start = LEFT + STEP * many + GAP
    if found.conflicts:
        parts.append(f'<text x="{start}" y="38" fill="{CLASH}">conflict</text>')
    for row, name in enumerate(AXIOMS):
        parts.append(f'<text x="{LEFT - 14}" y="{_y(row) + 4}" text-anchor="end">{name}</text>')
    for column, one in enumerate(found.sets):
        x = LEFT + STEP * column + 8
        for row, name in enumerate(AXIOMS):
            color = HOLDS if name in one.axioms else EMPTY
            parts.append(f'<circle cx="{x}" cy="{_y(row)}" r="7" fill="{color}"/>')
    for column, clash in enumerate(found.conflicts):
        x = start + STEP * column + 8
        rows = [row for row, name in enumerate(AXIOMS) if name in clash.axioms]
        dashed = ' stroke-dasharray="3 3"' if clash.undecided else ""
        parts.append(f'<path d="M{x} {_y(rows[0])}V{_y(rows[-1])}" stroke="{CLASH}" stroke-width="2"{dashed}/>')
        for row in range(len(AXIOMS)):
            y = _y(row)
            mark = f'<path d="M{x - 6} {y - 6}l12 12m0-12l-12 12" stroke="{CLASH}" stroke-width="3"/>'
            parts.append(mark if row in rows else f'<circle cx="{x}" cy="{y}" r="3" fill="{EMPTY}"/>')
        if clash.theorem:
            parts.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle">{clash.theorem}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _y(row: int) -> int:
    return TOP + STEP * row
