"""The parts a metric is composed of: discounts over ranks, novelty of a document, and the relevance that counts.

Each part is defined twice, over whole arrays of doubles and over single numbers of any kind; a property test compares
the two. A part without parameters inherits everything from its base and is not decorated as a dataclass again, since
creating a dataclass takes time at every start.
"""

from diveval.metrics.algebra.channels import Aspects, Channels, GlobalGain, Overall
from diveval.metrics.algebra.discounts import Discount, Flat, Geometric, Log, Reciprocal, ShiftedLog
from diveval.metrics.algebra.novelty import Always, BestSoFar, Cascade, Decay, Novelty
from diveval.metrics.algebra.part import Array, Part, look_up, running, weighted_sum

__all__ = [
    "Always",
    "Array",
    "Aspects",
    "BestSoFar",
    "Cascade",
    "Channels",
    "Decay",
    "Discount",
    "Flat",
    "Geometric",
    "GlobalGain",
    "Log",
    "Novelty",
    "Overall",
    "Part",
    "Reciprocal",
    "ShiftedLog",
    "look_up",
    "running",
    "weighted_sum",
]
