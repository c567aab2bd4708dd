#include "alike.h"

#include "number.h"
#include "segment.h"

#if defined(HAVE_SHAPES)

/* The bytes of a number that was found to have a shape. Two of one length and shape compare as their bytes do; where there
 * are more than eight, the second word overlaps the first. Eight bytes at `p` must be readable. */
static inline Digits digits_at(const char *p, size_t length) {
    if (length <= 8) return (Digits){__builtin_bswap64(eight_bytes(p)) >> (64 - 8 * length), 0};
    return (Digits){__builtin_bswap64(eight_bytes(p)), __builtin_bswap64(eight_bytes(p + length - 8))};
}

static void bound(Bounds *bounds, size_t at, unsigned char low, unsigned char high) {
    bounds->low[at] = low;
    bounds->high[at] = high;
}

/* Text from p to end: white space stays what it is, anything else may be any byte of a name. 0 if it is too long or holds
 * what no name and no white space does. */
static int bounds_of(Bounds *bounds, const char *p, const char *end) {
    bounds->length = (size_t)(end - p);
    if (bounds->length > ALIKE) return 0;
    memset(bounds->low, 0, ALIKE);
    memset(bounds->high, 0xff, ALIKE);
    for (size_t i = 0; i < bounds->length; i++) {
        if (is_space(p[i])) bound(bounds, i, (unsigned char)p[i], (unsigned char)p[i]);
        else if (p[i] > ' ') bound(bounds, i, '!', 0x7f);
        else return 0;
    }
    return 1;
}

/* The text of a numeral within `behind`, which starts at `base`; 0 if it has no shape. */
static int numeral_of(Numeral *numeral, Bounds *behind, const char *base, Field text) {
    const Shape shape = shape_of(text.start, text.length);
    numeral->start = (size_t)(text.start - base);
    numeral->length = text.length;
    numeral->negative = shape.negative;
    if (!shape.length) return 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.start[i];
        if (byte == '.' || byte == '-') bound(behind, numeral->start + i, byte, byte);
        else bound(behind, numeral->start + i, '0', '9');
    }
    numeral->above = digits_at(text.start, text.length);
    return 1;
}

void liken(Likeness *likeness, const char *p, const char *end) {
    Line line;
    const char *behind;
    likeness->known = 0;
    if (split_line(p, end, &line) != LINE_WHOLE) return;
    behind = line.document.start + line.document.length;
    if (!bounds_of(&likeness->before, p, line.document.start) || !bounds_of(&likeness->behind, behind, end + 1)) return;
    for (size_t i = 0, at = (size_t)(line.topic.start - p); i < line.topic.length; i++, at++)
        bound(&likeness->before, at, (unsigned char)p[at], (unsigned char)p[at]);
    likeness->known = numeral_of(&likeness->rank, &likeness->behind, behind, line.rank) &&
                      numeral_of(&likeness->score, &likeness->behind, behind, line.score);
}

/* What a line is compared with is held in locals, so that no line waits for a store of the line above. A line cannot end
 * beyond `to`, however its last bytes look: its only newline is the last byte within bounds. */
size_t follow_alike(Scan *scan, size_t from, size_t to) {
    Likeness *likeness = &scan->likeness;
    Segment *segment = &scan->segment;
    const Judged *judged = scan->judged;
    const int judging = segment->judged != NULL, way = ALIKE_WAYS - 1;
    const size_t before = likeness->before.length, behind = likeness->behind.length;
    const Numeral rank = likeness->rank, score = likeness->score;
    const char *p = scan->buffer + from, *end = scan->buffer + to, *numbers = NULL;
    Digits rank_above = rank.above, score_above = score.above;
    Field document = {segment->name, segment->name_length};
    unsigned flags = segment->flags;
    int64_t count = segment->count;
    if (!scan->open || !likeness->known) return from;
    while (p < end) {
        const Field next = {p + before, name_length(p + before, way)};
        const char *rest = next.start + next.length;
        Digits by_rank, by_score;
        int order;
        if (!next.length || !within(&likeness->before, p, way) || !within(&likeness->behind, rest, way)) break;
        by_rank = digits_at(rest + rank.start, rank.length);
        by_score = digits_at(rest + score.start, score.length);
        order = compare_digits(score.negative, by_score, score_above);
        flags |= order > 0 ? SCORE_ROSE : 0u;
        flags |= compare_digits(rank.negative, by_rank, rank_above) < 0 ? RANK_FELL : 0u;
        if (order == 0) flags |= tie(next, document.start, document.length);
        rank_above = by_rank;
        score_above = by_score;
        document = next;
        numbers = rest;
        if (judging) take_document(segment, judged, document, count);
        count++;
        p = rest + behind;
    }
    if (!numbers) return from;
    likeness->rank.above = rank_above;
    likeness->score.above = score_above;
    segment->flags = flags;
    segment->count = count;
    parse_decimal(numbers + score.start, score.length, &segment->score); /* it has a shape, so it is a number */
    segment->rank = NO_RANK;
    parse_rank(numbers + rank.start, rank.length, &segment->rank);
    segment->name = document.start;
    segment->name_length = document.length;
    return (size_t)(p - scan->buffer);
}

#else /* without a quick way to compare digits all lines are marked */

void liken(Likeness *likeness, const char *p, const char *end) { (void)likeness, (void)p, (void)end; }

size_t follow_alike(Scan *scan, size_t from, size_t to) {
    (void)scan, (void)to;
    return from;
}

#endif
