"""Which statements about systems hold whatever the metric's parameters, the weights and the missing judgments."""

from diveval.conclusions.results import Conclusion, Conclusions
from diveval.conclusions.study import conclude

__all__ = ["Conclusion", "Conclusions", "conclude"]
