"""Experiments 1 to 4 of the paper (section 6), and its Tables 2 and 3 made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from diveval.experiments import sets
from diveval.experiments.collection import Collection, synthetic, synthetic_dynamic_domain
from diveval.experiments.reproduction import Reproduction, TableColumn
from diveval.meta.unanimity import Unanimity, unanimity
from diveval.metrics.names import as_metrics
from diveval.scenarios import regrade, reweight, truncate
from diveval.scores import Scores
from diveval.scoring import score

TITLES = {
    ("table2", "official"): "Official (experiment 1)",
    ("table2", "simulated"): "Simulated: r' = rand(0, r), random weights, |d| = rand(0, |d|) (experiment 2)",
    ("table2", "simulated-50"): "Simulated: r' = rand(0, r), random weights, |d| = rand(0, 50) (experiment 2)",
    ("table3", "official"): "Official metrics of the Web track (experiment 3)",
    ("table3", "at-20"): "Official metrics, k = 20 (experiment 3)",
    ("table3", "at-20-without-effort"): "Official metrics, k = 20, e = 0 (experiment 3)",
    ("table3", "dynamic-domain"): "Official metrics of Dynamic Domain 2015 (experiment 4)",
}


@dataclass(frozen=True)
class Counting:
    """How unanimity is counted in an experiment."""

    bootstrap: int = 1000
    leave_family_out: bool = False

    def __call__(self, scores: Scores) -> Unanimity:
        return unanimity(scores, bootstrap=self.bootstrap, leave_family_out=self.leave_family_out)


COUNTING = Counting()


def experiment_1(collection: Collection, *, count: Counting = COUNTING) -> Unanimity:
    """The runs as they are, with all metrics and variants."""
    metrics = as_metrics(sets.paper())
    return count(score(collection.judgments, collection.rankings, metrics, collection.options))


def experiment_2(
    collection: Collection, *, seed: int, longest: int | None = None, count: Counting = COUNTING
) -> Unanimity:
    """Graded relevance r' = rand(0..r), random aspect weights, each ranking cut at rand(0..n) or rand(0..longest)."""
    rule = collection.options.relevance
    judgments = reweight(regrade(collection.judgments, seed, rule=rule), seed)
    rankings = {
        order: [truncate(run, seed, longest=longest) for run in runs] for order, runs in collection.rankings.items()
    }
    graded = replace(collection.options, relevance=replace(rule, gain="identity"))
    return count(score(judgments, rankings, as_metrics(sets.paper()), graded))


def experiment_3(
    collection: Collection, metrics: Sequence[str] | None = None, *, count: Counting = COUNTING
) -> Unanimity:
    """The official metrics with their official parameters, and RBU.

    Topics without a relevant document are left out: ndeval's nNRBP is not a number there.
    """
    asked = as_metrics(sets.official() if metrics is None else list(metrics))
    options = replace(collection.options, empty_topics="skip")
    return count(score(collection.judgments, collection.rankings, asked, options))


def experiment_4(collection: Collection, *, count: Counting = COUNTING) -> Unanimity:
    """The official metrics of the Dynamic Domain track, and RBU, on sessions that end when the system says so."""
    metrics = as_metrics(sets.dynamic_domain())
    return count(score(collection.judgments, collection.rankings, metrics, collection.options))


def table2(
    collections: Sequence[Collection] = (),
    *,
    seeds: Sequence[int] = range(5),
    count: Counting = COUNTING,
    all_variants: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Table 2: experiments 1 and 2 on each collection, or on the synthetic one."""
    say = progress or _silent
    columns = []
    for collection in collections or (synthetic(),):
        say(f"{collection.name}: official")
        columns.append(_column("table2", "official", collection, [experiment_1(collection, count=count)]))
        for key, longest in (("simulated", None), ("simulated-50", 50)):
            say(f"{collection.name}: {key}, {len(seeds)} seeds")
            simulate = partial(experiment_2, collection, longest=longest, count=count)
            columns.append(_column("table2", key, collection, [simulate(seed=seed) for seed in seeds]))
    notes = [_WEB_NOTE, _DRAWS_NOTE]
    return Reproduction("table2", tuple(columns), tuple(seeds), tuple(notes), all_variants)


def table3(
    collections: Sequence[Collection] = (),
    *,
    count: Counting = COUNTING,
    all_variants: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Table 3: experiment 3 on collections of rankings, experiment 4 on those in rounds; synthetic ones where none is.

    Nothing is drawn in these experiments, so there are no seeds.
    """
    say = progress or _silent
    in_rounds = [collection for collection in collections if collection.in_rounds] or [synthetic_dynamic_domain()]
    plain = [collection for collection in collections if not collection.in_rounds] or [synthetic()]
    official: dict[str, Callable[[], list[str]]] = {
        "official": sets.official,
        "at-20": sets.official_at_20,
        "at-20-without-effort": partial(sets.official_at_20, efforts=(0,)),
    }
    columns = []
    for collection in plain:
        say(f"{collection.name}: official metrics")
        for key, metrics in official.items():
            columns.append(_column("table3", key, collection, [experiment_3(collection, metrics(), count=count)]))
    for collection in in_rounds:
        say(f"{collection.name}: Dynamic Domain")
        columns.append(_column("table3", "dynamic-domain", collection, [experiment_4(collection, count=count)]))
    notes = [_WEB_NOTE, _OFFICIAL_NOTE, _DYNAMIC_DOMAIN_NOTE]
    return Reproduction("table3", tuple(columns), (), tuple(notes), all_variants)


def _column(table: str, key: str, collection: Collection, results: Sequence[Unanimity]) -> TableColumn:
    return TableColumn(table, key, TITLES[table, key], collection.described, tuple(results))


def _silent(_: str) -> None:
    """Say nothing."""


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
