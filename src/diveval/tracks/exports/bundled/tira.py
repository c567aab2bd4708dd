"""TIRA evaluator: reads a run and the truths, writes evaluation.prototext, or prints in one line why not."""

import argparse
import json
import sys
from pathlib import Path

from diveval.errors import DivevalError
from diveval.tracks.grading import grade, one_line


def prototext(means: dict[str, dict[str, float]]) -> str:
    """One block per measure; key and value are both strings in TIRA's schema."""
    blocks = []
    for split, values in means.items():
        for label, value in values.items():
            key = label if split == "open" else f"{label} ({split})"
            blocks.append(f"measure {{\n  key: {json.dumps(key)}\n  value: {json.dumps(repr(value))}\n}}\n")
    return "".join(blocks)


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("--run", "--truths", "--output"):
        parser.add_argument(name, type=Path, required=True)
    folders = parser.parse_args()
    runs = [folders.run / name for name in ("run.txt", "run.txt.gz") if (folders.run / name).is_file()]
    try:
        if len(runs) != 1:
            raise DivevalError("wrong-number-of-runs", f"expected run.txt or run.txt.gz, got {len(runs)} of them")
        means = grade(folders.truths, runs[0])
    except DivevalError as error:
        print(f"not evaluated: {one_line(error)}")  # TIRA shows participants what goes to standard output
        return 1
    folders.output.mkdir(parents=True, exist_ok=True)
    (folders.output / "evaluation.prototext").write_text(prototext(means), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
