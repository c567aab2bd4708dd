"""The pages about one team and about one run: verdicts at any time, numbers where they may be shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from diveval.errors import count_of
from diveval.tracks.admissions import verdict_of
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.figures import strip
from diveval.tracks.site.html import Markup, el, facts, joined, link, section, table
from diveval.tracks.states import Submission
from diveval.validation import FileVerdict

MOST_METADATA = 20_000  # characters shown


def submissions_of(edition: Edition, team: str) -> list[Submission]:
    keyed = edition.track.secret.team(team)
    return [s for s in edition.state.submissions.values() if s.team == keyed]


def team(edition: Edition, name: str) -> Markup:
    """What a team sent and what became of it; with scores, its place among others and the topics it won and lost."""
    rows = []
    for given in submissions_of(edition, name):
        status, value = _status(edition, given)
        rows.append(
            [
                link(edition.names.run(given), f"../run/{given.id}.html"),
                given.id,
                given.at,
                el("span", given.verdict or "received", class_=given.verdict or None),
                status,
                value,
            ]
        )
    head = ["Run", "Submission", "Received (UTC)", "Verdict", "Standing", edition.config.label(edition.config.official)]
    parts = [section("Submissions", table(head, rows, numbers=(5,)))]
    board = edition.board
    if board is not None:
        mine = [row for row in board["rows"] if row["team"] == name]
        parts += [_among(edition, row) for row in mine]
    return joined(*parts)


def _status(edition: Edition, given: Submission) -> tuple[str, str]:
    board = edition.board
    if board is None:
        late = ", late" if given.late else ""
        return (given.standing if given.accepted else "–") + late, ""
    for row in board["rows"]:
        if row["submission"] == given.id:
            return (f"rank {row['rank']}" if row["rank"] is not None else row["status"]), edition.number(row["value"])
    entry = next((e for e in board["unranked"] if e["submission"] == given.id), None)
    return (f"{entry['status']}: {entry['why']}" if entry else "after this scoring"), ""


def _among(edition: Edition, row: dict[str, Any]) -> Markup:
    board, scores = edition.board, edition.scores
    assert board is not None and scores is not None
    run = row["submission"]
    rank = "no rank" if row["rank"] is None else f"rank {row['rank']} ({row['rank_best']} to {row['rank_worst']})"
    shape: list[tuple[str, object]] = [("Place", f"{rank}, position {row['position']} of {len(board['rows'])}")]
    if edition.per_topic and len(board["rows"]) > 1:
        won, lost = _extremes(edition, run)
        shape += [("Topics won", _listed(edition, won)), ("Topics lost", _listed(edition, lost))]
    return section(f"{edition.run_name(run)} among others", facts(shape))


def _extremes(edition: Edition, run: str) -> tuple[list[str], list[str]]:
    """Topics on which no other row is as good, and on which none is as bad."""
    board, scores = edition.board, edition.scores
    assert board is not None and scores is not None
    rows = [row["submission"] for row in board["rows"]]
    table = scores.select(runs=rows, metrics=[board["metric"]])
    values = table.values[:, 0, :] * (1 if edition.config["scoring.best"] == "high" else -1)
    own, others = values[rows.index(run)], np.delete(values, rows.index(run), axis=0)
    won = [t for t, best in zip(table.topics, own > others.max(axis=0), strict=True) if best]
    return won, [t for t, worst in zip(table.topics, own < others.min(axis=0), strict=True) if worst]


def _listed(edition: Edition, topics: list[str]) -> Markup:
    links = [joined(link(topic, f"../{edition.topic_pages[topic]}"), " ") for topic in topics]
    return joined(f"{len(topics)}: " if topics else "none", *links)


def run(edition: Edition, given: Submission) -> Markup:
    """One run: its verdict; with scores, means, intervals, and every topic beside the other systems."""
    if given.erased:
        return el("p", f"{given.id} was withdrawn and erased: {given.reason}")
    info = edition.track.info(given)
    verdict = verdict_of(edition.track, given)
    status, _ = _status(edition, given)
    shape: list[tuple[str, object]] = [
        ("Submission", given.id),
        ("Team", link(edition.names.team(info.team), f"../{edition.names.page(info.team)}")),
        ("Received", f"{given.at}{', late' if given.late else ''}"),
        ("Type", given.type),
        ("Priority", given.priority),
        ("Status", status),
    ]
    return joined(
        facts(shape),
        _verdict(edition, verdict, info.team),
        _means(edition, given),
        _topics(edition, given),
        _metadata(edition, given, info),
    )


def _verdict(edition: Edition, verdict: FileVerdict, owner: str) -> Markup:
    """Findings quote the file; those of a team under a pseudonym are only counted."""
    counts = ", ".join(f"{n} {kind}{'s' if n != 1 else ''}" for kind, n in verdict.counts().items() if n)
    parts: list[object] = [
        el("p", el("strong", verdict.verdict, class_=verdict.verdict), f" ({counts})" if counts else "")
    ]
    facts_of = verdict.facts
    parts.append(
        el(
            "p",
            f"{count_of(facts_of.lines, 'line')}, {count_of(facts_of.topics, 'topic')}, {facts_of.least}–{facts_of.most} documents per topic.",
            class_="what",
        )
    )
    if verdict.findings and not edition.names.anonymous(owner):
        rows = [[f.rule, f.severity, f.line or "", f.message, f.fix] for f in verdict.findings]
        parts.append(table(["Rule", "Severity", "Line", "What", "What to do"], rows))
    return section("Verdict", *parts)


def _means(edition: Edition, given: Submission) -> Markup | None:
    scores = edition.scores
    if scores is None or given.id not in scores.runs:
        return None
    means, rows = scores.mean()[given.id], []
    for metric in scores.metrics:
        ends = edition.intervals.get(metric, {}).get(given.id)
        between = f"{edition.number(ends[0])} to {edition.number(ends[1])}" if ends else "–"
        rows.append([metric, edition.number(means[metric]), between])
    level = 100 * edition.config["ranking.confidence"]
    return section("Means", table(["Metric", "Mean", f"{level:g} % interval"], rows, numbers=(1, 2)))


def _topics(edition: Edition, given: Submission) -> Markup | None:
    scores, board = edition.scores, edition.board
    if not edition.per_topic or scores is None or board is None or given.id not in scores.runs:
        return None
    rows_of = [row["submission"] for row in board["rows"]]
    official = scores.array(board["metric"])
    among = [scores.runs.index(name) for name in rows_of]
    around = [float(v) for v in official[[*among, scores.runs.index(given.id)]].ravel()]
    rows = []
    for t, topic in enumerate(scores.topics):
        values = [scores.per_topic(given.id, metric).get(topic) for metric in scores.metrics]
        column = [float(official[r, t]) for r in among]
        own = scores.per_topic(given.id, board["metric"]).get(topic)
        cells = ["–" if value is None else edition.number(value) for value in values]
        rows.append(
            [link(topic, f"../{edition.topic_pages[topic]}"), *cells, strip(column, own, around) if column else ""]
        )
    head = ["Topic", *(edition.config.label(metric) for metric in scores.metrics), "Among all systems"]
    return section("Topics", table(head, rows, numbers=tuple(range(1, 1 + len(scores.metrics)))))


def _metadata(edition: Edition, given: Submission, info: Any) -> Markup | None:
    if edition.names.anonymous(info.team) or edition.config["site.runs"] == "never":
        return None
    parts = []
    if info.meta:
        parts.append(edition.track.read(f"store/{info.meta}").decode("utf-8", "replace"))
    from diveval.validation.contents import text_of
    from diveval.validation.rules import Findings

    text = text_of(edition.track.stored(info), Findings(edition.config.admission()))
    lines = [] if text is None else text[:MOST_METADATA].decode("utf-8", "replace").splitlines()
    header = [line for line in lines if line.startswith("#")]
    if header:
        parts.append("\n".join(header))
    return section("Metadata", *(el("pre", part[:MOST_METADATA]) for part in parts)) if parts else None
