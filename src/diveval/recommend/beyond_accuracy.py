"""Metrics of lists for all users at once: distance within a list, calibration, novelty, serendipity, entropy, exposure.

Each function takes the data and the lists cut at k, and returns one value per user of the lists, NaN if it is not
defined (a list of one item has no pairs). Padding is item −1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from diveval.collection.columns import Floats
from diveval.recommend.arrays import Pairs, RatingData, UserLists
from diveval.recommend.rating_tables import Ints, occurring, ratio, shares

CHUNK = 500_000  # cells of an array at a time: arrays that fit into the cache are several times faster
MATRIX = 25_000_000  # cells of a table of distances between items, used if it is smaller than the work it saves


def chunks(rows: int, width: int) -> list[slice]:
    """Slices of users such that users × width is at most `CHUNK`."""
    step = max(1, CHUNK // max(width, 1))
    return [slice(start, min(start + step, rows)) for start in range(0, rows, step)]


def mean_over_list(values: Floats, lists: UserLists) -> Floats:
    """The mean of a value per rank over the ranks with an item; NaN for an empty list."""
    filled = lists.items >= 0
    counts = filled.sum(axis=1)
    total = np.where(filled, values, 0.0).sum(axis=1)
    return ratio(total, counts, np.nan)


# --- distances --------------------------------------------------------------------------------------------------------


def features(data: RatingData, distance: str) -> Floats:
    """The vectors that distances are computed from: given ones if there are any, else genres."""
    return data.vectors if data.vectors is not None and distance in ("cosine", "euclidean") else data.genres


def is_described(data: RatingData, distance: str) -> NDArray[np.bool_]:
    """Which items have a vector or, where genres are compared, a genre; others are at distance 1 from every item."""
    if data.vectors is not None and distance in ("cosine", "euclidean"):
        return data.with_vector
    return np.asarray(data.genres.any(axis=1))


def distances(left: Floats, right: Floats, distance: str) -> Floats:
    """Distances (jaccard, hamming, euclidean) between blocks of rows, (…, a, features) and (…, b, features): (…, a, b).

    Cosines need no pairs: see `_diversity_by_sums` and `profile_distance`.
    """
    dots = left @ np.swapaxes(right, -1, -2)
    squares = (left * left).sum(axis=-1)
    other = squares if right is left else (right * right).sum(axis=-1)
    a, b = squares[..., :, None], other[..., None, :]
    if distance == "jaccard":
        union = a + b - dots
        return np.asarray(1.0 - np.divide(dots, union, out=np.zeros_like(dots), where=union > 0))
    squared = np.maximum(a + b - 2.0 * dots, 0.0)
    return np.asarray(squared if distance == "hamming" else np.sqrt(squared))


def pad(rows: Floats) -> Floats:
    """The rows of items with a row of zeros at the end, which is that of padding, item −1."""
    return np.concatenate([rows, np.zeros((1, rows.shape[1]))])


def sum_rows(padded: Floats, items: Ints, weights: Floats | None = None) -> Floats:
    """(user, column): the sum over a list's items of their rows, times the weight of their rank."""
    out = np.zeros((len(items), padded.shape[1]))
    for part in chunks(len(items), padded.shape[1]):
        for rank in range(items.shape[1]):
            rows = padded.take(items[part, rank], axis=0)
            out[part] += rows if weights is None else weights[rank] * rows
    return out


def intra_list_diversity(data: RatingData, lists: UserLists, distance: str) -> Floats:
    """ILD: the mean distance over the pairs of a list; 0 for fewer than two items."""
    if distance in ("cosine", "hamming"):
        return _diversity_by_sums(data, lists, distance)
    return _diversity_by_pairs(data, lists, distance)


def _diversity_by_sums(data: RatingData, lists: UserLists, distance: str) -> Floats:
    """ILD without pairs: the products of all pairs are the square of the sum, without those of an item with itself."""
    rows, known = features(data, distance), is_described(data, distance)
    if distance == "cosine":
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    facts = pad(np.column_stack([np.ones(len(rows)), known, (rows * rows).sum(axis=1)]))
    padded = pad(rows)
    out = np.empty(len(lists.users))
    for part in chunks(len(lists.users), rows.shape[1]):
        items, whole = sum_rows(padded, lists.items[part]), sum_rows(facts, lists.items[part])
        shown, described, squares = whole.T
        pairs, products = shown * (shown - 1.0), (items * items).sum(axis=1) - squares
        if distance == "cosine":
            total = pairs - products
        else:  # an item without a genre is at distance 1 from every other
            total = 2.0 * ((described - 1.0) * squares - products) + pairs - described * (described - 1.0)
        out[part] = np.maximum(ratio(total, pairs, 0.0), 0.0)
    return out


def _diversity_by_pairs(data: RatingData, lists: UserLists, distance: str) -> Floats:
    rows, width, known = features(data, distance), lists.items.shape[1], is_described(data, distance)
    out = np.zeros(len(lists.users))
    shown = occurring(lists.items[lists.items >= 0], len(data.items))
    table = None
    if len(shown) ** 2 <= min(MATRIX, len(lists.users) * width**2):  # few items in many lists: each pair once
        place = np.zeros(len(data.items) + 1, dtype=np.int64)
        place[shown] = np.arange(len(shown))
        table = distances(rows[shown], rows[shown], distance)
        table[~(known[shown][:, None] & known[shown])] = 1.0
    for part in chunks(len(lists.users), width * max(rows.shape[1] if table is None else 1, width)):
        items = lists.items[part]
        filled = items >= 0
        if table is None:
            block = rows[np.maximum(items, 0)]
            between = distances(block, block, distance)
            own = known[items]
            between[~(own[:, :, None] & own[:, None, :])] = 1.0
        else:
            at = place[items]
            between = table[at[:, :, None], at[:, None, :]]
        pairs = filled[:, :, None] & filled[:, None, :] & ~np.eye(width, dtype=bool)
        count = pairs.sum(axis=(1, 2))
        total = np.where(pairs, between, 0.0).sum(axis=(1, 2))
        out[part] = ratio(total, count, 0.0)
    return out


def profile_distance(data: RatingData, lists: UserLists, distance: str) -> Floats:
    """(user, rank): the mean distance of a recommended item to what the user had before; 1 without a history."""
    rows, known = features(data, distance), is_described(data, distance)
    history = data.history
    starts, ends = (np.searchsorted(history.users, lists.users, side=side) for side in ("left", "right"))
    longest = int((ends - starts).max(initial=0))
    out = np.ones(lists.items.shape)
    if distance == "cosine":  # the mean of cosines is a product with the mean of unit vectors, without pairs
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
        sums = np.zeros((len(lists.users), rows.shape[1]))
        place = np.repeat(np.arange(len(lists.users)), ends - starts)
        taken = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)]) if longest else place
        for feature in range(rows.shape[1]):
            column = unit[history.items[taken], feature] if len(taken) else np.empty(0)
            sums[:, feature] = np.bincount(place, column, minlength=len(lists.users))
        count = (ends - starts)[:, None]
        centre = np.divide(sums, count, out=np.zeros_like(sums), where=count > 0)
        near = np.einsum("ukf,uf->uk", unit[np.maximum(lists.items, 0)], centre)
        return np.where(count > 0, 1.0 - near, 1.0)
    width = lists.items.shape[1]
    for part in chunks(len(lists.users), (width + longest) * rows.shape[1] + width * longest):
        grid = starts[part][:, None] + np.arange(longest)
        filled = grid < ends[part][:, None]
        earlier, items = (
            history.items[np.minimum(grid, max(len(history.items) - 1, 0))],
            np.maximum(lists.items[part], 0),
        )
        between = distances(rows[items], rows[earlier], distance)
        between[~(known[items][:, :, None] & known[earlier][:, None, :])] = 1.0
        count = filled.sum(axis=1)[:, None]
        total = np.where(filled[:, None, :], between, 0.0).sum(axis=2)
        out[part] = ratio(total, np.broadcast_to(count, total.shape), 1.0)
    return out


# --- calibration ------------------------------------------------------------------------------------------------------


def list_shares(data: RatingData, lists: UserLists) -> Floats:
    """q(g|u): the share of a genre in the list."""
    return shares(sum_rows(pad(data.genre_shares), lists.items))


def calibration(data: RatingData, lists: UserLists, divergence: str, alpha: float) -> Floats:
    """How far the list's genres are from the profile's: KL(p ‖ (1−α)q + αp), or Jensen–Shannon; 0 is calibrated.

    NaN for users without a profile and for lists without a genre.
    """
    out = np.empty(len(lists.users))
    for part in chunks(len(lists.users), data.genre_shares.shape[1]):
        p, q = data.profiles[lists.users[part]], list_shares(data, UserLists(lists.users[part], lists.items[part]))
        value = divergence_kl(p, (1.0 - alpha) * q + alpha * p) if divergence == "kl" else divergence_js(p, q)
        out[part] = np.where((p.sum(axis=1) > 0) & (q.sum(axis=1) > 0), value, np.nan)
    return out


def divergence_kl(p: Floats, q: Floats) -> Floats:
    """Σ p log2(p/q), terms with p = 0 being 0."""
    ratio = np.divide(p, q, out=np.ones_like(p), where=(p > 0) & (q > 0))
    return np.asarray((p * np.log2(ratio)).sum(axis=1))


def divergence_js(p: Floats, q: Floats) -> Floats:
    """Jensen–Shannon: the mean divergence of both from their mean."""
    middle = (p + q) / 2.0
    return (divergence_kl(p, middle) + divergence_kl(q, middle)) / 2.0


# --- novelty, serendipity, entropy ------------------------------------------------------------------------------------


def discounts(width: int, discount: str) -> Floats:
    """A weight for each rank: 1, or 1/log2(i+1)."""
    return np.ones(width) if discount == "none" else 1.0 / np.log2(np.arange(2.0, width + 2.0))


def _expect(values: Floats, lists: UserLists, discount: str) -> Floats:
    """Σ disc(i) v(i) / Σ disc(i) over the items of a list; 0 for an empty one."""
    weights = discounts(lists.items.shape[1], discount) * (lists.items >= 0)
    below = weights.sum(axis=1)
    return ratio((weights * values).sum(axis=1), below, 0.0)


def popularity_complement(
    data: RatingData, lists: UserLists, relevant: Floats, discount: str, relevance: str
) -> Floats:
    """EPC: 1 − the share of users who had the item before, expected over the list (and counted if relevant)."""
    seen = data.popularity[np.maximum(lists.items, 0)] / max(data.known_users, 1)
    return _expect((1.0 - seen) * (relevant if relevance == "yes" else 1.0), lists, discount)


def expected_distance(
    data: RatingData, lists: UserLists, relevant: Floats, discount: str, relevance: str, distance: str
) -> Floats:
    """EPD: the distance to what the user had before, expected over the list (and counted if relevant)."""
    return _expect(profile_distance(data, lists, distance) * (relevant if relevance == "yes" else 1.0), lists, discount)


def inverse_user_frequency(data: RatingData, lists: UserLists) -> Floats:
    """MIUF: the mean of −log2(users of the item / users); an item nobody had counts as one user's."""
    return _mean_of_items(-np.log2(np.maximum(data.popularity, 1) / max(data.known_users, 1)), lists)


def self_information(data: RatingData, lists: UserLists) -> Floats:
    """The mean of −log2(interactions with the item / interactions); an item without any counts as if it had one."""
    return _mean_of_items(-np.log2(np.maximum(data.popularity, 1) / len(data.history.items)), lists)


def _mean_of_items(values: Floats, lists: UserLists) -> Floats:
    """The mean of the values of a list's items; NaN for an empty list."""
    total, count = sum_rows(pad(np.column_stack([values, np.ones(len(values))])), lists.items).T
    return ratio(total, count, np.nan)


def serendipity_by_popularity(data: RatingData, lists: UserLists, relevant: Floats, depth: int) -> Floats:
    """Σ_{i≤k} max(p(i) − pu(i), 0) · rel(i) / k: relevant, and ranked higher than its popularity would."""
    count = len(data.catalogue)
    levels = np.unique(data.popularity[data.popularity > 0])[::-1]  # equal counts share a rank
    rank = np.searchsorted(-levels, -data.popularity) + 1
    anybody = np.where(data.popularity > 0, (count + 1 - rank) / count, 0.0)
    own = (count + 1 - np.arange(1, lists.items.shape[1] + 1)) / count
    surprise = np.maximum(own - anybody[np.maximum(lists.items, 0)], 0.0) * relevant * (lists.items >= 0)
    return np.asarray(surprise.sum(axis=1) / depth)


def serendipity_by_distance(data: RatingData, lists: UserLists, relevant: Floats, distance: str) -> Floats:
    """The mean over the list of the distance to what the user had before, times relevance."""
    return mean_over_list(profile_distance(data, lists, distance) * relevant, lists)


def genre_entropy(data: RatingData, lists: UserLists) -> Floats:
    """Shannon entropy, in bits, of how often each genre occurs in the list; NaN for a list without a genre."""
    parts = shares(sum_rows(pad(data.genres), lists.items))
    value = -(parts * np.log2(np.where(parts > 0, parts, 1.0))).sum(axis=1)
    return np.where(parts.any(axis=1), value, np.nan)


# --- of a whole run ---------------------------------------------------------------------------------------------------


def item_counts(data: RatingData, lists: UserLists) -> Ints:
    """How many lists each item of the catalogue is in."""
    counts = np.bincount(lists.items[lists.items >= 0], minlength=len(data.items))
    return counts[data.catalogue].astype(np.int64)


def catalogue_coverage(data: RatingData, lists: UserLists) -> float:
    """The share of the catalogue that is recommended to somebody."""
    return float(np.count_nonzero(item_counts(data, lists)) / max(len(data.catalogue), 1))


def gini(values: Floats | Ints) -> float:
    """0 if all are equal, near 1 if one has everything: Σ (2i − n − 1) x_(i) / (n Σ x)."""
    ordered, n = np.sort(values), len(values)
    total = float(ordered.sum())
    if not n or total <= 0:
        return 0.0
    return float(((2 * np.arange(1, n + 1) - n - 1) * ordered).sum() / (n * total))


def item_entropy(data: RatingData, lists: UserLists) -> float:
    """Shannon entropy, in bits, of which items are recommended."""
    counts = item_counts(data, lists)
    parts = counts[counts > 0] / max(counts.sum(), 1)
    return float(-(parts * np.log2(parts)).sum())


def item_exposure(data: RatingData, lists: UserLists, p: float) -> Floats:
    """Σ over users of p^(i−1) at the rank an item has, for each item of the catalogue."""
    weights = np.broadcast_to(attention(lists.items.shape[1], p), lists.items.shape)
    filled = lists.items >= 0
    given = np.bincount(lists.items[filled], weights[filled], minlength=len(data.items))
    return np.asarray(given[data.catalogue], dtype=np.float64)


# --- exposure of groups -----------------------------------------------------------------------------------------------


def attention(width: int, p: float) -> Floats:
    """p^(i−1): the probability of reaching rank i if each item is followed with probability p."""
    return np.asarray(p ** np.arange(width, dtype=np.float64))


def group_exposure(data: RatingData, lists: UserLists, p: float) -> Floats:
    """(user, group): the attention of each group in a list; an item of several groups is divided equally among them."""
    return sum_rows(pad(data.genre_shares), lists.items, attention(lists.items.shape[1], p))


def rank_fairness(data: RatingData, lists: UserLists, p: float) -> Floats:
    """AWRF = 1 − JS(exposure of the groups, their share of the catalogue), in [0, 1]; NaN for an empty list.

    Sapiezynski et al. 2019; with Jensen–Shannon in bits as in TREC Fair Ranking 2021–22.
    """
    exposure = group_exposure(data, lists, p)
    total = exposure.sum(axis=1, keepdims=True)
    given = shares(exposure)
    target = data.genre_shares[data.catalogue].sum(axis=0)
    target = np.broadcast_to(shares(target), given.shape)
    return np.where(total[:, 0] > 0, 1.0 - divergence_js(given, target), np.nan)


def expected_exposure(data: RatingData, lists: UserLists, relevant: Pairs, p: float, part: str, over: str) -> Floats:
    """EE-L = ‖ε − ε*‖², or its parts EE-D = ‖ε‖² and EE-R = ε·ε* (Diaz et al. 2020), over items or over groups.

    ε is the attention in a user's list; ε* gives items of the same grade equal attention, the mean over the ranks they
    take in an ideal list, and none to items that are not relevant.
    """
    target = target_exposure(relevant, p)
    if over == "groups":
        given, wanted = group_exposure(data, lists, p), np.zeros((len(data.users), len(data.aspects)))
        for group in range(len(data.aspects)):
            share = data.genre_shares[target.items, group] * target.values
            wanted[:, group] = np.bincount(target.users, share, minlength=len(data.users))
        ideal, disparity = (wanted**2).sum(axis=1)[lists.users], (given**2).sum(axis=1)
        relevance = (given * wanted[lists.users]).sum(axis=1)
    else:
        given = attention(lists.items.shape[1], p) * (lists.items >= 0)
        ideal = np.bincount(target.users, target.values**2, minlength=len(data.users))[lists.users]
        disparity = (given**2).sum(axis=1)
        relevance = (given * target.lookup(lists.users[:, None], lists.items)).sum(axis=1)
    parts = {"loss": disparity - 2.0 * relevance + ideal, "disparity": disparity, "relevance": relevance}
    return np.asarray(parts[part])


def target_exposure(relevant: Pairs, p: float) -> Pairs:
    """For each relevant item, the mean attention of the ranks that the user's items of its grade take in an ideal list."""
    order = np.lexsort((-relevant.values, relevant.users))
    users, grades = relevant.users[order], relevant.values[order]
    new = np.ones(len(users), dtype=bool)
    new[1:] = (users[1:] != users[:-1]) | (grades[1:] != grades[:-1])
    group = np.cumsum(new) - 1
    starts, sizes = np.flatnonzero(new), np.bincount(group) if len(group) else np.empty(0, dtype=np.int64)
    first = np.searchsorted(users, users[starts], side="left") if len(users) else starts
    begin = starts - first  # ranks of the user's list that better grades take
    mean = (_sum_attention(begin + sizes, p) - _sum_attention(begin, p)) / np.maximum(sizes, 1)
    values = np.zeros(len(users))
    values[order] = mean[group] if len(group) else 0.0
    return replace(relevant, values=values)


def _sum_attention(ranks: Ints, p: float) -> Floats:
    """Attention of the first n ranks together."""
    counts = np.asarray(ranks, dtype=np.float64)
    return counts if p == 1.0 else np.asarray((1.0 - p**counts) / (1.0 - p))
