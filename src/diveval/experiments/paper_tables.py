"""The sets of metrics that the paper compares, its experiments 1 to 4 (section 6), and Tables 2 and 3 made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from diveval.collection.scenarios import regrade, reweight, truncate
from diveval.defaults import USUAL
from diveval.errors import UsageError, count_of, suggestion
from diveval.experiments.reproduction import Reproduction, TableColumn
from diveval.experiments.sources import Collection, synthetic, synthetic_dynamic_domain
from diveval.meta.unanimity import Unanimity, unanimity
from diveval.metrics.names import as_metrics
from diveval.results.printouts import ndeval_columns
from diveval.results.scores import Scores
from diveval.scoring.scorer import score
from diveval.system.progress import Progress, silent

CUTOFFS = (10, 20, 50, 100, 1000)
PATIENCE = (0.8, 0.9, 0.99)
ALPHAS = (0.1, 0.25, 0.5, 0.75)
EFFORTS = (0, 0.001, 0.05, 0.1, 0.5)


def paper() -> list[str]:
    """Experiment 1: AP, RR, P@k, ERR@k, DCG@k and their IA, S-Recall@k, RBP, NRBP, α-DCG@k, EU and RBU.

    Normalised forms (nDCG, α-nDCG) are left out as in the paper: they order the outputs of a topic alike.
    """
    return [
        *("AP", "RR", "AP_IA", "RR_IA"),
        *(f"{name}@{k}" for name in ("P", "ERR", "DCG", "P_IA", "ERR_IA", "DCG_IA") for k in CUTOFFS),
        *(f"StRecall@{k}" for k in CUTOFFS),
        *(f"RBP(p={p})" for p in PATIENCE),
        *(f"NRBP(p={p},alpha={alpha})" for p in PATIENCE for alpha in ALPHAS),
        *(f"alpha_DCG(alpha={alpha})@{k}" for alpha in ALPHAS for k in CUTOFFS),
        *(f"EU(alpha={alpha},e={e})" for alpha in ALPHAS for e in EFFORTS),
        *rbu(),
    ]


def official() -> list[str]:
    """Experiment 3: what ndeval prints, the Web track's official scores, and RBU."""
    return [*ndeval_columns(), *rbu()]


def official_at_20(*, efforts: Iterable[float] = EFFORTS) -> list[str]:
    """Experiment 3 with 20 visible documents: of ndeval's scores those at 20, and RBU@20."""
    return [*(name for name in ndeval_columns() if name.endswith("@20")), *rbu("@20", efforts=efforts)]


def dynamic_domain() -> list[str]:
    """Experiment 4: the scores of the Dynamic Domain track of 2015 that the paper prints, and RBU."""
    return [
        "cubetest.CT(year=2015)@10",
        "cubetest.ACT(year=2015)@10",
        "dd.ERR(mean=arithmetic)",
        "dd.ERR(mean=harmonic)",
        "dd.P_at_recall",
        "dd.mP_at_recall",
        "RR@10",
        *rbu(),
    ]


def rbu(cutoff: str = "", *, efforts: Iterable[float] = EFFORTS) -> list[str]:
    """RBU over the paper's p and e."""
    return [f"RBU(p={p},e={e}){cutoff}" for p in PATIENCE for e in efforts]


SETS: dict[str, Callable[[], list[str]]] = {
    "paper": paper,
    "official": official,
    "dynamic-domain": dynamic_domain,
    "usual": lambda: list(USUAL),  # one variant of each family: small enough for pictures
}


def metric_set(name: str) -> list[str]:
    """The metrics of a set by its name."""
    if name not in SETS:
        raise UsageError("invalid-choice", f"no set of metrics is called {name!r}", hint=suggestion(name, SETS))
    return SETS[name]()


TITLES = {
    ("table2", "official"): "Official (experiment 1)",
    ("table2", "simulated"): "Simulated: r' = rand(0, r), random weights, |d| = rand(0, |d|) (experiment 2)",
    ("table2", "simulated-50"): "Simulated: r' = rand(0, r), random weights, |d| = rand(0, 50) (experiment 2)",
    ("table3", "official"): "Official metrics of the Web track (experiment 3)",
    ("table3", "at-20"): "Official metrics, k = 20 (experiment 3)",
    ("table3", "at-20-without-effort"): "Official metrics, k = 20, e = 0 (experiment 3)",
    ("table3", "dynamic-domain"): "Official metrics of Dynamic Domain 2015 (experiment 4)",
}


Counting = Callable[[Scores], Unanimity]  # `unanimity`, or a part of it with other choices


def experiment_1(collection: Collection, *, count: Counting = unanimity) -> Unanimity:
    """The runs as they are, with all metrics and variants."""
    metrics = as_metrics(paper())
    return count(score(collection.judgments, collection.rankings, metrics, collection.options))


def experiment_2(
    collection: Collection, *, seed: int, longest: int | None = None, count: Counting = unanimity
) -> Unanimity:
    """Graded relevance r' = rand(0..r), random aspect weights, each ranking cut at rand(0..n) or rand(0..longest)."""
    rule = collection.options.relevance
    judgments = reweight(regrade(collection.judgments, seed, rule=rule), seed)
    rankings = {
        order: [truncate(run, seed, longest=longest) for run in runs] for order, runs in collection.rankings.items()
    }
    graded = replace(collection.options, relevance=replace(rule, gain="identity"))
    return count(score(judgments, rankings, as_metrics(paper()), graded))


def experiment_3(
    collection: Collection, metrics: Sequence[str] | None = None, *, count: Counting = unanimity
) -> Unanimity:
    """The official metrics with their official parameters, and RBU.

    Topics without a relevant document are left out: ndeval's nNRBP is not a number there.
    """
    asked = as_metrics(official() if metrics is None else list(metrics))
    options = replace(collection.options, empty_topics="skip")
    return count(score(collection.judgments, collection.rankings, asked, options))


def experiment_4(collection: Collection, *, count: Counting = unanimity) -> Unanimity:
    """The official metrics of the Dynamic Domain track, and RBU, on sessions that the system ends."""
    metrics = as_metrics(dynamic_domain())
    return count(score(collection.judgments, collection.rankings, metrics, collection.options))


def table2(
    collections: Sequence[Collection] = (),
    *,
    seeds: Sequence[int] = range(5),
    count: Counting = unanimity,
    all_variants: bool = False,
    progress: Progress = silent,
) -> Reproduction:
    """Table 2: experiments 1 and 2 on each collection, or on the synthetic one."""
    columns = []
    chosen = collections or (synthetic(),)
    for done, collection in enumerate(chosen):
        progress(f"{collection.name}: official", 3 * done, 3 * len(chosen))
        columns.append(_column("table2", "official", collection, [experiment_1(collection, count=count)]))
        for part, (key, longest) in enumerate((("simulated", None), ("simulated-50", 50)), 1):
            what = f"{collection.name}: {key}, {count_of(len(seeds), 'seed')}"
            progress(what, 3 * done + part, 3 * len(chosen))
            simulate = partial(experiment_2, collection, longest=longest, count=count)
            columns.append(_column("table2", key, collection, [simulate(seed=seed) for seed in seeds]))
    return Reproduction("table2", tuple(columns), tuple(seeds), (_WEB_NOTE, _DRAWS_NOTE), all_variants)


def table3(
    collections: Sequence[Collection] = (),
    *,
    count: Counting = unanimity,
    all_variants: bool = False,
    progress: Progress = silent,
) -> Reproduction:
    """Table 3: experiment 3 on collections of rankings, experiment 4 on those in rounds; synthetic ones where none is.

    Nothing is drawn in these experiments, so there are no seeds.
    """
    in_rounds = [collection for collection in collections if collection.in_rounds] or [synthetic_dynamic_domain()]
    plain = [collection for collection in collections if not collection.in_rounds] or [synthetic()]
    asked = {
        "official": official(),
        "at-20": official_at_20(),
        "at-20-without-effort": official_at_20(efforts=(0,)),
    }
    columns = []
    for done, collection in enumerate(plain):
        progress(f"{collection.name}: official metrics", done, len(plain) + len(in_rounds))
        for key, metrics in asked.items():
            columns.append(_column("table3", key, collection, [experiment_3(collection, metrics, count=count)]))
    for done, collection in enumerate(in_rounds, len(plain)):
        progress(f"{collection.name}: Dynamic Domain", done, len(plain) + len(in_rounds))
        columns.append(_column("table3", "dynamic-domain", collection, [experiment_4(collection, count=count)]))
    notes = (_WEB_NOTE, _OFFICIAL_NOTE, _DYNAMIC_DOMAIN_NOTE)
    return Reproduction("table3", tuple(columns), (), notes, all_variants)


def _column(table: str, key: str, collection: Collection, results: Sequence[Unanimity]) -> TableColumn:
    return TableColumn(table, key, TITLES[table, key], collection.described, tuple(results))


_WEB_NOTE = (
    "The paper's values are for the 30 official ad hoc runs of TREC Web 2014, which NIST gives out under a password"
    " (`diveval data get trec-web-2014 --runs adhoc`). On other runs, topics or judgments MU has other values: compare"
    " the order of the metrics and the gaps between them, not the digits."
)
_DRAWS_NOTE = (
    "The paper's draws for the simulated scenarios are not published: ours have seeds, so even on its runs those two"
    " columns can agree only within the spread over seeds."
)
_OFFICIAL_NOTE = (
    "The paper took NIST's published scores, we compute ndeval's: the same numbers to six digits, unrounded. Topics"
    " without a relevant document are left out of experiment 3."
)
_DYNAMIC_DOMAIN_NOTE = (
    "The paper's last column is for the 23 official runs of Dynamic Domain 2015. Where no collection in rounds is"
    " given, ours is for a synthetic one: it shows the experiment at work and says nothing about real systems."
)
