"""The rule for ties."""

import numpy as np

from diveval.results.scores import Scores
from diveval.stats.ties import dense_ranks, noise_of, require_finite, without_noise
from support.refusals import refuses


def test_the_same_sum_in_another_order_is_a_tie() -> None:
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ as doubles, and tie."""
    one, other = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert one != other
    assert dense_ranks(np.array([one, other, 0.7])).tolist() == [0, 0, 1]
    assert without_noise(np.array([one - other]), noise_of(np.array([one, other])))[0] == 0.0


def test_a_tiny_gain_still_beats_zero() -> None:
    """A relevant document at rank 500 under p = 0.8 gains 1e-49, which is more than 0."""
    assert dense_ranks(np.array([0.8**500, 0.0, 0.5])).tolist() == [1, 0, 2]


def test_noise_of_a_subtraction_is_a_tie() -> None:
    """If there are negative values, 1e-17 may be the rounding error of gain minus cost, and ties with 0."""
    assert dense_ranks(np.array([1e-17, 0.0, -0.5])).tolist() == [1, 1, 0]
    assert dense_ranks(np.array([1e-17, 0.0, 0.5])).tolist() == [1, 0, 2]


def test_differences_tie_on_the_scale_of_the_scores() -> None:
    """0.50001 − 0.5 and 0.30001 − 0.3 are the same difference up to the rounding of the scores."""
    differences = np.array([0.50001 - 0.5, 0.30001 - 0.3, 0.2])
    assert len(set(dense_ranks(differences))) == 3
    assert dense_ranks(differences, noise=noise_of(np.array([0.50001, 0.3]))).tolist() == [0, 0, 1]


def test_exact_comparison_on_request() -> None:
    """Tolerance 0 compares the doubles exactly."""
    one, other = 0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1
    assert dense_ranks(np.array([one, other]), tolerance=0).tolist() == [1, 0]


def test_nan_is_an_error() -> None:
    """The error names run, metric and topic, unless the topic is not counted."""
    values = np.array([[[0.5, np.nan]], [[0.1, 0.2]]])
    scores = Scores.of(values, runs=["a", "b"], metrics=["m"], topics=["1", "2"])
    with refuses("not-a-number", "2"):
        require_finite(scores)
    counted = np.isfinite(values)
    require_finite(Scores.of(values, runs=["a", "b"], metrics=["m"], topics=["1", "2"], counted=counted))
