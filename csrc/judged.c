#include "judged.h"

#include <limits.h>

int table_init(Table *table, size_t names) {
    size_t room = 16;
    while (room < 2 * names + 2) room *= 2;
    table->slots = malloc(room * sizeof(Slot));
    if (!table->slots) return 1;
    for (size_t i = 0; i < room; i++) table->slots[i].row = -1;
    table->mask = room - 1;
    table->count = 0;
    return 0;
}

void table_free(Table *table) { free(table->slots); }

static void place(Table *table, Slot slot) {
    size_t at = slot.hash & table->mask;
    while (table->slots[at].row >= 0) at = (at + 1) & table->mask;
    table->slots[at] = slot;
    table->count++;
}

int table_add(Table *table, Slot slot) {
    if (2 * (table->count + 1) > table->mask) {
        Table larger;
        if (table_init(&larger, 2 * table->count + 2)) return 1;
        for (size_t i = 0; i <= table->mask; i++)
            if (table->slots[i].row >= 0) place(&larger, table->slots[i]);
        table_free(table);
        *table = larger;
    }
    place(table, slot);
    return 0;
}

Judged *judged_new(const uint64_t key[KEY_WORDS]) {
    Judged *judged = calloc(1, sizeof(Judged));
    if (!judged) return NULL;
    memcpy(judged->key, key, sizeof judged->key);
    if (table_init(&judged->topic_table, 64) || text_add(&judged->names, "", 0)) {
        judged_free(judged);
        return NULL;
    }
    return judged;
}

void judged_free(Judged *judged) {
    if (!judged) return;
    for (size_t i = 0; i < judged->topic_count; i++) {
        table_free(&judged->topics[i].table);
        free(judged->topics[i].filter);
    }
    table_free(&judged->topic_table);
    free(judged->topics);
    free(judged->documents);
    free(judged->names.bytes);
    free(judged);
}

int judged_add_topic(Judged *judged, const char *name, size_t length) {
    Slot slot = {hash_bytes(judged->key, name, length), judged->names.size, (uint32_t)length,
                 (int32_t)judged->topic_count};
    JudgedTopic *topic;
    if (length > UINT32_MAX || judged->topic_count >= INT32_MAX) return 1;
    if (reserve((void **)&judged->topics, &judged->topic_room, judged->topic_count, 1, sizeof(JudgedTopic))) return 1;
    topic = judged->topics + judged->topic_count;
    memset(topic, 0, sizeof *topic);
    topic->first = judged->document_count;
    judged->topic_count++;
    return text_add(&judged->names, name, length) || table_add(&judged->topic_table, slot);
}

int judged_add_document(Judged *judged, const char *name, size_t length) {
    Name document = {judged->names.size, (uint32_t)length};
    JudgedTopic *topic = judged->topics + judged->topic_count - 1;
    if (length > UINT32_MAX || topic->count >= INT32_MAX) return 1;
    if (reserve((void **)&judged->documents, &judged->document_room, judged->document_count, 1, sizeof(Name))) return 1;
    judged->documents[judged->document_count++] = document;
    topic->count++;
    return text_add(&judged->names, name, length);
}

static int seal_topic(Judged *judged, JudgedTopic *topic) {
    unsigned bits = 10;
    while (((size_t)1 << bits) < 32 * topic->count && bits < 24) bits++;
    topic->filter = calloc((size_t)1 << (bits - 6), sizeof(uint64_t));
    topic->filter_shift = 64 - bits;
    if (!topic->filter || table_init(&topic->table, topic->count)) return 1;
    for (size_t row = 0; row < topic->count; row++) {
        Name name = judged->documents[topic->first + row];
        uint64_t hash = hash_bytes(judged->key, judged->names.bytes + name.offset, name.length);
        uint64_t bit = hash >> topic->filter_shift;
        Slot slot = {hash, name.offset, name.length, (int32_t)row};
        topic->filter[bit >> 6] |= (uint64_t)1 << (bit & 63);
        if (table_add(&topic->table, slot)) return 1;
    }
    return 0;
}

int judged_seal(Judged *judged) {
    for (size_t i = 0; i < judged->topic_count; i++)
        if (seal_topic(judged, judged->topics + i)) return 1;
    free(judged->documents);
    judged->documents = NULL;
    return 0;
}
