/* Group judgments by topic with counting sorts; only names are compared. */
#include "columns.h"

enum { FEW = 24 };

typedef struct {
    const char *bytes;
    uint64_t number;
    uint32_t length;
    int32_t code;
} Sorted;

/* Temporary arrays. `seen` and `place` are indexed by the code of one kind of name. */
typedef struct {
    int32_t *order, *other, *seen, *place, *rows, *columns;
    int64_t *next;
    Sorted *sorted;
} Scratch;

static void *array(size_t count, size_t width) { return malloc((count + 1) * width); }

/* --- the order of names -------------------------------------------------------------------------------------------- */

/* Compare by number, then by text. */
static inline int compare(const Sorted *a, const Sorted *b) {
    if (a->number != b->number) return a->number > b->number ? 1 : -1;
    return compare_names(a->bytes, a->length, b->bytes, b->length);
}

static int ascending(const void *left, const void *right) { return compare(left, right); }
static int descending(const void *left, const void *right) { return compare(right, left); }

/* [0-9]{1,18} as a number. */
static int number_of(Sorted *item) {
    item->number = 0;
    if (item->length < 1 || item->length > 18) return 0;
    for (uint32_t i = 0; i < item->length; i++) {
        unsigned digit = (unsigned)(unsigned char)item->bytes[i] - '0';
        if (digit > 9) return 0;
        item->number = item->number * 10 + digit;
    }
    return 1;
}

/* The length of the common prefix of two names, at most `most`. */
static inline uint32_t alike(const char *a, const char *b, uint32_t most) {
    uint32_t i = 0;
    while (i + 8 <= most && eight_bytes(a + i) == eight_bytes(b + i)) i += 8;
    while (i < most && a[i] == b[i]) i++;
    return i;
}

static inline uint64_t big_endian(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 | (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
           (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 | (uint64_t)p[6] << 8 | p[7];
}

/* Eight bytes of a name from `from` on, as a number that compares as they do; missing bytes count as 0. */
static inline uint64_t bytes_from(const Sorted *item, uint32_t from) {
    uint32_t left = item->length - from;
    uint64_t out = 0;
    if (left >= 8) return big_endian(item->bytes + from);
    if (left && item->length >= 8) return big_endian(item->bytes + item->length - 8) << 8 * (8 - left);
    for (uint32_t i = 0; i < left; i++) out |= (uint64_t)(unsigned char)item->bytes[from + i] << 8 * (7 - i);
    return out;
}

/* The eight bytes after the common prefix of all names nearly always decide; if they are equal, texts are compared. */
static void number_texts(Sorted *sorted, size_t count) {
    uint32_t common = count ? sorted->length : 0;
    for (size_t i = 1; i < count; i++)
        common = alike(sorted->bytes, sorted[i].bytes, sorted[i].length < common ? sorted[i].length : common);
    for (size_t i = 0; i < count; i++) sorted[i].number = bytes_from(sorted + i, common);
}

/* Insertion sort for few items, without a function call per comparison. */
static void sort_few(Sorted *sorted, size_t count, int sign) {
    for (size_t i = 1; i < count; i++) {
        Sorted item = sorted[i];
        size_t at = i;
        for (; at && sign * compare(sorted + at - 1, &item) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = item;
    }
}

/* Documents are in descending order, other names in natural order: by value if all of them are numbers, else by text. */
static void sort_codes(const Strings *names, int kind, int32_t *codes, size_t count, Sorted *sorted) {
    int sign = kind == DOCUMENT ? -1 : 1, numbers = kind != DOCUMENT;
    size_t i;
    for (i = 0; i < count; i++) {
        Sorted item = {string_at(names, (size_t)codes[i]), 0, (uint32_t)string_length(names, (size_t)codes[i]), codes[i]};
        sorted[i] = item;
    }
    for (i = 0; i < count && numbers; i++) numbers = number_of(sorted + i);
    if (!numbers) number_texts(sorted, count);
    for (i = 1; i < count && sign * compare(sorted + i - 1, sorted + i) < 0;) i++;
    if (i >= count) return;
    if (count <= FEW) sort_few(sorted, count, sign);
    else qsort(sorted, count, sizeof(Sorted), sign > 0 ? ascending : descending);
    for (i = 0; i < count; i++) codes[i] = sorted[i].code;
}

int names_standing(const Strings *names, int natural, int32_t *places) {
    Sorted *sorted = array(names->count, sizeof(Sorted));
    int32_t *codes = array(names->count, sizeof(int32_t));
    int failed = !sorted || !codes;
    if (!failed) {
        for (size_t i = 0; i < names->count; i++) codes[i] = (int32_t)i;
        sort_codes(names, natural ? TOPIC : DOCUMENT, codes, names->count, sorted);
        for (size_t i = 0; i < names->count; i++)
            places[codes[i]] = (int32_t)(natural ? i : names->count - 1 - i); /* documents are in descending order */
    }
    free(sorted);
    free(codes);
    return failed;
}

/* --- groups -------------------------------------------------------------------------------------------------------- */

/* Sort the judgments by topic in natural order; within a topic they stay in input order. */
static void order_by_topic(Groups *groups, const Rows *rows, Scratch *scratch) {
    const int32_t *topics = rows->codes[TOPIC];
    size_t count = rows->names[TOPIC].count;
    for (size_t t = 0; t < count; t++) groups->topics[t] = (int32_t)t;
    sort_codes(rows->names + TOPIC, TOPIC, groups->topics, count, scratch->sorted);
    for (size_t t = 0; t < count; t++) scratch->place[groups->topics[t]] = (int32_t)t;
    memset(groups->starts, 0, (count + 1) * sizeof(int64_t));
    for (size_t i = 0; i < rows->count; i++) groups->starts[scratch->place[topics[i]] + 1]++;
    for (size_t t = 0; t < count; t++) groups->starts[t + 1] += groups->starts[t];
    memcpy(scratch->next, groups->starts, count * sizeof(int64_t));
    for (size_t i = 0; i < rows->count; i++) scratch->order[scratch->next[scratch->place[topics[i]]]++] = (int32_t)i;
}

/* The names of one kind that each topic has, and for each sorted judgment the position of its name among them. */
static void find_members(Members *members, int32_t *places, const Groups *groups, const Rows *rows, int kind,
                         Scratch *scratch) {
    const Strings *names = rows->names + kind;
    size_t topics = rows->names[TOPIC].count;
    int64_t found = 0;
    for (size_t i = 0; i < names->count; i++) scratch->seen[i] = -1;
    for (size_t t = 0; t < topics; t++) {
        int32_t *own = members->codes + found;
        int64_t count = 0;
        members->starts[t] = found;
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++) {
            int32_t code = rows->codes[kind][scratch->order[i]];
            if (scratch->seen[code] == (int32_t)t) continue;
            scratch->seen[code] = (int32_t)t;
            own[count++] = code;
        }
        sort_codes(names, kind, own, (size_t)count, scratch->sorted);
        for (int64_t i = 0; i < count; i++) scratch->place[own[i]] = (int32_t)i;
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++)
            places[i] = scratch->place[rows->codes[kind][scratch->order[i]]];
        found += count;
    }
    members->starts[topics] = found;
}

/* Stable counting sort of a topic's judgments, `from` to `to`, by one of `count` positions. */
static void count_sort(const int32_t *places, size_t count, const int32_t *from, int32_t *to, size_t size,
                       int64_t *next) {
    memset(next, 0, (count + 1) * sizeof(int64_t));
    for (size_t i = 0; i < size; i++) next[places[from[i]] + 1]++;
    for (size_t place = 0; place < count; place++) next[place + 1] += next[place];
    for (size_t i = 0; i < size; i++) to[next[places[from[i]]]++] = from[i];
}

/* Sort each topic by aspect, then by document. The sorts are stable, so the last key is sorted first. */
static void order_cells(Groups *groups, const Rows *rows, Scratch *scratch) {
    for (size_t t = 0; t < rows->names[TOPIC].count; t++) {
        int64_t start = groups->starts[t];
        size_t size = (size_t)(groups->starts[t + 1] - start);
        size_t documents = (size_t)(groups->documents.starts[t + 1] - groups->documents.starts[t]);
        size_t aspects = (size_t)(groups->aspects.starts[t + 1] - groups->aspects.starts[t]);
        int32_t *one = scratch->seen, *two = scratch->other; /* `seen` is no longer in use, and at least as long as any topic */
        for (size_t i = 0; i < size; i++) one[i] = (int32_t)i;
        count_sort(scratch->rows + start, documents, one, two, size, scratch->next);
        count_sort(scratch->columns + start, aspects, two, one, size, scratch->next);
        for (size_t i = 0; i < size; i++) {
            int64_t from = start + one[i], to = start + (int64_t)i;
            groups->rows[to] = scratch->rows[from];
            groups->columns[to] = scratch->columns[from];
            groups->grades[to] = rows->grades[scratch->order[from]];
        }
    }
}

static size_t largest_topic(const Rows *rows) {
    size_t topics = rows->names[TOPIC].count, largest = 0;
    int32_t *sizes = calloc(topics + 1, sizeof(int32_t));
    if (!sizes) return rows->count;
    for (size_t i = 0; i < rows->count; i++) sizes[rows->codes[TOPIC][i]]++;
    for (size_t t = 0; t < topics; t++)
        if ((size_t)sizes[t] > largest) largest = (size_t)sizes[t];
    free(sizes);
    return largest;
}

static int prepare(Groups *groups, Scratch *scratch, const Rows *rows) {
    size_t count = rows->count, topics = rows->names[TOPIC].count, most = largest_topic(rows), longest;
    if (most < topics) most = topics;
    longest = most; /* the most items that one topic, or one kind of name, needs */
    for (int kind = 0; kind < KINDS; kind++)
        if (rows->names[kind].count > most) most = rows->names[kind].count;
    scratch->order = array(count, sizeof(int32_t));
    scratch->other = array(longest, sizeof(int32_t));
    scratch->rows = array(count, sizeof(int32_t));
    scratch->columns = array(count, sizeof(int32_t));
    scratch->seen = array(most, sizeof(int32_t));
    scratch->place = array(most, sizeof(int32_t));
    scratch->next = array(longest, sizeof(int64_t));
    scratch->sorted = array(longest, sizeof(Sorted));
    groups->topics = array(topics, sizeof(int32_t));
    groups->starts = array(topics, sizeof(int64_t));
    groups->rows = array(count, sizeof(int32_t));
    groups->columns = array(count, sizeof(int32_t));
    groups->grades = array(count, sizeof(double));
    groups->aspects.codes = array(count, sizeof(int32_t));
    groups->documents.codes = array(count, sizeof(int32_t));
    groups->aspects.starts = array(topics, sizeof(int64_t));
    groups->documents.starts = array(topics, sizeof(int64_t));
    return scratch->order && scratch->other && scratch->rows && scratch->columns && scratch->seen && scratch->place &&
           scratch->next && scratch->sorted && groups->topics && groups->starts && groups->rows && groups->columns &&
           groups->grades && groups->aspects.codes && groups->documents.codes && groups->aspects.starts &&
           groups->documents.starts;
}

ScanStatus groups_of(Groups *groups, const Rows *rows) {
    Scratch scratch = {0};
    int ready;
    memset(groups, 0, sizeof *groups);
    if (rows->count >= INT32_MAX) return SCAN_UNUSUAL;
    ready = prepare(groups, &scratch, rows);
    if (ready) {
        order_by_topic(groups, rows, &scratch);
        find_members(&groups->aspects, scratch.columns, groups, rows, ASPECT, &scratch);
        find_members(&groups->documents, scratch.rows, groups, rows, DOCUMENT, &scratch);
        order_cells(groups, rows, &scratch);
    }
    free(scratch.order);
    free(scratch.other);
    free(scratch.rows);
    free(scratch.columns);
    free(scratch.seen);
    free(scratch.place);
    free(scratch.next);
    free(scratch.sorted);
    return ready ? SCAN_OK : SCAN_NO_MEMORY;
}

void groups_free(Groups *groups) {
    free(groups->topics);
    free(groups->starts);
    free(groups->rows);
    free(groups->columns);
    free(groups->grades);
    free(groups->aspects.codes);
    free(groups->aspects.starts);
    free(groups->documents.codes);
    free(groups->documents.starts);
}
