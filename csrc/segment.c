/* The start and the end of a topic: work that is done once per topic. */
#include <limits.h>
#include <math.h>

#include "scan.h"

const JudgedTopic *judged_topic(const Scan *scan, const Topic *topic) {
    return topic->judged < 0 ? NULL : scan->judged->topics + topic->judged;
}

ScanStatus add_topic(Scan *scan, Field name, uint64_t hash) {
    Topic topic = {names_find(&scan->judged->names, hash, name.start, name.length), 0, {NULL, 0, 0, 0}};
    if (scan->topic_count >= INT32_MAX) return SCAN_UNUSUAL;
    if (reserve((void **)&scan->topics, &scan->topic_room, scan->topic_count, 1, sizeof(Topic)) ||
        names_add(&scan->names, hash, name.start, name.length) < 0)
        return SCAN_NO_MEMORY;
    scan->topics[scan->topic_count++] = topic;
    return SCAN_OK;
}

ScanStatus find_topic(Scan *scan, Field name, Topic **topic) {
    uint64_t hash = hash_bytes(scan->judged->key, name.start, name.length);
    int32_t at = names_find(&scan->names, hash, name.start, name.length);
    if (at < 0) {
        ScanStatus status = add_topic(scan, name, hash);
        if (status != SCAN_OK) return status;
        at = (int32_t)scan->topic_count - 1;
    }
    *topic = scan->topics + at;
    return SCAN_OK;
}

/* Whether a suspect has the hash of an earlier line, as equal documents have. */
static int repeats(const Segment *segment) {
    for (uint32_t s = 0; s < segment->suspect_count; s++) {
        int64_t line = segment->suspects[s];
        uint64_t hash = segment->hashes[line], same = 0;
        for (int64_t i = 0; i < line; i++) same |= segment->hashes[i] == hash;
        if (same) return 1;
    }
    return 0;
}

/* An empty filter, sized for a topic as long as the previous one, so that clearing it takes less time than that topic
 * did. A filter that is too small only produces more suspects. */
static ScanStatus clear_seen(Scan *scan, int64_t lines) {
    Segment *segment = &scan->segment;
    size_t words = 1 << 8;
    unsigned shift = 64 - 8;
    for (; 5 * words < 4 * (size_t)lines && shift > 40; words *= 2) shift--; /* limited, to stay in the cache */
    if (words > scan->seen_words) {
        free(segment->seen);
        segment->seen = malloc(words * sizeof(uint64_t));
        scan->seen_words = segment->seen ? words : 0;
        if (!segment->seen) return SCAN_NO_MEMORY;
    }
    segment->seen_shift = shift;
    memset(segment->seen, 0, words * sizeof(uint64_t));
    return SCAN_OK;
}

/* Make room for all lines of the current block, so that no line has to check. */
ScanStatus make_room(Scan *scan) {
    Segment *segment = &scan->segment;
    size_t lines = scan->lines_ahead;
    if (segment->count + (int64_t)lines >= INT32_MAX) return SCAN_UNUSUAL;
    if (reserve((void **)&segment->hashes, &scan->hash_room, (size_t)segment->count, lines, sizeof(uint64_t)) ||
        reserve((void **)&segment->hit_ranks, &scan->rank_room, segment->hit_count, lines, sizeof(int32_t)) ||
        reserve((void **)&segment->hit_rows, &scan->row_room, segment->hit_count, lines, sizeof(int32_t)))
        return SCAN_NO_MEMORY;
    return SCAN_OK;
}

ScanStatus open_segment(Scan *scan, Field name, size_t start) {
    Segment *segment = &scan->segment;
    uint64_t hash = hash_bytes(scan->judged->key, name.start, name.length);
    ScanStatus status;
    if (names_find(&scan->names, hash, name.start, name.length) >= 0) return SCAN_INTERLEAVED;
    if ((status = add_topic(scan, name, hash)) != SCAN_OK) return status;
    if ((status = clear_seen(scan, segment->seen ? segment->count : FIRST_LENGTH)) != SCAN_OK) return status;
    segment->judged = judged_topic(scan, scan->topics + scan->topic_count - 1);
    segment->start = start;
    segment->count = 0;
    segment->score = INFINITY;
    segment->rank = INT64_MIN;
    segment->name = NULL;
    segment->name_length = 0;
    segment->flags = 0;
    segment->suspect_count = 0;
    segment->hit_count = 0;
    scan->open = 1;
    return make_room(scan);
}

/* For each order, the flags that require sorting. */
static const unsigned spoils[] = {SCORE_ROSE | TIE_ROSE, SCORE_ROSE | TIE_FELL, SCORE_ROSE, RANK_FELL | RANK_BROKEN, 0};

static ScanStatus order_lines(Scan *scan, size_t end) {
    const char *p = scan->buffer + scan->segment.start, *stop = scan->buffer + end;
    Entries *entries = &scan->sorting;
    entries->count = 0;
    entries->flags = 0;
    while (p < stop) {
        const char *newline = memchr(p, '\n', (size_t)(stop - p));
        Line line;
        if (split_line(p, newline, &line) == LINE_WHOLE) {
            ScanStatus status = add_line(scan, entries, scan->segment.judged, &line);
            if (status != SCAN_OK) return status;
        }
        p = newline + 1;
    }
    return entries_finish(scan, entries, scan->segment.judged);
}

ScanStatus close_segment(Scan *scan, size_t end) {
    const Segment *segment = &scan->segment;
    unsigned flags = segment->flags, spoiling = REPEATED;
    if (!scan->open) return SCAN_OK;
    if (repeats(segment)) flags |= REPEATED;
    scan->open = 0;
    scan->topics[scan->topic_count - 1].length = segment->count;
    for (int o = 0; o < scan->order_count && segment->judged; o++) spoiling |= spoils[scan->orders[o]];
    if (flags & spoiling || (segment->judged && flags & RANK_FELL && !(flags & RANK_BROKEN)))
        return scan->rows ? order_rows(scan, end) : order_lines(scan, end);
    if (segment->judged && flags & SCORE_ROSE && !(flags & RANK_BROKEN)) scan->contradictions++;
    for (int o = 0; o < scan->order_count; o++) {
        if (hits_add(scan->hits + o, segment->hit_ranks, segment->hit_rows, segment->hit_count) != SCAN_OK ||
            hits_close(scan->hits + o) != SCAN_OK)
            return SCAN_NO_MEMORY;
    }
    return SCAN_OK;
}
