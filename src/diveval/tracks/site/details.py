"""The pages about teams, runs and topics: verdicts at any time, numbers where they may be shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from diveval.errors import count_of
from diveval.tracks.intake import Info
from diveval.tracks.record import Submission
from diveval.tracks.site.edition import Edition, digits
from diveval.tracks.site.html import Markup, el, facts, heat_class, join, link, section, strip, table
from diveval.tracks.site.runs import sheet_of, spread
from diveval.tracks.site.status import status_words
from diveval.tracks.submission_verdicts import recall_verdict
from diveval.validation import parse_metadata
from diveval.validation.rules import RULES, FileVerdict, Findings, find_answers, split_question
from diveval.validation.unpacking import text_of

MOST_METADATA = 20_000  # characters shown
FEW = 5


def submissions_of(edition: Edition, team: str) -> list[Submission]:
    keyed = edition.track.secret.team(team)
    return [s for s in edition.state.submissions.values() if s.team == keyed]


def team(edition: Edition, name: str) -> Markup:
    """The submissions of a team with their status; with scores, its rank and the topics it won and lost."""
    rows = []
    for given in submissions_of(edition, name):
        status, value = status_words(edition, given), _value(edition, given)
        verdict = el("span", given.verdict or "received", class_=given.verdict or None)
        rows.append([edition.run_link(given.id, "../"), given.id, given.at, verdict, status, value])
    head = ["Run", "Submission", "Received (UTC)", "Verdict", "Standing", edition.config.label(edition.config.official)]
    mine = [row for row in edition.board["rows"] if row["team"] == name] if edition.board is not None else []
    submissions = section("Submissions", table(head, rows, numbers=(5,)))
    return join(submissions, *(_among(edition, row) for row in mine))


def _value(edition: Edition, given: Submission) -> str:
    """The official score of a run that was scored, ranked or not."""
    scores = edition.scores
    if scores is None or given.id not in scores.runs or not edition.shows(given):
        return ""
    return edition.number(scores.mean()[given.id][edition.config.official])


def _among(edition: Edition, row: dict[str, Any]) -> Markup:
    board = edition.board
    assert board is not None
    run = row["submission"]
    rank = "no rank" if row["rank"] is None else f"rank {row['rank']} ({row['rank_best']} to {row['rank_worst']})"
    shape: list[tuple[str, object]] = [("Place", f"{rank}, position {row['position']} of {len(board['rows'])}")]
    if edition.per_topic and len(board["rows"]) > 1:
        for what, topics in zip(("Topics won", "Topics lost"), _extremes(edition, run), strict=True):
            listed = join(f"{len(topics)}: ", _list_topics(edition, topics, "../")) if topics else "none"
            shape.append((what, listed))
    return section(f"{edition.run_name(run)} among others", facts(shape))


def _extremes(edition: Edition, run: str) -> tuple[list[str], list[str]]:
    """Topics on which no other row is as good, and on which none is as bad."""
    board, scores = edition.board, edition.scores
    assert board is not None and scores is not None
    rows = [row["submission"] for row in board["rows"]]
    table = scores.select(runs=rows, metrics=[board["metric"]])
    values = table.values[:, 0, :] * edition.config.sign
    own, others = values[rows.index(run)], np.delete(values, rows.index(run), axis=0)
    won = [t for t, best in zip(table.topics, own > others.max(axis=0), strict=True) if best]
    return won, [t for t, worst in zip(table.topics, own < others.min(axis=0), strict=True) if worst]


def _list_topics(edition: Edition, topics: list[str], up: str = "") -> Markup:
    return join(*(join(edition.topic_link(topic, up), " ") for topic in topics))


def run(edition: Edition, given: Submission) -> Markup:
    """One run: its verdict; with scores, means, intervals, and every topic beside the other systems."""
    info = edition.track.info(given)
    shape: list[tuple[str, object]] = [
        ("Submission", given.id),
        ("Team", edition.team_link(info.team, "../")),
        ("Received", f"{given.at}{', late' if given.late else ''}"),
        ("Type", given.type),
        ("Priority", given.priority),
        ("Status", status_words(edition, given)),
    ]
    recorded = recall_verdict(edition.track, given) if given.verdict else None
    if not edition.shows(given):
        return join(facts(shape), _faults(recorded) if given.verdict == "rejected" and recorded else None)
    verdict = _verdict(edition, recorded, info.team) if recorded else None
    means, topics = _means(edition, given), _topics(edition, given)
    return join(facts(shape), verdict, means, topics, _metadata(edition, info))


def _faults(verdict: FileVerdict) -> Markup:
    """The rules that a rejected run broke, without a word of the run itself."""
    broken = dict.fromkeys(f.rule for f in verdict.findings if f.severity == "error")
    return section("Verdict", table(["Rule", "What must hold"], [[rule, RULES[rule].text] for rule in broken]))


def _verdict(edition: Edition, verdict: FileVerdict, owner: str) -> Markup:
    """Findings quote the file; those of a team under a pseudonym are only counted."""
    counts = ", ".join(f"{n} {kind}{'s' if n != 1 else ''}" for kind, n in verdict.counts().items() if n)
    counted = verdict.facts
    lines, topics = count_of(counted.lines, "line"), count_of(counted.topics, "topic")
    each = f"{counted.least}–{counted.most}" if counted.least < counted.most else counted.most
    parts = [
        el("p", el("strong", verdict.verdict, class_=verdict.verdict), f" ({counts})" if counts else ""),
        el("p", f"{lines}, {topics}, {each} documents per topic.", class_="what"),
    ]
    if verdict.findings and not edition.names.anonymous(owner):
        rows = [[f.rule, f.severity, f.line or "", f.message, f.fix] for f in verdict.findings]
        parts.append(table(["Rule", "Severity", "Line", "What", "What to do"], rows))
    return section("Verdict", *parts)


def _means(edition: Edition, given: Submission) -> Markup | None:
    scores = edition.scores
    if scores is None or given.id not in scores.runs:
        return None
    means = scores.mean()[given.id]
    rows = [[m, edition.number(means[m]), edition.interval(m, given.id) or "–"] for m in scores.metrics]
    level = 100 * edition.config["ranking.confidence"]
    return section("Means", table(["Metric", "Mean", f"{level:g} % interval"], rows, numbers=(1, 2)))


def _topics(edition: Edition, given: Submission) -> Markup | None:
    scores, board = edition.scores, edition.board
    if not edition.per_topic or scores is None or board is None or given.id not in scores.runs:
        return None
    rows_of, sheet = [row["submission"] for row in board["rows"]], spread(edition, board["metric"])
    official, values = scores.array(board["metric"]), scores.per_topic(given.id, board["metric"])
    among = [scores.runs.index(name) for name in rows_of]
    around = [float(v) for v in official[[*among, scores.runs.index(given.id)]].ravel()]
    rows = []
    for t, topic in enumerate(scores.topics):
        column = [float(official[r, t]) for r in among]
        own = values.get(topic)
        drawn = strip(column, own, around) if column else ""
        ends = [edition.number(end) for end in sheet.get(topic, ())] or ["–"] * 3
        rows.append([edition.topic_link(topic, "../"), *edition.numbers(given.id, topic), *ends, drawn])
    labels = [edition.config.label(metric) for metric in scores.metrics]
    label = edition.config.label(board["metric"])
    head = ["Topic", *labels, "Best", "Median", "Worst", "Among all systems"]
    legend = (
        f"Best, median and worst {label} of the runs on the leaderboard. In the drawings a dot is a run on the"
        " leaderboard, the stroke their median, and the orange dot is this run."
    )
    sheet_link = join("All metrics: ", link("result sheet (CSV)", f"../{sheet_of(given.id)}"), ".")
    numbers = tuple(range(1, 4 + len(labels)))
    return section("Topics", el("p", legend, " ", sheet_link, class_="what"), table(head, rows, numbers=numbers))


def _metadata(edition: Edition, info: Info) -> Markup | None:
    if edition.names.anonymous(info.team) or edition.config["site.runs"] == "never":
        return None
    parts = []
    if info.meta:
        parts.append(edition.track.read(f"store/{info.meta}").decode("utf-8", "replace"))
    text = text_of(edition.track.read_stored(info), Findings(edition.config.admission()))
    lines = [] if text is None else text[:MOST_METADATA].decode("utf-8", "replace").splitlines()
    header = [line for line in lines if line.startswith("#")]
    if header:
        parts.append("\n".join(header))
    if not parts:
        return None
    answers: dict[str, str] = {}
    for part in parts:
        bare = [line.removeprefix("#") for line in part.splitlines() if not line.startswith("# ir_metadata.")]
        answers |= find_answers(parse_metadata("\n".join(bare)) or {})
    asked = [(name, split_question(text)[0]) for name, text in edition.config.questionnaire]
    rows = [[question, answers.get(name, "–")] for name, question in asked]
    answered = section("Questionnaire", table(["Question", "Answer"], rows)) if rows else None
    return join(answered, section("Metadata", *(el("pre", part[:MOST_METADATA]) for part in parts)))


# --- topics -----------------------------------------------------------------------------------------------------------


def topics(edition: Edition) -> Markup:
    """Ids and queries; with scores, how the systems spread over each topic."""
    queries = edition.queries
    if not edition.per_topic or edition.board is None or edition.scores is None or not edition.board["rows"]:
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
        numbers = map(edition.number, (float(median[t]), min(column), max(column), float(spread[t])))
        rows.append([edition.topic_link(topic), query, *numbers, strip(column, None, around)])
    hardest = np.argsort(edition.config.sign * median, kind="stable")[:FEW]
    telling = np.argsort(-spread, kind="stable")[:FEW]
    named = [
        (title, _list_topics(edition, [scores.topics[t] for t in order]))
        for title, order in (("Hardest (median)", hardest), ("Most discriminating (spread)", telling))
    ]
    head = ["Topic", "Query", "Median", "Lowest", "Highest", "Spread", "Systems"]
    return join(
        el("p", f"{edition.board['metric']} of ranked runs and baselines.", class_="lede"),
        facts(named),
        section(
            "Every topic",
            el("p", "In the drawings a dot is a run, and the stroke their median.", class_="what"),
            table(head, rows, numbers=(2, 3, 4, 5)),
        ),
        _heat(edition, runs, values, scores.topics),
    )


def _heat(edition: Edition, runs: list[str], values: Any, names: tuple[str, ...]) -> Markup:
    low, high = float(values.min()), float(values.max())
    head = el("tr", el("td"), *(el("th", el("span", edition.run_name(run)), scope="col") for run in runs))
    body = []
    for topic, column in zip(names, values.T.tolist(), strict=True):
        cells = [el("td", digits(value, 2), class_=heat_class(value, low, high)) for value in column]
        body.append(el("tr", el("th", topic, scope="row"), *cells))
    drawn = el("table", el("thead", head), el("tbody", *body), id="heat")
    ends = (low, 0.0, high) if low < 0 < high else (low, (low + high) / 2, high)
    key = (el("span", digits(end, 2), class_=f"swatch {heat_class(end, low, high)}") for end in ends)
    legend = join(f"{edition.config.label(edition.config.official)} of each run on each topic: ", *key)
    return section("Topics and systems", el("p", legend, class_="what"), el("div", drawn, class_="scroll"))


def topic(edition: Edition, name: str) -> Markup:
    """One topic: every system and metric on it."""
    scores, board = edition.scores, edition.board
    assert scores is not None and board is not None
    query = edition.queries.get(name, "")
    rows = []
    for row in board["rows"]:
        run = row["submission"]
        rows.append([edition.run_link(run, "../"), edition.names.team(row["team"]), *edition.numbers(run, name)])
    official = list(scores.metrics).index(board["metric"]) + 2
    sign = -edition.config.sign
    rows.sort(key=lambda cells: sign * float(cells[official]) if cells[official] != "–" else 9e9)
    labels = [edition.config.label(metric) for metric in scores.metrics]
    numbers = tuple(range(2, 2 + len(labels)))
    return join(
        el("p", query, class_="lede") if query else None,
        section("Systems", table(["Run", "Team", *labels], rows, numbers=numbers)),
    )
