"""Where a track is, what is due next, what is wrong, and how each team stands; reads, and writes nothing."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from diveval.errors import DivevalError, count_of
from diveval.tracks.folder import Track
from diveval.tracks.intake import Info
from diveval.tracks.offered import MOST_METADATA, list_plain, read_below
from diveval.tracks.record import Submission, now, sha256, utc
from diveval.tracks.scorings import failures_of
from diveval.tracks.submission_verdicts import list_stranded
from diveval.tracks.submissions import Offer, details, name_metadata
from diveval.tracks.written import belongs_to

RUN = "diveval track"


@dataclass(frozen=True)
class TeamStatus:
    """How a team stands; `waiting` are its files in the inbox that were not taken."""

    team: str
    name: str
    role: str
    received: int
    standing: int
    rejected: int
    late: int
    waiting: tuple[str, ...]
    last: str  # the time of its newest submission, empty where there is none
    note: str  # what the organiser may want to tell it


@dataclass(frozen=True)
class TrackStatus:
    """Everything that `diveval track status` says."""

    phase: str  # before, open, closed, judged, scored, ranked, released
    since: str  # the phase in words, with its dates
    counts: dict[str, int]
    due: tuple[str, ...]
    wrong: tuple[str, ...]
    teams: tuple[TeamStatus, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self) -> list[str]:
        """The status as text."""
        listed = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        out = [f"phase: {self.since}", f"submissions: {listed}"]
        out += [f"wrong: {text}" for text in self.wrong]
        out += [f"next: {text}" for text in self.due]
        width = max((len(team.team) for team in self.teams), default=4)
        out += ["", f"{'team':<{width}}  received  standing  rejected  late  newest"]
        for team in self.teams:
            numbers = f"{team.received:>8}  {team.standing:>8}  {team.rejected:>8}  {team.late:>4}"
            out.append(f"{team.team:<{width}}  {numbers}  {team.last or '–'}{'  ' + team.note if team.note else ''}")
        return out


def status_of(track: Track, moment: datetime.datetime | None = None) -> TrackStatus:
    """The status at a moment, by default now."""
    moment = moment or now()
    given = list(track.state.submissions.values())
    teams = tuple(_team(track, name) for name in track.teams)
    phase, since = _phase(track, moment)
    counts = {
        "received": len(given),
        "standing": sum(s.stands for s in given),
        "rejected": sum(s.verdict == "rejected" for s in given),
        "late": sum(s.stands and s.late and not s.late_accepted for s in given),
        "in the inbox": sum(len(team.waiting) for team in teams),
    }
    return TrackStatus(phase, since, counts, tuple(_due(track, phase, teams, moment)), tuple(_wrong(track)), teams)


def _phase(track: Track, moment: datetime.datetime) -> tuple[str, str]:
    state, config = track.state, track.config
    opens, closes = config["dates.opens"], config.closing
    newest = state.scored[-1]["scoring"] if state.scored else ""
    if moment < opens:
        return "before", f"before the opening at {utc(opens)}"
    if moment <= closes:
        return "open", f"open until {utc(closes)}"
    if state.released and state.released[-1]["scoring"] == newest and not state.changed:
        return "released", f"edition {len(state.released)} is released ({newest})"
    public = f"; edition {len(state.released)} is public" if state.released else ""
    if newest and not state.changed:
        ranked = newest in state.ranked
        return ("ranked" if ranked else "scored"), f"{newest} is {'ranked' if ranked else 'scored'}{public}"
    if state.judged is not None:
        why = "something changed since the last scoring" if newest else "judged and not scored"
        return "judged", why + public
    return "closed", f"closed since {utc(closes)}, without judgments"


def _due(track: Track, phase: str, teams: tuple[TeamStatus, ...], moment: datetime.datetime) -> Iterator[str]:
    """The next steps, the first one first."""
    undecided = _list_undecided(track)
    own = f"{RUN} --task {track.task}" if track.task else RUN
    for _, decision in undecided:
        yield f"`{own if decision == 'judged' else RUN} decide {decision} --reason TEXT`"
    if any(not s.verdict for s in track.state.submissions.values()):
        yield "any command that writes completes the submissions without a verdict"
    if any(team.waiting for team in teams):
        yield f"`{RUN} add --inbox`"
    releases = track.config.get("dates.releases")
    steps = {
        "before": f"`{RUN} export kit` and `{RUN} site`, then wait for the opening",
        "open": f"`{RUN} add` what arrives; `{RUN} site` renews the counts",
        "closed": f"have a pool judged (`{own} pool`), or name judgments in track.toml; then `{own} decide judged`",
        "judged": f"`{own} score`, then `{own} rank`",
        "scored": f"`{own} rank`",
        "ranked": f"look at `{RUN} site --private`, then `{own} decide release`",
        "released": f"`{RUN} site`, `{RUN} verify`, and `{RUN} export archive` for a repository with DOIs",
    }
    step = steps[phase]
    if phase == "ranked" and releases is not None and moment < releases:
        step = f"look at `{RUN} site --private`; no release before {utc(releases)}"
    yield step


def _list_undecided(track: Track) -> list[tuple[str, str]]:
    try:
        return track.list_undecided()
    except DivevalError:
        return []  # listed as wrong


def _wrong(track: Track) -> Iterator[str]:
    """What needs a look: changes without a decision, unsafe paths, lost files, failed runs, an old site."""
    if track.record.torn:
        yield "the last line of the record is torn; the next command that writes repairs it"
    try:
        track.require_safe_paths()
        yield from (what for what, _ in track.list_undecided())
    except DivevalError as error:
        yield str(error)
    for given in track.state.submissions.values():
        yield from _list_lost(track, given)
    state = track.state
    if state.scored:
        for name, why in failures_of(track, state.scored[-1]).items():
            yield f"{name} could not be scored: {why}"
    if track.path("private").stat().st_mode & 0o077:
        yield "private/ can be read by other users of this machine (chmod 700 private)"
    site = track.path(track.config["site.out"])
    if site.is_dir() and not belongs_to(site, track.record):
        yield f"{track.config['site.out']} is of an earlier state of the record (`{RUN} site` writes it again)"


def _list_stranded(track: Track) -> list[Submission]:
    try:
        return list_stranded(track)
    except DivevalError:
        return []  # listed as wrong


def _list_lost(track: Track, given: Submission) -> Iterator[str]:
    if given.erased:
        return
    if not given.verdict:
        yield f"{given.id} has no verdict yet"
    try:
        info = track.info(given)
        if not track.path(f"store/{info.sha256}").is_file():
            yield f"{given.id}: store/{info.sha256} is missing"
    except DivevalError as error:
        yield str(error)


def _team(track: Track, name: str) -> TeamStatus:
    team, keyed = track.teams[name], track.secret.team(name)
    mine = [s for s in track.state.submissions.values() if s.team == keyed]
    waiting, refused = _list_waiting(track, name, mine)
    standing = [s for s in mine if s.stands]
    late = [s for s in standing if s.late and not s.late_accepted]
    notes = [f"{len(waiting)} in the inbox"] if waiting else []
    notes += [f"{count_of(refused, 'file')} in the inbox cannot be taken"] if refused else []
    if team.role == "participant" and not mine:
        notes.append("has sent nothing")
    elif mine and not standing:
        notes.append("no run stands")
    elif late and len(late) == len(standing):
        notes.append("every run is late")
    if mine and mine[-1].verdict == "rejected":
        notes.append(f"the newest, {mine[-1].id}, was rejected ({count_of(mine[-1].errors, 'error')})")
    notes += [
        f"{given.id} is replaced by {given.newer}, which does not stand (`{RUN} decide restore {given.id}`)"
        for given in _list_stranded(track)
        if given.team == keyed
    ]
    rejected = sum(s.verdict == "rejected" for s in mine)
    numbers = (len(mine), len(standing), rejected, len(late))
    return TeamStatus(name, team.name, team.role, *numbers, waiting, mine[-1].at if mine else "", "; ".join(notes))


def _list_waiting(track: Track, team: str, mine: list[Submission]) -> tuple[tuple[str, ...], int]:
    """Files of a team's inbox that were never taken as they are, and how many cannot be taken at all."""
    parts = track.inbox(team)
    folder = track.path("/".join(parts))
    if not folder.is_dir() or folder.is_symlink():
        return (), int(folder.is_symlink())
    try:
        files, refused = list_plain(track.folder, parts)
    except DivevalError:
        return (), 1
    infos = [replace(track.info(given), ranking="") for given in mine]
    known, waiting, bad = set(infos), [], len(refused)
    for file in files:
        if file.endswith((".yml", ".yaml", ".part")):
            continue
        try:
            if _describe(track, team, file, files) not in known:
                waiting.append(file)
        except DivevalError:
            bad += 1
    return tuple(waiting), bad


def _describe(track: Track, team: str, file: str, files: Collection[str]) -> Info:
    """A file of the inbox as it would be received: its bytes, names, type and priority, and the metadata beside it."""
    parts = track.inbox(team)
    _, name, kind, priority = details(track.rules, Offer(Path(file), team, inbox=True))
    meta = next((other for other in name_metadata(file) if other in files), None)
    summed = sha256(read_below(track.folder, (*parts, meta), MOST_METADATA)) if meta else ""
    data = read_below(track.folder, (*parts, file), track.config["submission.max_bytes"])
    return Info(team, name, file, sha256(data), kind, priority, summed)
