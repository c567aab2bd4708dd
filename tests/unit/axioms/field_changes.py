"""Single fields of a claim replaced; each makes a certificate wrong."""

from collections.abc import Callable
from typing import Any


def changed_field(path: str, value: Any, *, of: Callable[[Any], bool] = lambda data: True) -> Callable[[Any], bool]:
    """One field of the claim replaced, in the first cell that this is a change of."""

    def change(data: Any) -> bool:
        *places, last = path.split(".")
        here = data
        for place in places:
            here = here[place]
            if here is None:
                return False
        changes = of(data) and here.get(last) != value
        here[last] = value
        return bool(changes)

    return change


def claimed(*words: str) -> Callable[[Any], bool]:
    """Whether a cell has one of these verdicts."""
    return lambda data: data["verdict"]["verdict"] in words


def cut_example(data: Any) -> bool:
    """Whether a cell has a counterexample at a cutoff."""
    return data["counterexample_formula"] is not None and data["counterexample_formula"]["cutoff"] is not None


def composed(data: Any) -> bool:
    """Whether a metric is a sum."""
    return data["formula"] is not None and data["formula"]["kind"] == "Sum"


FIELDS: dict[str, Callable[[Any], bool]] = {
    "no_such_verdict": changed_field("verdict.verdict", "proved"),
    "vacuous_claimed": changed_field("verdict.verdict", "vacuous", of=claimed("holds", "fails")),
    "not_applicable_claimed": changed_field("verdict.verdict", "not-applicable", of=composed),
    "no_such_axiom": changed_field("verdict.axiom", "Priority"),
    "no_such_reading": changed_field("reading.name", "generous"),
    "reading_renamed": changed_field("verdict.reading", "generous"),
    "cutoff_of_the_metric": changed_field("cutoff", 3, of=cut_example),
    "cutoff_of_the_formula": changed_field("counterexample_formula.cutoff", "7", of=cut_example),
    "cutoff_of_the_example": changed_field("verdict.counterexample.cutoff", 7, of=cut_example),
    "cutoff_invented": changed_field("verdict.metric", "RBP-IA@3", of=lambda d: d["verdict"]["metric"] == "RBP-IA"),
    "metric_renamed": changed_field("verdict.metric", "RBU", of=composed),
    "metric_renamed_to_another": changed_field("verdict.metric", "ERR-IA", of=composed),
    "number_in_the_name": changed_field(
        "verdict.metric", "EU(alpha=0.7,e=0.5)", of=lambda d: d["verdict"]["metric"].startswith("EU(")
    ),
    "relation_of_the_example": changed_field(
        "verdict.counterexample.strict", False, of=lambda d: d["verdict"]["axiom"] != "Sat"
    ),
} | {
    f"option_{name}": changed_field(f"reading.{name}", value, of=lambda d: d["reading"]["name"] == "charitable")
    for name, value in (
        ("contribution", "each"),
        ("swap", "any"),
        ("deep_threshold", "some"),
        ("padded", False),
        ("small_rc", False),
        ("documents_behind", True),
        ("full_relevance", True),
        ("empty_prefix", True),
        ("empty_ranking", True),
        ("saturation", "any"),
        ("elsewhere", True),
        ("same_ideal", False),
        ("cutoff_binds", True),
        ("overall", True),
        ("r_c", "2"),
    )
}
