/* Topics whose lines are not in a requested order: all their lines are kept and sorted. */
#include "scan.h"

const char *keep_text(Scan *scan, Field text) {
    Chunk *chunk = scan->kept;
    if (!chunk || chunk->room - chunk->size < text.length) {
        size_t room = text.length > (1 << 18) ? text.length : (1 << 18);
        chunk = malloc(sizeof(Chunk) + room);
        if (!chunk) return NULL;
        chunk->next = scan->kept;
        chunk->size = 0;
        chunk->room = room;
        scan->kept = chunk;
    }
    memcpy(chunk->bytes + chunk->size, text.start, text.length);
    chunk->size += text.length;
    return chunk->bytes + chunk->size - text.length;
}

ScanStatus entries_add(Scan *scan, Entries *entries, const JudgedTopic *judged, Field name, int64_t rank, double score) {
    Entry entry = {score, rank, name.start, (uint32_t)name.length, (uint32_t)entries->count, -1};
    if (entries->count >= INT32_MAX || name.length > UINT32_MAX) return SCAN_UNUSUAL;
    if (rank == NO_RANK) entries->flags |= RANK_BROKEN;
    if (judged) {
        uint64_t hash = hash_bytes(scan->judged->key, name.start, name.length);
        entry.row = judged_row(scan->judged, judged, hash, name.start, name.length);
    }
    if (reserve((void **)&entries->entries, &entries->room, entries->count, 1, sizeof(Entry))) return SCAN_NO_MEMORY;
    entries->entries[entries->count++] = entry;
    return SCAN_OK;
}

/* A repeated document is left to the plain reader, which implements the rules and the error message. */
static ScanStatus find_repeats(const Scan *scan, const Entries *entries) {
    size_t room = 16;
    Slot *slots;
    ScanStatus status = SCAN_OK;
    while (room < 2 * entries->count + 2) room *= 2;
    if (!(slots = malloc(room * sizeof(Slot)))) return SCAN_NO_MEMORY;
    for (size_t i = 0; i < room; i++) slots[i].code = -1;
    for (size_t i = 0; i < entries->count && status == SCAN_OK; i++) {
        const Entry *entry = entries->entries + i;
        Slot slot = {(uint32_t)hash_bytes(scan->judged->key, entry->name, entry->length), (int32_t)i};
        size_t at = slot.tag & (room - 1);
        for (; slots[at].code >= 0; at = (at + 1) & (room - 1)) {
            const Entry *other = entries->entries + slots[at].code;
            if (slots[at].tag != slot.tag) continue;
            if (compare_names(entry->name, entry->length, other->name, other->length) == 0) status = SCAN_UNUSUAL;
        }
        slots[at] = slot;
    }
    free(slots);
    return status;
}

static int by_place(const Entry *a, const Entry *b) { return (a->place > b->place) - (a->place < b->place); }

static int by_rank(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    return order ? order : by_place(a, b);
}

static int by_score(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    int order = (a->score < b->score) - (a->score > b->score);
    return order ? order : by_place(a, b);
}

static int by_score_name_down(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    int order = (a->score < b->score) - (a->score > b->score);
    if (!order) order = compare_names(b->name, b->length, a->name, a->length);
    return order ? order : by_place(a, b);
}

static int by_score_name_up(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    int order = (a->score < b->score) - (a->score > b->score);
    if (!order) order = compare_names(a->name, a->length, b->name, b->length);
    return order ? order : by_place(a, b);
}

static int as_filed(const void *left, const void *right) { return by_place(left, right); }

typedef int (*Comparison)(const void *, const void *);

static void sort_entries(Entries *entries, Comparison compare) {
    for (size_t i = 1; i < entries->count; i++) {
        if (compare(entries->entries + i - 1, entries->entries + i) > 0) {
            qsort(entries->entries, entries->count, sizeof(Entry), compare);
            return;
        }
    }
}

static int contradict(Entries *entries) {
    if (entries->flags & RANK_BROKEN) return 0;
    sort_entries(entries, by_rank);
    for (size_t i = 1; i < entries->count; i++)
        if (entries->entries[i].score > entries->entries[i - 1].score) return 1;
    return 0;
}

ScanStatus hits_add(Hits *hits, const int32_t *ranks, const int32_t *rows, size_t count) {
    if (reserve((void **)&hits->ranks, &hits->rank_room, hits->count, count, sizeof(int32_t)) ||
        reserve((void **)&hits->rows, &hits->row_room, hits->count, count, sizeof(int32_t)))
        return SCAN_NO_MEMORY;
    if (count) {
        memcpy(hits->ranks + hits->count, ranks, count * sizeof(int32_t));
        memcpy(hits->rows + hits->count, rows, count * sizeof(int32_t));
    }
    hits->count += count;
    return SCAN_OK;
}

ScanStatus hits_close(Hits *hits) {
    if (reserve((void **)&hits->starts, &hits->start_room, hits->start_count, 1, sizeof(int64_t)))
        return SCAN_NO_MEMORY;
    hits->starts[hits->start_count++] = (int64_t)hits->count;
    return SCAN_OK;
}

ScanStatus entries_finish(Scan *scan, Entries *entries, const JudgedTopic *judged) {
    static const Comparison comparisons[] = {by_score_name_down, by_score_name_up, by_score, by_rank, as_filed};
    ScanStatus status = judged ? find_repeats(scan, entries) : SCAN_OK;
    if (status != SCAN_OK) return status;
    if (judged) scan->contradictions += contradict(entries);
    for (int o = 0; o < scan->order_count; o++) {
        Hits *hits = scan->hits + o;
        if (judged) {
            if (scan->orders[o] == BY_RANK && entries->flags & RANK_BROKEN) return SCAN_UNUSUAL;
            sort_entries(entries, comparisons[scan->orders[o]]);
            for (size_t i = 0; i < entries->count; i++) {
                int32_t rank = (int32_t)i + 1, row = entries->entries[i].row;
                if (row >= 0 && hits_add(hits, &rank, &row, 1) != SCAN_OK) return SCAN_NO_MEMORY;
            }
        }
        if (hits_close(hits) != SCAN_OK) return SCAN_NO_MEMORY;
    }
    return SCAN_OK;
}
