#include "columns.h"

#include "number.h"
#include "text.h"

Columns *columns_new(const uint64_t key[KEY_WORDS], LinesOf lines_of) {
    Columns *columns = calloc(1, sizeof(Columns));
    if (!columns) return NULL;
    memcpy(columns->key, key, sizeof columns->key);
    columns->lines_of = lines_of;
    for (int i = 0; i < KINDS; i++) {
        columns->last[i] = -1;
        if (names_init(columns->names + i)) {
            columns_free(columns);
            return NULL;
        }
    }
    return columns;
}

void columns_free(Columns *columns) {
    for (int i = 0; i < KINDS; i++) {
        names_free(columns->names + i);
        free(columns->codes[i]);
    }
    free(columns->values);
    free(columns->ranks);
    free(columns->tag);
    free(columns);
}

/* The code of a name; the previous one is tried first, because names repeat in consecutive lines. */
static ScanStatus take_name(Columns *columns, int kind, const Pending *line, const Pending *above) {
    Names *names = columns->names + kind;
    const Strings strings = names_strings(names);
    Field field = line->names[kind];
    int32_t code = columns->last[kind];
    if (code < 0 || !(above ? same_field(field, above->names[kind])
                            : string_is(&strings, (size_t)code, field.start, field.length))) {
        uint64_t hash = kind == DOCUMENT ? line->hash : hash_bytes(columns->key, field.start, field.length);
        code = names_find(names, hash, field.start, field.length);
        if (code < 0) code = names_add(names, hash, field.start, field.length);
        if (code < 0) return names->count >= INT32_MAX ? SCAN_UNUSUAL : SCAN_NO_MEMORY;
    }
    columns->codes[kind][columns->count] = columns->last[kind] = code;
    return SCAN_OK;
}

static ScanStatus take_value(Columns *columns, Field field) {
    double value;
    if (!parse_any_decimal(field.start, field.length, &value)) return SCAN_UNUSUAL;
    columns->values[columns->count] = value;
    return SCAN_OK;
}

static void take_rank(Columns *columns, Field field) {
    int64_t rank;
    if (!parse_rank(field.start, field.length, &rank)) rank = NO_RANK;
    columns->ranks[columns->count] = rank;
}

/* Make room for the pending lines; nonzero means no memory. */
static int make_place(Columns *columns) {
    size_t count = columns->count, more = columns->pending_count;
    for (int kind = 0; kind < KINDS; kind++)
        if ((kind != ASPECT || columns->lines_of == JUDGMENT_LINES) &&
            reserve((void **)&columns->codes[kind], columns->code_room + kind, count, more, sizeof(int32_t)))
            return 1;
    return reserve((void **)&columns->values, &columns->value_room, count, more, sizeof(double)) ||
           (columns->lines_of == RUN_LINES &&
            reserve((void **)&columns->ranks, &columns->rank_room, count, more, sizeof(int64_t)));
}

static ScanStatus take_pending(Columns *columns) {
    ScanStatus status = make_place(columns) ? SCAN_NO_MEMORY : SCAN_OK;
    for (size_t i = 0; i < columns->pending_count && status == SCAN_OK; i++) {
        const Pending *line = columns->pending + i, *above = i ? line - 1 : NULL;
        status = take_name(columns, TOPIC, line, above);
        if (status == SCAN_OK && columns->lines_of == JUDGMENT_LINES) status = take_name(columns, ASPECT, line, above);
        if (status == SCAN_OK) status = take_name(columns, DOCUMENT, line, above);
        if (status == SCAN_OK) status = take_value(columns, line->value);
        if (columns->lines_of == RUN_LINES) take_rank(columns, line->rank);
        columns->count++;
    }
    columns->pending_count = 0;
    return status;
}

/* Queue a line until a few more are split. By then the prefetched slot of its document, in a table of many megabytes, is
 * in the cache. */
static ScanStatus add_pending(Columns *columns) {
    Pending *line = columns->pending + columns->pending_count++;
    Field document = line->names[DOCUMENT];
    if (line > columns->pending && same_field(document, line[-1].names[DOCUMENT])) {
        line->hash = line[-1].hash;
    } else {
        line->hash = hash_bytes(columns->key, document.start, document.length);
        names_expect(columns->names + DOCUMENT, line->hash);
    }
    return columns->pending_count == AHEAD ? take_pending(columns) : SCAN_OK;
}

/* Split a line of four fields separated by single spaces or tabs, as nearly every line is. Returns the end of the line, or
 * NULL for any other line. The text must contain a later newline: nothing else stops the inner loop. */
static inline const char *four_fields(const char *p, Field fields[4]) {
    for (int i = 0; i < 4; i++) {
        fields[i].start = p;
        while ((unsigned char)*p > ' ') p++;
        fields[i].length = (size_t)(p - fields[i].start);
        if (!fields[i].length || (i < 3 && *p != ' ' && *p != '\t')) return NULL;
        p++;
    }
    return p[-1] == '\n' ? p - 1 : NULL;
}

static ScanStatus add_judgment(Columns *columns, const Field fields[4]) {
    Pending *line = columns->pending + columns->pending_count;
    for (int i = 0; i < KINDS; i++) line->names[i] = fields[i];
    line->value = fields[3];
    return add_pending(columns);
}

static ScanStatus take_judgment(Columns *columns, const char *p, const char *stop) {
    Field fields[5];
    for (int i = 0; i < 5; i++) p = next_field(p, stop, fields + i);
    if (!fields[3].length || fields[4].length) return SCAN_UNUSUAL;
    return add_judgment(columns, fields);
}

/* Read judgments from `p` on while they have the common format. */
static ScanStatus take_judgments(Columns *columns, const char **p, const char *end) {
    Field fields[4];
    const char *stop;
    while (*p < end && **p != '#' && (stop = four_fields(*p, fields)) && stop - *p <= LONGEST_LINE) {
        ScanStatus status = add_judgment(columns, fields);
        if (status != SCAN_OK) return status;
        *p = stop + 1;
    }
    return SCAN_OK;
}

static ScanStatus take_run_line(Columns *columns, const char *p, const char *stop) {
    Pending *pending = columns->pending + columns->pending_count;
    Line line;
    if (split_line(p, stop, &line) != LINE_WHOLE) return SCAN_UNUSUAL;
    if (!columns->tag_length) {
        if (reserve((void **)&columns->tag, &columns->tag_room, 0, line.tag.length, 1)) return SCAN_NO_MEMORY;
        memcpy(columns->tag, line.tag.start, line.tag.length);
        columns->tag_length = line.tag.length;
    }
    pending->names[TOPIC] = line.topic;
    pending->names[DOCUMENT] = line.document;
    pending->value = line.score;
    pending->rank = line.rank;
    return add_pending(columns);
}

/* Comments may be in any encoding, so lines are checked one by one only if the whole text is not UTF-8. */
ScanStatus columns_feed(Columns *columns, const char *p, const char *end) {
    int is_text = is_utf8(p, end);
    if (!columns->begun && end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    if (p < end) columns->begun = 1;
    while (p < end) {
        const char *newline, *stop, *first;
        if (columns->lines_of == JUDGMENT_LINES && is_text && end[-1] == '\n') {
            ScanStatus status = take_judgments(columns, &p, end);
            if (status != SCAN_OK) return status;
            if (p == end) break;
        }
        newline = memchr(p, '\n', (size_t)(end - p));
        stop = newline ? newline : end;
        first = p;
        if (stop - p > LONGEST_LINE) return SCAN_UNUSUAL;
        if (has_inner_return(p, stop)) return SCAN_UNUSUAL;
        while (first < stop && is_space(*first)) first++;
        if (first < stop && *first != '#') {
            ScanStatus status;
            if (!is_text && !is_utf8(p, stop)) return SCAN_UNUSUAL;
            status = columns->lines_of == RUN_LINES ? take_run_line(columns, p, stop)
                                                    : take_judgment(columns, p, stop);
            if (status != SCAN_OK) return status;
        }
        p = newline ? newline + 1 : end;
    }
    return take_pending(columns); /* pending lines point into the text, which does not outlive the call */
}
