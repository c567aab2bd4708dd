/* The judged set as the scan sees it, and the growing arrays that both use. */
#ifndef DIVEVAL_JUDGED_H
#define DIVEVAL_JUDGED_H

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "hash.h"

/* Bytes that are only ever added; others point into them by offset, since growing moves them. */
typedef struct {
    char *bytes;
    size_t size, room;
} Text;

/* Make room for `more` items of `width` bytes in an array; nonzero means no memory. */
static inline int reserve(void **array, size_t *room, size_t size, size_t more, size_t width) {
    size_t wanted = *room ? *room : 64;
    void *grown;
    if (more <= *room - size && *array) return 0;
    if (more > SIZE_MAX / 4 / width - size) return 1;
    while (wanted < size + more) wanted *= 2;
    grown = realloc(*array, wanted * width);
    if (!grown) return 1;
    *array = grown;
    *room = wanted;
    return 0;
}

static inline int text_add(Text *text, const char *bytes, size_t length) {
    if (reserve((void **)&text->bytes, &text->room, text->size, length, 1)) return 1;
    if (length) memcpy(text->bytes + text->size, bytes, length);
    text->size += length;
    return 0;
}

typedef struct {
    uint64_t hash;
    size_t offset;
    uint32_t length;
    int32_t row; /* or index, of whatever the table is about; -1 in an empty slot */
} Slot;

/* A table from names to numbers: open addressing, at most half full, a hit confirmed by its bytes. */
typedef struct {
    Slot *slots;
    size_t mask, count;
} Table;

int table_init(Table *table, size_t names);
void table_free(Table *table);
/* Add a name that is not there yet (the caller has looked), growing as needed; nonzero means no memory. */
int table_add(Table *table, Slot slot);

static inline int32_t table_find(const Table *table, const char *names, uint64_t hash, const char *p, size_t length) {
    for (size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
        const Slot *slot = table->slots + at;
        if (slot->row < 0) return -1;
        if (slot->hash == hash && slot->length == length && memcmp(names + slot->offset, p, length) == 0)
            return slot->row;
    }
}

typedef struct {
    size_t first, count; /* its documents, as a range of `documents`; before sealing */
    Table table;
    uint64_t *filter; /* a bit for each document: most lines of a run end here */
    unsigned filter_shift;
} JudgedTopic;

typedef struct {
    size_t offset;
    uint32_t length;
} Name;

struct Judged {
    uint64_t key[KEY_WORDS];
    Text names;
    Table topic_table;
    JudgedTopic *topics;
    size_t topic_count, topic_room;
    Name *documents;
    size_t document_count, document_room;
};

static inline int32_t judged_row(const Judged *judged, const JudgedTopic *topic, uint64_t hash, const char *p,
                                 size_t length) {
    uint64_t bit = hash >> topic->filter_shift;
    if (!(topic->filter[bit >> 6] >> (bit & 63) & 1)) return -1;
    return table_find(&topic->table, judged->names.bytes, hash, p, length);
}

#endif
