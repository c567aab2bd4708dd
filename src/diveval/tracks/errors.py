"""Errors of a track that have an exit code of their own."""

from __future__ import annotations

from diveval.errors import DivevalError


class TrackError(DivevalError):
    """An error of a track; `code` is the exit code of the command."""

    code = 2


class RecordBrokenError(TrackError):
    """The record does not follow from line to line: someone changed it."""

    code = 3


class UndecidedError(TrackError):
    """A file or a section of the configuration changed, and no decision says so."""

    code = 4


class LockedError(TrackError):
    """Another process is writing."""

    code = 5
