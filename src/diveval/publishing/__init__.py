"""The results section of a paper from one evaluation: tables, figures, the methods paragraph and its references."""

from diveval.publishing.figures import plot_scores
from diveval.publishing.results_table import ResultsTable, results_table

__all__ = ["ResultsTable", "plot_scores", "results_table"]
