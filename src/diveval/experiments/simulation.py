"""A randomly perturbed collection, written in TREC formats, so that any tool can score the paper's scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from diveval.collection.judgments import Judgments
from diveval.collection.runs import Run
from diveval.collection.scenarios import regrade, reweight, truncate
from diveval.errors import UsageError, quote, warn
from diveval.settings import Options, OrderRule
from diveval.system.files import write_atomically
from diveval.writing import file_names, judgments_content, runs_content, weights_text

IDENTITY = "qrels.txt contains relevance between 0 and 1, not grades: read it with --gain identity"


@dataclass(frozen=True)
class Scenario:
    """What is drawn at random: relevance, aspect weights, lengths of rankings (`longest` None: up to the own length)."""

    seed: int
    grades: bool = False
    weights: bool = False
    lengths: bool = False
    longest: int | None = None

    def __post_init__(self) -> None:
        if not (self.grades or self.weights or self.lengths):
            raise UsageError("missing-argument", "nothing to simulate: ask for --grades, --weights or --truncate")

    @property
    def steps(self) -> list[str]:
        """In words, one text for each thing that is drawn."""
        longest = "n" if self.longest is None else str(self.longest)
        return [
            *(["relevance r' = rand(0..r) for every judgment"] if self.grades else []),
            *(["random aspect weights that sum to 1 for every topic"] if self.weights else []),
            *([f"each ranking cut at rand(0..{longest})"] if self.lengths else []),
        ]


def simulate(
    judgments: Judgments, runs: Sequence[Run], scenario: Scenario, folder: str | Path, *, options: Options | None = None
) -> tuple[list[Path], str]:
    """Write qrels.txt, weights.txt (where there are weights), runs/*.run and README.txt; the options that read them.

    Numbers are full doubles: scores computed from the files are those of the scenario to the last bit. Regraded
    judgments contain relevance and are read with `--gain identity`. A list cut to length 0 is an answer, but a run file
    cannot express that: it is read with `--missing-topics zero`.
    """
    chosen = options or Options()
    order = chosen.order_for()
    names = file_names(runs)
    if scenario.grades:
        judgments = regrade(judgments, scenario.seed, rule=chosen.relevance)
    if scenario.weights:
        judgments = reweight(judgments, scenario.seed)
    contents = {"qrels.txt": judgments_content(judgments, "trec").content}
    weighted = bool(judgments.aspect_weights())
    if weighted:
        contents["weights.txt"] = weights_text(judgments)
    for name, run in zip(names, runs, strict=True):
        cut = truncate(run, scenario.seed, longest=scenario.longest, order=order) if scenario.lengths else run
        if not any(listed.documents for listed in cut.topics.values()):
            warn("empty-run", f"{name}: no document is left, so no file is written for it")
            continue
        made = runs_content([cut], "trec", order=order)
        for loss in made.losses:
            warn("information-lost", f"{name}: lost: {loss}")
        contents[f"runs/{name}.run"] = made.content
    reading = _reading(scenario, chosen.order, weighted=weighted)
    contents["README.txt"] = _readme(scenario, reading)
    base = _make_folder(folder)
    return [write_atomically(base / name, content) for name, content in contents.items()], reading


def _make_folder(folder: str | Path) -> Path:
    base = Path(folder)
    try:
        (base / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError("cannot-write", f"{base}: cannot be created: {error.strerror or error}") from error
    if others := sorted(path.name for path in (base / "runs").iterdir()):
        raise UsageError(
            "folder-not-empty", f"{base / 'runs'} contains {quote(others[0])} already", hint="give another folder"
        )
    return base


def _reading(scenario: Scenario, order: OrderRule | None, *, weighted: bool) -> str:
    """The options that reading the files needs."""
    return "".join(
        [
            " --weights weights.txt" if weighted else "",
            " --gain identity" if scenario.grades else "",
            " --missing-topics zero" if scenario.lengths else "",
            f" --order {order.by} --ties {order.ties}" if order else "",
        ]
    )


def _readme(scenario: Scenario, reading: str) -> str:
    steps = "".join(f"  {step}\n" for step in scenario.steps)
    grades = f"{IDENTITY}.\n" if scenario.grades else "qrels.txt contains the original grades.\n"
    command = f"diveval evaluate qrels.txt runs/*.run{reading}"
    return f"A simulated collection, seed {scenario.seed}:\n{steps}{grades}Score it, from this folder: {command}\n"
