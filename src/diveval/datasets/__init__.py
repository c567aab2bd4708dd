"""Collections to evaluate on: a synthetic one, and verified downloads of real ones."""

from __future__ import annotations

from diveval.datasets.catalogue import Dataset, RemoteFile, catalogue, find
from diveval.datasets.download import get
from diveval.datasets.synthetic import Synthetic, make_collection, synthesize
from diveval.files import cache_folder

__all__ = [
    "Dataset",
    "RemoteFile",
    "Synthetic",
    "cache_folder",
    "catalogue",
    "find",
    "get",
    "make_collection",
    "synthesize",
]
