"""Tables that do not fit each other never change a number silently; genres are what the table says."""

from __future__ import annotations

import math
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diveval.collection.joins import match
from diveval.errors import DivevalError, capture_warnings
from diveval.recommend import evaluate
from support.late import late
from support.refusals import refuses, warns
from support.shared import times

pd = late("pandas")

RATINGS = {"u": {"a": 5, "b": 4, "c": 1}, "v": {"b": 5, "d": 4}, "w": {"d": 5, "a": 2}}
LISTS = {"u": ["a", "d", "b"], "v": ["c", "b", "a"], "w": ["d", "c", "a"]}
GENRES = {"a": ["Drama", "War"], "b": ["War"], "c": ["Comedy"], "d": ["Comedy", "Drama"]}
HISTORY = {"u": {"d": 5}, "v": {"a": 4, "c": 2}, "w": {"b": 3, "c": 5}}
VECTORS = {"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 2.0], "d": [2.0, 1.0]}
PROFILES = {"u": {"War": 1.0}, "v": {"Drama": 1.0, "War": 2.0}, "w": {"Comedy": 1.0}}
TABLES: dict[str, Any] = {"aspects": GENRES, "history": HISTORY, "vectors": VECTORS, "profiles": PROFILES}
METRICS = ["nDCG@3", "alpha_nDCG@3", "ERR_IA@3", "ILD@3", "EPC@3", "MIUF@3", "SelfInformation@3", "Calibration_JS@3",
           "GenreEntropy@3", "EPD@3"]  # fmt: skip


def ild(genres: Any, **options: Any) -> float:
    """ILD of two items."""
    return evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, "ILD@2", aspects=genres, **options).means.item()


# More than one table knows of most ids, but each table has some of its own: `e` was had, never shown; `x` has lists only.
WIDE: dict[str, Any] = {
    "aspects": {**GENRES, "e": ["War"]},
    "history": {**HISTORY, "x": {"e": 4}, "u": {"d": 5, "e": 4}},
    "vectors": {**VECTORS, "e": [1.0, 3.0]},
    "profiles": {**PROFILES, "x": {"War": 2.0}},
    "catalogue": [*GENRES],
    "slices": {"u": "first", "v": "second", "w": "first", "x": "second"},
}
WIDE_LISTS = {**LISTS, "x": ["a", "b"]}
ALL = [*METRICS, "ILD(distance=jaccard)@3", "EPD(distance=euclidean)@3", "Serendipity@3", "Serendipity(by=distance)@3",
       "Calibration_KL@3", "AWRF@3", "EEL@3", "CatalogueCoverage@3", "Gini@3", "ExposureGini@3", "Entropy@3"]  # fmt: skip


def change_ids(table: Any, how: str, chosen: set[str], order: list[str]) -> Any:
    """The keys of a table, or the entries of a list, in another order, renamed or without some."""
    renamed = {key: f"0{key}" if how == "rename" and key in chosen else key for key in order}
    kept = [key for key in order if how != "drop" or key not in chosen]
    return [renamed[key] for key in kept] if isinstance(table, list) else {renamed[key]: table[key] for key in kept}


@settings(max_examples=times(60, 600), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("how", ["permute", "rename", "drop"])
@given(table=st.sampled_from([*sorted(WIDE), "ratings", "lists"]), data=st.data())
def test_a_number_changes_only_with_a_warning(table: str, how: str, data: Any) -> None:
    """Ids of a table are reordered, renamed or dropped: the same numbers and slices, or a warning, or an error."""
    given_tables: dict[str, Any] = {**WIDE, "ratings": RATINGS, "lists": WIDE_LISTS}
    profiles = data.draw(st.sampled_from(["history", "uniform", "given"])) if table != "profiles" else "given"
    inner = sorted({item for own in HISTORY.values() for item in own} | {"e"})
    within = table in ("ratings", "lists", "history") and data.draw(st.booleans())

    def score(tables: dict[str, Any]) -> Any:
        more = {name: tables[name] for name in ("aspects", "history", "vectors", "catalogue", "slices")}
        own: Any = tables["profiles"] if profiles == "given" else profiles
        return evaluate(tables["ratings"], tables["lists"], ALL, profiles=own, **more)

    with capture_warnings() as usual:
        expected = score(given_tables)
    if within and how == "rename":  # the items in the lists, ratings or history of a user
        chosen = data.draw(st.sets(st.sampled_from(inner)))
        given_tables[table] = {
            user: change_ids(own, how, chosen, list(own)) for user, own in given_tables[table].items()
        }
    else:
        keys = data.draw(st.permutations(sorted(given_tables[table])))
        chosen = set(data.draw(st.sets(st.sampled_from(keys)))) if how != "permute" else set()
        if table == "lists" and how == "drop":
            chosen -= {"x"}  # who has no ratings: a user who is in the history only
        given_tables[table] = change_ids(given_tables[table], how, chosen, keys)
    with capture_warnings() as notes:
        try:
            scores = score(given_tables)
        except DivevalError:
            return
    told = {str(note) for note in notes} - {str(note) for note in usual}
    same = scores.mean()["run"] == pytest.approx(expected.mean()["run"]) and scores.slices == expected.slices
    assert told or same


@pytest.mark.parametrize("table", sorted(TABLES))
def test_a_table_of_other_ids_is_an_error(table: str) -> None:
    """Ids that match nothing are refused, with examples of both sides."""
    other = {f"0{key}": value for key, value in TABLES[table].items()}
    with pytest.raises(DivevalError) as caught:
        evaluate(RATINGS, LISTS, METRICS, **{**TABLES, table: other})
    assert caught.value.code == "ids-unmatched"
    assert caught.value.source == table
    first = next(iter(TABLES[table]))
    assert repr(first) in str(caught.value)
    assert repr(f"0{first}") in str(caught.value)


def test_matches_are_in_the_setup_and_in_the_notes() -> None:
    """Every joined table has its share in the setup, and a line in the notes."""
    scores = evaluate(RATINGS, LISTS, METRICS, **TABLES)
    assert {found.table for found in scores.setup.joins} == {*TABLES, "run"}
    assert all(found.share == 1.0 for found in scores.setup.joins)
    assert set(map(str, scores.setup.joins)) <= set(scores.notes)
    assert scores.setup.as_dict()["joins"][1]["matched"] == 4


def test_half_of_the_ids_is_a_warning_and_less_an_error() -> None:
    """The limit is half."""
    with warns("ids-partly-matched"):
        assert match("t", "ids", "abcd", {"a", "b"}, effect="").share == 0.5
    with refuses("ids-unmatched"):
        match("t", "ids", "abc", {"a"}, effect="")


@pytest.mark.parametrize("distance", ["cosine", "jaccard", "hamming", "euclidean"])
def test_items_without_genres_are_not_alike(distance: str) -> None:
    """They are at distance 1 from every other, also where the table names the lack of genres as MovieLens does."""
    nothing: list[Any] = [[], "", None, "(no genres listed)"]
    for bare in nothing:
        genres = {"a": bare, "b": bare, "c": "x"}
        with warns("missing-genres", "a", "b"):
            scores = evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, f"ILD(distance={distance})@2", aspects=genres)
        assert scores.means.item() == 1.0


def test_a_liked_item_without_genres_is_an_aspect_of_its_own() -> None:
    """Two such items are two aspects, so that finding one of them is half."""
    with warns("missing-genres", "a"):
        found = evaluate({"u": {"a": 1, "b": 1}}, {"u": ["a"]}, "StRecall@1", aspects={"a": [], "b": [], "c": ["x"]})
    assert found.means.item() == 0.5


@pytest.mark.parametrize(
    "text", ["-", "--", "?", "\\N", "NA", "N/A", "#N/A", "n.a.", "None", "UNKNOWN", "(none)", "—", "nan"]
)
def test_texts_that_name_no_genre(text: str) -> None:
    """What programs and people write into an empty cell is no genre that items share."""
    with warns("missing-genres", "a", "b"):
        assert ild({"a": text, "b": text, "c": "X|Y"}) == 1.0


def test_quotes_around_genres_are_no_part_of_them() -> None:
    """Around each of them, or around all."""
    for first, second in (('"X", "Y"', '"X"'), ("'X'|'Y'", "'X'"), ('"X|Y"', '"X"'), ('"X","Y"', "X")):
        assert ild({"a": first, "b": second}) == pytest.approx(1 - 1 / math.sqrt(2)), first


def test_users_of_lists_without_ratings_are_named() -> None:
    """Ratings of some users are a warning with their share; ids that mostly differ on both sides are an error."""
    lists = {f"u{i}": ["a", "b"] for i in range(10)}
    with warns("ids-partly-matched", "u2", "u3", "u4"):
        scores = evaluate({"u0": {"a": 1}, "u1": {"a": 1}}, lists, "P@1")
    assert scores.means.item() == 1.0
    assert [(found.matched, found.total) for found in scores.setup.joins] == [(2, 10)]
    with refuses("ids-unmatched", "u1", "v0"):
        evaluate({"u0": {"a": 1}, **{f"v{i}": {"a": 1} for i in range(9)}}, lists, "P@1")


def test_a_vector_of_zeros_is_named() -> None:
    """It has no cosine with any other."""
    with warns("zero-vector", "a"):
        found = evaluate({"u": {"a": 1}}, {"u": ["a", "b"]}, "ILD@2", vectors={"a": [0.0, 0.0], "b": [1.0, 0.0]})
    assert found.means.item() == 1.0


def test_rows_in_no_order_are_named() -> None:
    """Lists without ranks and scores whose rows are not together."""
    rows = {"user": ["u", "v", "u", "v"], "item": ["a", "b", "c", "d"]}
    with warns("unclear-order"):
        evaluate({"u": {"a": 1}, "v": {"b": 1}}, pd.DataFrame(rows), "P@1")
    ratings = {user: RATINGS[user] for user in "uv"}
    evaluate(ratings, pd.DataFrame({**rows, "user": ["u", "u", "v", "v"]}), "P@1")


def test_a_user_without_a_slice_is_left_out() -> None:
    """A missing value is no name of a slice."""
    nothing: list[Any] = [None, float("nan"), ""]
    for value in nothing:
        with warns("topics-left-out", "u"):
            scores = evaluate(RATINGS, LISTS, "P@1", slices={"u": value, "v": "x", "w": "y"})
        assert scores.slices == {"x": ("v",), "y": ("w",)}


def test_a_history_without_ratings_is_said_to_be_liked() -> None:
    """Where `rel` asks for a rating, which it does not have."""
    history = {user: list(own) for user, own in HISTORY.items()}
    with capture_warnings():
        for before, said in ((history, True), (HISTORY, False)):
            notes = evaluate(RATINGS, LISTS, "MIUF@1", history=before, rel=3).notes
            assert any("liked" in note and note.startswith("history") for note in notes) is said


@pytest.mark.parametrize("text", ["X{}Y", "X {} Y"])
@pytest.mark.parametrize("mark", ["|", ",", ";"])
def test_separators_are_detected(text: str, mark: str) -> None:
    """Two items with X, and X and Y, are at distance 1 − 1/√2."""
    assert ild({"a": text.format(mark), "b": "X"}) == pytest.approx(1 - 1 / math.sqrt(2))


@pytest.mark.parametrize("cells", [("['X', 'Y']", "['X']"), ('["X", "Y"]', '["X"]'), ("['X', 'Y']", "['X']")])
def test_lists_written_as_text_are_lists(cells: tuple[str, str]) -> None:
    """What pandas writes for a column of lists is read as lists."""
    assert ild(dict(zip("ab", cells, strict=True))) == pytest.approx(1 - 1 / math.sqrt(2))


@pytest.mark.parametrize("cells", [("X Y", "X"), ("X Y", "X Z"), ("X|Y", "X,Y", "X"), ("X;Y", "X,Y", "X;X,Y;Y")])
def test_unclear_separators_are_asked_for(cells: tuple[str, ...]) -> None:
    """A genre that may be several is an error, which `separator` settles."""
    genres = dict(zip("abc", cells, strict=False))
    with refuses("ambiguous-separator"):
        ild(genres)
    assert ild(genres, separator="") == 1.0


def test_a_blank_in_a_name_is_no_separator() -> None:
    """A genre of two words that no other genre shares is one genre, and `separator` splits it."""
    assert ild({"a": "Science Fiction", "b": "Drama"}) == 1.0
    assert ild({"a": "X Y", "b": "X"}, separator=" ") == pytest.approx(1 - 1 / math.sqrt(2))


def test_columns_of_marks_are_genres() -> None:
    """A column per genre with 0 and 1, and RecBole's headers with blanks between genres, are read."""
    marks = pd.DataFrame({"item_id": ["a", "b"], "title": ["A", "B"], "X": [1, 1], "Y": [True, False]})
    recbole = pd.DataFrame({"item_id:token": ["a", "b"], "genre:token_seq": ["X Y", "X"]})
    for table in (marks, recbole):
        assert ild(table) == pytest.approx(1 - 1 / math.sqrt(2))


def test_recbole_headers_of_ratings_and_lists() -> None:
    """`user_id:token` is a user column."""
    rows = {"user_id:token": ["u", "u"], "item_id:token": ["a", "b"]}
    ratings, lists = (pd.DataFrame({**rows, name: [2.0, 1.0]}) for name in ("rating:float", "score:float"))
    assert evaluate(ratings, lists, "nDCG@2").means.item() == 1.0


def test_taste_is_what_reaches_rel() -> None:
    """Twenty films that a user hated do not make a taste."""
    hated = {f"h{i}": 1 for i in range(20)}
    genres = {**dict.fromkeys(hated, "Horror"), "a": "Drama", "b": "Drama"}
    history = {"u": {**hated, "b": 5}}
    scores = evaluate({"u": {"a": 5}}, {"u": ["a"]}, "Calibration_JS@1", aspects=genres, history=history, rel=4)
    assert scores.means.item() == 0.0
    with refuses("nothing-relevant"):
        evaluate({"u": {"a": 9}}, {"u": ["a"]}, "Calibration_JS@1", aspects=genres, history=history, rel=6)
    with warns("unusual-scale", "history", 1, 5):  # whoever gives no rel is told that hated films count
        evaluate(
            {"u": {"a": 5}}, {"u": ["a"]}, "Calibration_JS@1", aspects=genres, history={"u": {**history["u"], "h0": 2}}
        )
    plain = {"u": list(history["u"])}  # without ratings, everything was liked
    assert evaluate({"u": {"a": 5}}, {"u": ["a"]}, "Calibration_JS@1", aspects=genres, history=plain, rel=4).means > 0


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
def test_items_nobody_had_are_the_most_novel() -> None:
    """They count as if one user had them, so that a list of them is more novel than a hit alone."""
    history = {f"u{i}": ["hit", *(["other"] if i else [])] for i in range(4)}
    lists = {"u0": ["hit", "n1", "other"], "u1": ["hit"]}
    for metric, total in (("SelfInformation", 7), ("MIUF", 4)):
        values = evaluate({"u0": ["hit"], "u1": ["hit"]}, lists, metric, history=history).per_topic("run")
        assert values["u1"] == pytest.approx(-math.log2(4 / total))
        expected = -(math.log2(4 / total) + math.log2(1 / total) + math.log2(3 / total)) / 3
        assert values["u0"] == pytest.approx(expected)


@pytest.mark.parametrize(("ratings", "rel"), [({"u": {"a": True}}, 4), ({"u": {"a": 0.9}}, 4), ({"u": {"a": 0}}, None)])
def test_ratings_that_never_count_are_an_error(ratings: Any, rel: float | None) -> None:
    """No rating reaches `rel`, or is above 0."""
    with refuses("nothing-relevant"):
        evaluate(ratings, {"u": ["a"]}, "nDCG@1", rel=rel)


@pytest.mark.parametrize(("rule", "mean"), [("zero", 0.5), ("skip", 1.0), (None, 0.5)])
def test_users_without_a_liked_item(rule: Literal["zero", "skip"] | None, mean: float) -> None:
    """They score 0 or are left out, and the result says which and how many."""
    ratings = {"u": {"a": 5}, "v": {"a": 1}}
    scores = evaluate(ratings, {"u": ["a"], "v": ["a"]}, "nDCG@1", rel=4, empty_users=rule)
    assert scores.means.item() == mean
    assert scores.setup.empty_users == (rule or "zero")
    assert any(note.startswith("1 user of 2") for note in scores.notes)
    with refuses("conflicting-options"):
        evaluate(ratings, {"u": ["a"]}, "nDCG@1", empty_users="skip", empty_topics="skip")


@pytest.mark.parametrize(
    "metric", ["EPC@2", "MIUF@2", "SelfInformation@2", "EPD@2", "Serendipity@2", "Calibration_KL@2"]
)
def test_test_ratings_are_no_silent_history(metric: str) -> None:
    """Popularity and taste from the ratings to predict are warned about, and named in the setup."""
    with warns("history-missing"):
        scores = evaluate(RATINGS, LISTS, metric, aspects=GENRES)
    assert scores.setup.history == "test ratings"


def test_a_profile_is_not_needed_for_plain_metrics() -> None:
    """A user whose taste has none of the liked genres gets the same nDCG as without a history."""
    ratings, lists = {"u": {"a": 5}, "v": {"b": 5}}, {"u": ["b", "a"], "v": ["b"]}
    history = {"u": {"c": 5}, "v": {"b": 5}}
    with capture_warnings():
        with_taste = evaluate(ratings, lists, "nDCG@10", aspects=GENRES, history=history)
    assert with_taste.values.tolist() == evaluate(ratings, lists, "nDCG@10").values.tolist()


@pytest.mark.parametrize(
    "texts",
    [
        ("X|Y", "Y", "Z"), ("X, Y", "Y", "Z"), ("X;Y", "Y", "Z"), ("X::Y", "Y", "Z"), ("X\tY", "Y", "Z"), ("['X' 'Y']", "['Y']", "['Z']"),
        ("[X, Y]", "[Y]", "[Z]"), ('["X", "Y"]', '["Y"]', '["Z"]'), ("('X', 'Y')", "('Y',)", "('Z',)"), (" X | Y ", "Y", "Z|"),
    ],
)  # fmt: skip
def test_texts_of_genres_are_lists(texts: tuple[str, str, str]) -> None:
    """Every usual way to write two genres in a cell is two genres."""
    lists = {"u": ["a", "b", "c"]}
    expected = evaluate({"u": {"a": 1}}, lists, "ILD@3", aspects={"a": ["X", "Y"], "b": ["Y"], "c": ["Z"]})
    assert (
        evaluate({"u": {"a": 1}}, lists, "ILD@3", aspects=dict(zip("abc", texts, strict=True))).means == expected.means
    )


@pytest.mark.parametrize(
    "texts",
    [
        ("X/Y", "Y"),
        ("X / Y", "X"),
        ("X&Y", "Z&Y"),
        ("X+Y", "Y"),
        ("X-Y", "Y"),
        ("X Y", "Y Z"),
        ("X Y", "X"),
        ("X_Y", "X"),
    ],
)
def test_unclear_genres_ask(texts: tuple[str, str]) -> None:
    """Where a text may be one genre or two, an error asks, also for genres in lists; an answer solves it."""
    for aspects in (
        dict(zip("ab", texts, strict=True)),
        {item: [text] for item, text in zip("ab", texts, strict=True)},
    ):
        with refuses("ambiguous-separator"):
            ild(aspects)
        ild(aspects, separator="")


@pytest.mark.parametrize(
    "texts",
    [
        ("('X', 'Y')", "Y"),
        ("array(['X', 'Y'], dtype=object)", "array(['X'], dtype=object)"),
        ("frozenset({'X', 'Y'})", "frozenset({'Z'})"),
        ("X, Z and Y", "X,Y"),
        ("X, and Y", "X, Y"),
        ("X|Z und Y", "Y"),
        ("Drama (TV, 2000), X", "X"),
    ],
)
def test_pieces_of_lists_ask(texts: tuple[str, str]) -> None:
    """Where splitting leaves half of a pair of brackets, or "and Y" beside Y; the separator, if given, is obeyed."""
    aspects = dict(zip("ab", texts, strict=True))
    with refuses("ambiguous-separator"):
        ild(aspects)
    ild(aspects, separator="|" if "|" in texts[0] else ",")
    assert ild({"a": "X|Rock and Roll", "b": "Drama (TV)|:) X"}, separator="|") == 1.0


@pytest.mark.parametrize(
    "texts",
    [
        ("Sci-Fi", "Hi-Fi"),
        ("Film-Noir", "Drama"),
        ("Children's", "R&B"),
        ("Rock & Roll", "Jazz"),
        ("Science Fiction", "Drama"),
    ],
)
def test_names_with_signs_are_genres(texts: tuple[str, str]) -> None:
    """Signs and blanks are part of names unless a part is a genre of another item."""
    assert ild(dict(zip("ab", texts, strict=True))) == 1.0


def test_genres_that_differ_in_case_are_warned_about() -> None:
    """`drama` and `Drama` count as different, which is said."""
    with warns("ambiguous-label", "'Drama'", "'drama'"):
        assert ild({"a": "Drama", "b": "drama"}) == 1.0


def test_a_separator_that_no_text_has_is_refused() -> None:
    """If the texts have another one; single genres need none."""
    with refuses("ambiguous-separator"):
        ild({"a": "X,Y", "b": "Y"}, separator="|")
    assert ild({"a": "X", "b": "Y"}, separator="|") == 1.0
