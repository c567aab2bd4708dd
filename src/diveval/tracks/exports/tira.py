"""A dataset folder for TIRA: inputs, truths, the card that configures both, and the evaluator."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from diveval import __version__
from diveval.errors import UsageError, quote
from diveval.tracks.exports import bundles
from diveval.tracks.exports.bundles import Checked, value_of
from diveval.tracks.folder import Track

QRELS = "diversity-qrels.txt"
COMMAND = "python3 /evaluator/evaluate.py --run ${inputRun} --truths ${inputDataset} --output ${outputDir}"
BASELINE = "/baseline.py --input $inputDataset --output $outputDir"


def tira(track: Track, held_back: bool) -> dict[str, bytes]:
    """The folder as files by their names."""
    image = bundles.need_image(track, "TIRA")
    dataset = track.config["export.tira.dataset"]
    if dataset and not dataset.endswith(("-test", "-training")):
        raise UsageError("wrong-value", f"export.tira.dataset ends in -test or -training on TIRA, got {dataset!r}")
    truths, _ = bundles.reference(track, held_back=held_back, qrels=QRELS)
    files = {f"truths/{name}": data for name, data in truths.items()}
    files["system-inputs/queries.jsonl"] = _queries(track)
    files["evaluator/evaluate.py"] = bundles.program("tira.py")
    files["evaluator/Dockerfile"] = bundles.program("tira.Dockerfile").replace(b"{version}", __version__.encode())
    files["README.md"] = _card(track, image, sorted(truths)).encode()
    check_tira(files)
    return files


def _queries(track: Track) -> bytes:
    """One JSON object per topic; where the topics have no query, the id stands for it."""
    lines = []
    for topic, query in track.topics.items():
        text = query or topic
        row = {"qid": topic, "query": text, "original_query": {"query_id": topic, "text": text}}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def _card(track: Track, image: str, truths: list[str]) -> str:
    def data(name: str, paths: list[str]) -> dict[str, Any]:
        return {"config_name": name, "data_files": [{"split": "test", "path": paths}]}

    link = track.config["export.tira.baseline_link"]
    if not link:
        raise UsageError(
            "missing-key",
            "export.tira.baseline_link is empty in track.toml: TIRA runs a baseline when a dataset arrives, so name its"
            " address",
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
        f"{bundles.task_page(track)}\nDataset id: `{dataset}`. The truth format is `arbitrary`,"
        " because TIRA's check for `qrels.txt` refuses a document that is judged"
        " for two aspects.\n"
    )
    return f"---\n{bundles.yaml_text(head)}---\n\n{text}"


def check_tira(files: Mapping[str, bytes]) -> None:
    """Refuse a dataset folder that TIRA's client would not take."""
    bundle = Checked("TIRA", files)
    card = files.get("README.md", b"").decode("utf-8")
    bundle.need(card.startswith("---\n") and card.count("---\n") >= 2, "README.md has front matter")
    parts = card.split("---\n", 2)
    found = bundle.yaml(parts[1].encode() if len(parts) == 3 else None, "the card")
    names = []
    for config in bundle.rows(found, "configs"):
        names.append(config.get("config_name"))
        for part in bundle.rows(config, "data_files", "a config"):
            bundle.text(part, "data files", "split")
            for path in bundle.rows(part, "path", "data files"):
                bundle.need(path in files, f"{quote(path)} is a file of the folder")
    bundle.need({"inputs", "truths"} <= set(names), "configs are inputs and truths")
    settings = found.get("tira_configs")
    bundle.text(settings, "tira_configs", "resolve_inputs_to", "resolve_truths_to", "default_upload_name")
    for table, keys in (
        ("input_format", ["name"]),
        ("truth_format", ["name"]),
        ("evaluator", ["image", "command"]),
        ("baseline", ["link", "command"]),
    ):
        bundle.text(value_of(settings, table), table, *keys)
    bundle.need(
        value_of(value_of(settings, "truth_format"), "name") != "qrels.txt",
        "truth_format is arbitrary: qrels.txt refuses a document judged for two aspects",
    )
    for line in files.get("system-inputs/queries.jsonl", b"").decode("utf-8").splitlines():
        row = json.loads(line)
        bundle.need(row.get("qid") and row.get("query"), "a query has qid and query")
    bundle.finish()
