"""Write docs/reference/errors.md from the codes in `diveval.error_codes`: `python docs/generate_errors.py`.

The page is kept in the repository, where people look a code up; a test compares the two.
"""

from __future__ import annotations

from pathlib import Path

from diveval.error_codes import AREAS

PAGE = Path(__file__).resolve().parent / "reference" / "errors.md"
HEAD = """# Errors and warnings

Every error and warning has a code, which names the fault and stays the same from version to version; the words of a
message may change. The command line prints it in brackets and exits with code 2:

```console
$ printf '1 0 d1 1\\n' > qrels.txt; printf '1 Q0 d1 1 2.0 x\\n' > x.run
$ diveval evaluate qrels.txt x.run -m nDGC@10
diveval: error[unknown-metric]: no metric is called 'nDGC'; did you mean nDCG, D_nDCG or DCG? `diveval metrics` lists all
```

In Python, every error is a `DivevalError` with `code`, `message`, `hint` (what to do), `source` (the file) and `line`, and
every warning a `DivevalWarning` with `code` and `message`. JSON answers of the studio and of `diveval track --json` have the
same fields.

```python
try:
    scores = diveval.evaluate("qrels.txt", runs)
except diveval.DivevalError as error:
    if error.code == "no-shared-topic":
        ...
```
"""


def page() -> str:
    """The text of the page: a table per area."""
    parts = [HEAD]
    for area, codes in AREAS.items():
        rows = [f"| `{code}` | {meaning} |" for code, meaning in codes.items()]
        parts.append("\n".join([f"## {area}", "", "| code | meaning |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
