/* Names: concatenated text with one offset per name, as in Arrow, and a hash table from text to number. */
#ifndef DIVEVAL_NAMES_H
#define DIVEVAL_NAMES_H

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "hash.h"

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

/* Names compare by their bytes, which for UTF-8 is the order of code points: Python's order of text. */
static inline int compare_names(const char *a, size_t a_length, const char *b, size_t b_length) {
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static inline const char *string_at(const Strings *strings, size_t i) { return strings->bytes + strings->offsets[i]; }
static inline size_t string_length(const Strings *strings, size_t i) {
    return (size_t)(strings->offsets[i + 1] - strings->offsets[i]);
}
static inline int string_is(const Strings *strings, size_t i, const char *p, size_t length) {
    return string_length(strings, i) == length && same_bytes(string_at(strings, i), p, length);
}

/* 32 bits of a name's hash and the name's number, -1 in an empty slot; only eight bytes, because there are millions. */
typedef struct {
    uint32_t tag;
    int32_t code;
} Slot;

typedef struct {
    char *bytes;
    int64_t *offsets; /* one entry more than there are names */
    Slot *slots;      /* open addressing, at most half full; equal tags are confirmed by comparing the bytes */
    size_t count, size, byte_room, offset_room, mask;
} Names;

int names_init(Names *names);
void names_free(Names *names);
/* Add a name that is not in the table; its number, or -1 if there is no memory or no number left. */
int32_t names_add(Names *names, uint64_t hash, const char *p, size_t length);

static inline Strings names_strings(const Names *names) {
    Strings strings = {names->bytes, names->offsets, names->count};
    return strings;
}

/* Prefetch the slot of a name that will be looked up soon: the table may be larger than the cache. */
static inline void names_expect(const Names *names, uint64_t hash) {
#if defined(__GNUC__)
    __builtin_prefetch(names->slots + (hash & names->mask));
#else
    (void)names;
    (void)hash;
#endif
}

/* The number of a name; -1 if it is not in the table. */
static inline int32_t names_find(const Names *names, uint64_t hash, const char *p, size_t length) {
    const Strings strings = names_strings(names);
    for (size_t at = hash & names->mask;; at = (at + 1) & names->mask) {
        Slot slot = names->slots[at];
        if (slot.code < 0) return -1;
        if (slot.tag == (uint32_t)hash && string_is(&strings, (size_t)slot.code, p, length)) return slot.code;
    }
}

#endif
