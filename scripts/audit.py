"""`make audit`: pip-audit over every locked dependency.

pip-audit succeeds even if its vulnerability service has no data on a package, or cannot be reached at all. Here such
packages are listed and the audit fails, because nothing is known about them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def pip_audit() -> bool:
    """Check the locks for known vulnerabilities, print the result and return whether all is well."""
    locks = [word for lock in sorted((ROOT / "locks").glob("*.txt")) for word in ("--requirement", str(lock))]
    words = ["pip_audit", "--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off", *locks]
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        print(f"pip-audit: NOT SHOWN, the vulnerability service did not answer: {last}")
        return False
    good, line = verdict(packages)
    print(line)
    return good


def verdict(packages: list[dict[str, Any]]) -> tuple[bool, str]:
    """Whether every package was looked up and none is known to be vulnerable, and the lines to print."""
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    vulnerable = [package for package in packages if package.get("vulns")]
    lines = [
        f"pip-audit: {package['name']} {package['version']}: {', '.join(known['id'] for known in package['vulns'])}"
        for package in vulnerable
    ]
    if skipped:
        few = ", ".join(skipped[:3]) + (", …" if len(skipped) > 3 else "")
        lines.append(
            f"pip-audit: NOT SHOWN for {len(skipped)} of {len(packages)} packages ({few}):"
            " the vulnerability service has no data on them or cannot be reached"
        )
    if not lines:
        lines = [f"pip-audit: no known vulnerability in {len(packages)} packages"]
    return bool(packages) and not vulnerable and not skipped, "\n".join(lines)


if __name__ == "__main__":
    sys.exit(0 if pip_audit() else 1)
