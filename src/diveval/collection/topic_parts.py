"""Topics of rankings taken apart and put together: the same topic may occur several times, under other judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from diveval.collection.columns import BoolArray, IntArray, Names, offsets_of, owners, take_parts
from diveval.collection.judgment_columns import JudgedColumns
from diveval.collection.rankings import RankedColumns


def take_topics(run: RankedColumns, kept: IntArray) -> RankedColumns:
    """Some of the topics, in the order given, with judged and repeated documents; one may occur more than once."""
    starts, hits = take_parts(run.judged_offsets, kept)
    out = RankedColumns(starts, run.ranks[hits], run.rows[hits], run.lengths[kept], run.present[kept])
    if run.blank_starts is not None and run.blanks is not None:
        blank_starts, blanks = take_parts(run.blank_starts, kept)
        out = replace(out, blank_starts=blank_starts, blanks=run.blanks[blanks])
    return out


def join_topics(parts: Sequence[RankedColumns], topics: Names) -> RankedColumns:
    """The topics of several lists one after the other, named anew, with judged and repeated documents."""
    none = np.empty(0, dtype=np.int64)
    blanks = [none if part.blanks is None else part.blanks for part in parts]
    counts = [
        np.zeros(len(part), dtype=np.int64) if part.blank_starts is None else np.diff(part.blank_starts)
        for part in parts
    ]
    return RankedColumns(
        offsets_of(np.concatenate([np.diff(part.judged_offsets) for part in parts])),
        np.concatenate([part.ranks for part in parts]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.present for part in parts]),
        topics,
        blank_starts=offsets_of(np.concatenate(counts)),
        blanks=np.concatenate(blanks),
    )


def without_topics(count: int) -> RankedColumns:
    """A run that lacks each of so many topics."""
    none, absent = np.empty(0, dtype=np.int64), np.zeros(count, dtype=np.int64)
    return RankedColumns(np.zeros(count + 1, dtype=np.int64), none, none, absent, absent > 0)


def keep_judged(run: RankedColumns, judged: JudgedColumns, some: BoolArray) -> RankedColumns:
    """The same lists when only some of the judged documents are judged; `judged` has all of them."""
    topic, before = owners(run.judged_offsets), offsets_of(some)
    document = judged.documents[topic] + run.rows
    kept = some[document]
    starts = offsets_of(np.bincount(topic[kept], minlength=len(run)))
    rows = (before[document] - before[judged.documents][topic])[kept]
    return replace(run, judged_offsets=starts, ranks=run.ranks[kept], rows=rows)
