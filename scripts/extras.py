"""Install each extra alone, at its lowest and at its newest versions, and run its example.

    python scripts/extras.py [--uv uv] [--python 3.11] [EXTRA …]

Each combination gets an environment with only the package and the extra. The example of an extra is
tests/extras/EXTRA.py. The exit code is 1 if one fails; the table shows which.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "tests" / "extras"
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("extras", nargs="*", metavar="EXTRA")
    parser.add_argument("--uv", default=shutil.which("uv") or str(Path(sys.executable).parent / "uv"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", choices=list(RESOLUTIONS), help="only the lowest or only the newest versions")
    options = parser.parse_args()
    extras = list(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    unknown = set(options.extras) - set(extras)
    if unknown:
        parser.error(f"no such extra: {', '.join(sorted(unknown))}; choose from {', '.join(extras)}")
    uv = str(Path(options.uv).resolve()) if Path(options.uv).exists() else options.uv  # commands run in another folder
    failed = 0
    for extra in options.extras or extras:
        for end in [options.only] if options.only else RESOLUTIONS:
            start = time.monotonic()
            fault = attempt(uv, options.python, extra, RESOLUTIONS[end])
            failed += fault is not None
            outcome = "works" if fault is None else f"FAILS: {fault}"
            print(f"{extra:14} {end:7} {time.monotonic() - start:6.1f} s  {outcome}", flush=True)
    return 1 if failed else 0


def attempt(uv: str, python: str, extra: str, resolution: str) -> str | None:
    """Install and run one combination; return the last line of the error, or None."""
    with tempfile.TemporaryDirectory() as folder:
        env = Path(folder) / "env"
        steps: list[list[str]] = [
            [uv, "venv", "--quiet", "--python", python, str(env)],
            [uv, "pip", "install", "--quiet", "--python", str(env), "--resolution", resolution, f"{ROOT}[{extra}]"],
            # -I keeps the examples' folder off sys.path: its duckdb.py would hide the library.
            [
                str(env / "bin" / "python"),
                "-I",
                "-W",
                "error::DeprecationWarning:diveval",
                str(EXAMPLES / f"{extra}.py"),
            ],
        ]
        # PATH as in an activated environment, because Spark starts its workers as `python3`.
        active = {**os.environ, "PATH": f"{env / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        for step in steps:
            done = subprocess.run(step, cwd=folder, env=active, capture_output=True, text=True, check=False)
            if done.returncode:
                lines = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
                return lines[-1]
    return None


if __name__ == "__main__":
    sys.exit(main())
