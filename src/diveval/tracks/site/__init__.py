"""The static site of a track: pages without scripts, and data that anyone can verify."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from diveval.tracks import disk
from diveval.tracks.config import Team
from diveval.tracks.folder import CONFIGS, JUDGMENT_FILES, KEPT, KEY_FILE, RECEIVED, Track
from diveval.tracks.kit import kit
from diveval.tracks.leaderboard import board_of
from diveval.tracks.record import Event, Submission, sha256
from diveval.tracks.scorings import failures_of, recompute
from diveval.tracks.site import details, pages
from diveval.tracks.site.edition import Edition, ShownNames
from diveval.tracks.site.html import Markup, el, join, link, page
from diveval.tracks.site.judgments import Audit, audit_of, judgments, topic_judgments
from diveval.tracks.site.overlap import overlap
from diveval.tracks.site.runs import result_files, runs
from diveval.tracks.site.tasks import tasks
from diveval.tracks.skeleton import toml_value
from diveval.tracks.submission_verdicts import verdict_of
from diveval.validation.rules import json_bytes

PRIVATE, PAGES = "private/site", "private/pages"
REPORT = "report.html"  # what `diveval report` makes, if site.report asks for it

T = TypeVar("T")
Reporter = Callable[[Edition], bytes]
Page = tuple[str, str, Markup]  # file name, title, content


def site(track: Track, *, private: bool = False, report: Reporter | None = None) -> tuple[str, list[str]]:
    """Write the site; returns its folder and its pages. Before release, pages for teams go to `private/pages`.

    `report` makes the page for site.report; the caller passes it in, since this package must not import `diveval.report`.
    """
    for view in track.views():
        view.require_decided()
    files = contents(track, private=private, report=report)
    place = PRIVATE if private else track.config["site.out"]
    target = track.path(PRIVATE) if private else track.output("site.out")
    disk.write_folder(target, files, track.config.id, trusted=private)
    if not private and (private_pages := team_pages(track)):
        disk.write_folder(track.path(PAGES), private_pages, track.config.id, trusted=True)
    return place, sorted(name for name in files if name.endswith(".html"))


def contents(track: Track, *, private: bool = False, report: Reporter | None = None) -> dict[str, bytes]:
    """Every file of the site by its name: that of a track, or an overview and a site of each task in a folder."""
    if track.config.tasks and not track.task:
        views = track.views()
        files = {"index.html": tasks(track, views, private=private)}
        for view in views:
            inner = contents(view, private=private, report=report)
            files |= {f"{view.task}/{name}": content for name, content in inner.items()}
        return files
    edition, data = Edition.of(track, private=private), not private
    package = package_of(edition) if data else {}
    edition = replace(edition, files=frozenset(package))
    audit = audit_of(edition)
    navigation = [("All tasks", f"{'../' * (track.task.count('/') + 1)}index.html")] if track.task else []
    navigation += [("Leaderboard" if edition.board is not None else "Overview", "index.html")]
    navigation += [("Rules", "rules.html"), ("Topics", "topics.html")]
    navigation += [("Runs", "runs.html"), ("History", "history.html")] if edition.full else []
    navigation += [("Judgments", "judgments.html")] if audit is not None else []
    navigation += [("Overlap", "overlap.html")] if private else []
    navigation += [("Explore", REPORT)] if _shows_report(edition) else []
    files = _render(edition, [*navigation, ("Record", "record.html")], _pages(edition, audit, data=data))
    if edition.full:
        files |= result_files(edition)
    if report is not None and _shows_report(edition):
        files[REPORT] = report(edition)
    return files | {f"data/{name}": content for name, content in package.items()}


def team_pages(track: Track) -> dict[str, bytes]:
    """Before release: a page per team and run with verdicts and no numbers, for the organisers to send."""
    if track.config.tasks and not track.task:
        parts = {view.task: team_pages(view) for view in track.views()}
        return {f"{task}/{name}": content for task, files in parts.items() for name, content in files.items()}
    if track.released:
        return {}
    edition = Edition(track, ShownNames(track, frozenset()), None, False)
    people = list(_people(edition))
    listed = [el("li", link(name, name)) for name in sorted(name for name, *_ in people) if name.startswith("team/")]
    head = el("p", "Verdicts to send to each team, as of ", el("span", track.record.head, class_="hash"))
    index = ("index.html", "Pages for teams", join(head, el("ul", *listed)))
    return _render(edition, [], [*people, index])


def _shows_report(edition: Edition) -> bool:
    """Whether the site has a report: it shows every topic, document and team, so all of them must be public."""
    config = edition.config
    judged = config["site.judgments"] != "never"
    return bool(config["site.report"] and edition.per_topic and judged and not edition.names.some_anonymous)


def _pages(edition: Edition, audit: Audit | None, *, data: bool) -> Iterator[Page]:
    yield "index.html", edition.config["track.title"], pages.index(edition, data=data)
    yield "rules.html", "Rules", pages.rules(edition)
    yield "topics.html", "Topics", details.topics(edition)
    yield "record.html", "Record", pages.record(edition, data=data)
    if edition.full:
        yield "history.html", "History", pages.history(edition)
        yield "runs.html", "Runs", runs(edition)
        yield from _people(edition)
    if edition.full and edition.per_topic and edition.scores is not None:
        for topic in edition.scores.topics:
            content = join(details.topic(edition, topic), topic_judgments(audit, topic))
            yield edition.topic_pages[topic], f"Topic {topic}", content
    if not edition.public:
        yield "overlap.html", "Overlap", overlap(edition)
    if audit is not None:
        yield "judgments.html", "Judgments", judgments(edition, audit)


def _people(edition: Edition) -> Iterator[Page]:
    for team in edition.track.teams:
        if details.submissions_of(edition, team):
            yield edition.names.page(team), edition.names.team(team), details.team(edition, team)
    for given in edition.state.submissions.values():
        if not given.erased:
            yield f"run/{given.id}.html", f"Run {edition.names.run(given)}", details.run(edition, given)


def _render(edition: Edition, nav: Sequence[tuple[str, str]], listed: Iterable[Page]) -> dict[str, bytes]:
    title_of_site = edition.config["track.title"]
    return {
        name: page(title, title_of_site, nav, content, up="../" * name.count("/")) for name, title, content in listed
    }


# --- published data for verification: before release the record and the kit, after it everything ----------------------


def package_of(edition: Edition, *, newest: bool = False) -> dict[str, bytes]:
    """The files of `data/`, laid out as a track folder, with their sums.

    `newest`: only this edition's scoring, and nothing at all of submissions that do not stand.
    """
    track = edition.track
    record = track.read("record.jsonl")
    files = {"record.jsonl": record[: record.rindex(b"\n") + 1], "kit.zip": kit(track)}
    if edition.event is not None:
        scored = edition.scored_until[-1:] if newest else edition.scored_until
        files |= _inputs(edition, scored) | _submissions(edition, standing=newest) | _results(edition, scored)
    return {**files, disk.CHECKSUMS: disk.checksums(files)}


def _inputs(edition: Edition, scorings: Sequence[Event]) -> dict[str, bytes]:
    track, config = edition.track, edition.config
    files = {
        "track.toml": track.read("track.toml"),
        "teams.toml": _teams(edition),
    }
    if config["site.judgments"] == "never":  # with the secret the judgments could be guessed; topics may hold subtopics
        return files
    files[track.place("private/secrets") if track.task else KEY_FILE] = track.secret.key.hex().encode() + b"\n"
    shown = _topics_until(track, track.state.released[-1]["seq"])
    names = [config["data.topics"]] if sha256(track.read(config["data.topics"])) in shown else []
    names += [config.document_list] if config.document_list else []
    files |= {name: track.read(name) for name in names}
    recorded = shown | {event[key] for event in track.record.events for key in ("config", "sum") if key in event}
    for kept in sorted(track.path(CONFIGS).glob("*")):
        content = track.read(f"{CONFIGS}/{kept.name}") if kept.stem in recorded and kept.is_file() else b""
        if sha256(content) == kept.stem and (kept.suffix != ".topics" or kept.stem in shown):
            files[f"{CONFIGS}/{kept.name}"] = content
    for scored in scorings:
        event = track.record.events[scored["judged"]]
        for kind in JUDGMENT_FILES:
            path = track.find_judgments(event, kind)
            if path is not None:
                name, now = f"{KEPT}/{event[kind]}", config[f"data.{kind}"]
                files[now if now and path == track.path(now) else name] = path.read_bytes()
    return files


def _topics_until(track: Track, seq: int) -> set[str]:
    """The sums of the files of topics that were used up to an event: others may hold what another task asks for."""
    used = (event["seq"] for event in track.events("verdict", "scored", "released") if event["seq"] <= seq)
    return {track.state_before(n).sums.get("topics", "") for n in used}


def _teams(edition: Edition) -> bytes:
    """The teams that may be named, without addresses."""

    def entry(team: Team) -> str:
        return f"[[team]]\nid = {toml_value(team.id)}\nname = {toml_value(team.name)}\nrole = {toml_value(team.role)}\n"

    sent = {
        given.team for given in edition.state.submissions.values()
    }  # others, of other tasks too, are not ours to name
    teams = [team for team in edition.track.teams.values() if edition.track.secret.team(team.id) in sent]
    teams = [team for team in teams if not edition.names.anonymous(team.id)]
    return "\n".join(entry(team) for team in teams).encode()


def _submissions(edition: Edition, *, standing: bool) -> dict[str, bytes]:
    track, files = edition.track, dict[str, bytes]()

    def verdict(given: Submission) -> bytes:
        return track.verdict_json(given.id, verdict_of(track, given))

    for given in edition.state.submissions.values():
        info = track.info(given)
        if edition.names.anonymous(info.team):
            continue
        if not given.accepted or (standing and not given.stands):
            continue
        # Verdicts of later submissions depend on all names before them, also of those that no longer stand.
        files[f"{RECEIVED}/{given.id}.json"] = info.as_bytes()
        if not edition.shows(given):
            continue
        files |= _keep(track, f"verdicts/{given.id}.json", verdict, given, "verdict", given.verdict_sum)
        if edition.config["site.runs"] != "never":
            files[f"store/{info.sha256}"] = track.read_stored(info)
            files |= {f"store/{info.meta}": track.read_stored(info, meta=True)} if info.meta else {}
    return files


def _results(edition: Edition, scorings: Sequence[Event]) -> dict[str, bytes]:
    track, files = edition.track, dict[str, bytes]()
    for event in scorings:
        name = event["scoring"]
        if edition.config["site.per_topic"] != "never":
            files |= _keep(
                track,
                f"scores/{name}/scores.csv",
                lambda e: recompute(track, e).csv(),
                event,
                "scores",
                event["scores"],
            )
        if event["failed"]:
            files[f"scores/{name}/failed.json"] = json_bytes(dict(sorted(failures_of(track, event).items())))
        if name in edition.state.ranked and not edition.names.some_anonymous:  # a board names teams
            board = edition.state.ranked[name]["leaderboard"]
            files |= _keep(
                track, f"boards/{name}.json", lambda e: json_bytes(board_of(track, e)), event, "leaderboard", board
            )
    return files


def _keep(track: Track, name: str, compute: Callable[[T], bytes], of: T, label: str, recorded: str) -> dict[str, bytes]:
    """A derived file if it is the recorded one, else its content computed again: what lies there may be anything."""
    data = track.read(name) if track.path(name).is_file() else b""
    return {name: data if track.secret.sum(label, data) == recorded else compute(of)}
