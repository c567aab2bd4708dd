/* Runs as tables: the columns of a file, in each of Arrow's layouts, give the same result as the file. */
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "laws.h"
#include "rows.h"

static void *room(size_t size) {
    void *out = malloc(size ? size : 1); /* exactly as large as needed, so that the sanitizer detects reads beyond it */
    must(out != NULL, "no memory");
    return out;
}

/* Some rows of a column of names as plain text. The caller frees `items` and `bytes`. */
typedef struct {
    TextColumn column;
    Buffer data;
    char *items, *bytes;
} Laid;

static void lay_text(Laid *laid, const Names *names, const int32_t *codes, size_t count) {
    const Strings strings = names_strings(names);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += string_length(&strings, (size_t)codes[i]);
    laid->bytes = room(size);
    size = 0;
    for (size_t i = 0; i < count; i++) {
        Field text = {string_at(&strings, (size_t)codes[i]), string_length(&strings, (size_t)codes[i])};
        char *view = laid->items + VIEW_BYTES * i;
        int32_t small[4] = {(int32_t)text.length, 0, 0, (int32_t)size};
        int64_t wide = (int64_t)size;
        if (laid->column.layout == VIEWS) {
            memcpy(view, small, VIEW_BYTES);
            if (text.length <= VIEW_INLINE) memcpy(view + 4, text.start, text.length);
            else memcpy(view + 4, text.start, 4);
        } else if (laid->column.layout == OFFSETS_32) {
            memcpy(laid->items + 4 * i, small + 3, 4);
        } else {
            memcpy(laid->items + 8 * i, &wide, 8);
        }
        memcpy(laid->bytes + size, text.start, text.length);
        size += text.length;
    }
    if (laid->column.layout == OFFSETS_32) memcpy(laid->items + 4 * count, (int32_t[]){(int32_t)size}, 4);
    if (laid->column.layout == OFFSETS_64) memcpy(laid->items + 8 * count, (int64_t[]){(int64_t)size}, 8);
    laid->data.bytes = laid->bytes;
    laid->data.size = size;
}

static void lay(Laid *laid, const Names *names, const int32_t *codes, size_t count, TextLayout layout) {
    static const size_t widths[] = {4, 8, VIEW_BYTES};
    TextColumn column = {layout, NULL, count, &laid->data, 1, NULL, 0, count};
    memset(laid, 0, sizeof *laid);
    laid->column = column;
    laid->items = room((count + (layout != VIEWS)) * widths[layout]);
    laid->column.items = laid->items;
    lay_text(laid, names, codes, count);
}

/* The same as indices into all names. */
static void lay_indices(Laid *laid, const Names *names, const int32_t *codes, size_t count) {
    const Strings strings = names_strings(names);
    TextColumn column = {OFFSETS_64, (const char *)strings.offsets, strings.count, &laid->data, 1, NULL, 4, count};
    memset(laid, 0, sizeof *laid);
    laid->items = room(4 * count);
    memcpy(laid->items, codes, 4 * count);
    laid->column = column;
    laid->column.indices = laid->items;
    laid->data.bytes = strings.bytes;
    laid->data.size = (size_t)strings.offsets[strings.count];
}

static void in_layout(const Columns *columns, int layout, size_t cut, const Scan *lines, ScanStatus expected) {
    RowBatch batches[2] = {{.start = 0}, {.start = cut}};
    RowSource source = {batches, 2, NULL, columns->count};
    Laid laid[4];
    ScanStatus status = SCAN_INTERLEAVED;
    for (int b = 0; b < 2; b++) {
        size_t start = b ? cut : 0, count = b ? columns->count - cut : cut;
        int empty;
        if (layout == LAYOUTS) lay_indices(laid + b, columns->names + TOPIC, columns->codes[TOPIC] + start, count);
        else lay(laid + b, columns->names + TOPIC, columns->codes[TOPIC] + start, count, (TextLayout)layout);
        lay(laid + 2 + b, columns->names + DOCUMENT, columns->codes[DOCUMENT] + start, count, (TextLayout)(layout % LAYOUTS));
        batches[b].topics = laid[b].column;
        batches[b].documents = laid[2 + b].column;
        batches[b].scores = (const char *)(columns->values + start);
        batches[b].ranks = (const char *)(columns->ranks + start);
        must(texts_fit(&batches[b].topics, &empty) && !empty, "a column that does not fit itself");
        must(texts_fit(&batches[b].documents, &empty) && !empty, "a column that does not fit itself");
    }
    for (int collect = 0; collect < 2 && status == SCAN_INTERLEAVED; collect++) {
        Scan *scan = scan_new(fuzz_judged(), orders, MAX_ORDERS, collect);
        must(scan != NULL, "no memory");
        status = scan_rows(scan, &source);
        if (status == SCAN_OK) status = scan_finish(scan);
        if (status == SCAN_OK && expected == SCAN_OK) same_rankings(lines, scan);
        scan_free(scan);
    }
    must(status == expected, "a table and its lines differ");
    for (int i = 0; i < 4; i++) {
        free(laid[i].items);
        free(laid[i].bytes);
    }
}

void law_of_rows(const uint8_t *data, size_t size, const Scan *lines, ScanStatus status) {
    Columns *columns = columns_new(secret, RUN_LINES);
    must(columns != NULL, "no memory");
    /* lines that the two readers of text treat differently say nothing about rows */
    if (size && data[size - 1] == '\n' && columns_feed(columns, (const char *)data, (const char *)data + size) == SCAN_OK &&
        columns->count)
        for (int layout = 0; layout <= LAYOUTS; layout++)
            in_layout(columns, layout, data[0] % (columns->count + 1), lines, status);
    columns_free(columns);
}
