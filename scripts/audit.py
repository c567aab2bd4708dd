"""`make audit`: pip-audit over every locked dependency.

pip-audit ends well when its service knows nothing of a package, even when it knows nothing of any. Here that is told,
and it is a failure: what was not looked up was not found free of known vulnerabilities.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def pip_audit() -> bool:
    """The locks against the known vulnerabilities."""
    locks = [word for lock in sorted((ROOT / "locks").glob("*.txt")) for word in ("--requirement", str(lock))]
    words = ["pip_audit", "--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off", *locks]
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        print(f"pip-audit: NOT SHOWN, the service of known vulnerabilities did not answer: {last}")
        return False
    good, line = verdict(found)
    print(line)
    return good


def verdict(found: list[dict[str, Any]]) -> tuple[bool, str]:
    """Whether every package was looked up and none is known to be vulnerable, and the lines that say so."""
    skipped = [package["name"] for package in found if "skip_reason" in package]
    weak = [package for package in found if package.get("vulns")]
    lines = [
        f"pip-audit: {package['name']} {package['version']}: {', '.join(known['id'] for known in package['vulns'])}"
        for package in weak
    ]
    if skipped:
        few = ", ".join(skipped[:3]) + (", …" if len(skipped) > 3 else "")
        lines.append(
            f"pip-audit: NOT SHOWN for {len(skipped)} of {len(found)} packages ({few}):"
            " the service of known vulnerabilities does not know them, or cannot be reached from here"
        )
    if not lines:
        lines = [f"pip-audit: no known vulnerability in {len(found)} packages"]
    return bool(found) and not weak and not skipped, "\n".join(lines)


if __name__ == "__main__":
    sys.exit(0 if pip_audit() else 1)
