/* Columns of text in Arrow's layouts: offsets of 32 or 64 bits, or views; plain, or as indices into a dictionary. They are
 * read in place, because copying them would take as long as reading them. */
#ifndef DIVEVAL_TEXTS_H
#define DIVEVAL_TEXTS_H

#include "names.h"
#include "text.h"

typedef enum { OFFSETS_32, OFFSETS_64, VIEWS, LAYOUTS } TextLayout;

enum { VIEW_BYTES = 16, VIEW_INLINE = 12 };

typedef struct {
    const char *bytes;
    size_t size;
} Buffer;

typedef struct {
    TextLayout layout;
    const char *items; /* offsets or views, from the first value on */
    size_t count;      /* of values */
    Buffer *data;      /* one with offsets, any number with views */
    size_t data_count;
    const char *indices; /* the index of each row's value; NULL if the rows are the values */
    int width;           /* bytes of an index */
    size_t rows;
} TextColumn;

static inline int32_t int32_at(const char *items, size_t i) {
    int32_t value;
    memcpy(&value, items + 4 * i, 4); /* memcpy, because a slice of a foreign buffer may not be aligned */
    return value;
}

static inline int64_t int64_at(const char *items, size_t i) {
    int64_t value;
    memcpy(&value, items + 8 * i, 8);
    return value;
}

static inline size_t index_at(const TextColumn *column, size_t row) {
    uint16_t half;
    switch (column->width) {
    case 1: return (unsigned char)column->indices[row];
    case 2: memcpy(&half, column->indices + 2 * row, 2); return half;
    case 4: return (uint32_t)int32_at(column->indices, row);
    default: return (size_t)int64_at(column->indices, row);
    }
}

static inline Field value_at(const TextColumn *column, size_t i) {
    Field out;
    if (column->layout == VIEWS) {
        const char *view = column->items + VIEW_BYTES * i;
        out.length = (size_t)int32_at(view, 0);
        out.start = out.length <= VIEW_INLINE ? view + 4 : column->data[int32_at(view, 2)].bytes + int32_at(view, 3);
    } else if (column->layout == OFFSETS_32) {
        int32_t start = int32_at(column->items, i);
        out.start = column->data->bytes + start;
        out.length = (size_t)(int32_at(column->items, i + 1) - start);
    } else {
        int64_t start = int64_at(column->items, i);
        out.start = column->data->bytes + start;
        out.length = (size_t)(int64_at(column->items, i + 1) - start);
    }
    return out;
}

static inline Field text_at(const TextColumn *column, size_t row) {
    return value_at(column, column->indices ? index_at(column, row) : row);
}

/* Whether every value is within the data and every index among the values. Later code does not check again. `empty`:
 * whether some row has no text. */
int texts_fit(const TextColumn *column, int *empty);

/* Rows of a run that are contiguous in memory. */
typedef struct {
    TextColumn topics, documents;
    const char *scores; /* doubles */
    const char *ranks;  /* 64 bits each; NULL if there are none */
    size_t start;       /* the number of its first row */
} RowBatch;

/* All rows of a table, and which of them belong to the run. */
typedef struct {
    RowBatch *batches;
    size_t batch_count;
    const char *picked; /* row numbers, ascending; NULL for all rows */
    size_t count;
} RowSource;

#endif
