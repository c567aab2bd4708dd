"""Groups of documents: every shape gives the same groups, faults are refused, and crossing multiplies shares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import diveval
from support.refusals import refuses, warns

ROWS = [
    ("1", "d1", "region", "north", 1.0),
    ("1", "d2", "region", "north", 0.25),
    ("1", "d2", "region", "south", 0.75),
    ("1", "d1", "size", "small", 1.0),
    ("1", "d2", "size", "large", 1.0),
    ("", "*", "region", "north", 0.5),
    ("", "*", "region", "south", 0.5),
]
NAMES = ("topic", "document", "attribute", "group", "share")
JUDGMENTS, RUN = {"1": {"d1": 1, "d2": 2}}, {"run": {"1": ["d2", "x", "d1"]}}
GFR = "ntcireval.GFR@3"


def _csv(rows: list[Any], mark: str) -> str:
    return "\n".join(mark.join(map(str, row)) for row in [NAMES, *rows]) + "\n"


def _value(groups: Any, metric: str = GFR, **options: Any) -> float:
    return diveval.evaluate(JUDGMENTS, RUN, metric, document_groups=groups, **options).per_topic("run")["1"]


@pytest.mark.parametrize("shape", ["csv", "tsv", "jsonl", "parquet", "rows", "records", "pandas", "polars"])
def test_every_shape_gives_the_same_number(tmp_path: Path, shape: str) -> None:
    """A file in each format, frames and rows are the same groups."""
    records = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    path: Any = tmp_path / f"groups.{shape}"
    if shape in ("csv", "tsv"):
        path.write_text(_csv(ROWS, "," if shape == "csv" else "\t"))
    elif shape == "jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    elif shape == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(
            pytest.importorskip("pyarrow").Table.from_pylist(records), path
        )
    elif shape in ("pandas", "polars"):
        path = pytest.importorskip(shape).DataFrame(records)
    elif shape == "records":
        path = records
    given = ROWS if shape == "rows" else path
    assert _value(given) == _value(ROWS) > 0
    assert diveval.read_groups(given).of_topic("1") == diveval.read_groups(ROWS).of_topic("1")


def test_gfr_fails_priority_and_confidence() -> None:
    """A list with its better document moved up, and one with an irrelevant document at the end, are no better and no worse."""
    groups = [("1", d, "region", g, 1.0) for d, g in (("good", "south"), ("fair", "north"), ("none", "north"))]
    groups += [("1", "*", "region", "north", 0.9), ("1", "*", "region", "south", 0.1)]

    def value(*listed: str) -> float:
        judgments, run = {"1": {"good": 2, "fair": 1, "none": 0}}, {"run": {"1": list(listed)}}
        return diveval.evaluate(judgments, run, GFR, document_groups=groups).per_topic("run")["1"]

    assert value("good", "fair") < value("fair", "good")
    assert value("good", "none") < value("none", "good")
    assert value("good") == value("good", "none")


def test_gfr_by_hand() -> None:
    """One attribute without order, one relevant document first: stop(1) = 3/4, the similarity of (1/4, 3/4) to (1/2, 1/2)."""
    region = [row for row in ROWS if row[2] == "region"]
    run = {"run": {"1": ["d2"]}}
    one = diveval.evaluate(JUDGMENTS, run, "ntcireval.GF(divergence=NMD)@1", document_groups=region).per_topic("run")[
        "1"
    ]
    assert one == pytest.approx(3 / 4 * (1 - 1 / 4))
    ordered = diveval.evaluate(JUDGMENTS, run, GFR, document_groups=region, ordinal_groups="region").per_topic("run")[
        "1"
    ]
    assert ordered == pytest.approx(round((3 / 4 + 0.5625) / 2, 5), abs=1e-4)


def test_crossed_attributes_are_products() -> None:
    """The shares of combinations are products, and add up to 1 like the target."""
    region, size = diveval.read_groups(ROWS).of_topic("1")
    crossed = region.cross(size)
    assert dict(zip(crossed.groups, crossed.of("d2"), strict=True))["south×large"] == 0.75
    assert sum(crossed.of("d2")) == sum(crossed.of("unknown")) == sum(crossed.target) == 1
    assert _value(ROWS, "ntcireval.GFR(intersect=yes)@3") != _value(ROWS)


def test_faults_are_refused(tmp_path: Path) -> None:
    """A missing column, shares that do not add up to 1, two shares, no groups, unknown attributes and topics."""
    path = tmp_path / "groups.csv"
    path.write_text("topic,document,group,share\n1,d1,a,1\n")
    with refuses("missing-column", "attribute"):
        _value(path)
    with refuses("out-of-range", "d1", "0.5"):
        _value([("1", "d1", "region", "north", 0.5)])
    with refuses("out-of-range", "1.5"):
        _value([("1", "d1", "region", "north", 1.5)])
    with refuses("conflicting-groups", "d1", "north"):
        _value([("1", "d1", "region", "north", 0.5), ("1", "d1", "region", "north", 1.0)])
    with refuses("unknown-attribute", "colour"):
        _value(ROWS, ordinal_groups=["colour"])
    with refuses("no-groups"):
        _value(None)
    with refuses("no-groups", "1"):
        _value([("2", *row[1:]) for row in ROWS if row[0]])
    with refuses("missing-argument", "ordinal_groups"):
        _value(None, ordinal_groups="region")


def test_a_run_without_any_known_document_is_warned_about() -> None:
    """Ids of another collection are noticed."""
    with warns("no-document-with-group", "run"):
        diveval.evaluate(JUDGMENTS, {"run": {"1": ["x"]}}, GFR, document_groups=ROWS)


def test_the_command_line_takes_groups(tmp_path: Path, capsys: Any) -> None:
    """`--document-groups` and `--ordinal-groups` give the number of Python."""
    from diveval.cli import main

    (tmp_path / "q").write_text("1 0 d1 1\n1 0 d2 2\n")
    (tmp_path / "r").write_text("1 Q0 d2 1 3 r\n1 Q0 x 2 2 r\n1 Q0 d1 3 1 r\n")
    (tmp_path / "g.csv").write_text(_csv(ROWS, ","))
    paths = [str(tmp_path / name) for name in ("q", "r")]
    more = ["--document-groups", str(tmp_path / "g.csv"), "--ordinal-groups", "size,region"]
    assert main(["evaluate", *paths, *more, "-m", GFR, "-f", "csv"]) == 0
    printed = float(capsys.readouterr().out.splitlines()[1].rsplit(",", 1)[1])
    assert printed == pytest.approx(_value(ROWS, ordinal_groups="size,region"), abs=1e-6)
