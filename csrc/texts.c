#include "texts.h"

static int value_fits(const TextColumn *column, size_t i) {
    if (column->layout == VIEWS) {
        const char *view = column->items + VIEW_BYTES * i;
        int32_t length = int32_at(view, 0), buffer, offset;
        if (length <= VIEW_INLINE) return length >= 0;
        buffer = int32_at(view, 2);
        offset = int32_at(view, 3);
        return buffer >= 0 && (size_t)buffer < column->data_count && offset >= 0 &&
               (size_t)offset + (size_t)length <= column->data[buffer].size;
    }
    if (column->layout == OFFSETS_32) {
        int32_t start = int32_at(column->items, i), end = int32_at(column->items, i + 1);
        return start >= 0 && start <= end && (size_t)end <= column->data->size;
    }
    return int64_at(column->items, i) >= 0 && int64_at(column->items, i) <= int64_at(column->items, i + 1) &&
           (size_t)int64_at(column->items, i + 1) <= column->data->size;
}

int texts_fit(const TextColumn *column, int *empty) {
    int fits = column->layout == VIEWS || column->data_count == 1, none = 0;
    for (size_t i = 0; i < column->count && fits; i++) fits = value_fits(column, i);
    for (size_t row = 0; row < column->rows && fits; row++) {
        if (column->indices && index_at(column, row) >= column->count) return 0;
        none |= text_at(column, row).length == 0;
    }
    *empty = none;
    return fits;
}
