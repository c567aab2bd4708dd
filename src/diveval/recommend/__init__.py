"""Evaluation of recommendations from frames: accuracy, diversity by genre, novelty, calibration, fairness.

>>> import diveval.recommend
>>> diveval.recommend.evaluate(ratings, recommendations, aspects=genres, metrics=["RBU@10", "ILD@10"])  # doctest: +SKIP
"""

from diveval.recommend.arrays import RatingData, load
from diveval.recommend.list_metrics import entries
from diveval.recommend.rating_collection import RatingCollection, as_collection
from diveval.recommend.user_scoring import evaluate

__all__ = ["RatingCollection", "RatingData", "as_collection", "entries", "evaluate", "load"]
