"""Seeded perturbations of judgments, weights and rankings: what if things had been otherwise?"""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator for one thing, told by its names alone: neither the order of files nor of rows matters."""
    digest = hashlib.blake2b("\0".join(names).encode("utf-8"), digest_size=16).digest()
    return np.random.default_rng(np.random.SeedSequence([seed, int.from_bytes(digest, "little")]))
