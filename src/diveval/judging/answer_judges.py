"""Several judges of RAG answers: how far they agree, and the nuggets on which they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar

from diveval.answers.material import AnswerFiles
from diveval.defaults import CONFIDENCE, QUICK_RESAMPLES, SEED
from diveval.errors import InputError, UsageError
from diveval.judging.answer_labels import labels_of
from diveval.judging.judges import describe_agreement
from diveval.judging.labels import Item, LabelAgreement, compare_items
from diveval.results.protocol import Result
from diveval.results.table_text import align, number_text
from diveval.stats.agreement import krippendorff

SHOWN = 10  # nuggets in the text


@dataclass(frozen=True)
class DisputedNugget:
    """A nugget (or citation) of a question: on how many answers or sentences its judges differ, and their mean labels."""

    query: str
    nugget: str
    items: int
    differing: int
    means: Mapping[str, float]  # by judge

    def as_dict(self) -> dict[str, Any]:
        """The facts with a column per judge."""
        own = asdict(self)
        return {**{name: own[name] for name in ("query", "nugget", "items", "differing")}, **self.means}


@dataclass(frozen=True, repr=False)
class AnswerAgreement(Result):
    """The agreement of several judges of answers: of every two, of all together, and the nuggets they disagree on."""

    judges: tuple[str, ...]
    pairs: tuple[LabelAgreement, ...]
    items: int  # labelled by two judges or more
    alpha: float | None  # Krippendorff's, ordinal, of all judges together
    alpha_nominal: float | None
    rows: tuple[DisputedNugget, ...]  # those with a difference, the most disputed first

    reference: ClassVar[str] = (
        "K. Krippendorff. Content Analysis. 4th ed., Sage, 2018; J. Cohen. Educ. Psychol. Meas. 20, 1960."
    )

    @property
    def header(self) -> tuple[str, ...]:  # type: ignore[override]
        """The columns: a mean label per judge."""
        return ("query", "nugget", "items", "differing", *self.judges)

    def records(self) -> list[dict[str, Any]]:
        """The disputed nuggets as dictionaries."""
        return [row.as_dict() for row in self.rows]

    def as_dict(self) -> dict[str, Any]:
        """Everything, in JSON types."""
        return {
            "judges": list(self.judges),
            "items": self.items,
            "alpha": self.alpha,
            "alpha_nominal": self.alpha_nominal,
            "pairs": [pair.as_dict() for pair in self.pairs],
            "nuggets": self.records(),
            **self._provenance(),
        }

    def to_text(self, width: int = 80) -> str:
        """The agreement of every pair and of all, and the most disputed nuggets."""
        lines = [line for pair in self.pairs for line in (*describe_agreement(pair), "")]
        if len(self.judges) > 2:
            alphas = [f"{name} {'undefined' if value is None else f'{value:.3f}'}" for name, value in
                      (("ordinal", self.alpha), ("nominal", self.alpha_nominal))]  # fmt: skip
            lines += [
                f"all {len(self.judges)} judges on {self.items:,} items: Krippendorff's α {', '.join(alphas)}",
                "",
            ]
        if not self.rows:
            return "\n".join([*lines, "No nugget has two different labels."]) + "\n"
        shown = self.rows[:SHOWN]
        cells = [
            [
                row.query,
                row.nugget[:40],
                f"{row.differing}/{row.items}",
                *(number_text(row.means.get(j), 2) for j in self.judges),
            ]
            for row in shown
        ]
        more = f" ({len(self.rows) - SHOWN} more in CSV)" if len(self.rows) > SHOWN else ""
        lines += [f"Nuggets on which judges differ{more}", ""]
        return (
            "\n".join(
                [*lines, *align([["query", "nugget", "differ", *self.judges], *cells], "<<>" + ">" * len(self.judges))]
            )
            + "\n"
        )


def compare_judges(
    judges: Mapping[str, AnswerFiles] | AnswerFiles,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = QUICK_RESAMPLES,
    seed: int = SEED,
) -> AnswerAgreement:
    """How far judges of the same answers agree.

    Args:
        judges: the labels of each judge by name, or the files of `diveval.answers.gather` with a column of judges.
        confidence: level of the intervals of the coefficients, over resampled questions.
        resamples: how many resamples.
        seed: of the resampling.
    """
    if isinstance(judges, AnswerFiles):
        judges = judges.judges
    labels = {judge or "(no name)": labels_of(material) for judge, material in judges.items()}
    if len(labels) < 2:
        raise UsageError(
            "too-few-judges",
            f"agreement needs two judges or more, got {len(labels)}",
            hint="name them in a column judge",
        )
    pairs = tuple(
        compare_items(
            labels[a],
            labels[b],
            (a, b),
            "question, nugget and answer",
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
        for a, b in combinations(labels, 2)
        if labels[a].keys() & labels[b].keys()
    )
    if not pairs:
        raise InputError("no-shared-item", "no answer has labels of two judges", hint="are their ids the same?")
    several = [
        item
        for item in dict.fromkeys(item for own in labels.values() for item in own)
        if _count_judges(labels, item) > 1
    ]
    units = [[own[item] for own in labels.values() if item in own] for item in several]
    return AnswerAgreement(
        tuple(labels),
        pairs,
        len(several),
        krippendorff(units, "ordinal"),
        krippendorff(units, "nominal"),
        _list_disputed(labels, several),
    )


def _count_judges(labels: Mapping[str, Mapping[Item, float]], item: Item) -> int:
    return sum(item in own for own in labels.values())


def _list_disputed(labels: Mapping[str, Mapping[Item, float]], several: Sequence[Item]) -> tuple[DisputedNugget, ...]:
    by_nugget: dict[tuple[str, str], list[Item]] = {}
    for item in several:
        by_nugget.setdefault(item[:2], []).append(item)
    rows = []
    for (query, nugget), items in by_nugget.items():
        differing = sum(len({own[item] for own in labels.values() if item in own}) > 1 for item in items)
        if differing:
            given = {judge: [own[item] for item in items if item in own] for judge, own in labels.items()}
            means = {judge: sum(values) / len(values) for judge, values in given.items() if values}
            rows.append(DisputedNugget(query, nugget, len(items), differing, means))
    return tuple(sorted(rows, key=lambda row: (-row.differing / row.items, -row.differing)))
