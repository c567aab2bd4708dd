"""How often metrics fail the axioms in practice: the situations of each axiom in real rankings."""

from diveval.callable_module import make_callable
from diveval.violations.count import Violation, Violations, find_violations, violations
from diveval.violations.situations import SITUATIONS, Situation

make_callable(__name__, "diveval.violations.count", "violations")

__all__ = ["SITUATIONS", "Situation", "Violation", "Violations", "find_violations", "violations"]
