"""Tables that can be read and yet may mean something else are warned about or refused."""

from __future__ import annotations

import json
import uuid
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diveval.collection.columns import Names
from diveval.errors import DivevalError, capture_warnings
from diveval.recommend import evaluate
from diveval.recommend.table_checks import find_alike, normalise
from support.late import late
from support.refusals import refuses, warns

pd = late("pandas")

RATINGS = {"1": {"10": 5, "11": 3}, "2": {"10": 4, "12": 1}, "3": {"13": 5, "11": 2}}
LISTS = {"1": ["10", "12", "13"], "2": ["11", "12", "10"], "3": ["13", "10", "11"]}
GENRES = {"10": ["Drama", "War"], "11": ["War"], "12": ["Comedy"], "13": ["Comedy", "Drama"]}
HISTORY = {"1": {"12": 5, "13": 1}, "2": {"11": 4, "13": 2}, "3": {"12": 3, "10": 5}}
TABLES: dict[str, Any] = {"ratings": RATINGS, "lists": LISTS, "aspects": GENRES, "history": HISTORY}
METRICS = ["nDCG@3", "alpha_nDCG@3", "ILD@3", "MIUF@3", "Calibration_JS@3", "CatalogueCoverage@3"]
SPELLINGS = [" {}", "{} ", "0{}", "{}.0", "\u200b{}", "{}\u00a0"]
WIDTH_1 = 1 - 1 / np.sqrt(2)


def scored(tables: dict[str, Any], **options: Any) -> Any:
    """The values under all metrics."""
    more = {"aspects": tables["aspects"], "history": tables["history"]}
    return evaluate(tables["ratings"], tables["lists"], METRICS, **more, **options)


def respell(table: Any, kind: str, own: set[str], spelling: str) -> Any:
    """A table in which some ids of users or items are spelled in another way."""

    def name(text: str) -> str:
        return spelling.format(text) if text in own else text

    if kind == "items" and isinstance(next(iter(table.values())), dict):
        return {user: {name(item): rating for item, rating in inner.items()} for user, inner in table.items()}
    if kind == "items" and set(table) <= set(LISTS):
        return {user: [name(item) for item in inner] for user, inner in table.items()}
    return {name(key): inner for key, inner in table.items()}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_another_spelling_of_ids_never_changes_a_number_silently(data: Any) -> None:
    """Some ids of any table are written with blanks, zeros or a final .0: the same numbers, a warning, or an error."""
    expected = scored(TABLES, rel=1)
    table = data.draw(st.sampled_from(sorted(TABLES)))
    kind = "items" if table == "aspects" else data.draw(st.sampled_from(["users", "items"]))
    ids = sorted(GENRES if kind == "items" else LISTS)
    own = data.draw(st.sets(st.sampled_from(ids), min_size=1))
    tables = {**TABLES, table: respell(TABLES[table], kind, own, data.draw(st.sampled_from(SPELLINGS)))}
    with capture_warnings() as notes:
        try:
            scores = scored(tables, rel=1)
        except DivevalError:
            return
    assert notes or scores.values.tolist() == expected.values.tolist()


@pytest.mark.parametrize("spelling", [*SPELLINGS, "{}\t"])
def test_ids_that_differ_in_spelling_are_named(spelling: str) -> None:
    """One item of the ratings is spelled in another way, which the share of matched items cannot show."""
    ratings = respell(RATINGS, "items", {"10"}, spelling)
    with warns("ids-alike", repr(spelling.format("10")), "10"):
        evaluate(ratings, LISTS, "nDCG@3")


def test_case_and_a_missing_value_as_text() -> None:
    """`A1` beside `a1`, and `nan` as an id."""
    with warns("ids-alike", "A1", "a1"):
        evaluate({"u": {"A1": 5, "b": 2}}, {"u": ["a1", "b"]}, "nDCG@3")
    with warns("missing-id", "nan"):
        evaluate({"u": {"nan": 5, "b": 2}}, {"u": ["nan", "b"]}, "nDCG@3")


@given(st.lists(st.text(alphabet="aA0 1.x\u00e9", max_size=5), unique=True, max_size=12))
def test_the_quick_look_misses_no_ids_that_are_alike(names: list[str]) -> None:
    """The search over bytes lets every group through that the names have."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(normalise(name), []).append(name)
    assert find_alike(Names.of(names)) == [sorted(own) for own in groups.values() if len(own) > 1]


@pytest.mark.parametrize("name", ["score", "stars", "overall", "my_rating"])
def test_a_rating_column_of_another_name_is_not_ignored(name: str) -> None:
    """Numbers that nothing reads are named; a timestamp is none."""
    rows = {"user_id": [1, 1], "item_id": [10, 11], "timestamp": [881250949, 881250950]}
    lists = {"1": ["10", "11"]}
    evaluate(pd.DataFrame(rows), lists, "nDCG@2")
    with warns("ambiguous-column", name):
        evaluate(pd.DataFrame({**rows, name: [5, 1]}), lists, "nDCG@2")
    evaluate(pd.DataFrame({**rows, name: [5, 1]}), lists, "nDCG@2", columns={"rating": name})


def test_a_score_column_of_another_name_is_not_ignored() -> None:
    """The order of rows is used only with a warning if a number may be the score."""
    lists = pd.DataFrame({"user_id": [1, 1], "item_id": [10, 11], "yhat": [0.1, 0.2]})
    with warns("ambiguous-column", "yhat"):
        evaluate({"1": {"10": 1}}, lists, "nDCG@2")


@pytest.mark.parametrize(
    "more",
    [{"score": [1.0] * 8}, {"score": [0.1, 0.2, 0.3, 0.4] * 2}, {"rank": [1, 1, 2, 3] * 2}, {"score": [1.0] * 4 + [4.0, 3, 2, 1]}],
)  # fmt: skip
def test_orders_that_are_unclear_are_warned_about(more: Any) -> None:
    """Lists of one score, scores that rise down all lists, and a rank given twice."""
    rows = {"user_id": [u for u in range(4) for _ in range(4)], "item_id": list(range(4)) * 4}
    lists = pd.DataFrame({**rows, **{name: values * 2 for name, values in more.items()}})
    with warns("unclear-order"):
        evaluate({str(u): {"0": 1} for u in range(4)}, lists, "nDCG@2")


@pytest.mark.parametrize(("factor", "options"), [(20, {}), (20, {"rel": 4}), (20, {"gain": "linear", "rel": 2})])
def test_scales_that_options_do_not_fit(factor: int, options: Any) -> None:
    """Percent with the gain 2^r, or with rel on the scale of stars."""
    ratings = {user: {item: factor * rating for item, rating in inner.items()} for user, inner in RATINGS.items()}
    with warns("unusual-scale", 100):
        evaluate(ratings, LISTS, "nDCG@3", **options)
    evaluate(RATINGS, LISTS, "nDCG@3", **options)


def test_a_history_on_another_scale_or_with_the_ratings_to_predict() -> None:
    """Ratings up to 5 and a history up to 100; a history that has what is to be predicted."""
    percent = {user: {item: 20 * rating for item, rating in inner.items()} for user, inner in HISTORY.items()}
    with warns("unusual-scale", 5, 100):
        evaluate(RATINGS, LISTS, "EPC@3", history=percent)
    with warns("history-overlap", 6):
        evaluate(RATINGS, LISTS, "EPC@3", history=RATINGS)


def ild(genres: Any) -> float:
    """ILD of two items."""
    return evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, "ILD@2", aspects=genres).means.item()


@pytest.mark.parametrize(
    "write",
    [
        tuple, set, np.array, "\n".join, b"|".join, json.dumps,
        lambda own: '"' + ",".join(own) + '"',
        lambda own: [{"id": i, "name": name} for i, name in enumerate(own)],
        lambda own: str([{"id": i, "name": name} for i, name in enumerate(own)]),
        lambda own: {name: int(name in own) for name in ("X", "Y", "Z")},
        lambda own: json.dumps({name: name in own for name in ("X", "Y", "Z")}),
        lambda own: [*own, None, float("nan"), ""],
    ],
)  # fmt: skip
def test_shapes_of_genres(write: Any) -> None:
    """Lists, dicts and texts of two genres: X and Y beside X are at distance 1 − 1/√2."""
    both: list[Any] = [["X", "Y"], ["X"]]
    if write == b"|".join:
        both = [[name.encode() for name in own] for own in both]
    assert ild(dict(zip("ab", map(write, both), strict=True))) == pytest.approx(WIDTH_1)


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (([1, 0, 1], [0, 1, 1]), "wrong-type"), (("101", "011"), "wrong-type"), (("[1, 0]", "[0, 1]"), "wrong-type"),
        (({"X": 0.5}, {"Y": 1}), "wrong-type"), (([["X"]], ["Y"]), "wrong-type"), (("X\\Y", "X"), "ambiguous-separator"),
        (("X\uff0cY", "X"), "ambiguous-separator"), (("X·Y", "Y"), "ambiguous-separator"), (("['X', 'Y']", "X"), "ambiguous-separator"),
    ],
)  # fmt: skip
def test_genres_that_are_unclear_are_refused(cells: Any, code: str) -> None:
    """Vectors of 0 and 1 without names, weights, lists in lists, signs between genres, and lists beside plain texts."""
    with refuses(code):
        ild(dict(zip("ab", cells, strict=True)))


def test_rows_of_genres() -> None:
    """A row per genre is a list; a second row of an item in a table of lists is warned about; so are counts beside marks."""
    long = pd.DataFrame({"item_id": ["a", "a", "b"], "genre": ["X", "Y", "X"]})
    assert ild(long) == pytest.approx(WIDTH_1)
    with warns("duplicate-item", "a"):
        ild(pd.DataFrame({"item_id": ["a", "b", "a"], "genres": ["X|Y", "X", "Z"]}))
    with warns("ambiguous-column", "Z"):
        ild(pd.DataFrame({"item_id": ["a", "b"], "X": [1, 1], "Y": [1, 0], "Z": [2, 0], "year": [1999, 2000]}))


@pytest.mark.parametrize("value", [[1.0, float("nan")], ["x", "y"], [float("inf"), 1.0]])
def test_vectors_and_profiles_are_numbers(value: list[Any]) -> None:
    """Texts and NaN in a vector or a weight are errors."""
    with refuses("not-a-number"):
        evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, "ILD@2", vectors={"a": value, "b": [1.0, 0.0]})
    weights: Any = {"u": {"X": 1, "Y": "x" if value[1] == 1.0 else value[1]}}
    with refuses("invalid-weight"):
        evaluate({"u": {"a": 1}}, {"u": ["a"]}, "ERR_IA@2", aspects={"a": ["X", "Y"]}, profiles=weights)


def test_an_empty_list_is_no_list() -> None:
    """A user with `[]` is missing, like one without an entry: diversity is not that of an empty list."""
    lists = {"1": ["10", "12", "13"], "2": ["11", "12", "10"]}
    with warns("missing-topics", "3"):
        found = evaluate(RATINGS, {**lists, "3": []}, ["nDCG@3", "ILD@3"], aspects=GENRES)
    with capture_warnings():
        assert found.mean() == evaluate(RATINGS, lists, ["nDCG@3", "ILD@3"], aspects=GENRES).mean()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"catalogue": "items.txt"}, "wrong-type"), ({"catalogue": 1682}, "wrong-type"), ({"vectors": [[1.0]]}, "wrong-type"),
        ({"profiles": {"1": ["War"]}}, "wrong-type"), ({"separator": 3}, "wrong-type"), ({"recommendations": ("user", "item")}, "empty-input"),
        ({"recommendations": ("user", "item", "rank")}, "empty-input"),
    ],
)  # fmt: skip
def test_other_types_are_refused(more: Any, code: str) -> None:
    """One clear error for each argument; a frame without rows is none."""
    given: Any = {"recommendations": LISTS, "aspects": GENRES, **more}
    if isinstance(given["recommendations"], tuple):
        given["recommendations"] = pd.DataFrame({name: [] for name in given["recommendations"]})
    with refuses(code):
        evaluate(RATINGS, metrics="ILD@3", **given)


@pytest.mark.parametrize(
    ("rank", "code"), [(-1, "out-of-range"), (1.5, "out-of-range"), (None, "not-a-number"), ([1], "not-a-number")]
)
def test_ranks_are_whole_numbers(rank: Any, code: str) -> None:
    """A negated rank would turn the list round, and a fraction would not be read."""
    with refuses(code):
        evaluate(RATINGS, pd.DataFrame({"user": ["1", "1"], "item": ["10", "11"], "rank": [rank, rank]}), "P@1")


def test_ids_of_other_types_are_texts() -> None:
    """UUIDs, bytes and numbers of numpy; a catalogue may be a column."""
    names = [uuid.UUID(int=i) for i in range(3)]
    lists = pd.DataFrame({"user": names, "item": [b"10", b"11", b"12"]})
    ratings = {str(name): {"10": 1, "11": 1, "12": 1} for name in names}
    asked = ["P@1", "CatalogueCoverage@1"]
    found = evaluate(ratings, lists, asked, catalogue=pd.Series([10, 11, 12, 13]))
    assert found.mean()["run"] == {"P@1": 1.0, "CatalogueCoverage@1": 0.75}
