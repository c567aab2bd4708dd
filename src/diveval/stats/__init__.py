"""Sound comparisons of systems on one metric: tests, effect sizes, intervals, corrections, significance letters."""

from diveval.stats.comparison import ComparedRun, Comparison, ComparisonRow, compare
from diveval.stats.correction import benjamini_hochberg, holm
from diveval.stats.intervals import IntervalRow, Intervals, interval
from diveval.stats.letters import letters
from diveval.stats.results import Result

__all__ = [
    "ComparedRun",
    "Comparison",
    "ComparisonRow",
    "IntervalRow",
    "Intervals",
    "Result",
    "benjamini_hochberg",
    "compare",
    "holm",
    "interval",
    "letters",
]
