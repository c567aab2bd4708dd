"""The pages about the track as a whole: leaderboard, rules, history, record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from diveval.errors import count_of, preview
from diveval.metrics.names import parse
from diveval.setting_table import SETTINGS
from diveval.stats.comparison import are_readable
from diveval.stats.ranks import write_ranks
from diveval.stats.tests import TESTS
from diveval.tracks.config import Config
from diveval.tracks.folder import Track
from diveval.tracks.leaderboard import divide, share_a_letter
from diveval.tracks.record import Event, utc
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.html import Markup, el, facts, join, link, mean_mark, section, table
from diveval.tracks.site.status import reason_of
from diveval.validation.rules import RULES, split_question

FEW = 5
SCORING = {f"scoring.{setting.name}": setting.label for setting in SETTINGS if setting.tracks}
RANKING = {
    "ranking.ranks": "Ranks by",
    "ranking.per_team": "Runs of a team",
    "ranking.test": "Test",
    "ranking.correction": "Correction",
    "ranking.confidence": "Confidence",
    "ranking.resamples": "Resamples",
    "ranking.seed": "Seed",
}
REASONED = ("config", "judged", "withdrawn", "restored", "excluded", "late-accepted", "released", "noted", "repaired")


def _counts(edition: Edition) -> list[tuple[str, object]]:
    """Numbers of submissions by verdict, which are public at any time."""
    given = list(edition.state.submissions.values())
    accepted = sum(s.accepted for s in given)
    return [("Received", len(given)), ("Accepted", accepted), ("Rejected", len(given) - accepted)]


def _dates(edition: Edition) -> list[tuple[str, object]]:
    """Dates, contact, home page and licence."""
    config = edition.config
    releases, grace = config.get("dates.releases"), config["dates.grace_minutes"]
    rows = [
        ("Opens", utc(config["dates.opens"])),
        ("Closes", utc(config["dates.closes"])),
        ("Grace", f"{grace} minutes" if grace else ""),
        ("Released from", utc(releases) if releases else ""),
        ("Contact", config["track.contact"] or "–"),
        ("Home page", config["track.url"]),
        ("Licence", config["track.licence"]),
    ]
    return [row for row in rows if row[1]]


def index(edition: Edition, *, data: bool) -> Markup:
    """Before release dates and counts, after it the leaderboard."""
    check = el("code", "diveval track validate")
    kit = el("p", link("Kit for participants", "data/kit.zip"), ": check your run with ", check, ".") if data else None
    if edition.board is None or edition.event is None:
        text = "Results are published after release." if not edition.full else "Nothing is scored yet."
        return join(
            el("p", text, class_="lede"),
            section("Dates", facts(_dates(edition))),
            section("Submissions", facts(_counts(edition)), kit),
        )
    board, notes = edition.board, [el("p", note, class_="note") for note in edition.board["notes"]]
    return join(
        el("p", _summary(edition, board), class_="lede"),
        el("p", _leader(edition, board), class_="headline"),
        _board(edition, board),
        *notes,
        el("p", _reading(edition, board), class_="note"),
        _list_unranked(edition, board),
        section("Submissions and dates", facts([*_counts(edition), *_dates(edition)]), kit),
    )


def _summary(edition: Edition, board: dict[str, Any]) -> str:
    ranked = sum(row["rank"] is not None for row in board["rows"])
    editions = len(edition.state.released)
    release = f"edition {editions}" if editions else "preview, not released"
    return f"{count_of(ranked, 'ranked run')} on {count_of(board['topics'], 'topic')} by {board['metric']}; scoring {board['scoring']}, {release}."


def _leader(edition: Edition, board: dict[str, Any]) -> str:
    """The leading run, and the runs that are not significantly behind it."""
    ranked = [row for row in board["rows"] if row["rank"] is not None]
    if not ranked:
        return "No run is ranked."
    named = [f"{edition.run_name(row['submission'])} ({edition.names.team(row['team'])})" for row in ranked]
    ahead = sum(row["position"] == ranked[0]["position"] for row in ranked)
    leads = f"{' and '.join(named[:ahead])} {'has' if ahead == 1 else 'share'} the best mean"
    others = ranked[ahead:]
    if not others or any(row["group"] is None for row in ranked):
        return f"{leads}."
    alike = [name for name, row in zip(named[ahead:], others, strict=True) if share_a_letter(ranked[0], row)]
    if not alike:
        return f"{leads}, significantly ahead of every other ranked run."
    if len(alike) == len(others):
        return f"{leads}, significantly ahead of no other ranked run."
    verb = "is" if len(alike) == 1 else "are"
    return f"{leads}; {len(alike)} of the {len(others)} others {verb} not significantly behind: {preview(alike, FEW)}."


def _reading(edition: Edition, board: dict[str, Any]) -> str:
    config, test = edition.config, board["test"]
    lettered = are_readable(row["group"] for row in board["rows"])
    alike = " Runs that share a letter are not significantly different." if lettered else ""
    by = "their letters and by the column" if lettered else "the column"
    if config["ranking.ranks"] == "score":
        ranks = "A rank is 1 plus the number of ranked runs with a higher mean."
    else:
        ranks = (
            "A rank is 1 plus the number of ranked runs that are significantly better; the range says how far up and"
            f" down the test leaves a run.{alike} A line is drawn where every run above differs from every run below."
        )
    level = 1 - float(test["confidence"])
    corrected = f", {test['correction']} correction" if "correction" in test else ""
    drawn = f", {test['resamples']} resamples, seed {test['seed']}" if TESTS[test["name"]].resampled else ""
    family = (
        "another run can come between two others"
        if config["ranking.ranks"] == "score"
        else "a further run adds comparisons, so that fewer of the others can be significant"
    )
    return (
        f"In a column of a metric the dot is the mean, the line its interval, and a dashed line is zero. {ranks} Ranks"
        f" depend on who else takes part: {family}. Two runs are compared by {by} Ahead,"
        f" behind: how many runs of the table are significantly worse and better. Test: {test['name']}{corrected}{drawn}, α ="
        f" {level:.3g}, over ranked runs and baselines. Intervals of means: t, {100 * float(test['confidence']):g} %;"
        " since topics are shared, overlapping intervals do not mean that two runs do not differ."
    )


def _board(edition: Edition, board: dict[str, Any]) -> Markup:
    config, scores = edition.config, edition.scores
    metrics = [board["metric"], *(m for m in config.metrics if m != board["metric"])]
    plain = {
        "Rank": "rank",
        "Run": None,
        "Range": "n",
        "Group": None,
        "Ahead, behind": "n",
        "Topics": "n",
        "Team": None,
    }
    lettered = are_readable(row["group"] for row in board["rows"])
    listed = [(text, kind) for text, kind in plain.items() if lettered or text != "Group"]
    columns = [el("th", text, scope="col", class_=kind) for text, kind in listed]
    official, *others = [_heading(config, metric) for metric in metrics]
    head = el("tr", columns[:2], official, columns[2:], others)
    cuts, body = set(divide(board)), []
    means = {} if scores is None else scores.mean()
    around = {m: _around(edition, m, [row["submission"] for row in board["rows"]]) for m in metrics}
    for place, row in enumerate(board["rows"]):
        numbers = [_mean(edition, row["submission"], metric, means, around[metric]) for metric in metrics]
        cells = [
            el("td", row["rank"] if row["rank"] is not None else "–", class_="rank"),
            el("th", edition.run_link(row["submission"]), _badge(edition, row), scope="row"),
            numbers[0],
            el("td", _range(row), class_="n"),
            *([el("td", row["group"] or "")] if lettered else []),
            el("td", _decisions_on(edition, board, row), class_="n"),
            el("td", f"{row['topics']}/{board['topics']}", class_="n"),
            el("td", edition.team_link(row["team"])),
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
    small = el("small", ", ".join(below)) if below else None
    return el("th", f"{name}{cutoff}", small, scope="col", class_="metric", title=metric)


def _mean(edition: Edition, run: str, metric: str, means: dict[str, Any], around: list[float]) -> Markup:
    mean, ends = means[run][metric], edition.intervals.get(metric, {}).get(run)
    title = edition.interval(metric, run)
    return el("td", edition.number(mean), mean_mark(mean, ends, around), class_="metric", title=title)


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


def _decisions_on(edition: Edition, board: dict[str, Any], row: dict[str, Any]) -> Markup:
    """How many rows are significantly worse and better than one, with their names."""
    others = [other for other in board["rows"] if other is not row]
    if row["group"] is None or any(other["group"] is None for other in others):
        return el("span", "–")
    apart = [other for other in others if not share_a_letter(row, other)]
    ahead = [edition.run_name(o["submission"]) for o in apart if o["position"] > row["position"]]
    behind = [edition.run_name(o["submission"]) for o in apart if o["position"] < row["position"]]
    title = f"ahead of {preview(ahead, FEW) or 'none'}; behind {preview(behind, FEW) or 'none'}"
    return el("span", f"{len(ahead)}, {len(behind)}", title=title)


def _range(row: dict[str, Any]) -> str:
    return "–" if row["rank_best"] is None else write_ranks(row["rank_best"], row["rank_worst"])


def _list_unranked(edition: Edition, board: dict[str, Any]) -> Markup | None:
    if not board["unranked"]:
        return None
    rows = [
        [
            edition.run_link(entry["submission"]),
            edition.team_link(entry["team"]),
            entry["status"],
            reason_of(edition, entry),
        ]
        for entry in board["unranked"]
    ]
    return section("Without a rank", table(["Run", "Team", "Status", "Reason"], rows), id="unranked")


# --- rules ------------------------------------------------------------------------------------------------------------


def rules(edition: Edition) -> Markup:
    """The configuration in words, every rule of validation with its severity, the official metric with its formula."""
    config = edition.config
    admission = config.admission()
    sent: list[tuple[str, object]] = [
        ("Format", config["submission.format"]),
        ("Documents per topic", f"{config['submission.min_documents']} to {config['submission.max_documents']}"),
        ("Runs per team", config["submission.max_runs_per_team"] or "no limit"),
        ("Submissions per day", config["submission.max_per_day"] or "no limit"),
        ("Kinds of runs", ", ".join(config["submission.types"])),
        ("Metadata", config["submission.metadata"]),
        ("The same name again", config["submission.resubmit"]),
        ("Late submissions", config["submission.late"]),
        ("Documents", edition.track.documents.description),
        ("Topics", len(edition.track.topics)),
    ]
    severities = {"error": "rejected", "warning": "accepted with a warning", "note": "noted", None: "allowed"}
    checks = [[r.id, r.text, severities[admission.severity(r.id)]] for r in RULES.values() if r.id != "X01"]
    scoring, ranking = (
        facts((name, str(config[key])) for key, name in shown.items() if config.get(key) is not None)
        for shown in (SCORING, _ranking(config))
    )
    return join(
        section("Dates", facts(_dates(edition))),
        section("Submissions", facts(sent)),
        _questions(config),
        section("Metrics", *(_metric(edition, metric) for metric in config.metrics), scoring),
        section("Ranking", ranking),
        section("Validation", table(["Rule", "What must hold", "Otherwise"], checks)),
        _decisions(edition),
    )


def _questions(config: Config) -> Markup | None:
    asked = [(name, *split_question(text)) for name, text in config.questionnaire]
    rows = [[name, question, ", ".join(choices) or "any"] for name, question, choices in asked]
    return section("Questionnaire", table(["Field", "Question", "Answers"], rows)) if rows else None


def _ranking(config: Config) -> dict[str, str]:
    """The keys of the ranking that have an effect: a test of all pairs at once takes no correction, and few draw."""
    test = TESTS[config["ranking.test"]]
    unused = {"ranking.correction"} if test.simultaneous else set()
    unused |= set() if test.resampled else {"ranking.resamples", "ranking.seed"}
    return {key: name for key, name in RANKING.items() if key not in unused}


def _metric(edition: Edition, name: str) -> Markup:
    entry, config = parse(name).entry, edition.config
    title = f"{name}: official metric, {config['scoring.best']} is better" if name == config.official else name
    if entry is None:
        return el("h3", title)
    return join(el("h3", title), el("p", f"{entry.meaning}. {entry.formula}", class_="what"))


def _decisions(edition: Edition) -> Markup | None:
    reasoned = _list_reasons(edition.track, edition.track.record.events) if edition.full else None
    return section("Decisions", reasoned) if reasoned else None


def _list_reasons(track: Track, events: Sequence[Event]) -> Markup | None:
    """Events about the track or this task that have a reason, as a table; None where there is none."""
    rows = []
    for event in events:
        if event["event"] not in REASONED or event.get("task", track.task) != track.task:
            continue
        named = "track.toml" if event.get("section") == "config" else event.get("section")
        what = [event["event"], named, event.get("submission"), event.get("scoring")]
        reason = event.get("reason", event.get("text", ""))
        rows.append([event["seq"], event["at"], " ".join(str(part) for part in what if part), reason])
    return table(["Event", "Time (UTC)", "Decision", "Reason"], rows) if rows else None


# --- history and record -----------------------------------------------------------------------------------------------


def history(edition: Edition) -> Markup:
    """Every scoring and edition: what changed, why, and which rows moved."""
    record, parts = edition.track.record, []
    released = {event["scoring"]: (n, event) for n, event in enumerate(edition.state.released, 1)}
    before: dict[str, Any] | None = None
    since = 0
    for event in edition.scored_until:
        causes = _list_reasons(edition.track, record.events[since : event["seq"]])
        board = edition.board_at(event)
        versions = ", ".join(f"{name} {version}" for name, version in sorted(event["versions"].items()))
        shape: list[tuple[str, object]] = [
            ("Scored", event["at"]),
            ("Judgments", f"event {event['judged']}: {record.events[event['judged']]['reason']}"),
            ("Submissions", f"{len(event['submissions'])} scored, {len(event['failed'])} failed"),
            ("Versions", versions),
            ("Metrics' fingerprint", event["probe"]),
        ]
        if event["scoring"] in released:
            number, edited = released[event["scoring"]]
            shape.append(("Released", f"edition {number}, {edited['at']}: {edited['reason']}"))
        changed = join(el("h3", "What changed before it"), causes) if causes else None
        moves = _moves(edition, before, board) if before is not None else None
        parts.append(section(f"Scoring {event['scoring']}", facts(shape), changed, moves))
        before, since = board, event["seq"] + 1
    return join(*reversed(parts)) if parts else el("p", "Nothing is scored yet.")


def _moves(edition: Edition, old: dict[str, Any], new: dict[str, Any]) -> Markup:
    """Rows whose rank or place on the board changed."""
    places = [{row["submission"]: row for row in board["rows"]} for board in (old, new)]
    why = {entry["submission"]: f"{entry['status']}, {entry['why']}" for entry in new["unranked"]}
    rows = []
    for name in sorted(places[0].keys() | places[1].keys()):
        was, now = (side.get(name) for side in places)
        if was and now and (was["rank"], was["position"]) == (now["rank"], now["position"]):
            continue
        rows.append([edition.run_name(name), _place(was), _place(now) if now else why.get(name, "gone")])
    if not rows:
        return el("p", "No row moved.")
    return join(el("h3", "Rows that moved"), table(["Run", "Before", "After"], rows))


def _place(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not on the board"
    rank = "no rank" if row["rank"] is None else f"rank {row['rank']}"
    return f"{rank}, position {row['position']}"


def record(edition: Edition, *, data: bool) -> Markup:
    """The head of the record, how to verify, and every event. A record contains no name and no score."""
    log = edition.track.record
    rows = []
    for event, digest in zip(log.events, log.hashes, strict=True):
        keys = ("task", "submission", "section", "verdict", "scoring", "newer")
        more = ", ".join(f"{key} {event[key]}" for key in keys if key in event)
        rows.append([event["seq"], event["at"], event["event"], more, el("span", digest[:16], class_="hash")])
    files = [link("record.jsonl", "data/record.jsonl"), " · ", link("SHA256SUMS", "data/SHA256SUMS")]
    verify = (
        "Every event contains the hash of the one before. To compute verdicts, scores and leaderboards again from the"
        " published files, go to the folder of this site and run"
    )
    receipt = "A team that kept its receipt can give its hash after --head: it must be in the record."
    command = f"diveval track verify data --head {log.head}"
    return join(
        facts([("Head", el("span", log.head, class_="hash")), ("Events", len(log.events))]),
        el("p", files) if data else None,
        section("Verify", el("p", verify), el("pre", command), el("p", receipt)),
        section("Events", table(["Event", "Time (UTC)", "What", "About", "Hash"], rows)),
    )
