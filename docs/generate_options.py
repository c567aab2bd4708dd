"""Write docs/reference/options.md from the table of settings: `python docs/generate_options.py`.

The page is kept in the repository, where people look an option up; a test compares the two.
"""

from __future__ import annotations

from pathlib import Path

from diveval.reading.formats import JUDGMENT_FORMATS, RUN_FORMATS
from diveval.setting_table import SETTINGS, Setting

PAGE = Path(__file__).resolve().parent / "reference" / "options.md"
HEAD = """# Options

How judgments and runs become scores. Every command and every function that takes judgments and runs has all of them, under
the same name, with the same values, default and errors: `--missing-topics zero` at the command line is
`missing_topics="zero"` in `diveval.evaluate`, `why`, `choose`, `conclude`, `paper`, …, in Spark's `evaluate` and in
`diveval.Options.of(…)`. Tracks have those marked `T` as keys of `[scoring]`, the studio those marked `S` in its form and
API. None stands for the default.

| Python | command line | values | default | meaning | |
|---|---|---|---|---|---|
"""
FORMATS = {"judgment_format": JUDGMENT_FORMATS, "run_format": RUN_FORMATS}


def page() -> str:
    """The text of the page: a row for each option."""
    return HEAD + "".join(f"| {' | '.join(_row(setting))} |\n" for setting in SETTINGS)


def _row(setting: Setting) -> list[str]:
    words = ", ".join(f"`{word}`" for word in FORMATS.get(setting.name, setting.words))
    other = "" if setting.kind == "format" else setting.values
    places = " ".join(filter(None, ["T" if setting.tracks else "", "S" if setting.label else ""]))
    return [
        f"`{setting.name}`",
        f"`{setting.flag}`" if setting.flag else "",
        " or ".join(filter(None, [words, other])),
        setting.usual or f"`{setting.default}`",
        setting.help[0].upper() + setting.help[1:],
        places,
    ]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
