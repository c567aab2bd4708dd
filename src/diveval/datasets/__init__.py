"""Collections to evaluate on: a synthetic one, and verified downloads of real ones."""

from __future__ import annotations

from diveval.datasets.download import get
from diveval.datasets.movielens import make_movielens
from diveval.datasets.official import Dataset, RemoteFile, catalogue, find
from diveval.datasets.rag_answers import make_rag
from diveval.datasets.synthetic import Synthetic, make_collection, synthesize
from diveval.system.files import cache_folder

__all__ = [
    "Dataset",
    "RemoteFile",
    "Synthetic",
    "cache_folder",
    "catalogue",
    "find",
    "get",
    "make_collection",
    "make_movielens",
    "make_rag",
    "synthesize",
]
