# ruff: noqa
"""Writes peers.json: what RecTools, RecBole, recommenders and LensKit compute for one small synthetic set.

Each needs an environment of its own (their requirements exclude each other), so the script takes the name of one:

    python make_peers.py rectools|recbole|recommenders|lenskit

and adds its values to the file. Versions used: RecTools 0.19.0, RecBole 1.2.1, recommenders 1.2.1, LensKit 2025.8.1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
GENRES = ["Action", "Comedy", "Drama", "Horror", "Romance", "War"]
DEPTHS = (1, 3, 5, 10)


def make():
    """Users 1–30, items 1–60: a history, what was held out, ten recommendations each, genres."""
    rng = np.random.default_rng(20210927)
    items = np.arange(1, 61)
    genres = {int(i): sorted(rng.choice(GENRES, rng.integers(1, 4), replace=False).tolist()) for i in items}
    weights = 1.0 / np.arange(1, 61)
    history, held_out, lists = [], [], []
    for user in range(1, 31):
        seen = rng.choice(items, 14, replace=False, p=weights / weights.sum())
        history += [(user, int(i), int(rng.integers(1, 6))) for i in seen[:8]]
        held_out += [(user, int(i), int(rng.integers(1, 6))) for i in seen[8:]]
        left = np.setdiff1d(items, seen[:8])
        chosen = rng.choice(left, 10, replace=False, p=weights[left - 1] / weights[left - 1].sum())
        lists += [(user, int(i), rank) for rank, i in enumerate(chosen, 1)]
    return {"genres": genres, "history": history, "ratings": held_out, "lists": lists}


def frames(data):
    history = pd.DataFrame(data["history"], columns=["user_id", "item_id", "rating"])
    ratings = pd.DataFrame(data["ratings"], columns=["user_id", "item_id", "rating"])
    lists = pd.DataFrame(data["lists"], columns=["user_id", "item_id", "rank"])
    rows = {item: [float(g in own) for g in GENRES] for item, own in data["genres"].items()}
    return history, ratings, lists, pd.DataFrame.from_dict(rows, orient="index", columns=GENRES)


def rectools(data):
    from rectools.metrics import CatalogCoverage, IntraListDiversity, MeanInvUserFreq, Serendipity
    from rectools.metrics.distances import PairwiseHammingDistanceCalculator

    history, ratings, lists, features = frames(data)
    features.index.name = "item_id"
    hamming = PairwiseHammingDistanceCalculator(features.astype(int))
    catalogue, out = list(features.index), {}
    for k in DEPTHS:
        out[f"ILD(distance=hamming)@{k}"] = per_user(IntraListDiversity(k, hamming).calc_per_user(lists))
        out[f"MIUF@{k}"] = per_user(MeanInvUserFreq(k).calc_per_user(lists, history))
        out[f"Serendipity@{k}"] = per_user(Serendipity(k).calc_per_user(lists, ratings, history, catalogue))
        out[f"CatalogueCoverage@{k}"] = float(CatalogCoverage(k, normalize=True).calc(lists, catalogue))
    return out


def per_user(series):
    return {str(user): float(value) for user, value in series.items()}


def recbole(data):
    """Its metric classes need torch only to carry tensors: the computing methods take numpy arrays."""
    import types

    torch = types.ModuleType("torch")
    sys.modules["torch"] = torch
    source = (Path(sys.prefix) / "lib").glob("python*/site-packages/recbole/evaluator/metrics.py")
    text = next(source).read_text()
    space = {"np": np, "Counter": __import__("collections").Counter}
    for name in ("ItemCoverage", "ShannonEntropy", "GiniIndex"):
        body = text[text.index(f"class {name}(") :].split("\nclass ")[0].replace("(AbstractMetric)", "")
        exec(body.replace("metric_type = EvaluatorType.RANKING", ""), space)
    _, _, lists, features = frames(data)
    matrix = lists.sort_values(["user_id", "rank"])["item_id"].to_numpy().reshape(30, 10)
    out = {}
    for k in DEPTHS:
        part = matrix[:, :k]
        make = lambda name: space[name].__new__(space[name])  # noqa: E731
        out[f"CatalogueCoverage@{k}"] = float(make("ItemCoverage").get_coverage(part, len(features)))
        out[f"Gini@{k}"] = float(make("GiniIndex").get_gini(part, len(features)))
        out[f"nats of Entropy over items@{k}"] = float(make("ShannonEntropy").get_entropy(part))
    return out


def recommenders(data):
    import types

    for name in ("recommenders.utils.spark_utils",):
        sys.modules.setdefault(name, types.ModuleType(name))
    import recommenders.evaluation.python_evaluation as peer

    pd.set_option("mode.copy_on_write", False) if pd.__version__ < "3" else None
    history, _, lists, features = frames(data)
    train, names = history[["user_id", "item_id"]], {"col_user": "user_id", "col_item": "item_id"}
    vectors = pd.DataFrame({"item_id": features.index, "features": [row.to_numpy() for _, row in features.iterrows()]})
    out = {}
    for k in DEPTHS:
        part = lists[lists["rank"] <= k][["user_id", "item_id"]].copy()
        relevant = part.merge(pd.DataFrame(data["ratings"], columns=["user_id", "item_id", "rating"]), how="left")
        part_relevant = part.assign(relevance=(relevant["rating"].fillna(0) > 0).astype(float).to_numpy())
        out[f"CatalogueCoverage of the history@{k}"] = float(peer.catalog_coverage(train, part, **names))
        out[f"Entropy@{k}"] = float(peer.distributional_coverage(train, part, **names))
        out[f"SelfInformation over lists@{k}"] = float(peer.novelty(train, part, **names))
        more = {"item_feature_df": vectors, "item_sim_measure": "item_feature_vector", "col_item_features": "features"}
        if k > 1:
            found = peer.user_diversity(train, part, **more, **names)
            out[f"ILD@{k}"] = dict(
                zip(found["user_id"].astype(str), found["user_diversity"].astype(float), strict=True)
            )
        found = peer.user_serendipity(train, part_relevant, col_relevance="relevance", **more, **names)
        out[f"Serendipity(by=distance)@{k}"] = dict(
            zip(found["user_id"].astype(str), found["user_serendipity"].astype(float), strict=True)
        )
    return out


def lenskit(data):
    from lenskit.data import ItemList
    from lenskit.metrics.ranking import ExposureGini, ListGini
    from lenskit.metrics.ranking._entropy import entropy

    _, _, lists, features = frames(data)
    out = {}
    ordered = {
        user: ItemList(own.sort_values("rank")["item_id"].to_numpy(), ordered=True)
        for user, own in lists.groupby("user_id")
    }
    for k in DEPTHS:
        for name, metric in (
            ("Gini", ListGini(n=k, items=len(features))),
            ("ExposureGini", ExposureGini(n=k, items=len(features))),
        ):
            out[f"{name}@{k}"] = float(
                metric.global_aggregate([metric.compute_list_data(one, one) for one in ordered.values()])
            )
        out[f"GenreEntropy, smoothed@{k}"] = {
            str(user): float(entropy(one, features.loc[one.ids()].to_numpy(), n=k)) for user, one in ordered.items()
        }
    return out


if __name__ == "__main__":
    path = HERE / "peers.json"
    kept = json.loads(path.read_text()) if path.exists() else {"data": make(), "peers": {}}
    kept["peers"][sys.argv[1]] = {
        "rectools": rectools,
        "recbole": recbole,
        "recommenders": recommenders,
        "lenskit": lenskit,
    }[sys.argv[1]](make())
    path.write_text(json.dumps(kept, indent=None, separators=(",", ":")) + "\n")
