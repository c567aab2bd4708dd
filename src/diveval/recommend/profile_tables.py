"""Vectors of items and profiles of users as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from diveval.collection.columns import Floats
from diveval.collection.inputs import ProfilesLike, VectorsLike
from diveval.errors import InputError, UsageError, preview, quote, warn
from diveval.reading.cells import float_of, text_of
from diveval.recommend.rating_tables import Ints


def place_vectors(vectors: Mapping[str, Any] | None, codes: Ints, size: int) -> Floats | None:
    """Vectors as given, as (item, feature); 0 for items without one."""
    if vectors is None:
        return None
    try:
        rows = [np.asarray(value, dtype=np.float64).ravel() for value in vectors.values()]
    except (TypeError, ValueError):
        raise InputError("not-a-number", "vectors: a value is not a number") from None
    bad = next((item for item, row in zip(vectors, rows, strict=True) if not np.isfinite(row).all()), None)
    if bad is not None:
        raise InputError("not-a-number", f"vectors: item {quote(bad)} has a value that is not a finite number")
    if len({len(row) for row in rows}) != 1:
        raise UsageError("wrong-shape", "vectors need the same length for every item")
    out = np.zeros((size, len(rows[0])))
    out[codes] = np.array(rows)
    return out


def check_vectors(given: VectorsLike | None) -> dict[str, Any] | None:
    """Vectors with the ids of items as texts."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise UsageError("wrong-type", f"vectors are a dict {{item: vector}}, got {type(given).__name__}")
    return {text_of(item): vector for item, vector in given.items()}


def check_catalogue(given: Iterable[str | int] | None) -> list[str] | None:
    """The ids of items as texts."""
    if given is None:
        return None
    if isinstance(given, (str, bytes)) or hasattr(given, "columns") or not isinstance(given, Iterable):
        raise UsageError("wrong-type", f"catalogue is a list of items, got {type(given).__name__}")
    return [text_of(item) for item in given]


def check_profiles(given: ProfilesLike | None) -> dict[str, Mapping[str, float]] | None:
    """Profiles with the ids of users as texts."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise UsageError("wrong-type", f"profiles are a dict {{user: {{genre: weight}}}}, got {type(given).__name__}")
    for user, weights in given.items():
        if not isinstance(weights, Mapping):
            raise UsageError("wrong-type", f"profiles: the weights of {user} are a dict, got {type(weights).__name__}")
    return {text_of(user): weights for user, weights in given.items()}


def place_profiles(
    given: Mapping[str, Mapping[str, float]] | None, users: tuple[str, ...], aspects: tuple[str, ...]
) -> Floats | None:
    """Profiles as given, as (user, genre)."""
    if given is None:
        return None
    place, column = {user: u for u, user in enumerate(users)}, {name: g for g, name in enumerate(aspects)}
    out = np.zeros((len(users), len(aspects)))
    unknown: dict[str, None] = {}
    for user, weights in given.items():
        if user in place:
            for name, weight in weights.items():
                if str(name) in column:
                    out[place[user], column[str(name)]] = float_of(weight)
                else:
                    unknown[str(name)] = None
    if not out.any():
        raise UsageError(
            "no-shared-topic", "profiles give no user of these tables a weight for a genre that some item has"
        )
    if unknown:
        warn(
            "unknown-aspect",
            f"profiles: {len(unknown)} genres that no item has are left out ({preview(list(unknown))})",
        )
    if (out < 0).any() or not np.isfinite(out).all():
        raise UsageError("invalid-weight", "a profile's weights are finite numbers of at least 0")
    return out
