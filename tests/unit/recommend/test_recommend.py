"""Recommendations in any form; metrics equal those of the catalogue and literal implementations."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diveval
from diveval import recommend
from diveval.recommend.user_scoring import evaluate
from support.late import late
from support.refusals import refuses, warns
from support.shared import times

pd = late("pandas")
pl = late("polars")
pa = late("pyarrow")

RATINGS = {"u1": {"a": 5, "b": 3, "c": 1}, "u2": {"b": 4, "d": 5}}
LISTS = {"u1": ["a", "d", "b"], "u2": ["c", "b", "a"]}
GENRES = {"a": "Drama|War", "b": ["War"], "c": ["Comedy"], "d": "Comedy|Drama"}


def random_data(seed: int, users: int = 7, items: int = 12, genres: int = 4) -> Any:
    """Random ratings, lists and genres; every item has a genre, every user a list and a rating."""
    rng = np.random.default_rng(seed)
    genres_of = {f"i{i}": [f"g{g}" for g in np.flatnonzero(rng.random(genres) < 0.4)] or ["g0"] for i in range(items)}
    ratings, lists = {}, {}
    for u in range(users):
        rated = rng.choice(items, rng.integers(1, items), replace=False)
        ratings[f"u{u}"] = {f"i{i}": int(rng.integers(1, 6)) for i in rated}
        lists[f"u{u}"] = [f"i{i}" for i in rng.permutation(items)[: rng.integers(1, items)]]
    return ratings, lists, genres_of


NAMES = [
    "RBU(p=0.9,e=0.05)@5",
    "RBU(p=0.99,e=0)",
    "RBU(novelty=best)@4",
    "alpha_nDCG@5",
    "alpha_nDCG(alpha=0.3)",
    "alpha_DCG@3",
    "ERR_IA@5",
    "DCG@5",
    "nRBU(p=0.9,e=0.1)@5",
    "NRBP",
    "EU",
    "CT@5",
    "StRecall@3",
    "StRecall(weights=given)@3",
    "ERR@4",
    "DCG_IA@5",
    "alphabeta_nDCG@5",
    "alphabeta_nDCG(beta=0.9)",
]


# A random collection may lack a genre of the profiles, which is a warning.
@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.slow
@settings(max_examples=times(8, 25), deadline=None)
@given(seed=st.integers(0, 10**6), profiled=st.booleans(), rel=st.sampled_from([None, 3]))
def test_users_are_scored_as_topics_are(seed: int, profiled: bool, rel: Any) -> None:
    """Every metric scored for all users at once equals `evaluate` with each user as a topic."""
    ratings, lists, own = random_data(seed)
    rows = [(u, g, i, r) for u, inner in ratings.items() for i, r in inner.items() for g in own[i]]
    rng = np.random.default_rng(seed + 1)
    random_profiles = {u: {f"g{g}": float(rng.random()) + 0.01 for g in range(4)} for u in ratings}
    profiles: Literal["uniform"] | dict[str, dict[str, float]] = random_profiles if profiled else "uniform"
    weights = {(u, g): w for u, inner in random_profiles.items() for g, w in inner.items()} if profiled else None
    expected = diveval.evaluate(rows, lists, NAMES, weights=weights, gain="linear", **({"rel": rel} if rel else {}))
    scores = evaluate(ratings, lists, NAMES, aspects=own, profiles=profiles, gain="linear", rel=rel)
    for m, name in enumerate(NAMES):
        theirs = expected.per_topic(expected.runs[0], expected.metrics[m])
        assert scores.per_topic("run", scores.metrics[m]) == pytest.approx(theirs, rel=1e-9, abs=1e-12), name


def test_other_metrics_are_those_of_evaluate() -> None:
    """nDCG, AP, D#-nDCG and metrics of other tools equal those of `evaluate`."""
    ratings, lists, own = random_data(5)
    names = ["nDCG@5", "AP", "P@3", "Dsharp_nDCG@5", "ndeval.ERR_IA@5"]
    rows = [(u, g, i, r) for u, inner in ratings.items() for i, r in inner.items() for g in own[i]]
    scores = evaluate(ratings, lists, names, aspects=own)
    assert scores.mean()["run"] == pytest.approx(diveval.evaluate(rows, lists, names).mean()["run"])


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_every_input_form_gives_the_same_scores() -> None:
    """Frames and dicts, genres joined by `|` or in lists, ranks or scores, one run or several."""
    rows = [(u, i, r) for u, inner in RATINGS.items() for i, r in inner.items()]
    recs = [(u, i, k, 10.0 - k) for u, items in LISTS.items() for k, i in enumerate(items, 1)]
    expected = evaluate(RATINGS, LISTS, aspects=GENRES, profiles="uniform")
    for make in (pd.DataFrame, pl.DataFrame):
        ratings = make(
            {"user_id": [r[0] for r in rows], "item_id": [r[1] for r in rows], "rating": [r[2] for r in rows]}
        )
        base = {"user_id": [r[0] for r in recs], "item_id": [r[1] for r in recs]}
        genres = make(
            {"item_id": list(GENRES), "genres": ["|".join(g) if isinstance(g, list) else g for g in GENRES.values()]}
        )
        for extra in ({"rank": [r[2] for r in recs]}, {"score": [r[3] for r in recs]}, {}):
            scores = evaluate(ratings, make({**base, **extra}), aspects=genres, profiles="uniform")
            assert scores.to_dict() == expected.to_dict()
            assert scores.mean() == expected.mean()
        two = make(
            {**{k: v * 2 for k, v in base.items()}, "rank": [r[2] for r in recs] * 2, "run": ["x"] * 6 + ["y"] * 6}
        )
        both = evaluate(ratings, two, aspects=genres, profiles="uniform")
        assert both.runs == ("x", "y")
        assert both.mean()["x"] == both.mean()["y"] == expected.mean()["run"]


def test_values_of_a_run_have_no_users() -> None:
    """Coverage and Gini have a mean and no users, in every export; other metrics have both."""
    scores = evaluate(RATINGS, {"m": LISTS}, ["CatalogueCoverage@2", "Gini@2", "ILD@2"], aspects=GENRES)
    topics = {(metric, topic) for _, metric, topic, _ in scores.rows()}
    assert {topic for metric, topic in topics if metric == "Gini@2"} == {"all"}
    assert {topic for metric, topic in topics if metric == "ILD@2"} == {"u1", "u2", "all"}
    assert scores.mean()["m"]["CatalogueCoverage@2"] == 1.0
    assert scores.select(metrics=["Gini@2"]).mean()["m"]["Gini@2"] == scores.mean()["m"]["Gini@2"]
    with refuses("metric-of-whole-runs"):
        scores.select(topics=["u1"])


def test_calibration_worked_example() -> None:
    """KL and JS divergence between profile and list, each item divided among its genres."""
    scores = evaluate(
        {"u1": {"d": 5}, "u2": {"b": 4}},
        LISTS,
        ["Calibration_KL@2", "Calibration_JS@2"],
        aspects=GENRES,
        history={"u1": ["a", "b"], "u2": ["c"]},
    )
    p, q = {"Drama": 0.25, "War": 0.75}, {"Drama": 0.5, "War": 0.25, "Comedy": 0.25}
    mixed = {g: 0.99 * q.get(g, 0) + 0.01 * p.get(g, 0) for g in {*p, *q}}
    kl = sum(v * math.log2(v / mixed[g]) for g, v in p.items())
    middle = {g: (p.get(g, 0) + q.get(g, 0)) / 2 for g in {*p, *q}}
    js = sum(v * math.log2(v / middle[g]) / 2 for d in (p, q) for g, v in d.items())
    assert scores.per_topic("run", "Calibration_KL@2")["u1"] == pytest.approx(kl)
    assert scores.per_topic("run", "Calibration_JS@2")["u1"] == pytest.approx(js)


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_list_metrics_equal_their_definitions(seed: int) -> None:
    """ILD, EPC, EPD, AWRF and expected exposure equal implementations with loops."""
    ratings, lists, own = random_data(seed)
    history = random_data(seed + 1)[0]
    names = [
        "ILD(distance=jaccard)@4",
        "EPC(discount=log,relevance=yes)@4",
        "EPD(distance=jaccard)@4",
        "EPD@4",
        "AWRF(p=0.7)@4",
        "EEL(p=0.7,over=items)@4",
        "EEL(p=0.7)@4",
        "EED(p=0.7,over=items)@4",
        "EER(p=0.7,over=items)@4",
    ]
    scores = evaluate(ratings, lists, names, aspects=own, history=history, rel=3, catalogue=list(own))
    genres = sorted({g for gs in own.values() for g in gs})

    def jaccard(a: Any, b: Any) -> Any:
        return 1 - len(set(own[a]) & set(own[b])) / len(set(own[a]) | set(own[b]))

    def cosine(a: Any, b: Any) -> Any:
        return 1 - len(set(own[a]) & set(own[b])) / math.sqrt(len(own[a]) * len(own[b]))

    def exposure(weights: Any) -> Any:
        return np.array([sum(w / len(own[i]) for i, w in weights.items() if g in own[i]) for g in genres])

    def js(p: Any, q: Any) -> Any:
        m = (p + q) / 2
        return sum(x * math.log2(x / y) / 2 for d in (p, q) for x, y in zip(d, m, strict=True) if x > 0)

    for user, items in lists.items():
        top, value = items[:4], {name: scores.per_topic("run", scores.metrics[m])[user] for m, name in enumerate(names)}
        pairs = [jaccard(a, b) for a in top for b in top if a != b]
        assert value[names[0]] == pytest.approx(sum(pairs) / len(pairs) if pairs else 0.0)
        disc = [1 / math.log2(k + 2) for k in range(len(top))]
        new = [(1 - sum(i in h for h in history.values()) / len(history)) * (ratings[user].get(i, 0) >= 3) for i in top]
        assert value[names[1]] == pytest.approx(sum(d * n for d, n in zip(disc, new, strict=True)) / sum(disc))
        for name, distance in ((names[2], jaccard), (names[3], cosine)):
            far = [sum(distance(i, j) for j in history[user]) / len(history[user]) for i in top]
            assert value[name] == pytest.approx(sum(far) / len(far))
        given_weights = {i: 0.7**k for k, i in enumerate(top)}
        shares, catalogue = exposure(given_weights), exposure(dict.fromkeys(own, 1.0))
        assert value[names[4]] == pytest.approx(1 - js(shares / shares.sum(), catalogue / catalogue.sum()))
        ideal = sorted((i for i, r in ratings[user].items() if r >= 3), key=lambda i: -ratings[user][i])
        target = {}
        for i in ideal:
            ranks = [k for k, j in enumerate(ideal) if ratings[user][j] == ratings[user][i]]
            target[i] = sum(0.7**k for k in ranks) / len(ranks)
        loss = sum((given_weights.get(i, 0) - target.get(i, 0)) ** 2 for i in own)
        assert value[names[5]] == pytest.approx(loss)
        assert value[names[6]] == pytest.approx(((exposure(given_weights) - exposure(target)) ** 2).sum())
        assert value[names[7]] - 2 * value[names[8]] + sum(t * t for t in target.values()) == pytest.approx(loss)


def test_unrated_items_satisfy_with_alpha() -> None:
    """αβ-nDCG counts an unrated item of a wanted genre with α, a rated one with β r, also if r is 0."""

    def value(lists: Any, alpha: Any) -> Any:
        return evaluate(
            {"u": {"a": 5, "b": 1}},
            {"u": lists},
            f"alphabeta_nDCG(alpha={alpha},beta=0.5)@2",
            gain="linear",
            rel=3,
            aspects={"a": ["g"], "b": ["g"], "x": ["g"]},
        ).means[0, 0]

    assert value(["a", "x"], 0) == 1.0
    assert value(["x", "a"], 0.1) > value(["x", "a"], 0) > value(["b", "x"], 0) == 0.0
    assert value(["b", "a"], 0.1) < value(["x", "a"], 0.1)
    assert value(["x"], 0.1) == pytest.approx(0.1 / 0.5)


def test_user_profiles_are_weights() -> None:
    """With a history, the weight of a genre is its share of what the user liked; otherwise weights are uniform."""
    ratings, genres = {"u": {"a": 5, "b": 5}}, {"a": ["x"], "b": ["y"], "h": ["x"], "h2": ["x"], "h3": ["y"]}
    history = {"u": {"h": 4, "h2": 2, "h3": 2}}
    name = "StRecall(weights=given)@1"
    assert evaluate(ratings, {"u": ["a"]}, name, aspects=genres, history=history).means[0, 0] == 0.75
    assert evaluate(ratings, {"u": ["a"]}, name, aspects=genres, history=history, profiles="uniform").means[0, 0] == 0.5
    assert evaluate(ratings, {"u": ["a"]}, name, aspects=genres, profiles={"u": {"x": 1, "y": 4}}).means[0, 0] == 0.2


def test_vectors_replace_genres() -> None:
    """Given vectors are compared by cosine distance."""
    vectors = {"a": [1, 0], "b": [1, 1], "c": [0, 2], "d": [1, 0]}
    scores = evaluate(RATINGS, LISTS, "ILD@2", vectors=vectors)
    assert scores.per_topic("run") == pytest.approx({"u1": 0.0, "u2": 1 - 1 / math.sqrt(2)})


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (({"u": {"a": 5}}, {"u": ["a", "a"]}), "duplicate-document"),
        (({"u": {"a": float("nan")}}, {"u": ["a"]}), "not-a-number"),
        (({}, {"u": ["a"]}), "empty-input"),
        ((lambda: pd.DataFrame({"who": ["u"], "item_id": ["a"]}), {"u": ["a"]}), "missing-column"),
        (
            (
                lambda: pd.DataFrame({"user_id": ["u", "u"], "item_id": ["a", "a"], "rating": [1, 2]}),
                {"u": ["a"]},
            ),
            "conflicting-grades",
        ),
        ((42, {"u": ["a"]}), "wrong-type"),
        (({"u": {"a": 5}}, 42), "wrong-type"),
        (({"u": {"a": "five"}}, {"u": ["a"]}), "not-a-number"),
        ((lambda: pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "rating": ["x"]}), {"u": ["a"]}), "not-a-number"),
        (({"u": {"a": 5}}, lambda: pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "rank": ["x"]})), "not-a-number"),
        (({"u": {"a": 5}}, lambda: pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "run": [None]})), "missing-id"),
        ((lambda: pd.DataFrame({"user_id": pd.array([pd.NA]), "item_id": ["a"]}), {"u": ["a"]}), "missing-id"),
        ((lambda: pd.Series([1, 2]), {"u": ["a"]}), "wrong-type"),
        (({"u": {"a": 5}}, {"v": ["a"]}), "no-shared-topic"),
    ],
)
@pytest.mark.parametrize("metric", ["Gini@5", "nDCG@5"])
def test_invalid_input_is_an_error(arguments: Any, code: str, metric: str) -> None:
    """The error has the code that it has in `evaluate`, whatever the metric is."""
    arguments = [argument() if callable(argument) else argument for argument in arguments]
    with refuses(code):
        evaluate(arguments[0], arguments[1], metric)


def test_missing_arguments_and_unknown_names_are_errors() -> None:
    """Distances need genres; an unknown metric or value is an error that names the alternatives."""
    with refuses("metric-needs-aspects"):
        evaluate(RATINGS, LISTS, "ILD@5")
    with refuses("unknown-metric", "ILD"):
        evaluate(RATINGS, LISTS, "ILDD@5", aspects=GENRES)
    with refuses("invalid-choice"):
        evaluate(RATINGS, LISTS, "ILD(distance=far)@5", aspects=GENRES)


def test_profiles_of_unknown_genres_or_users() -> None:
    """A genre without items is a warning; if no genre or no user is left, it is an error."""
    both = {"u1": {"War": 1, "Zoo": 1}, "u2": {"War": 1}}
    with warns("unknown-aspect"):
        evaluate(RATINGS, LISTS, "Calibration_KL@2", aspects=GENRES, profiles=both)
    with refuses("no-shared-topic"):
        evaluate(RATINGS, LISTS, "Calibration_KL@2", aspects=GENRES, profiles={user: {"Zoo": 1} for user in both})
    with refuses("ids-unmatched"):
        evaluate(RATINGS, LISTS, "Calibration_KL@2", aspects=GENRES, profiles={"nobody": {"War": 1}})
    with refuses("ids-unmatched"):
        evaluate(RATINGS, LISTS, "Calibration_KL@2", aspects=GENRES, history={"someone else": ["a"]})


def test_streams_and_batches_of_arrow_are_frames() -> None:
    """Tables that `diveval.evaluate` accepts are accepted here, also if they can be read only once."""
    rows = [(user, item, value) for user, own in RATINGS.items() for item, value in own.items()]
    listed = [(user, item) for user, own in LISTS.items() for item in own]
    ratings = pa.table(dict(zip(("user_id", "item_id", "rating"), map(list, zip(*rows, strict=True)), strict=True)))
    lists = pa.table(dict(zip(("user_id", "item_id"), map(list, zip(*listed, strict=True)), strict=True)))
    expected = evaluate(RATINGS, LISTS, ["nDCG@2", "Gini@2"]).mean()
    assert evaluate(ratings.to_reader(), lists.to_reader(), ["nDCG@2", "Gini@2"]).mean() == expected
    batches = (ratings.combine_chunks().to_batches()[0], lists.combine_chunks().to_batches()[0])
    assert evaluate(*batches, ["nDCG@2", "Gini@2"]).mean() == expected


def test_users_without_a_list_are_named() -> None:
    """They gain nothing, pay the effort of a full list, and a warning names them."""
    with warns("missing-topics", "u2"):
        scores = evaluate(RATINGS, {"u1": ["a"]}, ["StRecall@5", "RBU(p=1,e=0.1)@5", "ILD@5"], aspects=GENRES)
    assert scores.per_topic("run", "StRecall@5")["u2"] == 0.0
    assert scores.per_topic("run", "RBU(p=1,e=0.1)@5")["u2"] == pytest.approx(-0.5)
    assert "u2" not in scores.per_topic("run", "ILD@5")
    assert recommend.evaluate is evaluate


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["10", "9", "a", "é", "-1"]), max_size=5, unique=True), min_size=1, max_size=4)
)
def test_names_of_several_tables_are_unified(columns: Any) -> None:
    """Each name of each column leads to itself among all names, which are in natural order."""
    from diveval.collection.columns import Names, naturally
    from diveval.recommend.rating_tables import unify

    names, codes = unify([Names.of(column) for column in columns])
    assert list(names) == naturally({value for column in columns for value in column})
    assert [[names[code] for code in some] for some in codes] == columns


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("chunk", [1, 60, 10**9])
def test_the_block_size_does_not_change_the_scores(chunk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of users at a time, distances by table or by list: the same scores to 1e-12."""
    from diveval.recommend import beyond_accuracy as listwise

    ratings, lists, own = random_data(11, users=40)
    names = [*NAMES, "ILD@5", "ILD(distance=jaccard)@5", "EPD(distance=hamming)@5", "Calibration_JS@5"]
    expected = evaluate(ratings, lists, names, aspects=own)
    monkeypatch.setattr(listwise, "CHUNK", chunk)
    monkeypatch.setattr(listwise, "MATRIX", 0 if chunk == 1 else 10**9)
    assert evaluate(ratings, lists, names, aspects=own).values == pytest.approx(expected.values, abs=1e-12)


def test_rows_in_any_order() -> None:
    """Ratings and lists need not be sorted; equal scores keep the order of the rows."""
    frame = pd.DataFrame({"user_id": [2, 1, 2, 1], "item_id": [7, 8, 9, 7], "score": [0.1, 0.9, 0.9, 0.9]})
    ratings = pd.DataFrame({"user_id": [2, 1], "item_id": [9, 7], "rating": [1, 1]})
    data = recommend.load(ratings, frame)
    (lists,) = data.runs.values()
    assert [[data.items[i] for i in row] for row in lists.items] == [["8", "7"], ["9", "7"]]
    shuffled = recommend.load(ratings.iloc[::-1], frame.iloc[[1, 3, 2, 0]])
    assert [run.items.tolist() for run in shuffled.runs.values()] == [lists.items.tolist()]


def test_a_report_of_recommendations(tmp_path: Path) -> None:
    """Values of runs are in the leaderboard; of many users only some are shown, with a note."""
    import json

    from diveval import report
    from diveval.report.contents import MOST_TOPICS

    ratings = {f"u{u}": {"a": 5, "b": 3} for u in range(MOST_TOPICS + 5)}
    lists = {
        name: dict.fromkeys(ratings, order) for name, order in (("one", ["a", "b", "c"]), ("two", ["c", "b", "a"]))
    }
    scores = evaluate(ratings, lists, ["RBU@2", "ILD@2", "Gini@2"], aspects=GENRES)
    path = report(scores, path=tmp_path / "r.html", title="Lists")
    text = path.read_text()
    start = text.index('id="data">') + len('id="data">')
    data = json.loads(text[start : text.index("</script>", start)])
    assert len(data["topics"]) == MOST_TOPICS and "1,005 topics" in " ".join(data["made"]["notes"])
    gini = next(column for column in data["leaderboard"]["columns"] if column["metric"] == "Gini@2")
    assert gini["mean"] == [float(value) for value in scores.means[:, 2]]
    with refuses("no-counted-topic"):
        report(scores.select(metrics=["Gini@2"]), path=tmp_path / "no.html")


def test_column_names_apply_to_the_tables_that_have_them() -> None:
    """Tables may use different names for items; a name that no table has and empty genres are errors."""
    ratings = pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "rating": [5]})
    lists = pd.DataFrame({"user_id": ["u", "u"], "sku": ["b", "a"], "rank": [1, 2]})
    plain = evaluate(ratings, lists.rename(columns={"sku": "item_id"}), "ILD@2", aspects=GENRES)
    named = evaluate(ratings, lists, "ILD@2", aspects=GENRES, columns={"item": "sku"})
    assert named == plain
    for wrong, name in (({"item": "skuu"}, "skuu"), ({"itm": "sku"}, "itm")):
        with refuses("unknown-column", name):
            evaluate(ratings, lists.rename(columns={"sku": "item_id"}), "ILD@2", aspects=GENRES, columns=wrong)
    with refuses("metric-needs-aspects"):
        evaluate(ratings, {"u": ["a"]}, "ILD@2", aspects={"a": ""})


def test_lists_of_unknown_items_are_an_error() -> None:
    """If no listed item occurs elsewhere, that is an error; one known item is enough."""
    ratings = {"u": {"a": 5, "b": 4}}
    with refuses("ids-unmatched", "item_7"):
        evaluate(ratings, {"u": ["item_7"]}, "Gini@5")
    evaluate(ratings, {"u": ["item_7", "b"]}, "Gini@5")


def test_the_order_of_a_list_is_that_of_evaluate() -> None:
    """Scores order a list before ranks, and equal scores are ordered by id; `order` and `ties` change both."""
    ratings = pd.DataFrame({"user_id": ["u", "u"], "item_id": ["c", "a"], "rating": [3, 1]})
    lists = pd.DataFrame({"user_id": ["u"] * 3, "item_id": list("abc"), "rank": [1, 2, 3], "score": [1.0, 2.0, 2.0]})
    for options in ({}, {"order": "rank"}, {"ties": "docno-asc"}):
        with warns("rank-contradicts-score"):
            ours = evaluate(ratings, lists, "nDCG@3", **options)  # type: ignore[arg-type]
        with warns("rank-contradicts-score"):
            assert ours.values.tolist() == diveval.evaluate(ratings, lists, "nDCG@3", **options).values.tolist()  # type: ignore[arg-type]


def test_the_highest_rating_is_that_of_evaluate() -> None:
    """A rating above `gmax` is an error, and `per-aspect` is the highest rating of each genre of a user."""
    with refuses("grade-above-gmax"):
        evaluate(RATINGS, LISTS, "ERR_IA@5", aspects=GENRES, gmax=3)
    rated, genres = {"u": {"a": 4, "b": 2}}, {"a": ["x"], "b": ["y"]}
    assert evaluate(rated, {"u": ["b"]}, "ERR_IA@1", aspects=genres, gmax="per-aspect").means[0, 0] == 0.375
    assert evaluate(rated, {"u": ["b"]}, "ERR_IA@1", aspects=genres).means[0, 0] == 0.5 * 3 / 16


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_users_without_a_list_pay_for_rated_items() -> None:
    """Without a cutoff, a missing list has as many items as the user rated, relevant or not."""
    scores = evaluate({"u": {"a": 1, "b": 0, "c": 0}, "v": {"a": 1}}, {"v": ["a"]}, "RBU(p=0.9,e=0.05)")
    assert scores.per_topic("run")["u"] == pytest.approx(-0.05 * (0.9 + 0.81 + 0.729))


def test_a_profile_without_the_genres_that_count_is_a_warning() -> None:
    """Such a user's genres are weighted equally, whatever the metric is."""
    history = {"u": {"h": 5}, "w": {"a": 5}}
    genres = {"a": ["x"], "b": ["y"], "h": ["z"]}
    for metric in ("nDCG@2", "ERR_IA@2", "Dsharp_nDCG@2"):
        with warns("missing-weights"):
            scores = evaluate({"u": {"a": 5, "b": 5}}, {"u": ["a"]}, metric, aspects=genres, history=history)
        equal = evaluate({"u": {"a": 5, "b": 5}}, {"u": ["a"]}, metric, aspects=genres, profiles="uniform")
        assert scores.values.tolist() == equal.values.tolist()
