"""Every value the RAG tools printed for the synthetic files comes out of ours, to the last bit or printed digit."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval import answers
from diveval.answers import counting, texts
from diveval.answers.reading import gather, read
from diveval.answers.scoring import evaluate
from diveval.answers.summaries import failures_by_type, label_distribution
from diveval.errors import DivevalWarning
from diveval.meta import kendall_tau

DATA = Path(__file__).parents[2] / "data" / "rag"
INPUT, EXPECTED = DATA / "synthetic", DATA / "expected"
NUGGETS = INPUT / "nuggetizer"
FILES = ["assignments.run_a", "assignments.run_b", "assignments.retrieval", "edge"]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[Any]:
    """The files hold odd labels on purpose; what is said about them is tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        yield


def lines(path: Any) -> Any:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def in_file_order(scores: Any, metric: Any, source: Any) -> Any:
    """A metric's values by line of the file it came from: topics are sorted, and repeats are numbered."""
    seen: dict[str, int] = {}
    out = []
    (run,) = scores.runs
    values = scores.per_topic(run, metric)
    for record in lines(source):
        name = record["qid"] + (f"/{record['docid']}" if "docid" in record else "")
        seen[name] = seen.get(name, 0) + 1
        out.append(values[name if seen[name] == 1 else f"{name}#{seen[name]}"])
    return [*out, scores.mean()[run][metric]]


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
    """Precision over distinct passages, recall over sentences, and their f1."""
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


def udcg() -> Any:
    """UDCG of every context, from the file the tool reads."""
    scores = evaluate([INPUT / "udcg/dataset.json"], ["udcg.UDCG"])
    expected = json.loads((EXPECTED / "udcg/synthetic.default.json").read_text())
    found = scores.per_topic("judge-model")
    for item in expected:
        assert found[item["example_id"]] == item["udcg"]["judge-model"]
    assert len(found) == len(expected) == 10
    assert "Mean: 0.4874" in (EXPECTED / "udcg/synthetic.default.txt").read_text()
    assert f"{scores.mean()['judge-model']['udcg.UDCG']:.4f}" == "0.4874"
    return len(expected) + 1


def crux_density() -> Any:
    """Coverage, tokens and density of CRUX's answers, with a white-space tokenizer and citations taken out."""
    import re

    ratings: dict[str, list[list[int]]] = {}
    oracle: dict[str, int] = {}
    for row in lines(INPUT / "crux/judge.jsonl"):
        ratings.setdefault(row["id"], []).append(row["rating"])
    words = {row["id"]: len(row["contents"].split()) for row in lines(INPUT / "crux/corpus.jsonl")}
    for line in (INPUT / "crux/oracle_context.qrel").read_text().splitlines():
        query, _, document, grade = line.split()
        oracle[query] = oracle.get(query, 0) + (words[document] if int(grade) >= 3 else 0)
    expected = json.loads((EXPECTED / "crux/density.json").read_text())
    densities, coverages = [], []
    for row in lines(INPUT / "crux/answers.jsonl"):
        query = row["qid"]
        answerable = [any(r[j] >= 3 for r in ratings[query]) for j in range(len(ratings[query][0]))]
        covered = sum(r >= 3 and a for r, a in zip(row["ratings_of_the_answer"], answerable, strict=True))
        tokens = texts.words_by_blanks(re.sub(r"\[\d+\]", "", row["response"]))
        density = counting.density(covered, tokens, sum(answerable), oracle[query])
        assert (tokens, covered / sum(answerable)) == (
            expected[query]["mean_num_tokens"],
            expected[query]["mean_coverage"],
        )
        assert density == pytest.approx(expected[query]["mean_density"], rel=1e-15)
        densities.append(density)
        coverages.append(covered / sum(answerable))
    assert sum(densities) / 6 == pytest.approx(expected["all"]["mean_density"], rel=1e-15)
    assert sum(coverages) / 6 == pytest.approx(expected["all"]["mean_coverage"], rel=1e-15)
    return 3 * len(densities) + 2


def answers_of_the_tracks() -> Any:
    """Topic, run, sentences with citations in their order of strength, and four ways to count the length."""
    expected = json.loads((EXPECTED / "autojudge/reports.json").read_text())
    counters = {
        "ragnarok": "words-ragnarok",
        "rag24 and rag25 validator": "words-nfkc",
        "rag26": "words",
        "ragtime, characters": "characters",
    }
    count = 0
    for name, report in expected.items():
        _, material = read(INPUT / "answers" / name)
        ((run, system),) = material.systems.items()
        ((topic, sentences),) = system.texts.items()
        if "error" not in report:  # the tool refuses NeuCLIR's form; ours reads it
            assert (topic, run) == (report["topic"], report["run"])
            assert [[s.text, [c.document for c in s.citations]] for s in sentences] == report["sentences"]
            count += 2 + sum(1 + len(cited) for _, cited in report["sentences"])
        for theirs, ours in counters.items():
            assert texts.length(sentences, ours) == report["length"][theirs]
            count += 1
    same = [read(INPUT / f"answers/{name}.jsonl")[1].systems["syn"].texts for name in ("neuclir24", "hltcoe-validator")]
    assert same[0] == same[1]
    return count


def leaderboards(format: Any, missing: Any) -> Any:
    """A leaderboard read and written again has the tool's rows and means, missing topics filled or only averaged."""
    scores = answers.read_leaderboard(EXPECTED / f"autojudge/leaderboard.fix_aggregate.{format}.txt")
    text = answers.leaderboard_text(scores, format, topics=["1", "2", "3"], missing=missing)
    return same_rows(text, f"autojudge/leaderboard.{missing}.{format}.txt")


def same_rows(text: Any, name: Any) -> Any:
    """A leaderboard's rows equal a file's; how many there are."""
    expected = (EXPECTED / name).read_text().splitlines()
    assert [_cells(line) for line in text.splitlines()] == [_cells(line) for line in expected]
    return len(expected)


def _cells(line: Any) -> Any:
    """A line's words, its value as a number: the tool prints whole counts without a point."""
    *words, value = json.loads(line).values() if line.startswith("{") else line.split("\t")
    return [*words, float(value)]


def other_leaderboards() -> Any:
    """The mean is over what is there; without runs, the measures stand one after the other."""
    scores = answers.read_leaderboard(EXPECTED / "autojudge/leaderboard.no-expected-topics.tot.txt", "tot")
    count = same_rows(answers.leaderboard_text(scores, "tot"), "autojudge/leaderboard.no-expected-topics.tot.txt")
    full = answers.read_leaderboard(EXPECTED / "autojudge/leaderboard.fix_aggregate.tot.txt")
    for missing in ("default", "fix_aggregate"):
        text = answers.leaderboard_text(full, "trec_eval", topics=["1", "2", "3"], missing=missing)
        count += same_rows(text, f"autojudge/leaderboard.{missing}.trec_eval.txt")
    return count


def utility_by_sentence() -> Any:
    """RBU of two systems' sentences equals exact arithmetic, with the cascade and with the best label so far."""
    names = ["Coverage_weighted", "CoverageRate"]
    settings = [(1, 0), (0.99, 0), (0.99, 0.05), (0.8, 0.05)]
    metrics = {
        f"RBU(p={p},e={e}) {kind}": f"RBU(p={p},e={e},novelty={word})"
        for p, e in settings
        for kind, word in (("cascade", "cascade"), ("max", "best"))
    }
    metrics |= {"weighted coverage (best label of each nugget)": names[0], "weighted coverage per 100 tokens": names[1]}
    files = [INPUT / "sentences/nuggets.jsonl", INPUT / "sentences/sentences.jsonl"]
    scores = evaluate(files, list(metrics.values()))
    expected = json.loads((EXPECTED / "sentences.json").read_text())
    count = 0
    for row in expected["answers"]:
        for theirs, ours in metrics.items():
            found = scores.per_topic(row["run_id"], answers.parse(ours).name)[row["qid"]]
            assert found == pytest.approx(row[theirs], abs=1e-15)
            count += 1
    return count


def crux_contexts(run: Any, oracle: Any) -> Any:
    """Cov@10 from CRUX's ratings; the three others from its qrels; and S-Recall with --rel 3 is the same coverage."""
    expected = json.loads((EXPECTED / "crux/synthetic.json").read_text())[
        run + (" --filter_by_oracle" if oracle == "yes" else "")
    ]
    files = INPUT / "crux/judge.jsonl", INPUT / f"crux/{run}.run"
    scores = diveval.evaluate(*files, f"crux.Cov(oracle={oracle})@10")
    assert scores.per_topic(run) == {q: row["Cov@10"] for q, row in expected["queries"].items()}
    assert scores.means[0, 0] == expected["all"]["Cov@10"]
    count = len(expected["queries"]) + 1
    ours = diveval.evaluate(
        *files,
        "StRecall@10",
        rel=3,
        order="rank",
        missing_topics="skip",
        empty_aspects="keep" if oracle == "no" else "drop",
    )
    assert ours.per_topic(run) == scores.per_topic(run)
    others = {"trec_eval.P_10": "P@10", "trec_eval.ndcg_cut_10": "nDCG@10", "alpha_nDCG@10": "alpha_nDCG@10"}
    rest = diveval.evaluate(INPUT / "crux/div_qrels-tau3.txt", files[1], list(others), gain="binary")
    for name, theirs in others.items():
        for query, row in expected["queries"].items():
            assert rest.per_topic(run, name)[query] == pytest.approx(row[theirs], rel=1e-14)
            count += 1
        assert rest.mean()[run][diveval.parse(name).name] == pytest.approx(expected["all"][theirs], rel=1e-14)
        count += 1
    return count


def freshstack(name: Any) -> Any:
    """Coverage, α-nDCG and Recall of every query and their means, nuggets joined by prefix as the tool does."""
    expected = json.loads((EXPECTED / f"freshstack/{name}.json").read_text())
    folder = INPUT / "freshstack" / name
    metrics = {key: "freshstack." + key.replace("alpha-nDCG", "alpha_nDCG") for key in expected["all"]}
    scores = diveval.evaluate(folder / "queries.jsonl", folder / "syn.run.trec", list(metrics.values()))
    (run,) = scores.runs
    count = 0
    for theirs, ours in metrics.items():
        assert round(scores.mean()[run][ours], 4) == expected["all"][theirs], theirs
        count += 1
    for query, row in expected["queries"].items():
        for theirs, ours in metrics.items():
            value = 0.0 if row == "no results" else row[theirs]
            assert scores.per_topic(run, ours)[query] == pytest.approx(value, abs=5.1e-5)
            count += 1
    return count


def over(check: Any, *settings: Any) -> Any:
    """A check under each of several settings, its counts added."""
    return lambda: sum(check(*(setting if isinstance(setting, tuple) else (setting,))) for setting in settings)


# What is compared, with the expected files it covers and how many of their values.
CHECKS = {
    "nuggetizer": (over(nuggetizer, *FILES), ["nuggetizer/*", "weighted/pyterrier-nuggetizer.*"], 650),
    "Open RAG Eval, nuggets": (over(open_rag_eval_nuggets, *FILES), ["weighted/open-rag-eval.synthetic.*"], 366),
    "RAGDoll, nuggets": (ragdoll_nuggets, ["ragdoll/nuggets-synthetic/*"], 220),
    "RAGDoll, rubric": (ragdoll_rubric, ["ragdoll/rubric/*"], 73),
    "RAGDoll, support": (ragdoll_support, ["ragdoll/support_*"], 352),
    "Open RAG Eval, citations": (open_rag_eval_citations, ["weighted/open-rag-eval.citations.jsonl"], 36),
    "ARGUE": (argue_scores, ["argue/*"], 58),
    "UDCG": (udcg, ["udcg/*"], 11),
    "CRUX, density": (crux_density, ["crux/density.json"], 20),
    "CRUX, contexts": (
        over(crux_contexts, *((run, oracle) for run in ("dense", "sparse") for oracle in ("no", "yes"))),
        ["crux/synthetic.json"],
        104,
    ),
    "FreshStack": (over(freshstack, "plain", "prefix"), ["freshstack/*"], 204),
    "answers of the tracks": (answers_of_the_tracks, ["autojudge/reports.json"], 99),
    "leaderboards": (
        over(
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
    """Every value of the expected files comes out, and no fewer are compared than there are."""
    check, _, count = CHECKS[name]
    assert check() == count


def test_every_expected_file_is_compared() -> None:
    """No expected file is left out; the counts above add up to what the how-to says."""
    covered = {path for _, patterns, _ in CHECKS.values() for pattern in patterns for path in EXPECTED.glob(pattern)}
    assert covered == {path for path in EXPECTED.rglob("*") if path.is_file()}
    total = sum(count for _, _, count in CHECKS.values())
    print(f"{total} values of {len(covered)} expected files are reproduced")
    assert f"{total:,} values" in (Path(__file__).parents[3] / "docs/howto/answers.md").read_text()
