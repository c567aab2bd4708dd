"""Statistical comparison of systems on one metric: tests, effect sizes, intervals, corrections, significance letters."""

from diveval.results.protocol import Result
from diveval.stats.comparison import ComparedRun, Comparison, ComparisonRow
from diveval.stats.intervals import IntervalRow, Intervals, interval
from diveval.stats.pairwise import compare, letters
from diveval.stats.slices import SliceComparison, SliceRow, compare_slices
from diveval.stats.tests import Significance, benjamini_hochberg, holm

__all__ = [
    "ComparedRun",
    "Comparison",
    "ComparisonRow",
    "IntervalRow",
    "Intervals",
    "Result",
    "Significance",
    "SliceComparison",
    "SliceRow",
    "benjamini_hochberg",
    "compare",
    "compare_slices",
    "holm",
    "interval",
    "letters",
]
