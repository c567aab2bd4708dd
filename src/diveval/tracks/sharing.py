"""Which tasks of a track hide the same: judgments, weights of aspects, or what their topics ask for beyond the query.

A release publishes these of one task, and an export the judgments of its open topics. What another task has of them must
not become public with it, whichever file it stands in, and in whichever order and format.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from diveval.errors import DivevalError, capture_warnings
from diveval.tracks.folder import Track

Row = tuple[object, ...]  # begins with its kind and its topic


class Hidden:
    """What a task hides, by topic."""

    def __init__(self, track: Track) -> None:
        self.track = track

    @cached_property
    def judged(self) -> set[Row]:
        """Its judgments and weights."""
        return {*self._judgments(), *self._lines("weights")}

    @cached_property
    def asked(self) -> set[Row]:
        """The texts of its aspects."""
        from diveval.reading.texts import mentions_aspects, read_topics  # only where there are other tasks

        path = self.track.path(self.track.config["data.topics"])
        data = path.read_bytes() if path.is_file() else b""
        if not mentions_aspects(data):
            return set()
        try:
            found = read_topics(path).items()
            return {("aspect", topic, text) for topic, given in found for text in given.aspects.values()}
        except DivevalError:  # as TREC writes topics, without closing tags
            return {("line", "", line.strip()) for line in data.splitlines() if line.strip()}

    def _judgments(self) -> Iterator[Row]:
        from diveval.scoring.evaluate import load_judgments
        from diveval.tracks.scorings import options_of

        name = self.track.config["data.qrels"]
        if not name or not self.track.path(name).is_file():
            return
        try:
            with capture_warnings():
                rows = load_judgments(self.track.path(name), options_of(self.track.config)).rows()
            yield from (("judgment", *row) for row in rows)
        except DivevalError:  # not complete yet
            yield from self._lines("qrels")

    def _lines(self, kind: str) -> Iterator[Row]:
        name = self.track.config[f"data.{kind}"]
        data = self.track.read(name) if name and self.track.path(name).is_file() else b""
        for cells in map(bytes.split, data.splitlines()):
            if cells:
                yield kind, cells[0].decode(errors="replace"), *cells[1:]

    @cached_property
    def held_back(self) -> frozenset[str]:
        """The topics that it holds back."""
        from diveval.tracks.scorings import read_held_back

        name = self.track.config["data.held_back"]
        return read_held_back(self.track.read(name), name) if name else frozenset()

    def _files(self, *keys: str) -> set[bytes]:
        paths = [self.track.path(self.track.config[f"data.{key}"]) for key in keys if self.track.config[f"data.{key}"]]
        return {path.read_bytes() for path in paths if path.is_file()}

    def find_shared(self, other: Hidden, *, judgments_only: bool = False) -> set[str]:
        """The topics of which both hide the same. Topics of one id and different queries count where the files are copies."""
        shared, copies = self.judged & other.judged, self._files("qrels", "weights") & other._files("qrels", "weights")
        topics = {str(row[1]) for row in shared if copies or self._asks_as(other, str(row[1]))}
        if not judgments_only:
            copied = self._files("topics") & other._files("topics")
            topics |= {str(row[1]) for row in self.asked & other.asked if copied or self._asks_as(other, str(row[1]))}
        return topics

    def _asks_as(self, other: Hidden, topic: str) -> bool:
        one, two = (" ".join(hidden.track.topics.get(topic, "").casefold().split()) for hidden in (self, other))
        return one == two


def find_sharing(track: Track, *, released: bool = False) -> list[Track]:
    """The other tasks, or the released ones of them, that hide some of what this one hides."""
    others = [Track(track.folder, name) for name in track.config.tasks if name != track.task]
    others = [view for view in others if view.released or not released]
    mine = Hidden(track)
    return [view for view in others if mine.find_shared(Hidden(view))]


def find_unequal_holding(track: Track) -> tuple[Track, frozenset[str]] | None:
    """Another task with judgments in common of topics that one of both holds back, with these topics; None without one."""
    mine = Hidden(track)
    for name in track.config.tasks:
        if name != track.task:
            other = Hidden(Track(track.folder, name))
            shared = mine.find_shared(other, judgments_only=True)
            if unequal := (mine.held_back ^ other.held_back) & shared:
                return other.track, unequal
    return None
