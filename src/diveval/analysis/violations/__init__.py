"""How often metrics fail the axioms in practice: the situations of each axiom in real rankings."""

from diveval.analysis.violations.count import can_count, find_violations, violations
from diveval.analysis.violations.results import Violation, Violations
from diveval.analysis.violations.situations import SITUATIONS, Situation

__all__ = ["SITUATIONS", "Situation", "Violation", "Violations", "can_count", "find_violations", "violations"]
