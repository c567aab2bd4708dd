"""Codabench scoring program: reads the reference in INPUT/ref and the submission in INPUT/res, writes OUTPUT/scores.json.

Either every column of the leaderboard is written, each a finite number, or nothing is and the exit code is 1.
"""

import json
import sys
from pathlib import Path

from diveval.errors import DivevalError
from diveval.tracks.grading import grade, one_line


def run_file(folder: Path) -> Path:
    """The one run. The worker itself adds a file `metadata`; archives made on macOS add __MACOSX and dot files."""
    files = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path != folder / "metadata"
        and not any(part.startswith(".") or part == "__MACOSX" for part in path.relative_to(folder).parts)
    ]
    if len(files) != 1:
        names = ", ".join(path.relative_to(folder).as_posix() for path in files[:3]) or "none"
        raise DivevalError("wrong-number-of-runs", f"expected one run file in the archive, got {len(files)} ({names})")
    return files[0]


def main(source: Path, target: Path) -> int:
    try:
        run = run_file(source / "res")
        means = grade(source / "ref", run, file=run.name)["open"]
    except DivevalError as error:
        print(f"not scored: {one_line(error)}", file=sys.stderr)
        return 1
    keys = json.loads((source / "ref" / "columns.json").read_text(encoding="utf-8"))
    out = dict(zip(keys, means.values(), strict=True))
    target.mkdir(parents=True, exist_ok=True)
    partial = target / ".scores.json.part"
    partial.write_text(json.dumps(out, allow_nan=False), encoding="utf-8")
    partial.replace(target / "scores.json")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
