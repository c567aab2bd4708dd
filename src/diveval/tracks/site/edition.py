"""The content of a site: one scoring with its board and scores, and the names that may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from diveval.results.scores import Scores
from diveval.stats import interval
from diveval.tracks.folder import Track
from diveval.tracks.leaderboard import board_of
from diveval.tracks.record import Event, State, Submission
from diveval.tracks.scorings import find_lost, scores_of
from diveval.tracks.site.html import Markup, link
from diveval.views.shared import attempt

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def digits(value: float, places: int) -> str:
    """A number with fixed digits; zero has no sign."""
    return f"{round(value, places) + 0.0:.{places}f}"


@dataclass(frozen=True)
class ShownNames:
    """Teams and runs under the names that may be shown now: their own, or pseudonyms."""

    track: Track
    hidden: frozenset[str] | None  # teams shown by a pseudonym; None: all of them

    @classmethod
    def of(cls, track: Track) -> ShownNames:
        config = track.config
        if track.released:
            choice = config["names.after_release"] == "team-choice"
            return cls(track, frozenset(t.id for t in track.teams.values() if t.anonymous and choice))
        return cls(track, None if config["names.before_release"] == "pseudonym" else frozenset())

    def anonymous(self, team: str) -> bool:
        return self.hidden is None or team in self.hidden

    @property
    def some_anonymous(self) -> bool:
        return any(self.anonymous(team) for team in self.track.teams)

    @cached_property
    def _keys(self) -> dict[str, str]:
        """The shortest prefixes of the teams' keys, of at least 4 hex digits, that are all different."""
        keyed = {team: self.track.secret.team(team).removeprefix("t-") for team in self.track.teams}
        length = next((n for n in range(4, 12) if len({key[:n] for key in keyed.values()}) == len(keyed)), 12)
        return {team: key[:length] for team, key in keyed.items()}

    def team(self, team: str) -> str:
        if self.anonymous(team):
            return self._keys[team]
        return self.track.teams[team].name if team in self.track.teams else team

    def page(self, team: str) -> str:
        return f"team/{self._keys[team] if self.anonymous(team) else team}.html"

    def run(self, submission: Submission) -> str:
        info = self.track.info(submission)
        if not self.anonymous(info.team):
            return info.name
        same = [s.id for s in self.track.state.submissions.values() if s.team == submission.team]
        return f"{self._keys[info.team]}-{same.index(submission.id) + 1}"


@dataclass(frozen=True)
class Edition:
    """A track as its site shows it. Before release, and outside previews, there is no scoring to show."""

    track: Track
    names: ShownNames
    event: Event | None  # the scoring
    full: bool  # names, verdicts and numbers may be shown
    public: bool = False  # everyone sees it; else organisers, or each team its own pages
    files: frozenset[str] = frozenset()  # what is published in data/
    _boards: dict[str, Any] = field(default_factory=dict, repr=False)  # and other results that pages share

    @classmethod
    def of(cls, track: Track, *, private: bool) -> Edition:
        """The released scoring; for organisers the newest one."""
        scored = track.state.scored
        if not private:
            newest = [event["scoring"] for event in track.state.released[-1:]]
            scored = [event for event in scored if event["scoring"] in newest]
        return cls(track, ShownNames.of(track), scored[-1] if scored else None, private or track.released, not private)

    @property
    def config(self) -> Any:
        return self.track.config

    @property
    def state(self) -> State:
        return self.track.state

    @cached_property
    def scores(self) -> Scores | None:
        return None if self.event is None else scores_of(self.track, self.event)

    @cached_property
    def board(self) -> dict[str, Any] | None:
        return None if self.event is None else self.board_at(self.event)

    def board_at(self, event: Event) -> dict[str, Any]:
        name = event["scoring"]
        if name not in self._boards:
            self._boards[name] = board_of(self.track, event)
        return dict(self._boards[name])

    def shows(self, given: Submission) -> bool:
        """Whether a run, its metadata and findings that quote it may be shown: to everyone only those that stand."""
        return given.stands or not self.public

    @property
    def per_topic(self) -> bool:
        return self.scores is not None and self.config["site.per_topic"] != "never"

    @property
    def scored_until(self) -> list[Event]:
        """The scorings that can and may be shown: up to the one of this edition, and to everyone only released ones."""
        until = [] if self.event is None else [e for e in self.state.scored if e["seq"] <= self.event["seq"]]
        until = [event for event in until if not self.public or self.track.has_released(event["scoring"])]
        return [event for event in until if not find_lost(self.track, self.state, event)]

    @cached_property
    def intervals(self) -> dict[str, dict[str, tuple[float, float]]]:
        """By metric and run, the ends of the interval of its mean; empty where there are too few topics."""
        if self.scores is None:
            return {}
        by_metric = {}
        for metric in self.scores.metrics:
            ends, _ = attempt(partial(interval, self.scores, metric, confidence=self.config["ranking.confidence"]))
            rows = () if ends is None else ends.rows
            by_metric[metric] = {r.run: (r.low, r.high) for r in rows if r.low is not None and r.high is not None}
        return by_metric

    def number(self, value: float) -> str:
        return digits(value, self.config["scoring.digits"])

    @cached_property
    def _places(self) -> tuple[dict[str, int], dict[str, int]]:
        """Where runs and topics are in the table of scores."""
        names = ((), ()) if self.scores is None else (self.scores.runs, self.scores.topics)
        runs, topics = ({name: place for place, name in enumerate(part)} for part in names)
        return runs, topics

    def numbers(self, run: str, topic: str) -> list[str]:
        """The values of a run on a topic, metric by metric."""
        scores, (runs, topics) = self.scores, self._places
        if scores is None:
            return []
        r, t = runs[run], topics[topic]
        pairs = zip(scores.values[r, :, t].tolist(), scores.counted[r, :, t].tolist(), strict=True)
        return [self.number(value) if counted else "–" for value, counted in pairs]

    def interval(self, metric: str, run: str) -> str | None:
        ends = self.intervals.get(metric, {}).get(run)
        return f"{self.number(ends[0])} to {self.number(ends[1])}" if ends else None

    def run_name(self, name: str) -> str:
        return self.names.run(self.state.submissions[name])

    def run_link(self, name: str, up: str = "") -> Markup:
        """A link to the page of a run; `up` leads to the root of the site."""
        return link(self.run_name(name), f"{up}run/{name}.html")

    def team_link(self, team: str, up: str = "") -> Markup:
        return link(self.names.team(team), up + self.names.page(team))

    def topic_link(self, topic: str, up: str = "") -> Markup:
        return link(topic, up + self.topic_pages[topic])

    @cached_property
    def queries(self) -> dict[str, str]:
        """The topics of the track with their queries, and scored topics that are no longer in the list."""
        scored = self.scores.topics if self.scores is not None else ()
        return {**self.track.topics, **{t: "" for t in scored if t not in self.track.topics}}

    @cached_property
    def topic_pages(self) -> dict[str, str]:
        """Where the page of each topic is; ids that cannot be file names are numbered."""
        pages: dict[str, str] = {}
        for number, topic in enumerate(self.queries, 1):
            safe = _SAFE.fullmatch(topic) is not None
            name = topic if safe and topic.lower() not in {p[6:-5].lower() for p in pages.values()} else f"n-{number}"
            pages[topic] = f"topic/{name}.html"
        return pages
