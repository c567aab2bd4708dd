"""`diveval plot` and `diveval report` on the command line: files written whole, and clear lines where they cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval import pictures
from diveval.cli import main
from diveval.datasets import make_collection
from support.wording import says

KINDS = ["leaderboard", "topics", "inspector", "agreement", "unanimity", "discriminative", "parameters", "axioms"]
pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """QRELS RUN … of a small synthetic collection."""
    pytest.importorskip("vl_convert", reason="pictures are written by vl-convert")
    made = make_collection(tmp_path_factory.mktemp("made"), topics=5, systems=5, depth=40, seed=2)
    return [str(made / "qrels.txt"), *sorted(str(path) for path in (made / "runs").glob("*.run"))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_picture_is_drawn(
    kind: str, collection: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind follows Vega-Lite's schema, and becomes an SVG that contains something drawn."""
    drawn = []

    def rendered(chart: Any, form: str) -> str | bytes:
        drawn.append(chart.to_dict(validate=True))
        return original(chart, form)

    original = pictures.rendered
    monkeypatch.setattr(pictures, "rendered", rendered)
    target = tmp_path / f"{kind}.svg"
    names = ["P@20"] if kind == "axioms" else ["ERR_IA@20", "StRecall@20", "P@20"]
    metrics = [word for name in names for word in ("-m", name)]
    assert main(["plot", kind, *collection, *metrics, "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<svg") and text.count("<path") + text.count("<text") > 10
    assert "NaN" not in text
    assert len(drawn) == 1


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_ending_decides_the_format(ending: str, start: bytes, collection: list[str], tmp_path: Path) -> None:
    """PNG and PDF come out as what their names say."""
    target = tmp_path / f"x.{ending}"
    assert main(["plot", "inspector", *collection, "--run", "perfect", "--ranks", "5", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-o", "x.gif"], "a picture ends in"),
        (["-o", "x.svg", "--run", "perfet"], "mean perfect"),
        (["-o", "x.svg", "--topic", "nothing"], "no judgments for topic"),
        (["-o", "x.svg", "--ranks", "0"], "--ranks is between"),
    ],
)
def test_what_cannot_be_drawn_is_one_clear_line(
    words: list[str],
    line: str,
    collection: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, one line, no file."""
    monkeypatch.chdir(tmp_path)
    assert main(["plot", "inspector", *collection, *words]) == 2
    assert says(line, capsys.readouterr().err.splitlines()[-1])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_report_is_written_whole(collection: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One HTML file that names its command; a folder that does not exist is told before any work."""
    target = tmp_path / "report.html"
    assert main(["report", *collection, "--axiom-seconds", "0", "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "Content-Security-Policy" in text
    assert f"-o {target}" in text
    assert len(text.encode()) < 2_000_000
    assert main(["report", *collection, "-o", str(tmp_path / "no" / "report.html")]) == 2
    assert "its folder does not exist" in capsys.readouterr().err
