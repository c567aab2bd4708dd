#include "columns.h"

#include "number.h"
#include "text.h"

static int is_last(const Names *names, Field field) {
    Name last;
    if (!names->count) return 0;
    last = names->names[names->last];
    return last.length == field.length && memcmp(names->text.bytes + last.offset, field.start, field.length) == 0;
}

static ScanStatus find_or_add(Names *names, const uint64_t key[KEY_WORDS], Field field, int32_t *code) {
    uint64_t hash = hash_bytes(key, field.start, field.length);
    Slot slot = {hash, names->text.size, (uint32_t)field.length, (int32_t)names->count};
    Name name = {names->text.size, (uint32_t)field.length};
    *code = table_find(&names->table, names->text.bytes, hash, field.start, field.length);
    if (*code >= 0) return SCAN_OK;
    if (names->count >= INT32_MAX || field.length > UINT32_MAX) return SCAN_UNUSUAL;
    if (reserve((void **)&names->names, &names->room, names->count, 1, sizeof(Name)) ||
        text_add(&names->text, field.start, field.length) || table_add(&names->table, slot))
        return SCAN_NO_MEMORY;
    names->names[names->count] = name;
    *code = (int32_t)names->count++;
    return SCAN_OK;
}

static ScanStatus code_of(Names *names, const uint64_t key[KEY_WORDS], Field field, int32_t *code) {
    ScanStatus status = SCAN_OK;
    if (!is_last(names, field)) status = find_or_add(names, key, field, &names->last);
    *code = names->last;
    return status;
}

static ScanStatus take_row(Columns *columns, const uint64_t key[KEY_WORDS], const Field fields[JUDGMENT_NAMES + 1]) {
    double grade;
    Field last = fields[JUDGMENT_NAMES];
    if (!parse_any_decimal(last.start, last.length, &grade)) return SCAN_UNUSUAL;
    if (reserve((void **)&columns->grades, &columns->grade_room, columns->count, 1, sizeof grade))
        return SCAN_NO_MEMORY;
    for (int i = 0; i < JUDGMENT_NAMES; i++) {
        int32_t code;
        ScanStatus status = code_of(columns->names + i, key, fields[i], &code);
        if (status != SCAN_OK) return status;
        if (reserve((void **)&columns->codes[i], columns->code_room + i, columns->count, 1, sizeof code))
            return SCAN_NO_MEMORY;
        columns->codes[i][columns->count] = code;
    }
    columns->grades[columns->count++] = grade;
    return SCAN_OK;
}

ScanStatus columns_read(Columns *columns, const uint64_t key[KEY_WORDS], const char *p, const char *end) {
    memset(columns, 0, sizeof *columns);
    for (int i = 0; i < JUDGMENT_NAMES; i++)
        if (table_init(&columns->names[i].table, 256) || text_add(&columns->names[i].text, "", 0))
            return SCAN_NO_MEMORY;
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end, *rest;
        Field fields[JUDGMENT_NAMES + 2];
        ScanStatus status;
        if (stop - p > LONGEST_LINE) return SCAN_UNUSUAL;
        rest = p;
        for (int i = 0; i < JUDGMENT_NAMES + 2; i++) rest = next_field(rest, stop, fields + i);
        if (fields[0].length && fields[0].start[0] != '#') {
            if (!fields[JUDGMENT_NAMES].length || fields[JUDGMENT_NAMES + 1].length || !is_utf8(p, stop))
                return SCAN_UNUSUAL;
            if ((status = take_row(columns, key, fields)) != SCAN_OK) return status;
        }
        if (!newline) break;
        p = newline + 1;
    }
    return SCAN_OK;
}

void columns_free(Columns *columns) {
    for (int i = 0; i < JUDGMENT_NAMES; i++) {
        table_free(&columns->names[i].table);
        free(columns->names[i].text.bytes);
        free(columns->names[i].names);
        free(columns->codes[i]);
    }
    free(columns->grades);
}
