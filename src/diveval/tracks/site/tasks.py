"""The first page of a track with several tasks: each with its dates, its submissions and its site."""

from __future__ import annotations

from collections.abc import Sequence

from diveval.errors import count_of
from diveval.tracks.folder import Track
from diveval.tracks.record import utc
from diveval.tracks.site.edition import Edition
from diveval.tracks.site.html import el, facts, join, link, page, section, table


def tasks(track: Track, views: Sequence[Track], *, private: bool) -> bytes:
    """The page; it shows of a task what the task's own first page shows."""
    config, rows = track.config, []
    for view in views:
        own, edition = view.config, Edition.of(view, private=private)
        given = view.state.submissions.values()
        counts = f"{len(given)}, {sum(one.accepted for one in given)}"
        board = edition.board
        shown = "not released" if board is None else f"{board['scoring']}, {count_of(len(board['rows']), 'run')}"
        cells = [link(view.task, f"{view.task}/index.html"), own["track.title"], own.official]
        rows.append([*cells, utc(own["dates.opens"]), utc(own["dates.closes"]), counts, shown])
    head = ["Task", "Title", "Official metric", "Opens", "Closes", "Received, accepted", "Results"]
    about = [(name, config[f"track.{key}"]) for name, key in (("Contact", "contact"), ("Home page", "url"))]
    newest = ("Head of the record", el("span", track.record.head, class_="hash"))
    content = join(section("Tasks", table(head, rows)), facts([*(row for row in about if row[1]), newest]))
    return page(config["track.title"], config["track.title"], [], content)
