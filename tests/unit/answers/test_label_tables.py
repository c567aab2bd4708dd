"""Labels in long form: a row per label, in any container, with any names; several judges and repeated answers."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diveval.answers import evaluate, find_missed, gather
from diveval.cli import main
from diveval.errors import DivevalError, capture_warnings
from diveval.judging.answer_judges import compare_judges
from support.answer_files import nugget, quietly, write
from support.late import late
from support.refusals import is_refusal, refuses, warns
from support.shared import times

pd, pl = late("pandas"), late("polars")

WORDS = {"yes": 1, "partly": 0.5}
ROWS = [
    {"question": q, "system": s, "nugget": n, "label": label}
    for q, s, n, label in (
        ("q1", "a", "n1", "yes"), ("q1", "a", "n2", "partly"), ("q1", "b", "n1", "no"), ("q1", "b", "n2", "yes"),
        ("q2", "a", "n1", "no"), ("q2", "b", "n1", "yes"),
    )
]  # fmt: skip
MEANS = {"a": 0.375, "b": 0.75}


def as_csv(rows: Any, mark: str = ",") -> str:
    """The rows as text with a header."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=mark)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def coverage(files: Any, **options: Any) -> dict[str, float]:
    """Coverage of each system."""
    with capture_warnings():
        return {run: values["Coverage"] for run, values in evaluate(files, "Coverage", **options).mean().items()}


def containers(folder: Path) -> dict[str, Any]:
    """The same rows in every form that is accepted."""
    (folder / "l.csv").write_text(as_csv(ROWS))
    (folder / "l.tsv").write_text("\ufeff" + as_csv(ROWS, "\t").replace("\n", "\r\n"))
    (folder / "l.txt").write_text(as_csv(ROWS, ";"))
    (folder / "l.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (folder / "l.json").write_text(json.dumps(ROWS, indent=1))
    paths = {name: [folder / f"l.{name}"] for name in ("csv", "tsv", "txt", "jsonl", "json")}
    frame = pd.DataFrame(ROWS)
    halves = [frame[frame.system == system] for system in ("a", "b")]
    return {**paths, "path": str(folder / "l.csv"), "records": ROWS, "pandas": frame, "polars": pl.DataFrame(ROWS),
            "arrow": pl.DataFrame(ROWS).to_arrow(), "list": [frame], "halves": halves, "list of records": [ROWS],
            "by system": {"a": halves[0], "b": halves[1].to_dict("records")}}  # fmt: skip


def test_every_container_gives_the_same_scores(tmp_path: Path) -> None:
    """CSV, TSV, JSON lines, records, frames, and tables by system."""
    for name, files in containers(tmp_path).items():
        assert coverage(files, labels=WORDS) == MEANS, name


def test_a_row_per_label_is_the_same_as_an_assignment(tmp_path: Path) -> None:
    """The scores of nuggetizer's shape and of the long form are equal, also under nuggetizer's names."""
    labels = {"support": "support", "partial_support": "partial_support", "not_support": "not_support"}
    rows, nested = [], []
    for q, (first, second) in enumerate(product(labels, repeat=2)):
        listed = [nugget("n1", "vital", first), nugget("n2", "okay", second)]
        nested.append({"qid": f"q{q}", "run_id": "a", "nuggets": listed})
        rows += [
            {
                "qid": f"q{q}",
                "run_id": "a",
                "fact": n["text"],
                "importance": n["importance"],
                "assignment": n["assignment"],
            }
            for n in listed
        ]
    asked = ["Coverage", "Coverage_vital", "Coverage_weighted", "nuggetizer.all", "nuggetizer.W", "ragdoll.vital"]
    assert evaluate(rows, asked) == evaluate([write(tmp_path / "a.jsonl", *nested)], asked)


def test_columns_and_labels_are_mapped() -> None:
    """Names that are not detected are an error; a mapping solves it, and one that no table needs is an error too."""
    own = {"question": "prompt", "system": "llm", "nugget": "wanted", "label": "mark"}
    rows = [{own[name]: value for name, value in row.items()} for row in ROWS]
    assert coverage(rows, columns=own, labels=WORDS) == MEANS
    with refuses("unknown-format"):
        evaluate(rows, labels=WORDS)
    with refuses("unknown-column"):
        evaluate(ROWS, labels=WORDS, columns={"judge": "who"})
    with refuses("unknown-column"):
        evaluate(ROWS, labels=WORDS, columns={"grade": "label"})


@pytest.mark.parametrize("numbers", [(1, 0), ("1", "0"), (2, 1), (0.5, 1.0), ("1.0", "0.5")])
def test_numbers_are_refused_unless_they_are_explained(numbers: Any) -> None:
    """A scale is not guessed; `labels` explains it, whatever the type of the cells."""
    high, low = max(numbers, key=float), min(numbers, key=float)
    rows = [{**row, "label": high if row["label"] == "yes" else low} for row in ROWS]
    with refuses("ambiguous-label"):
        evaluate(rows, "Coverage")
    assert coverage(rows, labels={high: 1, low: 0}) == {"a": 0.25, "b": 0.75}
    assert coverage(rows, labels={float(high): "support", str(low): "no_support"}) == {"a": 0.25, "b": 0.75}


@pytest.mark.parametrize(
    ("yes", "no"), [(True, False), ("true", "false"), ("True", "FALSE"), ("Support", "not support")]
)
def test_booleans_and_known_words_need_no_explanation(yes: Any, no: Any) -> None:
    """True and false, also as text, and the words of the tracks."""
    rows = [{**row, "label": yes if row["label"] == "yes" else no} for row in ROWS]
    assert coverage(rows) == {"a": 0.25, "b": 0.75}


def test_only_unknown_words_are_an_error() -> None:
    """A table whose words are all unknown is not scored 0."""
    with refuses("unknown-label"):
        evaluate(ROWS, "Coverage")
    with refuses("invalid-argument"):
        evaluate(ROWS, "Coverage", labels={"yes": 2})


def test_the_same_label_twice_is_an_error() -> None:
    """Without a judge or trial nobody knows which of two rows counts."""
    with refuses("duplicate-judgment", "'n1'"):
        evaluate([*ROWS, ROWS[0]], labels=WORDS)


def test_a_bad_row_is_named_by_its_line(tmp_path: Path) -> None:
    """A row without a nugget, and one with too many cells."""
    path = tmp_path / "l.csv"
    path.write_text("question,system,nugget,label\nq1,a,n1,support\nq1,a,,support\n")
    with refuses("missing-key") as refused:
        evaluate(path)
    assert refused.value.line == 3
    path.write_text('question,system,nugget,label\nq1,a,"n\n1",support\nq1,a,n2,support,x\n')
    with refuses("wrong-columns") as refused:
        evaluate(path)
    assert refused.value.line == 4


def test_empty_labels_are_missing_not_zero_by_rule() -> None:
    """An empty cell is no label: the nugget counts 0 with a warning, and as an error where most are empty."""
    rows = [{**row, "label": None if i == 1 else row["label"]} for i, row in enumerate(ROWS)]
    with warns("missing-labels"):
        assert evaluate(pd.DataFrame(rows), "Coverage", labels=WORDS).mean()["a"]["Coverage"] == 0.25
    with refuses("ids-unmatched"):
        evaluate([{**row, "label": row["label"] if row["system"] == "b" else ""} for row in ROWS], labels=WORDS)


def test_nuggets_in_long_form_are_named_by_id_or_text() -> None:
    """A table of nuggets gives importance; labels name its nuggets by id or by text, for answers and sentences alike."""
    bank = [
        {"question": "q", "nugget": i, "text": t, "importance": w}
        for i, t, w in (("1", "cheap", "vital"), ("2", "green", 0.25))
    ]
    for first, second in (("1", "2"), ("cheap", "green"), ("cheap", "2")):
        for sentence in ({}, {"sentence": "0"}):
            rows = [{"question": "q", "system": "a", "nugget": n, "label": label, **sentence}
                    for n, label in ((first, "support"), (second, "not_support"))]  # fmt: skip
            assert evaluate([bank, rows], "Coverage_weighted").means.item() == 0.8
    with pytest.raises(DivevalError) as caught:
        evaluate([bank, [{"question": "q", "system": "a", "nugget": n, "label": "support"} for n in ("x", "y", "z")]])
    assert caught.value.code == "ids-unmatched"


def test_sentences_in_long_form() -> None:
    """The same as sentences in JSON, in the order of their numbers; a number without a row is a sentence without labels."""
    nested = {"qid": "q", "run_id": "a", "sentences": [
        {"text": "", "tokens": 10, "nuggets": {"0": "not_support", "1": "support"}},
        {"text": "", "tokens": 0, "nuggets": {}},
        {"text": "", "tokens": 30, "nuggets": {"0": "support", "1": "not_support"}}]}  # fmt: skip
    bank = [{"question": "q", "nugget": "x"}, {"question": "q", "nugget": "y"}]
    rows = [
        {"question": "q", "system": "a", "sentence": s, "nugget": n, "label": label, "tokens": tokens}
        for s, n, label, tokens in (
            (3, "x", "support", 30),
            (3, "y", "not_support", 30),
            (1, "x", "not_support", 10),
            (1, "y", "support", 10),
        )
    ]
    with warns("missing-sentences"):
        table = evaluate([bank, rows], ["RBU", "Coverage", "RBU_stop", "Tokens"])
    assert table == evaluate([bank, [nested]], ["RBU", "Coverage", "RBU_stop", "Tokens"])


def test_citations_in_long_form(tmp_path: Path) -> None:
    """The same as support assignments in JSON; a sentence without citation has a row with an empty one, or a text."""
    nested = {"topic_id": "q", "run_id": "a", "sentences": [
        {"text": "A.", "citations": [{"reference": "d1", "support": "2"}, {"reference": "d2", "support": "0"}]},
        {"text": "B.", "citations": [{"reference": "d1", "support": "1"}]}, {"text": "C.", "citations": []}]}  # fmt: skip
    rows = [
        {"question": "q", "system": "a", "sentence": s, "citation": c, "support": label}
        for s, c, label in ((0, "d1", "full_support"), (0, "d2", "no support"), (1, "d1", "PS"), (2, None, None))
    ]
    asked = ["CitationPrecision", "CitationRecall", "CitationPrecision_all", "openrageval.f1", "ragdoll.hard_recall"]
    known = [name for name in asked if name != "CitationPrecision_all"]
    expected = evaluate([write(tmp_path / "s.jsonl", nested)], known)
    assert evaluate(pd.DataFrame(rows), known) == expected
    text = {"topic_id": "q", "run_id": "a", "references": [], "answer": [{"text": t, "citations": []} for t in "ABC"]}
    assert evaluate(rows[:3], known, answers=[[text]]) == expected


@settings(max_examples=times(15, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), judges=st.integers(1, 4))
def test_several_judges_are_combined_as_counted_by_hand(data: Any, judges: int) -> None:
    """Majority and mean of the labels, with exact fractions; the judge's own labels under the judge's name."""
    names = [f"j{i}" for i in range(judges)]
    worth = {"yes": Fraction(1), "partly": Fraction(1, 2), "no": Fraction(0)}
    given_labels = {
        (q, n): {j: data.draw(st.sampled_from([*worth])) for j in names}
        for q in ("q1", "q2")
        for n in ("n1", "n2", "n3")
    }
    rows = [
        {"question": q, "system": "a", "nugget": n, "label": label, "judge": j}
        for (q, n), own in given_labels.items()
        for j, label in own.items()
    ]

    def expected(choose: Any) -> float:
        return float(sum(choose(own) for own in given_labels.values()) / len(given_labels))

    def majority(own: Any) -> Fraction:
        counts = {label: list(own.values()).count(label) for label in worth}
        best = [worth[label] for label, count in counts.items() if count == max(counts.values())]
        return sum(best, Fraction(0)) / len(best)

    def mean(own: Any) -> Fraction:
        return sum((worth[label] for label in own.values()), Fraction(0)) / len(own)

    values = {"yes": 1, "partly": 0.5, "no": 0}
    assert coverage(rows, labels=values) == {"a": pytest.approx(expected(majority), abs=1e-12)}
    assert coverage(rows, labels=values, combine="mean") == {"a": pytest.approx(expected(mean), abs=1e-12)}
    assert coverage(rows, labels=values, combine="j0") == {"a": pytest.approx(expected(lambda own: worth[own["j0"]]))}


JUDGED = [
    {**row, "judge": judge, "label": label}
    for judge, labels in {
        "x": "yes partly no yes no yes",
        "y": "yes no no yes partly yes",
        "z": "no no no yes no yes",
    }.items()
    for row, label in zip(ROWS, labels.split(), strict=True)
]


def test_a_rule_is_known_or_a_judge() -> None:
    """A misspelt judge is an error; the setup says whose labels count; a mean is no label of other tools."""
    with refuses("invalid-choice", "'xx'"):
        evaluate(JUDGED, labels=WORDS, combine="xx")
    setup = evaluate(JUDGED, "Coverage", labels=WORDS, combine="mean").setup
    assert (setup.judges, setup.combine) == (("x", "y", "z"), "mean")
    with refuses("unknown-label"):
        evaluate(JUDGED, "ragdoll.all", labels=WORDS, combine="mean")
    assert evaluate(JUDGED, "ragdoll.all", labels=WORDS).means.tolist()


def test_agreement_of_judges_is_that_of_their_labels() -> None:
    """κ and α as scikit-learn's formula and a count of pairs give them; the disputed nuggets are those that differ."""
    result = compare_judges(gather(JUDGED, labels=WORDS))
    x, y, z = ([row["label"] for row in JUDGED if row["judge"] == judge] for judge in "xyz")
    for pair, (first, second) in zip(result.pairs, ((x, y), (x, z), (y, z)), strict=True):
        same = sum(a == b for a, b in zip(first, second, strict=True)) / 6
        chance = sum((first.count(w) / 6) * (second.count(w) / 6) for w in ("yes", "partly", "no"))
        assert pair.value("agreement") == pytest.approx(same)
        assert pair.value("kappa") == pytest.approx((same - chance) / (1 - chance))
    together = [pair for unit in zip(x, y, z, strict=True) for pair in product(unit, repeat=2)]
    observed = sum(a != b for a, b in together) / len(together) * 3 / 2  # of different judges only
    counts = [(x + y + z).count(w) for w in ("yes", "partly", "no")]
    chance = sum(c * (18 - c) for c in counts) / (18 * 17)
    assert result.alpha_nominal == pytest.approx(1 - observed / chance)
    differing = {(row.query, row.nugget): row.differing for row in result.rows}
    by_nugget: dict[tuple[str, str], int] = {}
    for row, *labels in zip(ROWS, x, y, z, strict=True):
        key = (str(row["question"]), str(row["nugget"]))
        by_nugget[key] = by_nugget.get(key, 0) + (len(set(labels)) > 1)
    assert differing == {key: count for key, count in by_nugget.items() if count}
    with refuses("too-few-judges"):
        compare_judges(gather(ROWS, labels=WORDS))


def test_trials_are_averaged_with_their_noise() -> None:
    """The mean over trials, and the standard deviation of the trials' means; `separate` keeps them apart."""
    rows = [{**row, "trial": t, "label": label} for t, row, label in (
        *((1, row, row["label"]) for row in ROWS), *((2, row, "yes") for row in ROWS), *((3, row, "no") for row in ROWS))]  # fmt: skip
    scores = evaluate(rows, "Coverage", labels=WORDS)
    assert scores.mean() == {run: {"Coverage": pytest.approx((MEANS[run] + 1 + 0) / 3)} for run in MEANS}
    assert dict(scores.setup.trials) == {"a": 3, "b": 3}
    for run, first in MEANS.items():
        middle = (first + 1) / 3
        spread = (sum((value - middle) ** 2 for value in (first, 1, 0)) / 2) ** 0.5
        assert scores.setup.trial_noise[run]["Coverage"] == pytest.approx(spread)
    apart = evaluate(rows, "Coverage", labels=WORDS, trials="separate")
    assert apart.runs == ("a#1", "b#1", "a#2", "b#2", "a#3", "b#3")


def test_missed_nuggets_are_counted() -> None:
    """By hand: full, partial, missed and the mean over systems; a system without an answer misses the nugget."""
    rows = [*ROWS, {"question": "q3", "system": "a", "nugget": "n9", "label": "yes"}]
    with capture_warnings():
        missed = find_missed(gather(rows, labels=WORDS))
    facts = {(row.query, row.nugget): (row.full, row.partial, row.missed, row.mean) for row in missed.rows}
    assert facts == {("q1", "n1"): (1, 0, 1, 0.5), ("q1", "n2"): (1, 1, 0, 0.75), ("q2", "n1"): (1, 0, 1, 0.5), ("q3", "n9"): (1, 0, 1, 0.5)}  # fmt: skip
    assert [row.mean for row in missed.rows] == sorted(row.mean for row in missed.rows)


def test_commands_take_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`answers`, `compare`, `conclusions`, `why`, `violations` and `meta unanimity` on a table, with systems by name."""
    path = tmp_path / "l.csv"
    path.write_text(as_csv([{**row, "sentence": 1, "tokens": 9} for row in ROWS]))
    own = ["--labels", "yes=1,partly=0.5"]
    for words in (["answers"], ["compare"], ["conclusions"], ["why", "--no-axioms"], ["violations"], ["meta", "unanimity", "--bootstrap", "0"]):  # fmt: skip
        with capture_warnings():
            assert (
                main(
                    [words[0], *words[1:2], str(path), *own, *words[2:]]
                    if words[0] == "meta"
                    else [words[0], str(path), *own, *words[1:]]
                )
                == 0
            ), words
    capsys.readouterr()
    with capture_warnings():
        assert main(["compare", str(path), "b", *own, "-f", "csv"]) == 2  # one system is nothing to compare
        assert main(["answers", str(path), *own, "-m", "Coverage", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["a,Coverage,all,0.375", "b,Coverage,all,0.75"]


def test_a_system_is_named_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NAME=file, for the same system before and after; a file of several systems cannot be named."""
    paths = []
    for name, label in (("v1", "no"), ("v2", "yes")):
        path = tmp_path / f"{name}.csv"
        path.write_text(as_csv([{**row, "label": label} for row in ROWS if row["system"] == "a"]))
        paths.append(path)
    own = ["--labels", "yes=1,no=0", "-m", "Coverage"]
    bank = write(
        tmp_path / "n.jsonl",
        {"qid": "q1", "nuggets": [{"text": "n1"}, {"text": "n2"}]},
        {"qid": "q2", "nuggets": [{"text": "n1"}]},
    )
    command = ["answers", str(bank), f"before={paths[0]}", f"after={paths[1]}", *own]
    assert main([*command, "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["before,Coverage,all,0.0", "after,Coverage,all,1.0"]
    everything = tmp_path / "all.csv"
    everything.write_text(as_csv(ROWS))
    for words, code in (
        ([str(bank), f"x={everything}"], "wrong-number-of-runs"),
        ([f"x={bank}", f"y={paths[0]}"], "wrong-number-of-runs"),  # facts are of all systems
        ([f"x={paths[0]}", f"x={paths[1]}"], "duplicate-run"),
    ):
        assert main(["answers", *words, *own]) == 2
        assert is_refusal(capsys.readouterr().err, code)


@pytest.mark.parametrize("how", ["permute", "rename", "drop"])
@settings(max_examples=times(15, 200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_number_changes_only_with_a_warning(how: str, data: Any) -> None:
    """Questions or nuggets of one of two tables are reordered, renamed or dropped: the same numbers, or it is said."""
    bank = [
        {"question": q, "nugget": n, "importance": i}
        for q in ("q1", "q2", "q3")
        for n, i in (("n1", "vital"), ("n2", "okay"))
    ]
    labels = [{"question": b["question"], "system": s, "nugget": b["nugget"], "label": "support" if (i + k) % 3 else "partial"}
              for i, b in enumerate(bank) for k, s in enumerate(("a", "b"))]  # fmt: skip
    tables = [bank, labels]
    asked = ["Coverage", "Coverage_weighted", "Coverage_vital"]
    expected = evaluate(tables, asked)
    which, column = data.draw(st.sampled_from([0, 1])), data.draw(st.sampled_from(["question", "nugget"]))
    rows = data.draw(st.permutations(tables[which]))
    chosen = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    if how == "drop":
        rows = [row for i, row in enumerate(rows) if i not in chosen]
    if how == "rename":
        rows = [{**row, column: f"0{row[column]}"} if i in chosen else row for i, row in enumerate(rows)]
    changed = [rows, labels] if which == 0 else [bank, rows]
    with capture_warnings() as notes:
        try:
            scores = evaluate(changed, asked)
        except DivevalError:
            return
    same = {run: pytest.approx(values) for run, values in expected.mean().items()}
    assert notes or scores.mean() == same


def test_quiet_reading_of_a_whole_table() -> None:
    """A table that fits gives no warning."""
    _, messages = quietly(evaluate, ROWS, ["Coverage"], labels=WORDS)
    assert not messages


def test_check_says_what_the_files_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Joins, failed labels, what each judge labelled, and queries with a vital nugget, counted by hand."""
    path = tmp_path / "l.csv"
    rows = [{**row, "label": "failed"} if i == 0 else row for i, row in enumerate(JUDGED[:-1])]
    path.write_text(as_csv(rows))
    with capture_warnings():
        assert main(["check", str(path), "--labels", "yes=1,partly=0.5", "--combine", "x", "-f", "csv"]) == 0
    counts = {(a, b): (int(m), int(n)) for a, b, m, n in list(csv.reader(io.StringIO(capsys.readouterr().out)))[1:]}
    assert counts["a", "labels that the judge gave"] == (2, 3)
    assert counts["b", "labels that the judge gave"] == (3, 3)
    assert [counts[f"judge {judge}", "labelled items"] for judge in "xyz"] == [(6, 6), (6, 6), (5, 6)]
    assert next(v for (_, what), v in counts.items() if what == "queries with a vital nugget") == (0, 2)
    assert counts[f"{path} (a)", "nuggets with a label"] == (3, 3)
