"""Changes to verdicts on the thresholds at a given cutoff; each makes a certificate wrong."""

from collections.abc import Callable
from typing import Any


def at_a_cutoff(data: Any, *words: str) -> bool:
    """Whether a cell is about a threshold at a given cutoff, with one of these verdicts."""
    threshold = data["verdict"]["axiom"] in ("DeepTh", "CloseTh") and isinstance(data["cutoff"], int)
    return threshold and data["verdict"]["verdict"] in words


def region_replaced(data: Any) -> bool:
    """The conditions of a region at a cutoff replaced by ones with a border elsewhere."""
    changes = at_a_cutoff(data, "region")
    if changes:
        data["verdict"]["region"]["formula"] = "p² + p³ > 11/10"
    return changes


def region_turned(data: Any) -> bool:
    """A region at a cutoff replaced by its complement."""
    changes = at_a_cutoff(data, "region")
    if changes:
        data["verdict"]["region"]["formula"] = data["verdict"]["region"]["formula"].replace(">", "<")
    return changes


def part_of_a_region(data: Any) -> bool:
    """A region at a cutoff without all but its last alternative."""
    if not at_a_cutoff(data, "region") or " or " not in data["verdict"]["region"]["formula"]:
        return False
    data["verdict"]["region"]["formula"] = data["verdict"]["region"]["formula"].rpartition(" or ")[2]
    return True


def unreadable_region(data: Any) -> bool:
    """The conditions of a region at a cutoff replaced by words."""
    changes = at_a_cutoff(data, "region")
    if changes:
        data["verdict"]["region"]["formula"] = "usually"
    return changes


def refuted_claimed_to_hold(data: Any) -> bool:
    """A threshold that fails at a cutoff, claimed to hold there."""
    changes = at_a_cutoff(data, "fails")
    if changes:
        data["verdict"] |= {"verdict": "holds", "counterexample": None}
        data["counterexample_formula"] = None
    return changes


REGIONS: dict[str, Callable[[Any], bool]] = {
    change.__name__: change
    for change in (region_replaced, region_turned, part_of_a_region, unreadable_region, refuted_claimed_to_hold)
}
