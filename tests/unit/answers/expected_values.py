"""Comparisons with other tools' output for contexts and leaderboards, and helpers for all comparisons."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import diveval
from diveval import answers
from diveval.answers import answer_texts
from diveval.answers.evaluation import evaluate
from diveval.answers.material import AnswerFiles
from diveval.answers.reading import read
from diveval.answers.tool_rules import normalise_label, verdict
from diveval.reading.judge_labels import FAILED

DATA = Path(__file__).parents[2] / "data" / "rag"
INPUT, EXPECTED = DATA / "synthetic", DATA / "expected"
NUGGETS = INPUT / "nuggetizer"
FILES = ["assignments.run_a", "assignments.run_b", "assignments.retrieval", "edge"]


def lines(path: Any) -> Any:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def in_file_order(scores: Any, metric: Any, source: Any) -> Any:
    """A metric's values in the order of the lines of its file, then the mean; repeated topics are numbered."""
    seen: dict[str, int] = {}
    out = []
    (run,) = scores.runs
    values = scores.per_topic(run, metric)
    for record in lines(source):
        name = record["qid"] + (f"/{record['docid']}" if "docid" in record else "")
        seen[name] = seen.get(name, 0) + 1
        out.append(values[name if seen[name] == 1 else f"{name}#{seen[name]}"])
    return [*out, scores.mean()[run][metric]]


def _density(covered: int, tokens: int, answerable: int, oracle_tokens: int) -> float:
    """CRUX: √(covered per token of the answer ÷ answerable per token of the oracle passages); unbounded."""
    if not tokens or not answerable or not oracle_tokens:
        return 0.0
    return float(((covered / tokens) / (answerable / oracle_tokens)) ** 0.5)


def udcg() -> Any:
    """UDCG of every context, from the tool's input file."""
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
        tokens = answer_texts.COUNTERS["words"](re.sub(r"\[\d+\]", "", row["response"]))
        density = _density(covered, tokens, sum(answerable), oracle[query])
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
    """Topic, run, sentences with citations in order of strength, and four counts of the length."""
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
        if "error" not in report:  # the tool refuses NeuCLIR's format, which diveval reads
            assert (topic, run) == (report["topic"], report["run"])
            assert [[s.text, [c.document for c in s.citations]] for s in sentences] == report["sentences"]
            count += 2 + sum(1 + len(cited) for _, cited in report["sentences"])
        for theirs, ours in counters.items():
            assert (
                answer_texts.COUNTERS[ours](" ".join(sentence.text for sentence in sentences))
                == report["length"][theirs]
            )
            count += 1
    same = [read(INPUT / f"answers/{name}.jsonl")[1].systems["syn"].texts for name in ("neuclir24", "hltcoe-validator")]
    assert same[0] == same[1]
    return count


def leaderboards(format: Any, missing: Any) -> Any:
    """A leaderboard that is read and written again has the tool's rows and means, whatever fills missing topics."""
    scores = answers.read_leaderboard(EXPECTED / f"autojudge/leaderboard.fix_aggregate.{format}.txt")
    text = answers.leaderboard_text(scores, format, topics=["1", "2", "3"], missing=missing)
    return same_rows(text, f"autojudge/leaderboard.{missing}.{format}.txt")


def same_rows(text: Any, name: Any) -> Any:
    """The number of rows of a leaderboard, all of which equal those of a file."""
    expected = (EXPECTED / name).read_text().splitlines()
    assert [_cells(line) for line in text.splitlines()] == [_cells(line) for line in expected]
    return len(expected)


def _cells(line: Any) -> Any:
    """The fields of a line, with the value as a number, because the tool prints counts without a decimal point."""
    *words, value = json.loads(line).values() if line.startswith("{") else line.split("\t")
    return [*words, float(value)]


def other_leaderboards() -> Any:
    """Means are over the available topics; the trec_eval format lists measures without runs."""
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


# --- counts of labels, as in RAGDoll --------------------------------------------------------------------------------------

LABELS = ("support", "partial_support", "not_support")
TYPES = ("explicit", "implicit", "synthesis", "references", "communication", "instruction")


def label_distribution(material: AnswerFiles) -> dict[str, int]:
    """The frequency of each label over all systems; `fail` counts as `failed`, unknown labels as `other`."""
    found: Counter[str] = Counter()
    for system in material.systems.values():
        for line in system.lines:
            for label in line.labels:
                word = normalise_label(label)
                found["failed" if word in FAILED else word if word in LABELS else "other"] += 1
    return {label: found[label] for label in (*LABELS, "failed", "other")}


def failures_by_type(material: AnswerFiles) -> dict[str, tuple[int, int]]:
    """(criteria, criteria not fully met) of each type."""
    found = dict.fromkeys(TYPES, (0, 0))
    for system in material.systems.values():
        for _, criteria in system.graded:
            for criterion in criteria:
                total, failed = found.get(criterion.type, (0, 0))
                found[criterion.type] = (total + 1, failed + (verdict(criterion) < 1.0))
    return found
