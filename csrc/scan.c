/* Scan a run's lines. Most lines of most runs equal the line above except for the document and digits: they take
 * the fastest path, in alike.c. If the width of numbers changes often, lines of the same topic with single spaces take
 * the fast path in `follow`. All other lines go through `take_line`. Each path must accept only lines for which
 * `take_line` gives the same result: tests/laws/test_scanner_twins.py compares the scanner with the plain reader. */
#include <errno.h>
#include <time.h>
#if defined(_WIN32)
#include <io.h>
#define read(descriptor, bytes, count) _read(descriptor, bytes, (unsigned)(count))
#else
#include <unistd.h>
#endif

#include "alike.h"
#include "number.h"
#include "segment.h"
#include "shape.h"

/* --- lines --------------------------------------------------------------------------------------------------------- */

/* The numbers of a line; 0 if its score is unusual. */
static int numbers_of(const Line *line, int64_t *rank, double *score) {
    *rank = NO_RANK;
    parse_rank(line->rank.start, line->rank.length, rank);
    return parse_decimal(line->score.start, line->score.length, score);
}

ScanStatus add_line(Scan *scan, Entries *entries, const JudgedTopic *judged, const Line *line) {
    int64_t rank;
    double score;
    if (!numbers_of(line, &rank, &score)) return SCAN_UNUSUAL;
    return entries_add(scan, entries, judged, line->document, rank, score);
}

static ScanStatus collect_line(Scan *scan, const Line *line) {
    Topic *topic;
    Line kept = *line;
    ScanStatus status = find_topic(scan, line->topic, &topic);
    if (status != SCAN_OK) return status;
    topic->length++;
    kept.document.start = keep_text(scan, line->document); /* the buffer is overwritten before the lines are sorted */
    return kept.document.start ? add_line(scan, &topic->entries, judged_topic(scan, topic), &kept) : SCAN_NO_MEMORY;
}

/* Process any line, by the general path. `high`: it may contain bytes that are not ASCII. */
static ScanStatus take_line(Scan *scan, size_t from, size_t to, int high) {
    const char *p = scan->buffer + from, *end = scan->buffer + to;
    Line line;
    ScanStatus status;
    int64_t rank;
    double score;
    if (to - from > LONGEST_LINE) return SCAN_UNUSUAL;
    if (!scan->begun && to - from >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    scan->begun = 1;
    switch (split_line(p, end, &line)) {
    case LINE_EMPTY: return SCAN_OK;
    case LINE_ODD: return SCAN_UNUSUAL;
    case LINE_WHOLE: break;
    }
    if (high && !is_utf8(p, end)) return SCAN_UNUSUAL;
    if (!scan->tag_length) {
        if (reserve((void **)&scan->tag, &scan->tag_room, 0, line.tag.length, 1)) return SCAN_NO_MEMORY;
        memcpy(scan->tag, line.tag.start, line.tag.length);
        scan->tag_length = line.tag.length;
    }
    if (scan->collect) return collect_line(scan, &line);
    if (!same_topic(scan, line.topic)) {
        if ((status = close_segment(scan, from)) != SCAN_OK) return status;
        if ((status = open_segment(scan, line.topic, (size_t)(p - scan->buffer))) != SCAN_OK) return status;
    }
    if (!numbers_of(&line, &rank, &score)) return SCAN_UNUSUAL;
    next_entry(&scan->segment, scan->judged, line.document, rank, score);
    return SCAN_OK;
}

/* For comparing scores and ranks with those of the line above. They are kept as text and parsed only if the next line has
 * another shape. */
typedef struct {
    Field score, rank; /* of the line above; score.start is NULL if only the value is known */
    double value;
    int64_t number;
#if defined(HAVE_SHAPES)
    Shape score_shape, rank_shape;
    Digits score_digits, rank_digits;
#endif
} Above;

static void parse_above(Above *above) {
    if (!above->score.start) return;
    parse_decimal(above->score.start, above->score.length, &above->value); /* cannot fail: only numbers have a shape */
    above->number = INT64_MIN;
    parse_rank(above->rank.start, above->rank.length, &above->number);
}

/* Compare two lines as numbers. 0 if the score is unusual. */
static int compare_parsed(Above *above, Field score, Field rank, unsigned *flags, int *equal) {
    double value;
    int64_t number = INT64_MIN;
    if (!parse_decimal(score.start, score.length, &value)) return 0;
    if (!parse_rank(rank.start, rank.length, &number)) *flags |= RANK_BROKEN;
    parse_above(above);
    *flags |= (value > above->value ? SCORE_ROSE : 0u) | (number < above->number ? RANK_FELL : 0u);
    *equal = value == above->value;
    above->value = value;
    above->number = number;
    above->score.start = NULL;
#if defined(HAVE_SHAPES)
    above->score_shape = shape_of(score.start, score.length);
    above->rank_shape = shape_of(rank.start, rank.length);
    if (above->score_shape.length && above->rank_shape.length) {
        digits_of(&above->score_shape, score.start, score.length, &above->score_digits);
        digits_of(&above->rank_shape, rank.start, rank.length, &above->rank_digits);
    } else {
        above->score_shape.length = 0;
    }
#endif
    return 1;
}

static inline int compare_lines(Above *above, Field score, Field rank, unsigned *flags, int *equal) {
#if defined(HAVE_SHAPES)
    Digits by_score, by_rank;
    if (digits_of(&above->score_shape, score.start, score.length, &by_score) &
        digits_of(&above->rank_shape, rank.start, rank.length, &by_rank)) {
        int order = compare_digits(&above->score_shape, by_score, above->score_digits);
        *flags |= order > 0 ? SCORE_ROSE : 0u;
        *flags |= compare_digits(&above->rank_shape, by_rank, above->rank_digits) < 0 ? RANK_FELL : 0u;
        *equal = order == 0;
        above->score_digits = by_score;
        above->rank_digits = by_rank;
        above->score = score;
        above->rank = rank;
        return 1;
    }
#endif
    return compare_parsed(above, score, rank, flags, equal);
}

/* Process the lines from `start` on that continue the open topic in the most common format: six fields separated by one
 * `gap`. Returns where the first other line starts; `index` then points to its first mark.
 *
 * The values of the line above are in local variables, and scores are compared as text: storing values that the next line
 * reads, and dividing for scores that are not needed, took half of the time. `tidy` is a compile-time constant at each
 * call: the marks of a tidy block need no further check. */
static inline size_t follow(Scan *scan, const char *block, size_t size, size_t start, const uint32_t **index, char gap,
                            int tidy) {
    const Strings names = names_strings(&scan->names);
    const char *name = string_at(&names, names.count - 1);
    const size_t name_length = string_length(&names, names.count - 1);
    uint64_t short_name = 0, short_mask = 0;
    const uint32_t *x = *index;
    const Judged *judged = scan->judged;
    Segment *segment = &scan->segment;
    const int judging = segment->judged != NULL;
    int64_t count = segment->count;
    Field document = {segment->name, segment->name_length};
    unsigned flags = segment->flags;
    Above above = {.value = segment->score, .number = segment->rank};
    memcpy(&short_name, name, name_length < 8 ? name_length : 8);
    memset(&short_mask, 0xff, name_length < 8 ? name_length : 8);
    while (start < size) {
        size_t a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5];
        Field next = {block + b + 1, c - b - 1};
        int equal;
        if (a != start + name_length) break;
        if (!tidy) {
            int plain = (b > a + 1) & (c > b + 1) & (d > c + 1) & (e > d + 1) & (f > e + 1) & (block[f] == '\n');
            plain &= (block[a] == gap) & (block[b] == gap) & (block[c] == gap) & (block[d] == gap) & (block[e] == gap);
            if (!plain) break;
        }
        if ((eight_bytes(block + start) & short_mask) != short_name) break;
        if (name_length > 8 && memcmp(block + start, name, name_length) != 0) break;
        if (!compare_lines(&above, (Field){block + d + 1, e - d - 1}, (Field){block + c + 1, d - c - 1}, &flags, &equal))
            break;
        if (equal) flags |= tie(next, document.start, document.length);
        document = next;
        if (judging) take_document(segment, judged, document, count);
        count++;
        x += 6;
        start = f + 1;
    }
    parse_above(&above);
    *index = x;
    segment->flags |= flags;
    segment->count = count;
    segment->score = above.value;
    segment->rank = above.number;
    segment->name = document.start;
    segment->name_length = document.length;
    return start;
}

/* Whether every sixth mark is a newline. As a tidy block has six marks per newline, no other mark is one then. */
static int six_fields_each(const char *block, const uint32_t *index, size_t count) {
    unsigned other = 0;
    for (size_t i = 5; i < count; i += 6) other |= (unsigned)(block[index[i]] != '\n');
    return !other;
}

/* Process at most BLOCK bytes of complete lines, using the positions of all their white space. */
static ScanStatus take_marked(Scan *scan, size_t from, size_t to) {
    const char *block = scan->buffer + from;
    const uint32_t *index = scan->index;
    size_t size = to - from, start = 0, first = 0;
    ScanStatus status;
    Marks marks;
    char gap;
    scan->likeness.known = 0; /* these lines do not update it */
    while ((unsigned char)block[first] > ' ') first++; /* stops at a newline at the latest */
    gap = block[first] == '\t' ? '\t' : ' ';
    marks = mark_spaces(block, size, gap, scan->index);
    for (size_t i = 0; i < 8; i++) scan->index[marks.count + i] = (uint32_t)size;
    marks.tidy = marks.tidy && six_fields_each(block, index, marks.count);
    scan->lines_ahead = marks.count / 6 + 1; /* a line of six fields has six marks with its newline */
    if (scan->open && (status = make_room(scan)) != SCAN_OK) return status;
    while (start < size) {
        size_t newline;
        if (scan->open && !marks.high) {
            start = marks.tidy ? follow(scan, block, size, start, &index, gap, 1)
                               : follow(scan, block, size, start, &index, gap, 0);
            if (start == size) break;
        }
        newline = (size_t)((const char *)memchr(block + start, '\n', size - start) - block);
        if ((status = take_line(scan, from + start, from + newline, marks.high)) != SCAN_OK) return status;
        start = newline + 1;
        while (*index < start) index++;
    }
    return SCAN_OK;
}

/* The same, without marks while lines are alike. Other lines are slower here, so after UNLIKE of them the rest of the block
 * and the next BLOCKS_UNLIKE blocks take the path with marks. */
static ScanStatus take_block(Scan *scan, size_t from, size_t to) {
    ScanStatus status;
    if (scan->collect) return take_marked(scan, from, to);
    if (scan->blocks_unlike) {
        scan->blocks_unlike--;
        return take_marked(scan, from, to);
    }
    scan->lines_ahead = (to - from) / LEAST_LINE + 1;
    if (scan->open && (status = make_room(scan)) != SCAN_OK) return status;
    for (int unlike = 0;; unlike++) {
        const char *newline;
        from = follow_alike(scan, from, to);
        if (from == to) return SCAN_OK;
        if (unlike == UNLIKE) break;
        newline = memchr(scan->buffer + from, '\n', to - from);
        status = take_line(scan, from, (size_t)(newline - scan->buffer), 1);
        if (status != SCAN_OK) return status;
        liken(&scan->likeness, scan->buffer + from, newline);
        from = (size_t)(newline - scan->buffer) + 1;
    }
    scan->blocks_unlike = BLOCKS_UNLIKE;
    return take_marked(scan, from, to);
}

/* Process the complete lines from scan->line to `to`, just after the last newline. */
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
            scan->likeness.known = 0; /* this line may open another topic, and is the line above of the next one */
            status = scan->open ? make_room(scan) : SCAN_OK;
            if (status == SCAN_OK) status = take_line(scan, scan->line, end - 1, 1);
        }
        if (status != SCAN_OK) return status;
        scan->line = end;
    }
    return SCAN_OK;
}

/* --- input and result ---------------------------------------------------------------------------------------------- */

char *scan_room(Scan *scan, size_t wanted) {
    if (scan->room - scan->end < wanted) {
        /* Keep the open topic: if it needs sorting, its lines are read a second time. */
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
