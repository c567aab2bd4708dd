"""The methods paragraph: metrics with their parameters, topics, and the significance test; and its references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from diveval import __version__
from diveval.errors import count_of
from diveval.metrics.metric import Metric
from diveval.metrics.names import label
from diveval.publishing.results_table import ResultsTable
from diveval.results.table_text import latex_escape
from diveval.settings import Options
from diveval.stats.tests import TESTS, describe_test

_METRICS = {
    "RBU": "amigo2018rbu",
    "nRBU": "amigo2018rbu",
    "iRBU": "sakai2019",
    "alpha_nDCG": "clarke2008",
    "alpha_DCG": "clarke2008",
    "NRBP": "clarke2009",
    "StRecall": "zhai2003",
    "SRR": "zhai2003",
    "D_nDCG": "sakai2011",
    "Dsharp_nDCG": "sakai2011",
    "EU": "yang2009",
    "CT": "luo2013",
    "ACT": "luo2013",
    "RBP": "moffat2008",
    "DCG": "jarvelin2002",
    "nDCG": "jarvelin2002",
    "ERR": "chapelle2009",
}


def citations(metric: Metric) -> list[str]:
    """The keys of the papers that define a metric: an intent-aware one has two. Another tool's form cites the same."""
    name = metric.name if metric.entry is None else metric.entry.name.rpartition(".")[2]
    if name in _METRICS:
        return [_METRICS[name]]
    if not name.endswith("_IA"):
        return []
    inner = _METRICS.get(name.removesuffix("_IA"))
    return ["agrawal2009", inner] if inner else ["agrawal2009"]


@cache
def entries() -> dict[str, str]:
    """The BibTeX entries of references.bib by key."""
    text = files("diveval.publishing").joinpath("references.bib").read_text(encoding="utf-8")
    return {re.match(r"@\w+\{([^,]+),", entry)[1]: entry for entry in text.strip().split("\n\n")}  # type: ignore[index]


def bibliography(keys: Iterable[str]) -> str:
    """The BibTeX entries, each once, in the order of first use."""
    return "\n\n".join(entries()[key] for key in dict.fromkeys(keys)) + "\n"


_GREEK = {"alpha": r"$\alpha$", "beta": r"$\beta$", "lam": r"$\lambda$"}
_GAINS = {
    "exponential": r"relevance is $r = (2^g - 1)/2^{g_{\max}}$ for a grade $g$",
    "linear": r"relevance is $r = g/g_{\max}$ for a grade $g$",
    "binary": "every grade above 0 counts as fully relevant",
    "identity": "the judgments are relevance values in [0, 1]",
}
_MISSING = {
    "worst": "a topic that a run does not answer is scored as a list of non-relevant documents",
    "zero": "a topic that a run does not answer scores 0",
    "skip": "a run's mean is taken over the topics it answers",
}


def methods(table: ResultsTable, metrics: Sequence[Metric], options: Options) -> str:
    """A paragraph in LaTeX that says everything a reader needs to repeat the table."""
    first = table.comparisons[0]
    sentences = [
        f"We evaluate {count_of(len(table.runs), 'run', 'runs')} on {count_of(table.topics, 'topic', 'topics')}"
        f" with diveval~{__version__}.",
        f"We report {list_words([describe_metric(metric) for metric in metrics])}.",
        f"In these metrics, {_GAINS.get(options.relevance.gain, 'grades are used as they are')};"
        f" {_MISSING[options.missing_topics]}.",
    ]
    tested = f"each run with {latex_escape(first.baseline)}" if first.baseline is not None else "all pairs of runs"
    test = TESTS[first.test]
    sentences.append(
        f"We compare {tested} by the {latex_escape(describe_test(first.setup))}~\\cite{{{test.citation}}}."
    )
    if test.resampled:
        sentences.append(f"The test draws {first.resamples:,} resamples (seed {first.seed}).".replace(",", r"\,"))
    return "\n".join(sentences) + "\n"


def references(table: ResultsTable, metrics: Sequence[Metric]) -> str:
    """BibTeX of the metrics in the table and of the test."""
    keys = [key for metric in metrics for key in citations(metric)]
    return bibliography([*keys, TESTS[table.comparisons[0].test].citation])


def describe_metric(metric: Metric) -> str:
    """A metric as a methods section names it: label, citation, parameters."""
    numbers = {name: value for name, value in metric.values.items() if isinstance(value, int | float)}
    settings = ", ".join(f"{_GREEK.get(name, f'${name}$')} = {value:g}" for name, value in numbers.items())
    keys = citations(metric)
    cited = f"~\\cite{{{','.join(keys)}}}" if keys else ""
    return latex_escape(label(metric)) + cited + (f" ({settings})" if settings else "")


def list_words(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
