/* The walk over a run's lines. Almost every line of almost every run looks like the one above it (same topic, single
 * spaces, a score no higher), and such lines take the short road in `follow`; all others go through `take_line`. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <time.h>
#if defined(_WIN32)
#include <io.h>
#define read(descriptor, bytes, count) _read(descriptor, bytes, (unsigned)(count))
#else
#include <unistd.h>
#endif

#include "number.h"
#include "scan.h"

/* --- a topic begins, a topic ends -------------------------------------------------------------------------------- */

static const JudgedTopic *judged_topic(const Scan *scan, const Topic *topic) {
    return topic->judged < 0 ? NULL : scan->judged->topics + topic->judged;
}

static ScanStatus add_topic(Scan *scan, Field name, uint64_t hash) {
    Slot slot = {hash, scan->names.size, (uint32_t)name.length, (int32_t)scan->topic_count};
    Topic topic = {scan->names.size, (uint32_t)name.length, -1, 0, {NULL, 0, 0, 0}};
    if (scan->topic_count >= INT32_MAX) return SCAN_UNUSUAL;
    topic.judged = table_find(&scan->judged->topic_table, scan->judged->names.bytes, hash, name.start, name.length);
    if (reserve((void **)&scan->topics, &scan->topic_room, scan->topic_count, 1, sizeof(Topic)) ||
        text_add(&scan->names, name.start, name.length) || table_add(&scan->topic_table, slot))
        return SCAN_NO_MEMORY;
    scan->topics[scan->topic_count++] = topic;
    return SCAN_OK;
}

/* A document seen before has all its bits set; the few others that have, and topics longer than the filter is made for,
 * are told apart by their bytes when the topic ends. No branch, no search: this is done for every line. */
static inline void see(Segment *segment, uint64_t hash) {
    uint64_t *word = segment->seen + (hash >> segment->seen_shift);
    uint64_t bits = (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63) | (uint64_t)1 << (hash >> 12 & 63) |
                    (uint64_t)1 << (hash >> 18 & 63) | (uint64_t)1 << (hash >> 24 & 63) |
                    (uint64_t)1 << (hash >> 30 & 63);
    segment->flags |= (*word & bits) == bits ? REPEATED : 0;
    *word |= bits;
}

/* A clean filter for a topic as long as the one before: clearing costs no more than that topic did. */
static ScanStatus clear_seen(Scan *scan, int64_t lines) {
    Segment *segment = &scan->segment;
    size_t words = 1 << 8;
    unsigned shift = 64 - 8;
    for (; 5 * words < 8 * (size_t)lines && shift > 40; words *= 2) shift--;
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

/* As much room as the lines of the block at hand could need, so that no line has to ask. */
static ScanStatus make_room(Scan *scan) {
    Segment *segment = &scan->segment;
    size_t lines = scan->lines_ahead;
    if (reserve((void **)&segment->hit_ranks, &scan->rank_room, segment->hit_count, lines, sizeof(int64_t)) ||
        reserve((void **)&segment->hit_rows, &scan->row_room, segment->hit_count, lines, sizeof(int64_t)))
        return SCAN_NO_MEMORY;
    return SCAN_OK;
}

static ScanStatus open_segment(Scan *scan, Field name, size_t start) {
    Segment *segment = &scan->segment;
    uint64_t hash = hash_bytes(scan->judged->key, name.start, name.length);
    ScanStatus status;
    if (table_find(&scan->topic_table, scan->names.bytes, hash, name.start, name.length) >= 0) return SCAN_INTERLEAVED;
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
    segment->hit_count = 0;
    scan->open = 1;
    return make_room(scan);
}

/* The flags that forbid taking the lines as they stand, for each order. */
static const unsigned spoils[] = {SCORE_ROSE | TIE_ROSE, SCORE_ROSE | TIE_FELL, SCORE_ROSE, RANK_FELL | RANK_BROKEN, 0};

static ScanStatus order_segment(Scan *scan, size_t end) {
    const char *p = scan->buffer + scan->segment.start, *stop = scan->buffer + end;
    Entries *entries = &scan->sorting;
    entries->count = 0;
    entries->flags = 0;
    while (p < stop) {
        const char *newline = memchr(p, '\n', (size_t)(stop - p));
        Line line;
        if (split_line(p, newline, &line) == LINE_WHOLE) {
            ScanStatus status = entries_add(scan, entries, scan->segment.judged, &line, 0);
            if (status != SCAN_OK) return status;
        }
        p = newline + 1;
    }
    return entries_finish(scan, entries, scan->segment.judged);
}

static ScanStatus close_segment(Scan *scan, size_t end) {
    const Segment *segment = &scan->segment;
    unsigned flags = segment->flags, spoiling = REPEATED;
    if (!scan->open) return SCAN_OK;
    scan->open = 0;
    scan->topics[scan->topic_count - 1].length = segment->count;
    for (int o = 0; o < scan->order_count && segment->judged; o++) spoiling |= spoils[scan->orders[o]];
    if (flags & spoiling || (flags & RANK_FELL && !(flags & RANK_BROKEN))) return order_segment(scan, end);
    if (flags & SCORE_ROSE && !(flags & RANK_BROKEN)) scan->contradictions++;
    for (int o = 0; o < scan->order_count; o++) {
        if (hits_add(scan->hits + o, segment->hit_ranks, segment->hit_rows, segment->hit_count) != SCAN_OK ||
            hits_close(scan->hits + o) != SCAN_OK)
            return SCAN_NO_MEMORY;
    }
    return SCAN_OK;
}

/* --- lines --------------------------------------------------------------------------------------------------------- */

/* One more line of the open topic; 0 if its score is unusual. There is room for it. */
static inline int next_line(Segment *segment, const Judged *judged, Field name, Field rank, Field score) {
    double value;
    int64_t number = INT64_MIN;
    if (!parse_decimal(score.start, score.length, &value)) return 0;
    if (!parse_rank(rank.start, rank.length, &number)) segment->flags |= RANK_BROKEN;
    segment->flags |= value > segment->score ? SCORE_ROSE : 0;
    segment->flags |= number < segment->rank ? RANK_FELL : 0;
    if (value == segment->score) {
        int order = compare_names(name.start, name.length, segment->name, segment->name_length);
        segment->flags |= (order >= 0 ? TIE_ROSE : 0) | (order <= 0 ? TIE_FELL : 0);
    }
    segment->score = value;
    segment->rank = number;
    segment->name = name.start;
    segment->name_length = name.length;
    segment->count++;
    if (segment->judged) {
        uint64_t hash = hash_bytes(judged->key, name.start, name.length);
        int32_t row = judged_row(judged, segment->judged, hash, name.start, name.length);
        if (row >= 0) {
            segment->hit_ranks[segment->hit_count] = segment->count;
            segment->hit_rows[segment->hit_count++] = row;
        }
        see(segment, hash);
    }
    return 1;
}

static ScanStatus collect_line(Scan *scan, const Line *line) {
    uint64_t hash = hash_bytes(scan->judged->key, line->topic.start, line->topic.length);
    int32_t at = table_find(&scan->topic_table, scan->names.bytes, hash, line->topic.start, line->topic.length);
    Topic *topic;
    if (at < 0) {
        ScanStatus status = add_topic(scan, line->topic, hash);
        if (status != SCAN_OK) return status;
        at = (int32_t)scan->topic_count - 1;
    }
    topic = scan->topics + at;
    topic->length++;
    return entries_add(scan, &topic->entries, judged_topic(scan, topic), line, 1);
}

static int same_topic(const Scan *scan, Field name) {
    const Topic *topic;
    if (!scan->open) return 0;
    topic = scan->topics + scan->topic_count - 1;
    return topic->name_length == name.length &&
           memcmp(scan->names.bytes + topic->name_offset, name.start, name.length) == 0;
}

/* Any line, by the long road. `high`: it may hold bytes that are not ASCII. */
static ScanStatus take_line(Scan *scan, size_t from, size_t to, int high) {
    const char *p = scan->buffer + from, *end = scan->buffer + to;
    Line line;
    ScanStatus status;
    if (to - from > LONGEST_LINE) return SCAN_UNUSUAL;
    if (!scan->begun && to - from >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    scan->begun = 1;
    switch (split_line(p, end, &line)) {
    case LINE_EMPTY: return SCAN_OK;
    case LINE_SHORT: return SCAN_UNUSUAL;
    case LINE_WHOLE: break;
    }
    if (high && !is_utf8(p, end)) return SCAN_UNUSUAL;
    if (!scan->tag.size && text_add(&scan->tag, line.tag.start, line.tag.length)) return SCAN_NO_MEMORY;
    if (scan->collect) return collect_line(scan, &line);
    if (!same_topic(scan, line.topic)) {
        if ((status = close_segment(scan, from)) != SCAN_OK) return status;
        if ((status = open_segment(scan, line.topic, (size_t)(p - scan->buffer))) != SCAN_OK) return status;
    }
    return next_line(&scan->segment, scan->judged, line.document, line.rank, line.score) ? SCAN_OK : SCAN_UNUSUAL;
}

/* The lines from `start` on that continue the open topic in the plainest shape: six fields, one space between. Returns
 * where the first other line starts; `index` has moved on to its first white space. */
static size_t follow(Scan *scan, const char *block, size_t size, size_t start, const uint32_t **index) {
    const Topic *topic = scan->topics + scan->topic_count - 1;
    const char *name = scan->names.bytes + topic->name_offset;
    const size_t name_length = topic->name_length;
    uint64_t short_name = 0, short_mask = 0;
    const uint32_t *x = *index;
    const Judged *judged = scan->judged;
    Segment segment = scan->segment;
    memcpy(&short_name, name, name_length < 8 ? name_length : 8);
    memset(&short_mask, 0xff, name_length < 8 ? name_length : 8);
    while (start < size) {
        size_t a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5];
        int plain = (a == start + name_length) & (b > a + 1) & (c > b + 1) & (d > c + 1) & (e > d + 1) & (f > e + 1) &
                    (f < size);
        if (!plain || block[f] != '\n' || (block[a] == '\n') | (block[b] == '\n') | (block[c] == '\n') |
                                              (block[d] == '\n') | (block[e] == '\n'))
            break;
        if ((eight_bytes(block + start) & short_mask) != short_name) break;
        if (name_length > 8 && memcmp(block + start, name, name_length) != 0) break;
        if (!next_line(&segment, judged, (Field){block + b + 1, c - b - 1}, (Field){block + c + 1, d - c - 1},
                       (Field){block + d + 1, e - d - 1}))
            break;
        x += 6;
        start = f + 1;
    }
    *index = x;
    scan->segment = segment;
    return start;
}

/* Whole lines, at most BLOCK bytes of them. */
static ScanStatus take_block(Scan *scan, size_t from, size_t to) {
    const char *block = scan->buffer + from;
    const uint32_t *index = scan->index;
    size_t size = to - from, start = 0, count;
    int high;
    ScanStatus status;
    count = index_spaces(block, size, scan->index, &high);
    for (size_t i = 0; i < 8; i++) scan->index[count + i] = (uint32_t)size;
    scan->lines_ahead = count / 6 + 1; /* a line of six fields holds six, its newline included */
    if (scan->open && (status = make_room(scan)) != SCAN_OK) return status;
    while (start < size) {
        size_t newline;
        if (scan->open && !high) {
            start = follow(scan, block, size, start, &index);
            if (start == size) break;
        }
        newline = (size_t)((const char *)memchr(block + start, '\n', size - start) - block);
        if ((status = take_line(scan, from + start, from + newline, high)) != SCAN_OK) return status;
        start = newline + 1;
        while (*index < start) index++;
    }
    return SCAN_OK;
}

/* The lines that are whole, from scan->line to just behind the last newline. */
static ScanStatus take_lines(Scan *scan, size_t to) {
    while (scan->line < to) {
        size_t end = to - scan->line <= BLOCK ? to : scan->line + BLOCK;
        ScanStatus status;
        while (end > scan->line && scan->buffer[end - 1] != '\n') end--;
        if (end > scan->line) {
            status = take_block(scan, scan->line, end);
        } else {
            const char *newline = memchr(scan->buffer + scan->line + BLOCK, '\n', to - scan->line - BLOCK);
            end = (size_t)(newline - scan->buffer) + 1;
            scan->lines_ahead = 1;
            status = scan->open ? make_room(scan) : SCAN_OK;
            if (status == SCAN_OK) status = take_line(scan, scan->line, end - 1, 1);
        }
        if (status != SCAN_OK) return status;
        scan->line = end;
    }
    return SCAN_OK;
}

/* --- bytes in, results out ------------------------------------------------------------------------------------------- */

char *scan_room(Scan *scan, size_t wanted) {
    if (scan->room - scan->end < wanted) {
        /* The open topic stays: if it turns out to need sorting, it is read a second time. */
        size_t keep = scan->open ? scan->segment.start : scan->line, room = scan->room;
        char *buffer = scan->buffer;
        while (room - (scan->end - keep) < wanted) {
            if (room > SIZE_MAX / 4) return NULL;
            room *= 2;
        }
        if (room != scan->room && !(buffer = malloc(room + PADDING))) return NULL;
        memmove(buffer, scan->buffer + keep, scan->end - keep);
        if (scan->open && scan->segment.name) scan->segment.name = buffer + (scan->segment.name - scan->buffer - keep);
        if (buffer != scan->buffer) free(scan->buffer);
        scan->buffer = buffer;
        scan->room = room;
        scan->end -= keep;
        scan->line -= keep;
        scan->segment.start -= scan->open ? keep : 0;
    }
    return scan->buffer + scan->end;
}

ScanStatus scan_added(Scan *scan, size_t count) {
    size_t start = scan->end, to;
    scan->end += count;
    if (scan->status != SCAN_OK) return scan->status;
    for (to = scan->end; to > start && scan->buffer[to - 1] != '\n';) to--;
    if (to > start) scan->status = take_lines(scan, to);
    else if (scan->end - scan->line > LONGEST_LINE) scan->status = SCAN_UNUSUAL;
    return scan->status;
}

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

ScanStatus scan_descriptor(Scan *scan, int descriptor, int *error, double *seconds) {
    *error = 0;
    *seconds = 0;
    while (scan->status == SCAN_OK) {
        char *room = scan_room(scan, CHUNK);
        double start = now();
        long count;
        if (!room) return scan->status = SCAN_NO_MEMORY;
        do count = (long)read(descriptor, room, CHUNK);
        while (count < 0 && errno == EINTR);
        if (count < 0) *error = errno;
        *seconds += now() - start;
        if (count <= 0) break;
        scan_added(scan, (size_t)count);
    }
    return scan->status;
}

ScanStatus scan_finish(Scan *scan) {
    if (scan->status == SCAN_OK && scan->end > scan->line) {
        char *room = scan_room(scan, 1);
        if (!room) return scan->status = SCAN_NO_MEMORY;
        *room = '\n';
        scan_added(scan, 1);
    }
    if (scan->status == SCAN_OK) scan->status = close_segment(scan, scan->end);
    for (size_t i = 0; scan->collect && i < scan->topic_count && scan->status == SCAN_OK; i++) {
        Topic *topic = scan->topics + i;
        scan->status = entries_finish(scan, &topic->entries, judged_topic(scan, topic));
    }
    return scan->status;
}
