"""Labels as people have them: spellings, numbers, empty cells, half a judge, uneven trials; understood, refused or said."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diveval
from diveval.answers import evaluate
from diveval.errors import DivevalError, capture_warnings
from support.answer_files import write
from support.late import late
from support.refusals import refuses, warns
from support.shared import times

pd = late("pandas")

Row = dict[str, Any]
LEVELS = ("support", "partial_support", "not_support")
QUESTIONS, SYSTEMS = ("q1", "q2", "q3"), ("a", "b")


def rows_of(levels: Any = LEVELS) -> list[Row]:
    """Labels of two systems for four nuggets of each question, in the words of `levels`."""
    cells = [(q, s, n) for q in QUESTIONS for s in SYSTEMS for n in range(4)]
    return [
        {"question": q, "system": s, "nugget": f"fact {q} {n}", "importance": "vital" if n < 2 else "okay",
         "label": levels[(3 * i + i // 3 + n * len(s)) % 3]}
        for i, (q, s, n) in enumerate(cells)
    ]  # fmt: skip


OWN = ["Coverage", "Coverage_vital", "Coverage_weighted"]
TOOLS = ["nuggetizer.W", "nuggetizer.all", "ragdoll.vital", "openrageval.W"]


def means(files: Any, metrics: Any = (*OWN, *TOOLS), **options: Any) -> dict[str, dict[str, float]]:
    """The means of every system, without the warnings."""
    with capture_warnings():
        return evaluate(files, list(metrics), **options).mean()


SPELLINGS: list[Any] = [
    ("Support", "Partial Support", "Not Support"), ("FULL", "PARTIAL", "NONE"), (" support ", "partial-support", "no support\n"),
    ("supported", "partially supported", "not supported"), ("supports", "partially_supports", "does not support"),
    ("fully_supported", "partially", "unsupported"), ("FS", "PS", "NS"), (True, "partial", False), ("TRUE", "Partial", "false"),
    (np.True_, "partial", np.False_), (np.str_("support"), "partial", "none"),
]  # fmt: skip


@pytest.mark.parametrize("words", SPELLINGS)
def test_spellings_are_the_same_label_for_every_metric(words: Any) -> None:
    """Of diveval and of tools, which read their own files exactly but not people's tables."""
    assert means(rows_of(words)) == means(rows_of())


@pytest.mark.parametrize("words", SPELLINGS)
def test_citations_and_contexts_take_the_same_spellings(words: Any, tmp_path: Path) -> None:
    """As labels of nuggets in answers."""

    def cited(levels: Any) -> Any:
        rows = [
            {"question": q, "system": s, "sentence": i, "citation": f"d{i}", "support": levels[(i + len(q) + (s == "b")) % 3]}
            for q in QUESTIONS for s in SYSTEMS for i in range(4)
        ]  # fmt: skip
        return means(rows, ["CitationPrecision", "CitationRecall"])

    def retrieved(levels: Any) -> Any:
        marks = [level.item() if isinstance(level, np.generic) else level for level in levels]
        passages = [
            {"query": "q", "nugget": f"n{n}", "passages": {f"p{k}": marks[(n + k) % 3] for k in range(3)}}
            for n in range(3)
        ]
        run = tmp_path / "r.tsv"
        run.write_text("q\tp2\nq\tp1\nq\tp0\n")
        return diveval.evaluate(str(write(tmp_path / "c.jsonl", *passages)), [str(run)], ["alpha_nDCG@3", "RBU"]).mean()  # fmt: skip

    assert cited(words) == cited(LEVELS)
    assert retrieved(words) == retrieved(LEVELS)


@pytest.mark.parametrize(
    "words",
    [("yes", "partial", "no"), ("ja", "teilweise", "nein"), ("y", "p", "n"), (1, 0.5, 0), ("1", "0.5", "0"), (2, 1, 0), (1.0, 0.5, 0.0),
     ("100%", "50%", "0%"), ("1,0", "0,5", "0,0"), ("correct", "partially correct", "incorrect"), ("present", "partial", "absent")],
)  # fmt: skip
def test_other_words_and_numbers_are_refused_until_they_are_explained(words: Any) -> None:
    """Never 0; `labels` says what they mean."""
    with pytest.raises(DivevalError) as caught:
        evaluate(rows_of(words), OWN)
    assert caught.value.code in ("unknown-label", "ambiguous-label")
    assert means(rows_of(words), labels=dict(zip(words, (1, 0.5, 0), strict=True))) == means(rows_of())


def test_a_system_of_unknown_labels_is_not_zero() -> None:
    """Also where the other systems have known labels."""
    rows = [{**row, "label": "maybe" if row["system"] == "a" else row["label"]} for row in rows_of()]
    with capture_warnings(), refuses("unknown-label", "a", "'maybe'"):
        evaluate(rows, "Coverage")


def test_importance_of_another_table_counts_for_tools_too() -> None:
    """The nuggets' own table gives it, in any case; a nugget without one beside others is warned about."""
    rows = rows_of()
    bank = [{key: row[key] for key in ("question", "nugget", "importance")} for row in rows if row["system"] == "a"]
    bare = [{key: value for key, value in row.items() if key != "importance"} for row in rows]
    expected = means(rows)
    assert means([bank, bare]) == expected
    assert means([[{**row, "importance": row["importance"].title()} for row in bank], bare]) == expected
    with warns("missing-weights", 1, 12):
        evaluate(
            [[{**row, "importance": row["importance"] if i else None} for i, row in enumerate(bank)], bare], "Coverage"
        )


def test_a_missing_label_is_no_support_for_tools_too() -> None:
    """A table has no line of its own for a nugget that nobody labelled."""
    rows = rows_of()
    rows[0]["label"] = "not_support"
    expected = means(rows)
    for value in ("", None, float("nan")):
        with warns("missing-labels"):
            evaluate([{**row, "label": row["label"] if i else value} for i, row in enumerate(rows)], "Coverage")
        assert means([{**row, "label": row["label"] if i else value} for i, row in enumerate(rows)]) == expected


def test_tools_that_read_words_exactly_are_named(tmp_path: Path) -> None:
    """Their own files are theirs: `Support` is 0 for nuggetizer, which is said with the number of labels."""
    listed = [{"text": "x", "importance": "Vital", "assignment": "Support"}]
    path = write(tmp_path / "a.jsonl", {"qid": "q", "run_id": "a", "nuggets": listed})
    with warns("ambiguous-label", "'Support' (1×)"):
        assert evaluate([path], ["nuggetizer.all"]).means.item() == 0.0
    assert means([path], ["Coverage", "ragdoll.all"])["a"] == {"Coverage": 1.0, "ragdoll.all": 1.0}


def test_empty_texts_of_one_system() -> None:
    """Answers without a word score 0 if other answers have a text, as a column or as files; if none has one, it is said."""
    rows = [{**row, "text": "" if row["system"] == "a" else "Some words."} for row in rows_of()]
    with warns("answer-scored-zero"):
        scores = evaluate(rows, "Coverage")
    assert scores.mean()["a"]["Coverage"] == 0.0
    assert scores.mean()["b"] == means(rows_of(), ["Coverage"])["b"]
    first = [
        {**row, "text": "Words." if row["nugget"].endswith("0") else None} for row in rows_of()
    ]  # in the first row only
    assert means(first) == means(rows_of())
    with warns("answer-without-text"):
        evaluate([{**row, "text": ""} for row in rows_of()], "Coverage")


def test_uneven_trials_are_means_over_those_that_have_the_query() -> None:
    """By hand: a second trial of one question changes that question only; the noise is that of shared questions."""
    rows = rows_of()
    once = means(rows, ["Coverage"])
    more = [{**row, "trial": 2, "label": "support"} for row in rows if row["question"] == "q1" and row["system"] == "a"]
    every = [*({**row, "trial": 1} for row in rows), *more]
    with warns("missing-topics", "q2", "q3"):
        scores = evaluate(every, "Coverage")
    by_query = {
        q: means([row for row in rows if row["question"] == q], ["Coverage"])["a"]["Coverage"] for q in QUESTIONS
    }
    expected = ((by_query["q1"] + 1) / 2 + by_query["q2"] + by_query["q3"]) / 3
    assert scores.mean()["a"]["Coverage"] == pytest.approx(expected)
    assert scores.mean()["b"] == once["b"]
    spread = float(np.std([by_query["q1"], 1.0], ddof=1))
    assert scores.setup.trial_noise["a"]["Coverage"] == pytest.approx(spread)
    with warns("missing-topics", "q9"):
        evaluate([[{"question": "q9", "nugget": "x"}, *({"question": row["question"], "nugget": row["nugget"]} for row in rows[:4] + rows[8:12] + rows[16:20])], every], "Coverage")  # fmt: skip


@pytest.mark.parametrize("column", ["question", "system", "nugget"])
def test_ids_that_differ_in_spelling_are_named(column: str) -> None:
    """Of questions, systems and nuggets."""
    odd = {"question": "system", "system": "question", "nugget": "system"}[column]
    rows = rows_of()
    changed = [{**row, column: row[column].upper()} if row[odd] == rows[0][odd] else row for row in rows]
    with warns("ids-alike", repr(rows[0][column]), repr(rows[0][column].upper())):
        evaluate(changed, "Coverage", missing_topics="skip")


def test_citations_in_no_order_are_named() -> None:
    """Metrics of the first citation of a sentence need its place, which the rows give only if they are together."""
    rows = [
        {"question": "q", "system": "a", "sentence": i, "citation": f"d{c}", "support": LEVELS[c]}
        for i in range(2)
        for c in range(2)
    ]
    evaluate(rows, "CitationPrecision")
    with warns("unclear-order"):
        evaluate([rows[i] for i in (0, 2, 1, 3)], "CitationPrecision")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_tables_of_spreadsheets(mark: str, tmp_path: Path) -> None:
    """A mark at the start, any separator, line ends of Windows, and quotes, separators and line ends within cells."""
    rows = [{**row, "nugget": f'{row["nugget"]}, "said; he"\nand more', "Comment\t;,": "x"} for row in rows_of()]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=mark)
    writer.writeheader()
    writer.writerows(rows)
    path = tmp_path / "labels.csv"
    path.write_bytes(b"\xef\xbb\xbf" + out.getvalue().encode())
    assert means([path]) == means(rows)


def test_frames_of_every_type() -> None:
    """Categories, nullable texts and numbers, floats of ids; a frame without rows is an error."""
    frame = pd.DataFrame(rows_of())
    expected = means(rows_of())
    for made in (
        frame.astype("category"),
        frame.astype("string"),
        frame.convert_dtypes(),
        frame.sample(frac=1, random_state=1),
    ):
        assert means(made) == expected
    number = {q: float(i) for i, q in enumerate(QUESTIONS)}
    assert means(frame.assign(question=frame.question.map(number))) == expected
    assert (
        means([dict(row) for _, row in frame.assign(question=frame.question.map(number).astype(int)).iterrows()])
        == expected
    )
    assert means(frame.rename(columns={"question": "Question ID", "nugget": " Nugget Text "})) == expected
    with refuses("empty-input"):
        evaluate(frame.iloc[:0])


# --- the law ----------------------------------------------------------------------------------------------------------

NUGGETS = [
    {"question": q, "nugget": f"fact {q} {n}", "importance": "vital" if n < 2 else "okay"}
    for q in QUESTIONS
    for n in range(4)
]
LABELS = [{"question": q, "system": s, "sentence": i, "nugget": f"fact {q} {n}", "label": LEVELS[(n + i + len(q) * ord(s) + n * ord(q[1])) % 3],
           "judge": j} for q in QUESTIONS for s in SYSTEMS for i in range(2) for n in range(4) for j in ("x", "y")]  # fmt: skip
WHOLE = [{**{k: v for k, v in row.items() if k != "sentence"}} for row in LABELS if row["sentence"] == 0]
CITES = [{"question": q, "system": s, "sentence": i, "citation": f"{q}d{(i + c) % 3}", "support": ("full", "none", "partial")[(i + c + ord(s) + ord(q[1])) % 3]}
         for q in QUESTIONS for s in SYSTEMS for i in range(2) for c in range(2)]  # fmt: skip
ANSWERS = [{"topic_id": q, "run_id": s, "references": [f"{q}d{k}" for k in range(3)],
            "answer": [{"text": f"Sentence {i}.", "citations": [(i + c) % 3 for c in range(2)]} for i in range(2)]}
           for q in QUESTIONS for s in SYSTEMS]  # fmt: skip
TABLES: dict[str, list[Row]] = {
    "nuggets": NUGGETS,
    "labels": LABELS,
    "whole": WHOLE,
    "citations": CITES,
    "references": ANSWERS,
}
IDS = {"nuggets": ("question", "nugget"), "labels": ("question", "system", "sentence", "nugget", "judge"), "whole": ("question", "system", "nugget", "judge"),
       "citations": ("question", "system", "sentence", "citation"), "references": ("topic_id", "run_id", "references")}  # fmt: skip


def scored(tables: dict[str, list[Row]], kind: str) -> dict[str, dict[str, float]]:
    """The means of the metrics that a table takes part in."""
    if kind in ("citations", "references"):
        names = ["CitationPrecision", "CitationRecall", "CitationPrecision_all"]
        return evaluate([tables["citations"]], names, answers=[tables["references"]]).mean()
    return evaluate([tables["nuggets"], tables[kind]], [*OWN, "RBU"] if kind == "labels" else OWN).mean()


def rename(value: Any) -> Any:
    """Another id."""
    if isinstance(value, int):
        return value + 7
    return [rename(item) for item in value] if isinstance(value, list) else f"0{value}"


@pytest.mark.parametrize("how", ["permute", "rename", "drop"])
@settings(max_examples=times(40, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=st.sampled_from(sorted(TABLES)), data=st.data())
def test_a_number_changes_only_with_a_warning(how: str, table: str, data: Any) -> None:
    """Ids of any table are reordered, renamed or dropped: the same numbers, or a warning, or an error."""
    kind = table if table != "nuggets" else data.draw(st.sampled_from(["labels", "whole"]))
    column = data.draw(st.sampled_from(IDS[table]))
    ids = sorted({json.dumps(row[column]) for row in TABLES[table]})
    chosen = data.draw(st.sets(st.sampled_from(ids))) if how != "permute" else set()
    if column == "sentence" and how == "drop":
        chosen = set()  # no other table says how many sentences an answer has
    rows = TABLES[table]
    order = data.draw(st.permutations(range(len(rows)))) if how == "permute" else range(len(rows))
    rows = [rows[i] for i in order]
    if how == "permute" and table == "citations":  # the order within a sentence is that of its citations
        place = {(row["question"], row["system"], row["sentence"]): i for i, row in enumerate(rows)}
        rows = sorted(TABLES[table], key=lambda row: place[row["question"], row["system"], row["sentence"]])
    if how == "drop":
        rows = [row for row in rows if json.dumps(row[column]) not in chosen]
    if how == "rename":
        rows = [{**row, column: rename(row[column])} if json.dumps(row[column]) in chosen else row for row in rows]

    def score(tables: dict[str, list[Row]]) -> dict[str, Any]:
        return {run.removeprefix("0"): values for run, values in scored(tables, kind).items()}

    with capture_warnings() as usual:
        expected = score(TABLES)
    with capture_warnings() as notes:
        try:
            found = score({**TABLES, table: rows})
        except DivevalError:
            return
    told = {str(note) for note in notes} - {str(note) for note in usual}
    same = set(found) <= set(expected) and all(values == pytest.approx(expected[run]) for run, values in found.items())
    assert told or same


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("prompt,llm,fact,mark\nq,a,n,yes\n", "wrong-header"), ("question;system;nugget\nq;a;n\n", "wrong-header"), ("question,system,nugget,label\n", "empty-input"),
        ("question,system,nugget,label\nq,,n,support\n", "missing-key"), ("question,system,nugget,label\n,a,n,support\n", "missing-key"),
        ("question,system,nugget,label\nq,a,n\n", "wrong-columns"), ("no table at all\n", "cannot-parse"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_read_say_why(content: str, code: str, tmp_path: Path) -> None:
    """Other names of columns, missing ones, empty ids and short rows."""
    path = tmp_path / "l.csv"
    path.write_text(content)
    with refuses(code):
        evaluate([path], "Coverage")


def test_other_types_are_refused() -> None:
    """Of options, of keys and of names of columns."""
    rows: Any = rows_of()
    for more in ({"labels": ["support"]}, {"labels": "support=1"}, {"columns": ["question"]}):
        with refuses("wrong-type"):
            evaluate(rows, "Coverage", **more)
    with refuses("invalid-choice"):
        evaluate(rows, "Coverage", combine=None)  # type: ignore[arg-type]
    with refuses("wrong-header"):
        evaluate(pd.DataFrame([[1, 2]]), "Coverage")
    assert means([{**row, 3: "x"} for row in rows]) == means(rows)
