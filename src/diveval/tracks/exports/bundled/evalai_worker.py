"""A remote worker's answer for one submission: prints the fields of EvalAI's update_submission call as JSON.

python worker.py ANNOTATIONS.zip RUN PHASE-ID SUBMISSION-ID   (annotations/test.zip is in evalai.zip)
"""

from __future__ import annotations

import json
import sys
from typing import Any

from evaluate import evaluate  # type: ignore[import-not-found]

VISIBLE = ("open",)  # splits whose numbers participants see


def finish(output: dict[str, Any], phase: str, submission: str) -> dict[str, Any]:
    """`result` is a JSON text: one entry per split, its numbers under `accuracies`."""
    entries = [
        {"split": split, "show_to_participant": split in VISIBLE, "accuracies": values}
        for part in output["result"]
        for split, values in part.items()
    ]
    return {
        "challenge_phase": phase,
        "submission": submission,
        "submission_status": "FINISHED",
        "stdout": "",
        "stderr": "",
        "result": json.dumps(entries, allow_nan=False),
        "metadata": json.dumps(output["submission_metadata"]),
    }


def fail(message: str, phase: str, submission: str) -> dict[str, Any]:
    return {
        "challenge_phase": phase,
        "submission": submission,
        "submission_status": "FAILED",
        "stdout": "",
        "stderr": message,
        "metadata": "",
    }


def main(annotations: str, run: str, phase: str, submission: str) -> int:
    try:
        answer = finish(evaluate(annotations, run, "main"), phase, submission)
    except RuntimeError as error:
        answer = fail(str(error), phase, submission)
    print(json.dumps(answer))
    return int(answer["submission_status"] == "FAILED")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
