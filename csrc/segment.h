/* Process one more line of a topic, from text or from a row of a table. */
#ifndef DIVEVAL_SEGMENT_H
#define DIVEVAL_SEGMENT_H

#include "scan.h"

/* A Bloom filter of the topic's documents: a repeated document has all its bits set, and so have a few others. Such
 * suspects are compared by their hashes when the topic ends. This runs for every line, so it has no search and no branch
 * that is often mispredicted. */
static inline int see(uint64_t *seen, unsigned shift, uint64_t hash) {
    uint64_t *word = seen + (hash >> shift);
    uint64_t bits = (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63) | (uint64_t)1 << (hash >> 12 & 63) |
                    (uint64_t)1 << (hash >> 18 & 63);
    int before = (*word & bits) == bits;
    *word |= bits;
    return before;
}

static inline void suspect(Segment *segment, int64_t line) {
    if (segment->suspect_count < SUSPECTS) segment->suspects[segment->suspect_count++] = line;
    else segment->flags |= REPEATED;
}

/* Look up a document and store the hit if it is judged. The caller has made room. */
static inline void take_hit(Segment *segment, const Judged *judged, Field name, uint64_t hash, int64_t line) {
    int32_t row = judged_row(judged, segment->judged, hash, name.start, name.length);
    if (row < 0) return;
    segment->hit_ranks[segment->hit_count] = (int32_t)line + 1;
    segment->hit_rows[segment->hit_count++] = row;
}

/* Process the document of one more line of a judged topic. The caller has made room. */
static inline void take_document(Segment *segment, const Judged *judged, Field name, int64_t line) {
    uint64_t hash = hash_bytes(judged->key, name.start, name.length);
    segment->hashes[line] = hash;
    take_hit(segment, judged, name, hash, line);
    if (see(segment->seen, segment->seen_shift, hash)) suspect(segment, line);
}

static inline unsigned tie(Field name, const char *above, size_t above_length) {
    int order = compare_names(name.start, name.length, above, above_length);
    return (order >= 0 ? TIE_ROSE : 0u) | (order <= 0 ? TIE_FELL : 0u);
}

/* Process one more line of the open topic; NO_RANK means that it has no rank. */
static inline void next_entry(Segment *segment, const Judged *judged, Field name, int64_t rank, double score) {
    segment->flags |= rank == NO_RANK ? RANK_BROKEN : 0;
    segment->flags |= score > segment->score ? SCORE_ROSE : 0;
    segment->flags |= rank < segment->rank ? RANK_FELL : 0;
    if (score == segment->score) segment->flags |= tie(name, segment->name, segment->name_length);
    segment->score = score;
    segment->rank = rank;
    segment->name = name.start;
    segment->name_length = name.length;
    if (segment->judged) take_document(segment, judged, name, segment->count);
    segment->count++;
}

static inline int same_topic(const Scan *scan, Field name) {
    const Strings names = names_strings(&scan->names);
    return scan->open && string_is(&names, names.count - 1, name.start, name.length);
}

#endif
