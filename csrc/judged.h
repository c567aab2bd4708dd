/* The judged set: for every judged topic a small hash table from document to row. */
#ifndef DIVEVAL_JUDGED_H
#define DIVEVAL_JUDGED_H

#include "names.h"

typedef struct {
    const int32_t *codes; /* the documents of the rows */
    const Slot *slots;    /* `code` is a row here */
    const uint64_t *filter; /* a bit for each document: rejects most lines of a run without a lookup */
    uint32_t mask;
    unsigned filter_shift;
} JudgedTopic;

struct Judged {
    uint64_t key[KEY_WORDS];
    Names names; /* of the topics */
    Strings documents;
    JudgedTopic *topics;
    Slot *slots;
    uint64_t *filters;
};

static inline int32_t judged_row(const Judged *judged, const JudgedTopic *topic, uint64_t hash, const char *p,
                                 size_t length) {
    uint64_t bit = hash >> topic->filter_shift;
    if (!(topic->filter[bit >> 6] >> (bit & 63) & 1)) return -1;
    for (uint32_t at = (uint32_t)hash & topic->mask;; at = (at + 1) & topic->mask) {
        Slot slot = topic->slots[at];
        if (slot.code < 0) return -1;
        if (slot.tag == (uint32_t)hash && string_is(&judged->documents, (size_t)topic->codes[slot.code], p, length))
            return slot.code;
    }
}

#endif
