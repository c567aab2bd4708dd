"""The results section of a paper: a table with significance, figures, methods, references."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import warnings
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from diveval.cli import main
from diveval.errors import DivevalWarning
from diveval.metrics.names import labels
from diveval.publishing import results_table
from diveval.publishing.methods import bibliography, entries
from diveval.results.scores import Scores
from diveval.stats import compare
from support.present import present

pytestmark = pytest.mark.slow(seconds=0.4)  # together: `make check` leaves the file out


def run_cli(*words: str) -> int:
    """The exit code of a command in this process."""
    return main(list(words))


RNG = np.random.default_rng(4)
TOPICS = [str(t) for t in range(20)]


def table_of_scores() -> Scores:
    base = RNG.uniform(0, 0.4, size=(1, 1, 20))
    lift = np.array([0.0, 0.01, 0.5]).reshape(3, 1, 1)
    values = base + lift + RNG.uniform(0, 0.05, size=(3, 2, 20))
    return Scores.of(
        values,
        runs=["base", "near", "far_ahead"],
        metrics=["alpha_nDCG(alpha=0.5)@20", "RBU(p=0.9,e=0.02)"],
        topics=TOPICS,
    )


def test_marks_agree_with_compare() -> None:
    """A cell is marked exactly if `compare` finds its run significantly different from the baseline."""
    scores = table_of_scores()
    table = results_table(scores, baseline="base")
    for metric, column in zip(scores.metrics, zip(*table.cells, strict=True), strict=True):
        decided = {row.run: row.significant for row in compare(scores, metric, baseline="base").rows}
        assert {run: bool(cell.mark) for run, cell in zip(table.runs, column, strict=True) if run != "base"} == decided


def test_letters_agree_with_compare() -> None:
    """Without a baseline the marks are the letters of all pairs."""
    scores = table_of_scores()
    table = results_table(scores)
    for metric, column in zip(scores.metrics, zip(*table.cells, strict=True), strict=True):
        letters = {run.run: run.letters for run in compare(scores, metric).runs}
        assert {run: cell.mark for run, cell in zip(table.runs, column, strict=True)} == letters


def test_every_format_shows_the_same_means() -> None:
    """Text, Markdown, LaTeX and CSV show the same means, and mark the best of each column once."""
    scores = table_of_scores()
    table = results_table(scores, baseline="base")
    means = {f"{value:.4f}" for row in scores.means for value in row}
    for text in (table.to_text(), table.to_markdown(), table.to_latex()):
        assert all(mean in text for mean in means)
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert {(row["run"], row["metric"], float(row["mean"])) for row in rows} == {
        (run, metric, float(scores.means[r, m]))
        for r, run in enumerate(scores.runs)
        for m, metric in enumerate(scores.metrics)
    }
    assert sum(row["best"] == "1" for row in rows) == 2
    assert table.to_latex().count(r"\textbf") == 2


def test_labels_are_readable_and_unique() -> None:
    """Labels are spelled as in papers; parameters appear only where two labels would be equal."""
    assert labels(["Dsharp_nDCG(lam=0.5)@20", "StRecall@20"]) == ["D#-nDCG@20", "S-Recall@20"]
    graded, trec = labels(["alpha_nDCG(alpha=0.5)@20", "ndeval.alpha_nDCG@20"])
    assert graded.startswith("α-nDCG@20") and "graded" in graded
    assert trec.startswith("α-nDCG@20") and "TREC" in trec
    one, two = labels(["RBU(p=0.9,e=0.02)@20", "RBU(p=0.99,e=0.02)@20"])
    assert one != two and "0.99" in two
    assert labels(["my_metric", "ndeval.MAP_IA"])[0] == "my_metric"


def test_every_reference_can_be_printed() -> None:
    """Each key has a BibTeX entry, and a bibliography contains an entry once."""
    assert all(text.startswith("@") and text.endswith("}") for text in entries().values())
    assert bibliography(["clarke2008", "clarke2008"]).count("@") == 1


def runs_in(root: Path) -> list[str]:
    """The runs of the collection in a folder."""
    return sorted(str(path) for path in (root / "web" / "runs").glob("*.run"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results section of the synthetic collection."""
    root = tmp_path_factory.mktemp("paper")
    assert run_cli("data", "make", str(root / "web"), "--topics", "8", "--systems", "4", "--depth", "30") == 0
    runs = runs_in(root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        assert run_cli("paper", str(root / "web/qrels.txt"), *runs, "-o", str(root / "section")) == 0
    return root / "section"


def test_the_folder_contains_everything_a_section_needs(folder: Path) -> None:
    """The folder has tables in three formats, figures in two, methods, the cited references and the command."""
    names = {path.name for path in folder.iterdir()}
    assert {
        "table.tex",
        "table.md",
        "table.csv",
        "methods.tex",
        "references.bib",
        "command.txt",
        "means.pdf",
        "means.svg",
    } <= names
    cited = set(",".join(re.findall(r"\\cite\{([^}]+)\}", (folder / "methods.tex").read_text())).split(","))
    assert cited == set(re.findall(r"@\w+\{([^,]+),", (folder / "references.bib").read_text()))
    assert (folder / "means.pdf").read_bytes().startswith(b"%PDF")


def test_the_latex_is_well_formed(folder: Path) -> None:
    """Environments, braces and columns match, and the section compiles where LaTeX is installed."""
    text = (folder / "table.tex").read_text()
    assert text.count("{") == text.count("}") and text.count("$") % 2 == 0
    assert re.findall(r"\\begin\{([\w*]+)\}", text) == re.findall(r"\\end\{([\w*]+)\}", text)[::-1]
    columns = len(present(re.search(r"\\begin\{tabular\}\{(l+)\}", text))[1])
    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0].replace(r"\&", "")
    assert all(line.count("&") == columns - 1 for line in body.splitlines() if line.endswith(r"\\"))
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: the structure was checked, nothing was compiled")
    # Debian's texlive-latex-base comes without booktabs, whose rules are then plain ones.
    rules = (
        r"\IfFileExists{booktabs.sty}{\usepackage{booktabs}}{\let\toprule\hline\let\midrule\hline\let\bottomrule\hline}"
    )
    document = rf"\documentclass{{article}}{rules}\begin{{document}}\input{{table}}\input{{methods}}\end{{document}}"
    (folder / "main.tex").write_text(document)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "main.tex"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-1500:]


def test_compare_takes_several_metrics(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`compare` with several metrics prints one table of runs × metrics in every format."""
    qrels, runs = str(folder.parent / "web/qrels.txt"), runs_in(folder.parent)
    for form in ("table", "csv", "json", "latex", "md"):
        code = run_cli("compare", qrels, *runs, "-m", "RBU@20", "-m", "nDCG@10", "-f", form, "--test", "tukey")
        assert code == 0 and "nDCG@10" in capsys.readouterr().out


def test_figures_accept_any_name() -> None:
    """Names with quotes and backslashes, as in escaped control characters, appear in figures with ∖ for a backslash."""
    pytest.importorskip("vl_convert")
    from diveval.publishing.figures import figures
    from diveval.results.pictures import render

    values = np.random.default_rng(1).uniform(size=(3, 2, 20))
    names = ["a\\x1b[2J", "b'\"]", "c\\"]
    scores = Scores.of(values, runs=names, metrics=["P@5", "nDCG@5"], topics=TOPICS)
    drawings = figures(scores, results_table(scores))
    assert render(drawings["means"], "pdf")
    for kind, figure in drawings.items():
        drawing = str(render(figure, "svg"))
        texts = re.findall(r">([^<]*)</text>", drawing)
        assert "\x1b" not in drawing and not any("\\" in text for text in texts)
        assert kind not in ("means", "metrics") or {name.replace("\\", "∖") for name in names} <= set(texts)


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])
def test_figures_accept_the_names_of_javascript(name: str) -> None:
    """A name that every object of JavaScript has is drawn like any other, with all its marks."""
    pytest.importorskip("vl_convert")
    from diveval.publishing.figures import figures
    from diveval.results.pictures import render

    values = np.random.default_rng(1).uniform(size=(3, 2, 20))
    drawn = []
    for named in (name, "an-ordinary-name"):
        scores = Scores.of(values, runs=[named, "b", "c"], metrics=["P@5", "nDCG@5"], topics=[named, *TOPICS[1:]])
        drawings = figures(scores, results_table(scores))
        drawn.append({kind: str(render(figure, "svg")) for kind, figure in drawings.items()})
        assert f">{named}</text>" in drawn[-1]["means"]
    special, plain = drawn
    assert {k: d.count("<path") + d.count("<text") for k, d in special.items()} == {
        k: d.count("<path") + d.count("<text") for k, d in plain.items()
    }


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize(("runs", "metrics"), [(2, 1), (30, 2), (12, 6)])
def test_figures_fit_the_columns_of_a_paper(runs: int, metrics: int) -> None:
    """Figures are one column (240 points) wide, and the one of several metrics two columns (504)."""
    pytest.importorskip("vl_convert")
    from diveval.publishing.figures import figures
    from diveval.results.pictures import render

    values = np.random.default_rng(1).uniform(size=(runs, metrics, 20))
    scores = Scores.of(
        values,
        runs=[f"a-group-and-its-run-number-{i}" for i in range(runs)],
        metrics=[f"RBU(p=0.9,e=0.01)@{k}" for k in range(1, metrics + 1)],
        topics=TOPICS,
    )
    drawings = {name: str(render(figure, "svg")) for name, figure in figures(scores, results_table(scores)).items()}
    assert ("metrics" in drawings) == (metrics > 1)
    for name, svg in drawings.items():
        width = float(present(re.search(r'<svg[^>]* width="([\d.]+)', svg))[1])
        assert 180 <= width <= (510 if name == "metrics" else 245), name


def test_a_wide_table_spans_both_columns() -> None:
    """A table of five metrics spans both columns of a page, a table of one does not."""
    values = np.random.default_rng(1).uniform(size=(3, 5, 20))
    names = ["RBU@20", "alpha_nDCG@20", "ERR_IA@20", "P@5", "nDCG@5"]
    wide = Scores.of(values, runs=["one", "two", "three"], metrics=names, topics=TOPICS)
    narrow = wide.select(metrics=[wide.metrics[0]])
    assert r"\begin{table*}" in results_table(wide).to_latex()
    assert r"\begin{table}" in results_table(narrow).to_latex()


def test_a_plot_of_scores_makes_no_significance_test() -> None:
    """A plot of means issues no warning of a significance test."""
    pytest.importorskip("altair")
    values = np.random.default_rng(1).uniform(size=(3, 2, 20)) ** 9
    scores = Scores.of(values, runs=["a", "b", "c"], metrics=["P@5", "nDCG@5"], topics=TOPICS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DivevalWarning)
        scores.plot()


def test_the_latex_of_a_comparison_is_well_formed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has two tables with a cell for every column, no p of 0.0000, and no hyphen as a minus sign."""
    qrels, runs = str(folder.parent / "web/qrels.txt"), runs_in(folder.parent)
    assert run_cli("compare", qrels, *runs, "-m", "RBU(p=0.9,e=0.05)@20", "-f", "latex") == 0
    text = capsys.readouterr().out
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2
    for part in text.split(r"\begin{tabular}")[1:]:
        body = part.split(r"\toprule")[1].split(r"\bottomrule")[0]
        lines = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert len({line.count("&") for line in lines}) == 1 and len(lines) > 3
        assert not re.search(r"[& \[]-\d", body) and r"0.0000 \\" not in body


def test_the_losses_are_a_table_of_their_own(folder: Path) -> None:
    """`losses.csv` has exactly the topics on which the difference of the figure of gains is below 0, the largest first."""
    root = folder.parent
    runs = runs_in(root)
    command = [str(root / "web/qrels.txt"), *runs, "-o", str(root / "lost"), "--no-figures", "-m", "RBU@20"]
    texts = str(root / "web/topics.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivevalWarning)
        assert run_cli("paper", *command, "--baseline", Path(runs[-1]).stem, "--topics", texts) == 0
    gains = list(csv.DictReader(io.StringIO((root / "lost/topics.csv").read_text())))
    lost = list(csv.DictReader(io.StringIO((root / "lost/losses.csv").read_text())))
    below = {row["topic"]: float(row["difference"]) for row in reversed(gains) if float(row["difference"]) < 0}
    assert {row["topic"]: float(row["difference"]) for row in lost} == pytest.approx(below) and lost
    assert [float(row["difference"]) for row in lost] == sorted(float(row["difference"]) for row in lost)
    assert {row["query"] for row in lost} <= {row["query"] for row in gains} and all(row["query"] for row in lost)
    table = (root / "lost/losses.tex").read_text()
    assert table.count(r" \\") == len(lost) + 1 and all(row["topic"] in table for row in lost)


# The widest letters of DejaVu Sans, which is wider than Helvetica, in em.
WIDE = {"m": 0.974, "W": 0.989, "t": 0.392, "r": 0.411, "8": 0.636, "n": 0.634, "M": 0.863, "-": 0.361, "w": 0.818}


def ends_of_texts(svg: str) -> list[tuple[str, float, float, float]]:
    """Of each text of the letters in `WIDE`: itself, its left and right end in DejaVu Sans, and the width of the picture."""
    root = ElementTree.fromstring(svg)
    whole, found = float(root.attrib["width"]), []

    def visit(node: ElementTree.Element, x: float) -> None:
        moved = re.match(r"translate\(([-\d.]+)", node.get("transform", ""))
        x += float(moved[1]) if moved else 0.0
        for part in [node, *node] if node.tag.endswith("text") else []:
            text = (part.text or "").strip()
            if "rotate" not in node.get("transform", "") and any(text.count(one) >= 10 for one in WIDE):
                long = sum(WIDE.get(one, 0.65) for one in text) * float(node.attrib["font-size"].removesuffix("px"))
                left = x - {"start": 0, "middle": 0.5, "end": 1}[node.get("text-anchor", "start")] * long
                found.append((text, left, left + long, whole))
        for child in node:
            visit(child, x)

    visit(root, 0.0)
    return found


@pytest.mark.filterwarnings("ignore::diveval.errors.DivevalWarning")
@pytest.mark.parametrize("letter", WIDE)
def test_long_names_are_whole_in_any_font(letter: str) -> None:
    """A run's name of 60 characters is printed in full, and within the picture where a wider font replaces Helvetica."""
    pytest.importorskip("vl_convert")
    from diveval.publishing.figures import figures
    from diveval.results.pictures import render

    values = np.random.default_rng(1).uniform(size=(3, 2, 20))
    names = [letter * 59 + str(i) for i in range(3)]
    scores = Scores.of(values, runs=names, metrics=["P@5", "nDCG@5"], topics=TOPICS)
    drawings = figures(scores, results_table(scores))
    for kind in ("means", "metrics", "topics"):
        placed = ends_of_texts(str(render(drawings[kind], "svg")))
        assert placed and all(left >= 0 and right <= whole for _, left, right, whole in placed), (kind, placed)
        printed = "".join(text for text, *_ in placed)
        assert kind == "topics" or all(name in printed for name in names)
    lines = re.findall(r"<t(?:span|ext)[^>]*>([^<]+)</t", str(render(drawings["topics"], "svg")))
    assert "".join(lines).replace(" ", "").count(letter * 59) >= 2
