"""Validate and score one run against the reference folder of an exported bundle, as the organisers' commands do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from diveval import __version__
from diveval.errors import DivevalError, InputError, gathered, printable
from diveval.evaluation import load_judgments, score_runs
from diveval.metrics.names import as_metrics
from diveval.options import Options
from diveval.reading import read_efforts, run_name
from diveval.tracks.kit import open_rules
from diveval.tracks.scorings import run_of
from diveval.tracks.submissions import read_bytes
from diveval.validation.rules import Statement

RULES = "rules.json"
Means = dict[str, dict[str, float]]  # split → label → mean


def grade(reference: Path, run: Path, *, file: str | None = None) -> Means:
    """The mean of every label on every split of the topics; the error for a rejected run lists all its faults.

    `file` is the name the run was sent under; None where the platform renames files, so that names are not checked.
    """
    rules = json.loads((reference / RULES).read_bytes())
    if rules["diveval"] != __version__:
        raise DivevalError(f"this bundle needs diveval=={rules['diveval']}, and {__version__} is installed")
    data = read_bytes(run)
    with open_rules(reference / "kit.zip") as (kit, _):
        name = file or run.name
        verdict = replace(kit, named=file is not None).validate(data, name, Statement(run_name(name)))
        if verdict.verdict == "rejected":
            faults = [finding.text(name) for finding in verdict.findings if finding.severity == "error"]
            raise InputError("\n".join([f"rejected, {len(faults)} faults", *faults]), source=name)
        config = kit.config
    return _scored(reference, rules, run_of(data, config, name), config)


def _scored(reference: Path, rules: dict[str, Any], run: Any, config: Any) -> Means:
    weights, efforts = reference / "weights.txt", reference / "efforts.txt"
    costs = read_efforts(efforts) if efforts.exists() else None
    options = Options.of(**rules["options"], run_format=config["submission.format"], efforts=costs)
    with gathered():  # warnings about the run are findings of its verdict already
        judgments = load_judgments(reference / rules["qrels"], options, weights if weights.exists() else None)
        scores = score_runs(judgments, {"run": run}, as_metrics(rules["metrics"]), options)
    means = {}
    for split, topics in rules["splits"].items():
        row = scores.select(topics=topics).means[0]
        means[split] = {label: float(mean) for label, mean in zip(rules["labels"], row, strict=True)}
        if not np.isfinite(row).all():
            raise DivevalError(f"a mean of {split} is not a finite number")
    return means


def one_line(error: DivevalError) -> str:
    """An error on one line, since platforms show only one."""
    return "; ".join(printable(line) for line in str(error).splitlines())
