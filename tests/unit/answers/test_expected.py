"""Every value that RAG tools printed for the synthetic files is reproduced, to the last bit or printed digit."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diveval.answers.evaluation import evaluate
from diveval.answers.gathering import gather
from diveval.answers.reading import read
from diveval.errors import DivevalWarning
from diveval.meta import kendall_tau
from unit.answers.expected_values import (
    EXPECTED,
    FILES,
    INPUT,
    NUGGETS,
    answers_of_the_tracks,
    crux_contexts,
    crux_density,
    failures_by_type,
    freshstack,
    in_file_order,
    label_distribution,
    leaderboards,
    lines,
    other_leaderboards,
    udcg,
    utility_by_sentence,
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[Any]:
    """The files contain odd labels on purpose; the warnings about them are tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        yield


def nuggetizer(name: Any) -> Any:
    """All six scores of every line, and their means, equal nuggetizer's and pyterrier-nuggetizer's to the last bit."""
    source = NUGGETS / f"{name}.jsonl"
    scores = evaluate([source], ["nuggetizer."])
    count = 0
    for folder, tool in (("nuggetizer", ""), ("weighted", "pyterrier-nuggetizer.")):
        suffix = ".metrics.jsonl" if not tool else ".jsonl"
        expected = lines(EXPECTED / folder / f"{tool}synthetic.{name}{suffix}")
        for key in [key for key in expected[0] if key.endswith("_score")]:
            metric = "nuggetizer." + key.removesuffix("_score").replace("weighted", "W")
            assert in_file_order(scores, metric, source) == [row[key] for row in expected]
            count += len(expected)
    return count


def open_rag_eval_nuggets(name: Any) -> Any:
    """Six scores of every line, the weighted ones with their floor of one nugget each."""
    source = NUGGETS / f"{name}.jsonl"
    scores = evaluate(
        [source],
        [
            "openrageval.all",
            "openrageval.vital",
            "openrageval.W",
            "openrageval.strict_all",
            "openrageval.strict_vital",
            "openrageval.strict_W",
        ],
    )
    names = {
        "All": "all",
        "All Strict": "strict_all",
        "Vital": "vital",
        "Vital Strict": "strict_vital",
        "Weighted": "W",
        "Weighted Strict": "strict_W",
    }
    expected = lines(EXPECTED / "weighted" / f"open-rag-eval.synthetic.{name}.jsonl")
    count = 0
    for theirs, ours in names.items():
        values = [row[theirs] for row in expected if row["qid"] != "all"]
        assert in_file_order(scores, f"openrageval.{ours}", source)[: len(values)] == values
        count += len(values)
    return count


def ragdoll_nuggets() -> Any:
    """Cells, runs and labels of RAGDoll's three tables, as printed."""
    material = gather(
        [NUGGETS / "assignments.run_a.jsonl", NUGGETS / "assignments.run_b.jsonl", NUGGETS / "edge.jsonl"]
    )
    scores = evaluate(
        material,
        [
            "ragdoll.strict_vital",
            "ragdoll.strict_all",
            "ragdoll.vital",
            "ragdoll.all",
            "ragdoll.nugget_count",
            "ragdoll.vital_count",
            "ragdoll.failed_count",
        ],
    )
    seen: dict[tuple[str, str], int] = {}
    count = 0
    for row in csv.DictReader((EXPECTED / "ragdoll/nuggets-synthetic/cell_metrics.csv").open()):
        key = row["run_id"], row["qid"]
        seen[key] = seen.get(key, 0) + 1
        topic = row["qid"] if seen[key] == 1 else f"{row['qid']}#{seen[key]}"
        for column in [c for c in row if c.endswith(("_score", "_count"))]:
            assert scores.per_topic(row["run_id"], f"ragdoll.{column.removesuffix('_score')}")[topic] == float(
                row[column]
            )
            count += 1
    for row in csv.DictReader((EXPECTED / "ragdoll/nuggets-synthetic/run_metrics.csv").open()):
        for column in [c for c in row if c.endswith("_score")]:
            assert scores.mean()[row["run_id"]][f"ragdoll.{column.removesuffix('_score')}"] == float(row[column])
            count += 1
    labels = list(csv.DictReader((EXPECTED / "ragdoll/nuggets-synthetic/label_distribution.csv").open()))
    assert label_distribution(material) == {row["label"]: int(row["count"]) for row in labels}
    return count + len(labels)


def ragdoll_rubric() -> Any:
    """Scores by cell and run, failures by type, and the correlation of the two scores."""
    material = gather([INPUT / "rubric/graded.jsonl"])
    columns = ["ternary_score", "binary_score", "n_criteria", "n_mandatory_fail"]
    scores = evaluate(material, [f"ragdoll.{column}" for column in columns])
    count = 0
    for row in csv.DictReader((EXPECTED / "ragdoll/rubric/cell_scores.csv").open()):
        for column in columns:
            values = scores.per_topic(row["run_id"], f"ragdoll.{column}")
            assert values.get(row["qid"]) == (float(row[column]) if row[column] else None)
            count += 1
    for row in csv.DictReader((EXPECTED / "ragdoll/rubric/run_scores.csv").open()):
        for column in columns[:2]:
            assert scores.mean()[row["run_id"]][f"ragdoll.{column}"] == float(row[column])
            count += 1
    for row in csv.DictReader((EXPECTED / "ragdoll/rubric/category_failures.csv").open()):
        total, failed = failures_by_type(material)[row["type"]]
        assert (total, failed) == (int(row["n_total"]), int(row["n_failed"]))
        assert row["failure_rate"] == (f"{failed / total:.5f}" if total else "")
        count += 3
    means = scores.means
    (row,) = csv.DictReader((EXPECTED / "ragdoll/rubric/correlations.csv").open())
    assert kendall_tau(means[:, 0], means[:, 1]) == float(row["run_tau"])
    return count + 1


SUPPORT = [
    "weighted_precision_first_citation",
    "weighted_recall_first_citation",
    "hard_precision",
    "hard_recall",
    "weighted_precision_all_judged_citations",
    "weighted_recall_all_judged_citations",
    "sentences",
]


def ragdoll_support() -> Any:
    """Judgments joined to answers give RAGDoll's assignments; both give its metrics, and its rows of text."""
    joined = gather([INPUT / "support/judgments.parsed.jsonl"], [INPUT / "support/answers.jsonl"])
    kind, assigned = read(EXPECTED / "ragdoll/support_assignments.jsonl")
    assert kind.name == "support"
    for run, system in assigned.systems.items():
        assert joined.systems[run].support == system.support
    count = 0
    for material in (joined, assigned):
        scores = evaluate(material, [f"ragdoll.{name}" for name in SUPPORT])
        for row in lines(EXPECTED / "ragdoll/support_metrics.jsonl"):
            for name in SUPPORT:
                assert scores.per_topic(row["run_id"], f"ragdoll.{name}")[row["topic_id"]] == row[name]
                count += 1
        for line in (EXPECTED / "ragdoll/support_metric_rows.txt").read_text().splitlines():
            run, topic, name, value = line.split()
            assert f"{scores.per_topic(run, f'ragdoll.{name}')[topic]:g}" == value
            count += 1
    return count


def open_rag_eval_citations() -> Any:
    """Precision for_each distinct passages, recall for_each sentences, and their f1."""
    _, material = read(EXPECTED / "ragdoll/support_assignments.jsonl")
    scores = evaluate(material, ["openrageval.weighted_precision", "openrageval.weighted_recall", "openrageval.f1"])
    expected = lines(EXPECTED / "weighted/open-rag-eval.citations.jsonl")
    for row in expected:
        for name in ("weighted_precision", "weighted_recall", "f1"):
            assert scores.per_topic(row["run_id"], f"openrageval.{name}")[row["topic_id"]] == row[name]
    return 3 * len(expected)


def argue_scores() -> Any:
    """Counts, ratios, micro and macro means of a judged report."""
    bank = sorted((INPUT / "argue/nuggets").glob("*.json"))
    scores = evaluate([*bank, INPUT / "argue/judgments.jsonl"], ["argue."])
    found = {(topic, metric.removeprefix("argue.")): value for _, metric, topic, value in scores.rows()}
    rows = list(csv.DictReader((EXPECTED / "argue/synthetic.scores.tsv").open(), delimiter="\t"))
    for row in rows:
        assert found[row["request_id"], row["metric"].removesuffix("_macro")] == float(row["value"])
    assert not any(topic != "all" for topic, metric in found if metric.endswith("_micro"))
    return len(rows)


def for_each(check: Any, *settings: Any) -> Any:
    """A check that runs another under several settings and adds up the counts."""
    return lambda: sum(check(*(setting if isinstance(setting, tuple) else (setting,))) for setting in settings)


# Each comparison with the expected files that it covers and the number of values compared.
CHECKS = {
    "nuggetizer": (for_each(nuggetizer, *FILES), ["nuggetizer/*", "weighted/pyterrier-nuggetizer.*"], 650),
    "Open RAG Eval, nuggets": (for_each(open_rag_eval_nuggets, *FILES), ["weighted/open-rag-eval.synthetic.*"], 366),
    "RAGDoll, nuggets": (ragdoll_nuggets, ["ragdoll/nuggets-synthetic/*"], 220),
    "RAGDoll, rubric": (ragdoll_rubric, ["ragdoll/rubric/*"], 73),
    "RAGDoll, support": (ragdoll_support, ["ragdoll/support_*"], 352),
    "Open RAG Eval, citations": (open_rag_eval_citations, ["weighted/open-rag-eval.citations.jsonl"], 36),
    "ARGUE": (argue_scores, ["argue/*"], 58),
    "UDCG": (udcg, ["udcg/*"], 11),
    "CRUX, density": (crux_density, ["crux/density.json"], 20),
    "CRUX, contexts": (
        for_each(crux_contexts, *((run, oracle) for run in ("dense", "sparse") for oracle in ("no", "yes"))),
        ["crux/synthetic.json"],
        104,
    ),
    "FreshStack": (for_each(freshstack, "plain", "prefix"), ["freshstack/*"], 204),
    "answers of the tracks": (answers_of_the_tracks, ["autojudge/reports.json"], 99),
    "leaderboards": (
        for_each(
            leaderboards,
            *((form, missing) for form in ("tot", "ir_measures", "jsonl") for missing in ("default", "fix_aggregate")),
        ),
        ["autojudge/leaderboard.default.[tij]*", "autojudge/leaderboard.fix_aggregate.[tij]*"],
        84,
    ),
    "leaderboards of other forms": (
        other_leaderboards,
        ["autojudge/leaderboard.no-*", "autojudge/leaderboard.*.trec_eval.txt"],
        32,
    ),
    "RBU by sentence": (utility_by_sentence, ["sentences.json"], 60),
}


@pytest.mark.parametrize("name", CHECKS)
def test_values_are_reproduced(name: Any) -> None:
    """Every value of the expected files is reproduced, and the number compared is as stated."""
    check, _, count = CHECKS[name]
    assert check() == count


def test_every_expected_file_is_compared() -> None:
    """No expected file is left out, and the counts add up to the number in the how-to guide."""
    covered = {path for _, patterns, _ in CHECKS.values() for pattern in patterns for path in EXPECTED.glob(pattern)}
    assert covered == {path for path in EXPECTED.rglob("*") if path.is_file()}
    total = sum(count for _, _, count in CHECKS.values())
    print(f"{total} values of {len(covered)} expected files are reproduced")
    assert f"{total:,} values" in (Path(__file__).parents[3] / "docs/howto/answers.md").read_text()
