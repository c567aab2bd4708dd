#include "columns.h"

/* Arrays that are needed only while the groups are made. `seen` and `place` are by code of one kind of name. */
typedef struct {
    int32_t *order, *seen, *place, *aspects;
    int64_t *next;
    double *grades;
} Scratch;

typedef struct {
    const char *bytes;
    uint32_t length;
    int32_t code;
} Sorted;

static void *array(size_t count, size_t width) { return malloc((count + 1) * width); }

/* Bytes of UTF-8 compare as Python's text does. */
static int descending(const void *left, const void *right) {
    const Sorted *a = left, *b = right;
    int found = memcmp(b->bytes, a->bytes, a->length < b->length ? a->length : b->length);
    return found ? found : (a->length < b->length) - (a->length > b->length);
}

static int sort_codes(const Names *names, int32_t *codes, size_t count) {
    Sorted *sorted = array(count, sizeof(Sorted));
    if (!sorted) return 1;
    for (size_t i = 0; i < count; i++) {
        Name name = names->names[codes[i]];
        Sorted item = {names->text.bytes + name.offset, name.length, codes[i]};
        sorted[i] = item;
    }
    qsort(sorted, count, sizeof(Sorted), descending);
    for (size_t i = 0; i < count; i++) codes[i] = sorted[i].code;
    free(sorted);
    return 0;
}

/* Topics one after the other, lines of a topic as they came. */
static void order_by_topic(Groups *groups, const Columns *columns, Scratch *scratch) {
    const int32_t *topics = columns->codes[TOPIC];
    size_t count = columns->names[TOPIC].count;
    memset(groups->starts, 0, (count + 1) * sizeof(int64_t));
    for (size_t i = 0; i < columns->count; i++) groups->starts[topics[i] + 1]++;
    for (size_t t = 0; t < count; t++) groups->starts[t + 1] += groups->starts[t];
    memcpy(scratch->next, groups->starts, count * sizeof(int64_t));
    for (size_t i = 0; i < columns->count; i++) scratch->order[scratch->next[topics[i]]++] = (int32_t)i;
}

/* The names of one kind that each topic has, and the place of each judgment's name among them. */
static int find_members(Members *members, const Groups *groups, const Columns *columns, int kind, Scratch *scratch) {
    const Names *names = columns->names + kind;
    int64_t found = 0;
    for (size_t i = 0; i < names->count; i++) scratch->seen[i] = -1;
    for (size_t t = 0; t < columns->names[TOPIC].count; t++) {
        int32_t *own = members->codes + found;
        int64_t count = 0;
        members->starts[t] = found;
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++) {
            int32_t code = columns->codes[kind][scratch->order[i]];
            if (scratch->seen[code] == (int32_t)t) continue;
            scratch->seen[code] = (int32_t)t;
            own[count++] = code;
        }
        if (kind == DOCUMENT && sort_codes(names, own, (size_t)count)) return 1;
        for (int64_t i = 0; i < count; i++) scratch->place[own[i]] = (int32_t)i;
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++)
            members->places[i] = scratch->place[columns->codes[kind][scratch->order[i]]];
        found += count;
    }
    members->starts[columns->names[TOPIC].count] = found;
    return 0;
}

/* Inside each topic by document, judgments of a document as they came. */
static void order_by_document(Groups *groups, const Columns *columns, Scratch *scratch) {
    int32_t *aspects = groups->aspects.places, *rows = groups->documents.places;
    for (size_t t = 0; t < columns->names[TOPIC].count; t++) {
        int64_t start = groups->starts[t], stop = groups->starts[t + 1], *next = scratch->next;
        int64_t documents = groups->documents.starts[t + 1] - groups->documents.starts[t];
        memset(next, 0, ((size_t)documents + 1) * sizeof(int64_t));
        for (int64_t i = start; i < stop; i++) next[rows[i] + 1]++;
        for (int64_t row = 0; row < documents; row++) next[row + 1] += next[row];
        for (int64_t i = start; i < stop; i++) {
            int64_t to = start + next[rows[i]]++;
            scratch->aspects[to] = aspects[i];
            scratch->grades[to] = columns->grades[scratch->order[i]];
        }
        /* `next` now says where each row ends, which is all there is to know about the sorted rows. */
        for (int64_t row = 0, i = 0; row < documents; row++)
            for (; i < next[row]; i++) rows[start + i] = (int32_t)row;
    }
    memcpy(aspects, scratch->aspects, columns->count * sizeof(int32_t));
    memcpy(groups->grades, scratch->grades, columns->count * sizeof(double));
}

static int members_init(Members *members, size_t judgments, size_t topics) {
    members->codes = array(judgments, sizeof(int32_t));
    members->places = array(judgments, sizeof(int32_t));
    members->starts = array(topics, sizeof(int64_t));
    return !members->codes || !members->places || !members->starts;
}

ScanStatus groups_of(Groups *groups, const Columns *columns) {
    size_t count = columns->count, topics = columns->names[TOPIC].count, most = columns->names[DOCUMENT].count;
    Scratch scratch;
    int failed;
    memset(groups, 0, sizeof *groups);
    if (count >= INT32_MAX) return SCAN_UNUSUAL;
    if (columns->names[ASPECT].count > most) most = columns->names[ASPECT].count;
    scratch.order = array(count, sizeof(int32_t));
    scratch.seen = array(most, sizeof(int32_t));
    scratch.place = array(most, sizeof(int32_t));
    scratch.aspects = array(count, sizeof(int32_t));
    scratch.next = array(most > topics ? most : topics, sizeof(int64_t));
    scratch.grades = array(count, sizeof(double));
    groups->starts = array(topics, sizeof(int64_t));
    groups->grades = array(count, sizeof(double));
    failed = members_init(&groups->aspects, count, topics) || members_init(&groups->documents, count, topics) ||
             !scratch.order || !scratch.seen || !scratch.place || !scratch.aspects || !scratch.next ||
             !scratch.grades || !groups->starts || !groups->grades;
    if (!failed) {
        order_by_topic(groups, columns, &scratch);
        failed = find_members(&groups->aspects, groups, columns, ASPECT, &scratch) ||
                 find_members(&groups->documents, groups, columns, DOCUMENT, &scratch);
    }
    if (!failed) order_by_document(groups, columns, &scratch);
    free(scratch.order);
    free(scratch.seen);
    free(scratch.place);
    free(scratch.aspects);
    free(scratch.next);
    free(scratch.grades);
    return failed ? SCAN_NO_MEMORY : SCAN_OK;
}

static void members_free(Members *members) {
    free(members->codes);
    free(members->places);
    free(members->starts);
}

void groups_free(Groups *groups) {
    free(groups->starts);
    free(groups->grades);
    members_free(&groups->aspects);
    members_free(&groups->documents);
}
