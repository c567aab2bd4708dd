"""A page for organisers alone: runs of different teams that are nearly the same."""

from __future__ import annotations

from diveval.analysis.overlap import CLOSE, DEPTH, ClosePair, find_close_pairs
from diveval.errors import DivevalError
from diveval.judging.pools import top_documents
from diveval.tracks.record import Submission
from diveval.tracks.scorings import options_of, run_of
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.html import Markup, el, join, section, table


def find_close_runs(edition: Edition) -> list[tuple[Submission, Submission, ClosePair]]:
    """The pairs of different teams, whatever became of the submissions: a rejected or withdrawn run may be the source."""
    track, config = edition.track, edition.config
    rule = options_of(config).order_for(None)
    given = {s.id: s for s in track.state.submissions.values() if not s.erased}
    tops = {}
    for name, submission in given.items():
        try:
            tops[name] = top_documents(run_of(track.read_stored(track.info(submission)), config, name), rule, DEPTH)
        except DivevalError:
            continue  # rejected because it is no run, or listed as failed by the scoring
    pairs = ((given[pair.first], given[pair.second], pair) for pair in find_close_pairs(tops))
    return [(one, two, pair) for one, two, pair in pairs if one.team != two.team]


def overlap(edition: Edition) -> Markup:
    """The pairs with their teams by name, the closest first."""
    track, rows = edition.track, []
    for one, two, pair in find_close_runs(edition):
        infos = [track.info(given) for given in (one, two)]
        names = [f"{given.id} {info.name} ({info.team})" for given, info in zip((one, two), infos, strict=True)]
        first, later = (names, (one, two)) if one.at <= two.at else (names[::-1], (two, one))
        same = f"{pair.identical}/{pair.topics}"
        rows.append([*first, f"{pair.overlap:.3f}", f"{pair.common:.3f}", same, later[1].at])
    what = (
        f"Overlap: average overlap of the first {DEPTH} documents, mean over topics; 1 is the same list. Common part: the"
        " same without documents that only one of both has, times the share of the shorter list that the other has, over"
        f" the topics of both. Pairs with {CLOSE:g} or more in either, or with most of their topics alike in every place, are"
        " listed. Runs of one first stage can be this close by themselves: this page asks for a look and decides nothing."
        " It is never published."
    )
    head = ["First", "Later", "Overlap", "Common part", "Topics alike in every place", "The later one arrived (UTC)"]
    found = table(head, rows, numbers=(2, 3, 4)) if rows else el("p", "No two runs of different teams are this close.")
    return join(section("Runs that are nearly the same", el("p", what, class_="what"), found))
