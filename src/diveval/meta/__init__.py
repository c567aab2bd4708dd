"""Meta-evaluation of metrics: unanimity, discriminative power, agreement, strictness, concordance, sensitivity, robustness."""

from diveval.meta.correlation import (
    Agreement,
    Robustness,
    Sensitivity,
    agreement,
    kendall_tau,
    rbo,
    rescore_levels,
    robustness,
    sensitivity,
    tau_ap,
)
from diveval.meta.discriminative import Discriminative, discriminative
from diveval.meta.outputs import Concordance, Strictness, concordance, strictness
from diveval.meta.prediction import Prediction, prediction
from diveval.meta.score_file import read_scores
from diveval.meta.unanimity import Unanimity, UnanimityGroup, UnanimityRow, unanimity
from diveval.meta.variants import family
from diveval.meta.votes import Votes, rank_by_votes

__all__ = [
    "Agreement",
    "Concordance",
    "Discriminative",
    "Prediction",
    "Robustness",
    "Sensitivity",
    "Strictness",
    "Unanimity",
    "UnanimityGroup",
    "UnanimityRow",
    "Votes",
    "agreement",
    "concordance",
    "discriminative",
    "family",
    "kendall_tau",
    "prediction",
    "rank_by_votes",
    "rbo",
    "read_scores",
    "rescore_levels",
    "robustness",
    "sensitivity",
    "strictness",
    "tau_ap",
    "unanimity",
]
