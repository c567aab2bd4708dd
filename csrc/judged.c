#include "judged.h"

enum { LEAST_FILTER = 9, LARGEST_FILTER = 24 }; /* log2 of the number of bits */

/* At least 32 bits per document (up to the largest size), so that the filter passes at most 3 % of the other documents. */
static unsigned filter_bits(size_t count) {
    unsigned bits = LEAST_FILTER;
    while (((size_t)1 << bits) < 32 * count && bits < LARGEST_FILTER) bits++;
    return bits;
}

static size_t slot_count(size_t count) {
    size_t slots = 4;
    while (slots < 2 * count + 1) slots *= 2;
    return slots;
}

static void fill_topic(JudgedTopic *topic, size_t count, const uint64_t *hashes, Slot *slots,
                       uint64_t *filter) {
    topic->slots = slots;
    topic->filter = filter;
    topic->mask = (uint32_t)(slot_count(count) - 1);
    topic->filter_shift = 64 - filter_bits(count);
    for (size_t row = 0; row < count; row++) {
        uint64_t hash = hashes[topic->codes[row]], bit = hash >> topic->filter_shift;
        Slot slot = {(uint32_t)hash, (int32_t)row};
        uint32_t at = slot.tag & topic->mask;
        while (slots[at].code >= 0) at = (at + 1) & topic->mask;
        slots[at] = slot;
        filter[bit >> 6] |= (uint64_t)1 << (bit & 63);
    }
}

static int fill(Judged *judged, size_t topics, const int64_t *starts, const int32_t *codes, const uint64_t *hashes) {
    size_t slots = 0, words = 0;
    for (size_t t = 0; t < topics; t++) {
        size_t count = (size_t)(starts[t + 1] - starts[t]);
        if (count > INT32_MAX / 4) return 1;
        slots += slot_count(count);
        words += (size_t)1 << (filter_bits(count) - 6);
    }
    judged->topics = calloc(topics + 1, sizeof(JudgedTopic));
    judged->slots = malloc((slots + 1) * sizeof(Slot));
    judged->filters = calloc(words + 1, sizeof(uint64_t));
    if (!judged->topics || !judged->slots || !judged->filters) return 1;
    for (size_t i = 0; i < slots; i++) judged->slots[i].code = -1;
    slots = words = 0;
    for (size_t t = 0; t < topics; t++) {
        size_t count = (size_t)(starts[t + 1] - starts[t]);
        judged->topics[t].codes = codes + starts[t];
        fill_topic(judged->topics + t, count, hashes, judged->slots + slots, judged->filters + words);
        slots += slot_count(count);
        words += (size_t)1 << (filter_bits(count) - 6);
    }
    return 0;
}

Judged *judged_new(const uint64_t key[KEY_WORDS], Strings topics, const int64_t *starts, const int32_t *codes,
                   Strings documents) {
    Judged *judged = calloc(1, sizeof(Judged));
    uint64_t *hashes = malloc((documents.count + 1) * sizeof(uint64_t));
    int failed = !judged || !hashes;
    if (!failed) {
        memcpy(judged->key, key, sizeof judged->key);
        judged->documents = documents;
        failed = names_init(&judged->names);
    }
    for (size_t t = 0; !failed && t < topics.count; t++) {
        const char *name = string_at(&topics, t);
        size_t length = string_length(&topics, t);
        failed = names_add(&judged->names, hash_bytes(key, name, length), name, length) < 0;
    }
    for (size_t i = 0; !failed && i < documents.count; i++)
        hashes[i] = hash_bytes(key, string_at(&documents, i), string_length(&documents, i));
    if (!failed) failed = fill(judged, topics.count, starts, codes, hashes);
    free(hashes);
    if (!failed) return judged;
    judged_free(judged);
    return NULL;
}

void judged_free(Judged *judged) {
    if (!judged) return;
    names_free(&judged->names);
    free(judged->topics);
    free(judged->slots);
    free(judged->filters);
    free(judged);
}
