"""Which statements about systems hold whatever the metric's parameters, the weights and the missing judgments."""

from diveval.conclusions.all_pairs import conclude
from diveval.conclusions.results import Conclusion, Conclusions

__all__ = ["Conclusion", "Conclusions", "conclude"]
