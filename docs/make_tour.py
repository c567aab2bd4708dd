"""Execute the cells below and write them to docs/tour.ipynb: `python docs/make_tour.py` in the root folder."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

TOUR = Path(__file__).with_name("tour.ipynb")

# A cell that starts with a heading is text, all others are code.
CELLS = [
    """# A tour of diveval
How good is a diversified ranking, and which metric should say so? Ten minutes, no data needed.""",
    "import diveval\n\ndiveval.__version__",
    """# One ranking, by hand
Two aspects of weight ½. The document at rank 1 is relevant to the first by a quarter, the one at rank 3 to both.""",
    """rbu = diveval.parse("RBU(p=0.8,e=0.05)")
rbu([[0.25, 0], [0, 0], [0.5, 0.25], [0, 0], [0, 0]], weights=[0.5, 0.5])""",
    """# A collection
Judgments and runs may be files of any format of the field, dicts, or frames. Here is a synthetic one.""",
    """from pathlib import Path

from diveval.datasets import make_collection

made = make_collection(Path("web"), topics=12, systems=6, depth=50, seed=1)
runs = sorted((made / "runs").glob("*.run"))
metrics = ["RBU(p=0.99,e=0.05)@20", "alpha_nDCG@20", "ERR_IA@20", "Dsharp_nDCG@20", "StRecall@20", "P@20"]
scores = diveval.evaluate(made / "qrels.txt", runs, metrics, weights=made / "weights.txt")
scores""",
    """# Scores go wherever you work
`to_pandas`, `to_polars`, `to_arrow`, `to_duckdb`, `to_dict`, `to_csv`, `to_latex`; frames come in the same way.""",
    """frame = scores.to_pandas()
frame.pivot_table(index="run", columns="metric", values="value").round(3)""",
    """# Which systems really differ?
Paired tests with a correction for the number of comparisons, effect sizes and intervals.""",
    """from diveval.stats import compare

compare(scores, "RBU(p=0.99,e=0.05)@20")""",
    """# Which metric agrees when all others agree?
Metric unanimity: how much more often a metric agrees when all the others do.""",
    """from diveval.meta import unanimity

unanimity(scores)""",
    """# And what does a metric stand for?
Constraints of the RBU paper, decided with evidence anyone can check again.""",
    """from diveval.axioms import check

check(diveval.parse("P_IA@5"), "Red", reading="charitable")""",
    'check(diveval.parse("RBU(p=0.99,e=0.05)"), "Red", reading="charitable")',
]


def notebook() -> Any:
    """The cells, not executed."""
    made = [
        nbformat.v4.new_markdown_cell(cell) if cell.startswith("# ") else nbformat.v4.new_code_cell(cell)
        for cell in CELLS
    ]
    for number, cell in enumerate(made):
        cell["id"] = f"cell-{number}"  # random ids would change the file at every build
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=made, metadata=metadata)


def executed() -> Any:
    """The cells with their outputs, run in an empty folder."""
    tour = notebook()
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(tour, timeout=120, record_timing=False, resources={"metadata": {"path": folder}}).execute()
    tour["metadata"] = notebook()["metadata"]
    return tour


if __name__ == "__main__":
    TOUR.write_text(nbformat.writes(executed()) + "\n", encoding="utf-8")
