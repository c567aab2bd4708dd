"""`diveval plot` and `diveval report` on the command line: complete files, and one-line errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diveval.cli import main
from diveval.datasets import make_collection
from diveval.results import pictures
from support.refusals import is_refusal

KINDS = ["leaderboard", "topics", "inspector", "agreement", "unanimity", "discriminative", "parameters", "axioms"]
pytestmark = pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """QRELS RUN … of a small synthetic collection."""
    pytest.importorskip("vl_convert", reason="pictures are written by vl-convert")
    folder = make_collection(tmp_path_factory.mktemp("folder"), topics=5, systems=5, depth=40, seed=2)
    return [str(folder / "qrels.txt"), *sorted(str(path) for path in (folder / "runs").glob("*.run"))]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_chart_is_drawn(
    kind: str, collection: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind follows Vega-Lite's schema and becomes an SVG with content."""
    specifications = []

    def rendered(chart: Any, form: str) -> str | bytes:
        specifications.append(chart.to_dict(validate=True))
        return original(chart, form)

    original = pictures.render
    monkeypatch.setattr(pictures, "render", rendered)
    target = tmp_path / f"{kind}.svg"
    names = ["P@20"] if kind == "axioms" else ["ERR_IA@20", "StRecall@20", "P@20"]
    metrics = [word for name in names for word in ("-m", name)]
    assert main(["plot", kind, *collection, *metrics, "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<svg") and text.count("<path") + text.count("<text") > 10
    assert "NaN" not in text
    assert len(specifications) == 1


@pytest.mark.parametrize(("extension", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_the_extension_decides_the_format(extension: str, start: bytes, collection: list[str], tmp_path: Path) -> None:
    """PNG and PDF files have the format of their names."""
    target = tmp_path / f"x.{extension}"
    assert main(["plot", "inspector", *collection, "--run", "perfect", "--ranks", "5", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["-o", "x.gif"], ("unknown-format",)),
        (["-o", "x.svg", "--run", "perfet"], ("unknown-run",)),
        (["-o", "x.svg", "--topic", "nothing"], ("unknown-topic",)),
        (["-o", "x.svg", "--ranks", "0"], ("out-of-range", "--ranks")),
    ],
)
def test_an_invalid_request_is_an_error(
    arguments: list[str],
    refusal: tuple[str, ...],
    collection: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, a message, and no file."""
    monkeypatch.chdir(tmp_path)
    assert main(["plot", "inspector", *collection, *arguments]) == 2
    assert is_refusal(capsys.readouterr().err.splitlines()[-1], *refusal)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_report_is_one_file(collection: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The HTML file contains its command; a missing folder is an error before any work."""
    target = tmp_path / "report.html"
    assert main(["report", *collection, "--axiom-seconds", "0", "-o", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "Content-Security-Policy" in text
    assert f"-o {target}" in text
    assert len(text.encode()) < 2_000_000
    assert main(["report", *collection, "-o", str(tmp_path / "no" / "report.html")]) == 2
    assert is_refusal(capsys.readouterr().err, "cannot-write")
