"""Statements "A beats B" that hold for all metric parameters, weights and labels of unjudged documents."""

from diveval.conclusions.all_pairs import conclude
from diveval.conclusions.results import Conclusion, Conclusions

__all__ = ["Conclusion", "Conclusions", "conclude"]
