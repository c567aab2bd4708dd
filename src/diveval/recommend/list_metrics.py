"""The catalogue of metrics of recommendations: of a list, of a whole run, and any metric of the main catalogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from diveval.collection.columns import Floats
from diveval.errors import UsageError
from diveval.metrics import names
from diveval.metrics.formulas import Formula
from diveval.metrics.metric import Entry, Metric, Parameter, choice
from diveval.metrics.names import MetricLike
from diveval.metrics.registry import Registry
from diveval.metrics.subtopics import AlphaBeta
from diveval.recommend import beyond_accuracy as listwise
from diveval.recommend.arrays import Pairs, RatingData, UserLists


@dataclass(frozen=True)
class Context:
    """One run down to a metric's cutoff."""

    data: RatingData
    lists: UserLists
    find_relevant: Callable[[], Pairs]  # relevance above 0, computed once and only for metrics that need it
    depth: int

    @property
    def relevant(self) -> Pairs:
        return self.find_relevant()

    @property
    def hits(self) -> Floats:
        """(user, rank): 1 where the item is relevant to the user."""
        r = self.relevant.lookup(self.lists.users[:, None], self.lists.items)
        return (r > 0).astype(float)


@dataclass(frozen=True)
class ListFormula(Formula):
    """A value for each user's list, or one for the whole run."""

    function: Callable[[Context], Any] = field(default=lambda context: 0.0)
    per: Literal["user", "run"] = "user"
    needs: tuple[str, ...] = ()  # of history, aspects, profiles, features (genres or vectors)


@dataclass(frozen=True)
class Unified(AlphaBeta):
    """αβ-nDCG with the genres of unrated items, each of which is satisfied with probability α."""

    alpha: float = 0.0


_DISTANCE = choice("distance", "between items: of given vectors, or of genres", "cosine", "jaccard", "hamming", "euclidean"
)
_DISCOUNT = choice("discount", "a weight for each rank", "none", "log")
_RELEVANCE = choice("relevance", "count only items that are relevant to the user", "no", "yes")
_ATTENTION = Parameter("p", 0.85, "probability of going on to the next item", 0, 1, True)
_VARGAS, _DIAZ = "Vargas and Castells, RecSys 2011", "Diaz et al. 2020"


def _user(function: Callable[[Context], Any], *needs: str) -> ListFormula:
    return ListFormula(function, "user", needs)


def _run(function: Callable[[Context], float], *needs: str) -> ListFormula:
    return ListFormula(function, "run", needs)


def _exposure(part: str) -> Callable[..., ListFormula]:
    return lambda p, over: _user(
        lambda c: listwise.expected_exposure(c.data, c.lists, c.relevant, p, part, over), "aspects"
    )


_OVER = choice("over", "whose exposure: of groups (the aspects) or of single items", "groups", "items")

LISTS = [
    Entry(
        "ILD", lambda distance: _user(lambda c: listwise.intra_list_diversity(c.data, c.lists, distance), "features"),
        "intra-list diversity: the mean distance over the pairs of a list", "mean of d(i, j) over i ≠ j",
        "Ziegler et al. 2005", (_DISTANCE,),
    ),
    Entry(
        "Calibration_KL",
        lambda alpha: _user(lambda c: listwise.calibration(c.data, c.lists, "kl", float(alpha)), "aspects", "profiles"),
        "how far the genres of the list are from the user's; 0 is calibrated", "KL(p ‖ (1−α) q + α p), in bits",
        "Steck, RecSys 2018", (Parameter("alpha", 0.01, "share of p mixed into q", 0, 1, True, True, in_name=False),),
        best="low",
    ),
    Entry(
        "Calibration_JS",
        lambda: _user(lambda c: listwise.calibration(c.data, c.lists, "js", 0.0), "aspects", "profiles"),
        "the same by Jensen–Shannon divergence, in [0, 1]", "JS(p, q), in bits", "Steck, RecSys 2018", best="low",
    ),
    Entry(
        "EPC",
        lambda discount, relevance: _user(
            lambda c: listwise.popularity_complement(c.data, c.lists, c.hits, discount, relevance), "history"),
        "expected popularity complement: how few users had the items before",
        "Σ disc(i) [rel(i)] (1 − users(i)/users) / Σ disc(i)", _VARGAS, (_DISCOUNT, _RELEVANCE),
    ),
    Entry(
        "EPD",
        lambda distance, discount, relevance: _user(
            lambda c: listwise.expected_distance(c.data, c.lists, c.hits, discount, relevance, distance), "features", "history"),
        "expected profile distance: how far the items are from what the user had before",
        "Σ disc(i) [rel(i)] mean_j d(i, j) / Σ disc(i)", _VARGAS, (_DISTANCE, _DISCOUNT, _RELEVANCE),
    ),
    Entry(
        "MIUF", lambda: _user(lambda c: listwise.inverse_user_frequency(c.data, c.lists), "history"),
        "mean inverse user frequency of the items", "mean of −log2(users(i)/users)", "Zhou et al. 2010",
    ),
    Entry(
        "SelfInformation", lambda: _user(lambda c: listwise.self_information(c.data, c.lists), "history"),
        "mean self-information of the items; an item nobody had counts as if it had one interaction",
        "mean of −log2(max(interactions(i), 1)/interactions)", "Castells et al. 2011",
    ),
    Entry(
        "Serendipity",
        lambda by, distance: _user(
            (lambda c: listwise.serendipity_by_popularity(c.data, c.lists, c.hits, c.depth)) if by == "popularity"
            else (lambda c: listwise.serendipity_by_distance(c.data, c.lists, c.hits, distance)),
            "history", *(() if by == "popularity" else ("features",))),
        "relevant and unexpected: beyond its popularity, or far from what the user had before",
        "Σ max(p(i) − pu(i), 0) rel(i) / k, or mean of d(i, history) rel(i)", "Silveira et al. 2019; Zhang et al. 2012",
        (choice("by", "what makes an item unexpected", "popularity", "distance"), _DISTANCE),
    ),
    Entry(
        "GenreEntropy", lambda: _user(lambda c: listwise.genre_entropy(c.data, c.lists), "aspects"),
        "entropy of the genres in a list, in bits", "−Σ_g q(g) log2 q(g)", "Shannon 1948",
    ),
    Entry(
        "AWRF", lambda p: _user(lambda c: listwise.rank_fairness(c.data, c.lists, p), "aspects"),
        "attention-weighted rank fairness: groups get attention as they have items", "1 − JS(exposure, catalogue)",
        "Sapiezynski et al. 2019", (_ATTENTION,),
    ),
    Entry(
        "EEL", _exposure("loss"), "expected exposure loss: attention against equal attention for equal relevance",
        "‖ε − ε*‖²", _DIAZ, (_ATTENTION, _OVER), best="low",
    ),
    Entry(
        "EED", _exposure("disparity"), "expected exposure disparity", "‖ε‖²", _DIAZ, (_ATTENTION, _OVER), best="low",
    ),
    Entry("EER", _exposure("relevance"), "expected exposure relevance", "ε·ε*", _DIAZ, (_ATTENTION, _OVER)),
    Entry(
        "alphabeta_nDCG", lambda alpha, beta: Unified(beta, alpha=alpha),
        "accuracy and diversity in one, as a share of the ideal list", "G as without α, q = α for unrated items",
        "Parapar and Radlinski 2021",
        (
            Parameter("alpha", 0.0, "how far an unrated item satisfies its genres", 0, 1, in_name=False),
            Parameter("beta", 0.5, "how far a fully relevant item satisfies", 0, 1, True),
        ), aliases=("αβ-nDCG",),
    ),
]

RUNS = [
    Entry(
        "CatalogueCoverage", lambda: _run(lambda c: listwise.catalogue_coverage(c.data, c.lists)),
        "share of the catalogue that is recommended to somebody", "|∪_u L(u)| / |I|", "Ge et al. 2010",
        aliases=("CatalogCoverage", "ItemCoverage"),
    ),
    Entry(
        "Gini", lambda: _run(lambda c: listwise.gini(listwise.item_counts(c.data, c.lists))),
        "inequality of how often items are recommended; 0 is equal", "Σ (2i − n − 1) x_(i) / (n Σ x)", "Gini 1912",
        best="low",
    ),
    Entry(
        "ExposureGini", lambda p: _run(lambda c: listwise.gini(listwise.item_exposure(c.data, c.lists, p))),
        "inequality of the attention items get", "Gini of Σ_u p^(rank−1)", "Gini 1912", (_ATTENTION,),
        best="low",
    ),
    Entry(
        "Entropy", lambda: _run(lambda c: listwise.item_entropy(c.data, c.lists)),
        "entropy of which items are recommended, in bits", "−Σ_i p(i) log2 p(i)", "Shani and Gunawardana 2010",
    ),
]


def needs_of(metric: Metric) -> tuple[str, ...]:
    """The tables besides ratings and lists that a metric needs."""
    return metric.formula.needs if isinstance(metric.formula, ListFormula) else ()


REGISTRY = Registry(lambda: (*LISTS, *RUNS))


def entries() -> dict[str, Entry]:
    """The metrics that only recommendations have, by name."""
    return REGISTRY.entries


def find(name: str) -> Entry:
    """A metric of recommendations, or of the main catalogue."""
    own = REGISTRY.get(name)
    if own is not None:
        return own
    try:
        return names.find(name)
    except UsageError:
        raise REGISTRY.refuse(name, [*entries(), *names.entries()]) from None


def as_metrics(items: MetricLike | Sequence[MetricLike]) -> list[Metric]:
    """Metrics without repeats, in the order given, as in `evaluate`."""
    return names.as_metrics(items, find)
