"""A dataset folder for TIRA: inputs, truths, the card that configures both, and the evaluator."""

from __future__ import annotations

import json
from typing import Any

from diveval import __version__
from diveval.errors import UsageError
from diveval.tracks.exports import programs
from diveval.tracks.exports.checks import check_tira
from diveval.tracks.exports.plain_yaml import dump
from diveval.tracks.exports.reference import need_image, reference
from diveval.tracks.folder import Track

QRELS = "diversity-qrels.txt"
COMMAND = "python3 /evaluator/evaluate.py --run ${inputRun} --truths ${inputDataset} --output ${outputDir}"
BASELINE = "/baseline.py --input $inputDataset --output $outputDir"


def tira(track: Track, held_back: bool) -> dict[str, bytes]:
    """The folder as files by their names."""
    image = need_image(track, "TIRA")
    dataset = track.config["export.tira.dataset"]
    if dataset and not dataset.endswith(("-test", "-training")):
        raise UsageError(f"export.tira.dataset ends in -test or -training on TIRA, got {dataset!r}")
    truths, _ = reference(track, held_back=held_back, qrels=QRELS)
    files = {f"truths/{name}": data for name, data in truths.items()}
    files["system-inputs/queries.jsonl"] = _queries(track)
    files["evaluator/evaluate.py"] = programs.text("tira.py")
    files["evaluator/Dockerfile"] = programs.text("tira.Dockerfile").replace(b"{version}", __version__.encode())
    files["README.md"] = _card(track, image, sorted(truths)).encode()
    check_tira(files)
    return files


def _queries(track: Track) -> bytes:
    """One JSON object per topic; where the topics have no query, the id stands for it."""
    lines = []
    for topic, query in track.topics.queries.items():
        text = query or topic
        lines.append(
            json.dumps(
                {"qid": topic, "query": text, "original_query": {"query_id": topic, "text": text}}, ensure_ascii=False
            )
            + "\n"
        )
    return "".join(lines).encode()


def _card(track: Track, image: str, truths: list[str]) -> str:
    def data(name: str, paths: list[str]) -> dict[str, Any]:
        return {"config_name": name, "data_files": [{"split": "test", "path": paths}]}

    link = track.config["export.tira.baseline_link"]
    if not link:
        raise UsageError(
            "export.tira.baseline_link is empty in track.toml: TIRA runs a baseline when a dataset arrives, so name its"
            " address"
        )
    head = {
        "configs": [
            data("inputs", ["system-inputs/queries.jsonl"]),
            data("truths", [f"truths/{name}" for name in truths]),
        ],
        "tira_configs": {
            "resolve_inputs_to": "system-inputs",
            "resolve_truths_to": "truths",
            "default_upload_name": "run.txt",
            "baseline": {"link": link, "command": BASELINE, "format": {"name": ["run.txt"]}},
            "input_format": {
                "name": "query-processor",
                "config": {"id_field": "qid", "value_field": "query", "minimum_lines": min(3, len(track.topics))},
            },
            "truth_format": {"name": "arbitrary"},
            "evaluator": {"image": image, "command": COMMAND},
        },
    }
    dataset = track.config["export.tira.dataset"] or f"{track.config.id}-test"
    text = (
        f"{programs.task_page(track)}\nDataset id: `{dataset}`. The truth format is `arbitrary`,"
        " because TIRA's check for `qrels.txt` refuses a document that is judged"
        " for two aspects.\n"
    )
    return f"---\n{dump(head)}---\n\n{text}"
