"""The static site of a track: pages without scripts, and data that anyone can verify."""

from __future__ import annotations

from collections.abc import Callable

from diveval.tracks import disk
from diveval.tracks.exports import checksums
from diveval.tracks.folder import Track
from diveval.tracks.site import pages, past, teams
from diveval.tracks.site.edition import Edition, ShownNames
from diveval.tracks.site.html import Markup, el, joined, link, page
from diveval.tracks.site.package import package

PRIVATE, PAGES = "private/site", "private/pages"
REPORT = "report.html"  # what `diveval report` makes, if site.report asks for it


Reporter = Callable[[Edition], bytes]


def site(track: Track, *, private: bool = False, report: Reporter | None = None) -> tuple[str, list[str]]:
    """Write the site; the answer is its folder and its pages. Before release, pages for teams go to `private/pages`.

    `report` makes the page that site.report asks for; it comes from outside, since it needs more than a track does.
    """
    track.require_decided()
    files = contents(track, private=private)
    edition = Edition.of(track, private=private)
    if report is not None and shows_report(edition):
        files[REPORT] = report(edition)
        files["SHA256SUMS"] = checksums({name: data for name, data in files.items() if name != "SHA256SUMS"})
    place = PRIVATE if private else track.config["site.out"]
    disk.write_folder(track.path(place), files)
    if not private and not track.released:
        disk.write_folder(track.path(PAGES), letters(track))
    return place, sorted(name for name in files if name.endswith(".html"))


def contents(track: Track, *, private: bool = False) -> dict[str, bytes]:
    """Every file of the site by its name."""
    edition = Edition.of(track, private=private)
    data = not private
    build = _Builder(edition, data=data)
    build.add("index.html", track.config["track.title"], pages.index(edition, data=data))
    build.add("rules.html", "Rules", pages.rules(edition))
    build.add("topics.html", "Topics", pages.topics(edition))
    build.add("record.html", "Record", past.record(edition, data=data))
    if edition.full:
        build.add("history.html", "History", past.history(edition))
        _people(build)
        if edition.per_topic:
            for topic in edition.scores.topics if edition.scores is not None else ():
                build.add(edition.topic_pages[topic], f"Topic {topic}", pages.topic(edition, topic))
    files = build.files
    if data:
        files |= {f"data/{name}": content for name, content in package(edition).items()}
    return {**files, "SHA256SUMS": checksums(files)}


def shows_report(edition: Edition) -> bool:
    """Whether a report belongs to the site: it shows every topic and document, so only where all of it may be shown."""
    config = edition.config
    hidden = any(edition.names.anonymous(team) for team in edition.track.teams.by_id)
    return bool(config["site.report"] and edition.per_topic and config["site.judgments"] != "never" and not hidden)


def letters(track: Track) -> dict[str, bytes]:
    """Before release: a page per team and run with verdicts and no numbers, for the organisers to send."""
    build = _Builder(Edition(track, ShownNames(track, frozenset()), None, False), data=False, nav=False)
    _people(build)
    listed = [el("li", link(name, name)) for name in sorted(build.files) if name.startswith("team/")]
    head = el("p", "Verdicts to send to each team, as of ", el("span", track.record.head, class_="hash"))
    build.add("index.html", "Pages for teams", joined(head, el("ul", *listed)))
    return {**build.files, "SHA256SUMS": checksums(build.files)}


def _people(build: _Builder) -> None:
    edition = build.edition
    for team in edition.track.teams.by_id:
        if teams.submissions_of(edition, team):
            build.add(edition.names.page(team), edition.names.team(team), teams.team(edition, team))
    for given in edition.state.submissions.values():
        if given.erased:
            continue
        build.add(f"run/{given.id}.html", f"Run {edition.names.run(given)}", teams.run(edition, given))


class _Builder:
    """Pages that share a title and a navigation."""

    def __init__(self, edition: Edition, *, data: bool, nav: bool = True) -> None:
        self.edition, self.files = edition, dict[str, bytes]()
        first = "Leaderboard" if edition.board is not None else "Overview"
        entries = [(first, "index.html"), ("Rules", "rules.html"), ("Topics", "topics.html")]
        entries += [("History", "history.html")] if edition.full else []
        entries += [("Explore", REPORT)] if shows_report(edition) else []
        self.nav = [*entries, ("Record", "record.html")] if nav else []

    def add(self, name: str, title: str, content: Markup) -> None:
        up = "../" * name.count("/")
        self.files[name] = page(title, self.edition.config["track.title"], self.nav, content, up=up)
