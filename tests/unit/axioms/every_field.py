"""Changes every field of certificates, one at a time: each change is refused, or the field is one that is printed as not covered.

    python tests/unit/axioms/every_field.py DIR [--cells N]

DIR is a folder of `diveval axioms --certificates`. Those are the lists of `claims.py`.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Place = tuple[Any, ...]


def leaves(data: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value that is not a dictionary or a list, and every list of one item or more as a whole."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from leaves(value, (*place, name))
    elif isinstance(data, list):
        if data:
            yield place, data
        for i, value in enumerate(data):
            yield from leaves(value, (*place, i))
    else:
        yield place, data


def another(value: Any) -> Any:
    """A value of the same kind that says something else."""
    if isinstance(value, bool):
        return not value
    if value is None:
        return "1/3"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[:-1]
    if re.fullmatch(r"-?\d+(/\d+)?", value):
        return "1/7" if value != "1/7" else "1/5"
    if value.startswith("("):
        number = re.search(r"\d+\.\d+|\b\d+\b", value)
        if number:
            return f"{value[: number.start()]}{float(number[0]) + 1}{value[number.end() :]}"
        return value.replace("(<= ", "(>= ", 1) if "(<= " in value else value.replace("(< ", "(> ", 1) + " "
    return f"{value}x" if value else "x"


def put(data: Any, place: Place, value: Any) -> Any:
    """A copy with one field replaced."""
    out = copy.deepcopy(data)
    here = out
    for name in place[:-1]:
        here = here[name]
    here[place[-1]] = value
    return out


def field(place: Place) -> str:
    """The field's name, without the numbers of list items."""
    return ".".join(str(part) for part in place if not isinstance(part, int))


def checker(folder: Path) -> Any:
    """The check.py of a folder of certificates, as a module."""
    for name in ("claims", "definitions", "formulas"):
        sys.modules.pop(name, None)
    sys.path.insert(0, str(folder))
    try:
        spec = importlib.util.spec_from_file_location("certificate_check", folder / "check.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.is_covered = sys.modules["claims"].is_covered  # type: ignore[attr-defined]
        return module
    finally:
        sys.path.remove(str(folder))


def try_every_field(folder: Path, path: Path, most: int = 0) -> Counter[tuple[str, str]]:
    """By field and outcome (`refused`, `accepted`) how many changes; of a list of alike fields the first few only."""
    program, data = checker(folder), json.loads(path.read_text(encoding="utf-8"))
    found, seen = Counter[tuple[str, str]](), Counter[str]()
    with TemporaryDirectory() as place:
        for where, value in leaves(data):
            name = field(where)
            seen[name] += 1
            if most and seen[name] > most:
                continue
            changed = Path(place) / path.name
            changed.write_text(json.dumps(put(data, where, another(value))), encoding="utf-8")
            faults = program.CertificateCheck(changed, folder).run().faults
            found[name, "refused" if faults else "accepted"] += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cells", type=int, default=0, help="only the first N cells")
    parser.add_argument("--most", type=int, default=3, help="changes to the same field of one cell (0: all)")
    arguments = parser.parse_args()
    total = Counter[tuple[str, str]]()
    paths = sorted((arguments.folder / "cells").glob("*.json"))
    for path in paths[: arguments.cells or None]:
        total += try_every_field(arguments.folder, path, arguments.most)
    is_covered, wrong = checker(arguments.folder).is_covered, 0
    for (name, outcome), count in sorted(total.items()):
        if outcome == "accepted":
            named = not is_covered(name)
            wrong += not named
            print(
                f"{name}: {count} accepted, {total[name, 'refused']} refused"
                + (" (printed as not or partly covered)" if named else "")
            )
    refused = sum(count for (_, outcome), count in total.items() if outcome == "refused")
    print(
        f"{sum(total.values())} changes: {refused} refused; {wrong} fields accepted that are not printed as not covered"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
