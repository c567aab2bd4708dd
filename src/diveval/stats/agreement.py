"""Agreement of labels: Cohen's κ, Krippendorff's α, Gwet's AC1, from confusion matrices, for many resamples at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from diveval.stats.intervals import draw_with_replacement

Floats = NDArray[np.float64]
Weighting = Literal["unweighted", "linear", "quadratic"]
Level = Literal["nominal", "ordinal"]


def share_agreed(confusion: Floats) -> Floats:
    """The share of items with the same label; NaN without items."""
    return _divide(np.trace(confusion, axis1=-2, axis2=-1), confusion.sum(axis=(-2, -1)))


def kappa(confusion: Floats, weighting: Weighting = "unweighted") -> Floats:
    """Cohen's κ = 1 − Σ w·observed / Σ w·expected, NaN where both judges give one and the same label only.

    `w` is 1 for different labels, or their distance (its square) as places in the order of labels.
    J. Cohen. A Coefficient of Agreement for Nominal Scales. Educational and Psychological Measurement, 1960; Weighted
    Kappa. Psychological Bulletin, 1968.
    """
    weights = _distances(confusion.shape[-1], weighting)
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    expected = rows[..., :, None] * columns[..., None, :] / np.maximum(rows.sum(axis=-1), 1.0)[..., None, None]
    return 1.0 - _divide((weights * confusion).sum(axis=(-2, -1)), (weights * expected).sum(axis=(-2, -1)))


def _distances(labels: int, weighting: Weighting) -> Floats:
    apart = np.abs(np.subtract.outer(np.arange(labels), np.arange(labels))).astype(np.float64)
    return {"unweighted": np.minimum(apart, 1.0), "linear": apart, "quadratic": apart**2}[weighting]


def gwet_ac1(confusion: Floats) -> Floats:
    """Gwet's AC1 = (same − chance)/(1 − chance), chance = Σ π(1 − π)/(K − 1), π the mean share of a label; NaN if K = 1.

    K. L. Gwet. Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement. British Journal of
    Mathematical and Statistical Psychology, 2008.
    """
    labels, total = confusion.shape[-1], confusion.sum(axis=(-2, -1))
    share = _divide((confusion.sum(axis=-1) + confusion.sum(axis=-2)) / 2, total[..., None])
    chance = _divide((share * (1.0 - share)).sum(axis=-1), np.asarray(labels - 1.0))
    return _divide(share_agreed(confusion) - chance, 1.0 - chance)


def pair_alpha(confusion: Floats, level: Level = "ordinal") -> Floats:
    """Krippendorff's α of two judges who labelled the same items; NaN if all labels are equal."""
    return alpha_of(confusion + np.swapaxes(confusion, -2, -1), level)


def alpha_of(together: Floats, level: Level) -> Floats:
    """Krippendorff's α = 1 − observed / expected disagreement, from a matrix of coincidences; NaN if undefined.

    Nominal: two labels agree or not. Ordinal: the distance of two grades is the number of labels between them.
    K. Krippendorff. Content Analysis. 2004.
    """
    total = together.sum(axis=-1)
    if level == "nominal":
        distance = np.broadcast_to(1.0 - np.eye(together.shape[-1]), together.shape)
    else:
        middle = np.cumsum(total, axis=-1) - total / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    outer = total[..., :, None] * total[..., None, :]
    expected = (outer * distance).sum(axis=(-2, -1)) / np.maximum(total.sum(axis=-1) - 1.0, 1.0)
    return 1.0 - _divide((together * distance).sum(axis=(-2, -1)), expected)


def _divide(above: Floats, below: Floats) -> Floats:
    """above / below, NaN where below is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, above / np.where(below == 0, 1.0, below))


Coefficient = Callable[[Floats], Floats]
COEFFICIENTS: dict[str, Coefficient] = {
    "agreement": share_agreed,
    "kappa": kappa,
    "kappa_linear": lambda confusion: kappa(confusion, "linear"),
    "kappa_quadratic": lambda confusion: kappa(confusion, "quadratic"),
    "alpha": pair_alpha,
    "ac1": gwet_ac1,
}


def count_pairs(first: NDArray[np.intp], second: NDArray[np.intp], topics: NDArray[np.intp], labels: int) -> Floats:
    """The confusion matrix of each topic, topic × label of the first judge × label of the second; all as codes from 0."""
    count = int(topics.max(initial=-1)) + 1
    cells = (topics * labels + first) * labels + second
    return np.bincount(cells, minlength=count * labels**2).astype(np.float64).reshape(count, labels, labels)


def resample_topics(tables: Floats, resamples: int, seed: int) -> Floats:
    """Sums of the topics' tables over resampled topics, resample × …"""
    topics = len(tables)
    draws = draw_with_replacement(topics, resamples, seed)
    return (draws @ tables.reshape(topics, -1)).reshape(resamples, *tables.shape[1:])


def cohen_kappa(both: Sequence[tuple[float, float]]) -> float | None:
    """κ = (agreement − chance) / (1 − chance); None without labels, or if both give one and the same grade only."""
    if not both:
        return None
    grades, codes = np.unique(np.array(both, dtype=np.float64), return_inverse=True)
    first, second = codes.reshape(-1, 2).T
    value = float(kappa(count_pairs(first, second, np.zeros_like(first), len(grades))[0]))
    return None if np.isnan(value) else value


def krippendorff(units: Sequence[Sequence[float]], level: Level) -> float | None:
    """Krippendorff's α over units with two labels or more, of any number of judges; None if undefined."""
    used = [unit for unit in units if len(unit) > 1]
    grades = sorted({grade for unit in used for grade in unit})
    if len(grades) < 2:
        return None
    place = {grade: i for i, grade in enumerate(grades)}
    together = np.zeros((len(grades), len(grades)))
    for unit in used:
        counts = np.bincount([place[grade] for grade in unit], minlength=len(grades)).astype(np.float64)
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    return float(alpha_of(together, level))
