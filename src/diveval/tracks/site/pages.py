"""The pages about the track as a whole: leaderboard, rules, topics, history, record."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from diveval.errors import count_of, few
from diveval.metrics.names import parse
from diveval.tracks.config import Config
from diveval.tracks.ranking import divided, share_a_letter
from diveval.tracks.record import Event, utc
from diveval.tracks.site.edition import Edition, digits
from diveval.tracks.site.figures import heat_class, mean_mark, strip
from diveval.tracks.site.html import Markup, el, facts, joined, link, section, table
from diveval.validation import RULES

FEW = 5


def counts(edition: Edition) -> list[tuple[str, object]]:
    """Submissions by what became of them, which may be known at any time."""
    given = list(edition.state.submissions.values())
    accepted = sum(s.accepted for s in given)
    return [("Received", len(given)), ("Accepted", accepted), ("Rejected", len(given) - accepted)]


def dates(edition: Edition) -> list[tuple[str, object]]:
    config = edition.config
    rows: list[tuple[str, object]] = [("Opens", utc(config["dates.opens"])), ("Closes", utc(config["dates.closes"]))]
    if config["dates.grace_minutes"]:
        rows.append(("Grace", f"{config['dates.grace_minutes']} minutes"))
    return rows + ([("Released from", utc(config["dates.releases"]))] if config.get("dates.releases") else [])


def about(edition: Edition) -> list[tuple[str, object]]:
    config = edition.config
    rows: list[tuple[str, object]] = [("Contact", config["track.contact"] or "–")]
    rows += [("Home page", config["track.url"])] if config["track.url"] else []
    return rows + ([("Licence", config["track.licence"])] if config["track.licence"] else [])


def index(edition: Edition, *, data: bool) -> Markup:
    """Before release dates and counts, after it the leaderboard."""
    kit = (
        el(
            "p",
            link("Kit for participants", "data/kit.zip"),
            ": check your run with ",
            el("code", "diveval track validate"),
            ".",
        )
        if data
        else None
    )
    if edition.board is None or edition.event is None:
        text = "Results are published after release." if not edition.full else "Nothing is scored yet."
        return joined(
            el("p", text, class_="lede"),
            section("Dates", facts([*dates(edition), *about(edition)])),
            section("Submissions", facts(counts(edition)), kit),
        )
    board, notes = edition.board, [el("p", note, class_="note") for note in edition.board["notes"]]
    return joined(
        el("p", _summary(edition, board), class_="lede"),
        el("p", _leader(edition, board), class_="headline"),
        _board(edition, board),
        *notes,
        el("p", _reading(edition, board), class_="note"),
        _unranked(edition, board),
        section("Submissions and dates", facts([*counts(edition), *dates(edition), *about(edition)]), kit),
    )


def _summary(edition: Edition, board: dict[str, Any]) -> str:
    ranked = sum(row["rank"] is not None for row in board["rows"])
    editions = len(edition.state.released)
    said = f"edition {editions}" if editions else "preview, not released"
    return f"{count_of(ranked, 'ranked run')} on {count_of(board['topics'], 'topic')} by {board['metric']}; scoring {board['scoring']}, {said}."


def _leader(edition: Edition, board: dict[str, Any]) -> str:
    """Who leads, and who cannot be told apart from the leader by the test of the board."""
    ranked = [row for row in board["rows"] if row["rank"] is not None]
    if not ranked:
        return "No run is ranked."
    named = [f"{edition.run_name(row['submission'])} ({edition.names.team(row['team'])})" for row in ranked]
    ahead = sum(row["position"] == ranked[0]["position"] for row in ranked)
    said = f"{' and '.join(named[:ahead])} {'has' if ahead == 1 else 'share'} the best mean"
    others = ranked[ahead:]
    if not others or any(row["group"] is None for row in ranked):
        return f"{said}."
    alike = [name for name, row in zip(named[ahead:], others, strict=True) if share_a_letter(ranked[0], row)]
    if not alike:
        return f"{said}, significantly ahead of every other ranked run."
    if len(alike) == len(others):
        return f"{said}, significantly ahead of no other ranked run."
    listed = few(alike, FEW)
    return f"{said}; {len(alike)} of {len(others)} others are not significantly behind: {listed}."


def _reading(edition: Edition, board: dict[str, Any]) -> str:
    config, test = edition.config, board["test"]
    if config["ranking.ranks"] == "score":
        ranks = "A rank is 1 plus the number of ranked runs with a higher mean."
    else:
        ranks = (
            "A rank is 1 plus the number of ranked runs that are significantly better; the range says how far up and"
            " down the test leaves a run. Runs that share a letter are not significantly different. A line is drawn"
            " where every run above differs from every run below."
        )
    level = 1 - float(test["confidence"])
    corrected = f", {test['correction']} correction" if "correction" in test else ""
    return (
        f"{ranks} Test: {test['name']}{corrected}, {test['resamples']} resamples, seed {test['seed']}, α ="
        f" {level:.3g}, over ranked runs and baselines. Intervals of means: t, {100 * float(test['confidence']):g} %;"
        " since topics are shared, overlapping intervals do not mean that two runs do not differ."
    )


def _board(edition: Edition, board: dict[str, Any]) -> Markup:
    config, scores = edition.config, edition.scores
    metrics = [board["metric"], *(m for m in config.metrics if m != board["metric"])]
    columns = [_heading(config, metric) for metric in metrics]
    plain = [("Range", "n"), ("Group", None), ("Topics", "n"), ("Team", None)]
    head = el(
        "tr",
        el("th", "Rank", scope="col", class_="rank"),
        el("th", "Run", scope="col"),
        columns[0],
        *(el("th", text, scope="col", class_=kind) for text, kind in plain),
        *columns[1:],
    )
    cuts, body = set(divided(board)), []
    means = {} if scores is None else scores.mean()
    around = {m: _around(edition, m, [row["submission"] for row in board["rows"]]) for m in metrics}
    for place, row in enumerate(board["rows"]):
        name = link(edition.run_name(row["submission"]), f"run/{row['submission']}.html")
        numbers = [_mean(edition, row["submission"], metric, means, around[metric]) for metric in metrics]
        cells = [
            el("td", row["rank"] if row["rank"] is not None else "–", class_="rank"),
            el("th", name, _badge(edition, row), scope="row"),
            numbers[0],
            el("td", _range(row), class_="n"),
            el("td", row["group"] or ""),
            el("td", f"{row['topics']}/{board['topics']}", class_="n"),
            el("td", link(edition.names.team(row["team"]), edition.names.page(row["team"]))),
            *numbers[1:],
        ]
        kinds = [kind for kind, holds in (("cut", place in cuts), ("baseline", row["rank"] is None)) if holds]
        body.append(el("tr", *cells, class_=" ".join(kinds) or None))
    drawn = el("table", el("thead", head), el("tbody", *body), id="board")
    return section("Leaderboard", el("div", drawn, class_="scroll"), id="leaderboard")


def _heading(config: Config, metric: str) -> Markup:
    """A metric as the report heads a column: its parameters in a second line, unless it has a label of its own."""
    label = config.label(metric)
    name, inner, cutoff = re.fullmatch(r"(?s)([^(]*)(?:\(([^()]*)\))?(.*)", label).groups()  # type: ignore[union-attr]
    below = [text for text in (inner, "official" if metric == config.official else "") if text]
    return el("th", f"{name}{cutoff}", el("small", ", ".join(below)), scope="col", class_="metric", title=metric)


def _mean(edition: Edition, run: str, metric: str, means: dict[str, Any], around: list[float]) -> Markup:
    mean, ends = means[run][metric], edition.intervals.get(metric, {}).get(run)
    between = f"{edition.number(ends[0])} to {edition.number(ends[1])}" if ends else None
    return el("td", edition.number(mean), mean_mark(mean, ends, around), class_="metric", title=between)


def _around(edition: Edition, metric: str, runs: list[str]) -> list[float]:
    """The values a column shows, which its drawings share as their scale."""
    ends = edition.intervals.get(metric, {})
    means = edition.scores.mean() if edition.scores is not None else {}
    return [v for run in runs for v in (means[run][metric], *ends.get(run, ()))]


def _badge(edition: Edition, row: dict[str, Any]) -> Markup | None:
    if row["status"] == "baseline":
        return el("span", "baseline", class_="badge")
    chosen = edition.config["ranking.per_team"] == "best" and row["of_team"] > 1
    return el("span", f"best of {row['of_team']}", class_="badge") if chosen else None


def _range(row: dict[str, Any]) -> str:
    if row["rank_best"] is None:
        return "–"
    same = row["rank_best"] == row["rank_worst"]
    return str(row["rank_best"]) if same else f"{row['rank_best']}–{row['rank_worst']}"


def _unranked(edition: Edition, board: dict[str, Any]) -> Markup | None:
    if not board["unranked"]:
        return None
    rows = [
        [
            link(edition.run_name(entry["submission"]), f"run/{entry['submission']}.html"),
            link(edition.names.team(entry["team"]), edition.names.page(entry["team"])),
            entry["status"],
            entry["why"],
        ]
        for entry in board["unranked"]
    ]
    return section("Without a rank", table(["Run", "Team", "Status", "Reason"], rows), id="unranked")


# --- rules ------------------------------------------------------------------------------------------------------------


def rules(edition: Edition) -> Markup:
    """The configuration in words, every rule of validation with its severity, the official metric with its formula."""
    config = edition.config
    admission = config.admission()
    limit = config["submission.max_runs_per_team"]
    sent: list[tuple[str, object]] = [
        ("Format", config["submission.format"]),
        ("Documents per topic", f"{config['submission.min_documents']} to {config['submission.max_documents']}"),
        ("Runs per team", limit or "no limit"),
        ("Submissions per day", config["submission.max_per_day"] or "no limit"),
        ("Kinds of runs", ", ".join(config["submission.types"])),
        ("Metadata", config["submission.metadata"]),
        ("The same name again", config["submission.resubmit"]),
        ("Late submissions", config["submission.late"]),
        ("Documents", edition.track.documents.description),
        ("Topics", len(edition.track.topics)),
    ]
    severities = {"error": "rejected", "warning": "accepted with a warning", "note": "noted", None: "allowed"}
    checks = [
        [rule.id, rule.text, severities[admission.severity(rule.id)]] for rule in RULES.values() if rule.id != "X01"
    ]
    scoring = [
        (name, str(config[f"scoring.{key}"]))
        for key, name in (
            ("order", "Order of a run"),
            ("ties", "Equal scores"),
            ("missing_topics", "Missing topics"),
            ("empty_topics", "Topics without a relevant document"),
            ("gain", "Gain"),
            ("gmax", "Highest grade"),
        )
    ]
    ranking = [
        (name, str(config[f"ranking.{key}"]))
        for key, name in (
            ("ranks", "Ranks by"),
            ("per_team", "Runs of a team"),
            ("test", "Test"),
            ("correction", "Correction"),
            ("confidence", "Confidence"),
            ("resamples", "Resamples"),
            ("seed", "Seed"),
        )
    ]
    return joined(
        section("Dates", facts([*dates(edition), *about(edition)])),
        section("Submissions", facts(sent)),
        section("Metrics", *(_metric(edition, metric) for metric in config.metrics), facts(scoring)),
        section("Ranking", facts(ranking)),
        section("Validation", table(["Rule", "What must hold", "Otherwise"], checks)),
        _decisions(edition),
    )


def _metric(edition: Edition, name: str) -> Markup:
    entry, config = parse(name).entry, edition.config
    title = f"{name}: official metric, {config['scoring.best']} is better" if name == config.official else name
    if entry is None:
        return el("h3", title)
    return joined(el("h3", title), el("p", f"{entry.meaning}. {entry.formula}", class_="what"))


REASONED = ("config", "judged", "withdrawn", "restored", "excluded", "late-accepted", "released", "noted", "repaired")


def _decisions(edition: Edition) -> Markup | None:
    if not edition.full:
        return None
    rows = [event_row(event) for event in edition.track.record.events if event["event"] in REASONED]
    return section("Decisions", table(["Event", "Time (UTC)", "Decision", "Reason"], rows)) if rows else None


def event_row(event: Event) -> list[object]:
    named = {"config": "track.toml"}.get(event.get("section", ""), event.get("section"))
    what = [event["event"], named, *(event.get(key) for key in ("submission", "scoring"))]
    return [
        event["seq"],
        event["at"],
        " ".join(str(part) for part in what if part),
        event.get("reason", event.get("text", "")),
    ]


# --- topics -----------------------------------------------------------------------------------------------------------


def topics(edition: Edition) -> Markup:
    """Ids and queries; with scores, how the systems spread over each topic."""
    queries = edition.queries
    if not edition.per_topic or edition.board is None or edition.scores is None:
        listed = [[topic, query] for topic, query in queries.items()]
        return section(count_of(len(queries), "topic"), table(["Topic", "Query"], listed))
    runs = [row["submission"] for row in edition.board["rows"]]
    scores = edition.scores.select(runs=runs, metrics=[edition.board["metric"]])
    values, around = scores.values[:, 0, :], [float(v) for v in scores.values[:, 0, :].ravel()]
    median, spread = np.median(values, axis=0), values.std(axis=0)
    rows = []
    for topic, query in queries.items():
        if topic not in scores.topics:
            rows.append([topic, query, "not judged", "", "", "", ""])
            continue
        t = scores.topics.index(topic)
        column = [float(v) for v in values[:, t]]
        rows.append(
            [
                link(topic, edition.topic_pages[topic]),
                query,
                edition.number(float(median[t])),
                edition.number(min(column)),
                edition.number(max(column)),
                edition.number(float(spread[t])),
                strip(column, None, around),
            ]
        )
    sign = 1 if edition.config["scoring.best"] == "high" else -1
    hardest = np.argsort(sign * median, kind="stable")[:FEW]
    telling = np.argsort(-spread, kind="stable")[:FEW]
    named = [
        (title, [joined(link(scores.topics[t], edition.topic_pages[scores.topics[t]]), " ") for t in order])
        for title, order in (("Hardest (median)", hardest), ("Most discriminating (spread)", telling))
    ]
    head = ["Topic", "Query", "Median", "Lowest", "Highest", "Spread", "Systems"]
    return joined(
        el("p", f"{edition.board['metric']} of ranked runs and baselines.", class_="lede"),
        facts(named),
        section("Every topic", table(head, rows, numbers=(2, 3, 4, 5))),
        _heat(edition, runs, values, scores.topics),
    )


def _heat(edition: Edition, runs: list[str], values: Any, names: tuple[str, ...]) -> Markup:
    low, high = float(values.min()), float(values.max())
    head = el("tr", el("th"), *(el("th", el("span", edition.run_name(run)), scope="col") for run in runs))
    body = [
        el(
            "tr",
            el("th", topic, scope="row"),
            *(el("td", digits(float(value), 2), class_=heat_class(float(value), low, high)) for value in values[:, t]),
        )
        for t, topic in enumerate(names)
    ]
    drawn = el("table", el("thead", head), el("tbody", *body), id="heat")
    return section("Topics and systems", el("div", drawn, class_="scroll"))


def topic(edition: Edition, name: str) -> Markup:
    """One topic: every system and metric on it."""
    scores, board = edition.scores, edition.board
    assert scores is not None and board is not None
    query = edition.queries.get(name, "")
    rows = []
    for row in board["rows"]:
        run = row["submission"]
        values = [scores.per_topic(run, metric).get(name) for metric in scores.metrics]
        rows.append(
            [
                link(edition.run_name(run), f"../run/{run}.html"),
                edition.names.team(row["team"]),
                *("–" if value is None else edition.number(value) for value in values),
            ]
        )
    official = list(scores.metrics).index(board["metric"]) + 2
    sign = -1 if edition.config["scoring.best"] == "high" else 1
    rows.sort(key=lambda cells: sign * float(cells[official]) if cells[official] != "–" else 9e9)
    labels = [edition.config.label(metric) for metric in scores.metrics]
    numbers = tuple(range(2, 2 + len(labels)))
    return joined(
        el("p", query, class_="lede") if query else None,
        section("Systems", table(["Run", "Team", *labels], rows, numbers=numbers)),
    )
