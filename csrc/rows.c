/* Scan a run's rows in a table: the counterpart of scan.c, without parsing. */
#include <math.h>

#include "rows.h"
#include "segment.h"

/* A row of the run and its batch of the table. */
typedef struct {
    const RowBatch *batch;
    size_t row; /* within the batch */
} Place;

/* The position of the run's k-th row, searched from that of an earlier one. */
static inline Place place_of(const RowSource *source, size_t k, const RowBatch *batch) {
    size_t row = source->picked ? (size_t)int64_at(source->picked, k) : k;
    Place place;
    while (row >= batch->start + batch->topics.rows) batch++;
    place.batch = batch;
    place.row = row - batch->start;
    return place;
}

static inline double score_at(Place place) {
    double score;
    memcpy(&score, place.batch->scores + 8 * place.row, 8);
    return score;
}

static inline int64_t rank_at(Place place) {
    return place.batch->ranks ? int64_at(place.batch->ranks, place.row) : NO_RANK;
}

static ScanStatus add_row(Scan *scan, Entries *entries, const JudgedTopic *judged, Place place) {
    Field name = text_at(&place.batch->documents, place.row);
    return entries_add(scan, entries, judged, name, rank_at(place), score_at(place));
}

ScanStatus order_rows(Scan *scan, size_t end) {
    Entries *entries = &scan->sorting;
    const RowBatch *batch = scan->segment.batch;
    entries->count = 0;
    entries->flags = 0;
    for (size_t k = scan->segment.start; k < end; k++) {
        Place place = place_of(scan->rows, k, batch);
        ScanStatus status = add_row(scan, entries, scan->segment.judged, place);
        if (status != SCAN_OK) return status;
        batch = place.batch;
    }
    return entries_finish(scan, entries, scan->segment.judged);
}

static ScanStatus collect_row(Scan *scan, Field name, Place place) {
    Topic *topic;
    ScanStatus status = find_topic(scan, name, &topic);
    if (status != SCAN_OK) return status;
    topic->length++;
    return add_row(scan, &topic->entries, judged_topic(scan, topic), place);
}

/* Whether a row has the topic of the previous row; for equal indices into one dictionary no text is compared. */
static inline int goes_on(const Scan *scan, Place above, Place here, Field name) {
    const TextColumn *topics = &here.batch->topics;
    if (topics->indices && above.batch == here.batch && scan->open &&
        index_at(topics, above.row) == index_at(topics, here.row))
        return 1;
    return same_topic(scan, name);
}

static ScanStatus take_rows(Scan *scan, const RowSource *source) {
    Place above = {NULL, 0};
    const RowBatch *batch = source->batches;
    ScanStatus status = SCAN_OK;
    scan->rows = source;
    scan->lines_ahead = ROWS_AHEAD;
    for (size_t k = 0; k < source->count; k++) {
        Place here = place_of(source, k, batch);
        Field name = text_at(&here.batch->topics, here.row), document = text_at(&here.batch->documents, here.row);
        batch = here.batch;
        if (!name.length || !document.length || !isfinite(score_at(here))) return SCAN_UNUSUAL;
        if (scan->collect) {
            if ((status = collect_row(scan, name, here)) != SCAN_OK) return status;
            continue;
        }
        if (k % ROWS_AHEAD == 0 && scan->open && (status = make_room(scan)) != SCAN_OK) return status;
        if (!goes_on(scan, above, here, name)) {
            if ((status = close_segment(scan, k)) != SCAN_OK) return status;
            if ((status = open_segment(scan, name, k)) != SCAN_OK) return status;
            scan->segment.batch = batch;
        }
        next_entry(&scan->segment, scan->judged, document, rank_at(here), score_at(here));
        above = here;
    }
    return close_segment(scan, source->count);
}

ScanStatus scan_rows(Scan *scan, const RowSource *source) { return scan->status = take_rows(scan, source); }
