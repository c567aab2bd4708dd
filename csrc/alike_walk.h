/* The scan of lines that are alike, included by alike.c once for every instruction set: WALK and DOCUMENTS are the names
 * of its functions, WITHIN and NAME_LENGTH the functions it uses, TARGET the required instruction set.
 *
 * Some lines are checked first, then their documents are looked up: each of the two loops needs about as many values at
 * once as there are registers, and a single loop would spill them. */

/* Look up the documents of the next lines of a judged topic. The caller has made room for the hits. */
TARGET static void DOCUMENTS(Segment *segment, const Judged *judged, const Field *documents, int64_t count) {
    const uint64_t *filter = segment->judged->filter;
    const unsigned filter_shift = segment->judged->filter_shift, seen_shift = segment->seen_shift;
    uint64_t *seen = segment->seen, *hashes = segment->hashes + segment->count;
    for (int64_t i = 0; i < count; i++) {
        hashes[i] = hash_bytes(judged->key, documents[i].start, documents[i].length);
        __builtin_prefetch(seen + (hashes[i] >> seen_shift), 1); /* the filter may be larger than the L1 cache */
    }
    for (int64_t i = 0; i < count; i++) {
        uint64_t hash = hashes[i], bit = hash >> filter_shift;
        if (filter[bit >> 6] >> (bit & 63) & 1) likely_hit(segment, judged, documents[i], hash, segment->count + i);
        if (see(seen, seen_shift, hash)) suspect(segment, segment->count + i);
    }
}

/* Process at most ALIKE_LINES lines from p on; returns where the first other line starts. A line cannot end beyond `end`,
 * whatever bytes follow it: a line that fits the bounds has a single newline, its last byte, and the last byte before
 * `end` is a newline. */
TARGET static const char *WALK(Scan *scan, const char *p, const char *end) {
    Likeness *likeness = &scan->likeness;
    Segment *segment = &scan->segment;
    Field documents[ALIKE_LINES], document = {segment->name, segment->name_length};
    const Bounds before = likeness->before, behind = likeness->behind;
    const Numeral rank = likeness->rank, score = likeness->score;
    uint64_t rank_above = rank.above[0], score_above = score.above[0], score_above_too = score.above[1];
    unsigned flags = 0;
    int64_t count = 0;
    while (p < end && count < ALIKE_LINES) {
        const Field next = {p + before.length, NAME_LENGTH(p + before.length)};
        const char *rest = next.start + next.length;
        uint64_t by_rank, by_score, by_score_too;
        __builtin_prefetch(p + TEXT_AHEAD);
        if (!next.length || !WITHIN(&before, p, &behind, rest)) break;
        by_rank = digits_at(rest + rank.start, rank.mask[0]);
        by_score = digits_at(rest + score.start, score.mask[0]);
        by_score_too = digits_at(rest + score.start + 8, score.mask[1]);
        flags |= by_rank < rank_above ? RANK_FELL : 0u;
        flags |= by_score > score_above ? GREW : 0u;
        flags |= by_score < score_above ? SHRANK : 0u;
        if (by_score == score_above) {
            flags |= by_score_too > score_above_too ? GREW : 0u;
            flags |= by_score_too < score_above_too ? SHRANK : 0u;
            if (by_score_too == score_above_too) flags |= tie_between(next, document);
        }
        rank_above = by_rank;
        score_above = by_score;
        score_above_too = by_score_too;
        document = documents[count++] = next;
        p = rest + behind.length;
    }
    if (!count) return p;
    likeness->rank.above[0] = rank_above;
    likeness->score.above[0] = score_above;
    likeness->score.above[1] = score_above_too;
    if (segment->judged) DOCUMENTS(segment, scan->judged, documents, count);
    lines_taken(segment, likeness, document, flags, count);
    return p;
}

#undef DOCUMENTS
#undef WALK
#undef WITHIN
#undef NAME_LENGTH
#undef TARGET
