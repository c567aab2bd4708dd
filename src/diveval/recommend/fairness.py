"""Exposure of groups in a list: attention-weighted rank fairness, and expected exposure against equal exposure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from diveval.recommend.data import Data
from diveval.recommend.listwise import chunks, divergence_kl
from diveval.recommend.tables import Floats, Ints, Pairs, UserLists, shares


def attention(width: int, p: float) -> Floats:
    """p^(i−1): who goes on with probability p reaches rank i."""
    return np.asarray(p ** np.arange(width, dtype=np.float64))


def group_exposure(data: Data, lists: UserLists, p: float) -> Floats:
    """(user, group): attention a list gives to each group; an item of several groups shares its own among them."""
    weights = attention(lists.items.shape[1], p)
    out = np.zeros((len(lists.users), len(data.aspects)))
    for part in chunks(len(lists.users), lists.items.shape[1] * len(data.aspects)):
        items = lists.items[part]
        held = (items >= 0) * weights
        out[part] = np.einsum("ukg,uk->ug", data.genre_shares[np.maximum(items, 0)], held)
    return out


def rank_fairness(data: Data, lists: UserLists, p: float) -> Floats:
    """AWRF = 1 − JS(exposure of the groups, their share of the catalogue), in [0, 1]; NaN for an empty list.

    Sapiezynski et al. 2019; with Jensen–Shannon in bits as in TREC Fair Ranking 2021–22.
    """
    exposure = group_exposure(data, lists, p)
    total = exposure.sum(axis=1, keepdims=True)
    given = shares(exposure)
    target = data.genre_shares[data.catalogue].sum(axis=0)
    target = np.broadcast_to(target / target.sum(), given.shape)
    middle = (given + target) / 2.0
    value = 1.0 - (divergence_kl(given, middle) + divergence_kl(np.asarray(target), middle)) / 2.0
    return np.where(total[:, 0] > 0, value, np.nan)


def expected_exposure(data: Data, lists: UserLists, relevant: Pairs, p: float, part: str, over: str) -> Floats:
    """EE-L = ‖ε − ε*‖², or its parts EE-D = ‖ε‖² and EE-R = ε·ε* (Diaz et al. 2020), over items or over groups.

    ε is the attention a user's list gives; ε* gives items of one grade the same, the mean attention of the ranks they
    take in an ideal list, and nothing to items that are not relevant.
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
    """Of each relevant item, the mean attention of the ranks that the user's items of its grade take ideally."""
    order = np.lexsort((-relevant.values, relevant.users))
    users, grades = relevant.users[order], relevant.values[order]
    new = np.ones(len(users), dtype=bool)
    new[1:] = (users[1:] != users[:-1]) | (grades[1:] != grades[:-1])
    group = np.cumsum(new) - 1
    starts, sizes = np.flatnonzero(new), np.bincount(group) if len(group) else np.empty(0, dtype=np.int64)
    first = np.searchsorted(users, users[starts], side="left") if len(users) else starts
    begin = starts - first  # ranks of the user's list that better grades take
    mean = (_reached(begin + sizes, p) - _reached(begin, p)) / np.maximum(sizes, 1)
    values = np.zeros(len(users))
    values[order] = mean[group] if len(group) else 0.0
    return replace(relevant, values=values)


def _reached(ranks: Ints, p: float) -> Floats:
    """Attention of the first n ranks together."""
    counts = np.asarray(ranks, dtype=np.float64)
    return counts if p == 1.0 else np.asarray((1.0 - p**counts) / (1.0 - p))
