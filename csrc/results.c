/* Creation and destruction of a scan, and access to its results. */
#include "scan.h"

Scan *scan_new(const Judged *judged, const Order *orders, int order_count, int collect) {
    Scan *scan = calloc(1, sizeof(Scan));
    if (!scan) return NULL;
    scan->judged = judged;
    scan->order_count = order_count < MAX_ORDERS ? order_count : MAX_ORDERS;
    scan->collect = collect;
    scan->simd = 2;
    for (int o = 0; o < scan->order_count; o++) scan->orders[o] = orders[o];
    scan->room = FIRST_ROOM;
    scan->buffer = malloc(FIRST_ROOM + PADDING);
    scan->index = malloc((BLOCK + PADDING + 8) * sizeof(uint32_t));
    if (!scan->buffer || !scan->index || names_init(&scan->names)) {
        scan_free(scan);
        return NULL;
    }
    for (int o = 0; o < scan->order_count; o++) {
        if (hits_close(scan->hits + o) != SCAN_OK || hits_add(scan->hits + o, NULL, NULL, 0) != SCAN_OK) {
            scan_free(scan);
            return NULL;
        }
    }
    return scan;
}

void scan_free(Scan *scan) {
    if (!scan) return;
    for (size_t i = 0; i < scan->topic_count; i++) free(scan->topics[i].entries.entries);
    for (int o = 0; o < scan->order_count; o++) {
        free(scan->hits[o].ranks);
        free(scan->hits[o].rows);
        free(scan->hits[o].starts);
    }
    for (Chunk *chunk = scan->kept, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(scan->segment.seen);
    free(scan->segment.hashes);
    free(scan->segment.hit_ranks);
    free(scan->segment.hit_rows);
    free(scan->sorting.entries);
    free(scan->buffer);
    free(scan->index);
    free(scan->tag);
    free(scan->topics);
    names_free(&scan->names);
    free(scan);
}

ScanStatus scan_state(const Scan *scan) { return scan->status; }

int scan_order_count(const Scan *scan) { return scan->order_count; }

size_t scan_topic_count(const Scan *scan) { return scan->topic_count; }

Strings scan_topic_names(const Scan *scan) { return names_strings(&scan->names); }

ScannedTopic scan_topic(const Scan *scan, size_t index) {
    ScannedTopic out = {scan->topics[index].judged, scan->topics[index].length};
    return out;
}

ScannedOrder scan_order(const Scan *scan, int index) {
    const Hits *hits = scan->hits + index;
    ScannedOrder out = {hits->ranks, hits->rows, hits->starts, hits->count};
    return out;
}

int64_t scan_contradictions(const Scan *scan) { return scan->contradictions; }

const char *scan_tag(const Scan *scan, size_t *length) {
    *length = scan->tag_length;
    return scan->tag;
}
