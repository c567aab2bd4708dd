#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* memfd_create */
#endif
#include "laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "columns.h"
#include "core.h"
#include "judged.h"
#include "number.h"
#include "scan.h"
#include "shape.h"
#include "spaces.h"

const char *const topics[TOPICS] = {"1", "2", "30", "a-longer-topic-name", "\xc3\xa9", "7"};
const uint64_t secret[KEY_WORDS] = {0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu,
                                        0xD6E8FEB86659FD93u, 0xA0761D6478BD642Fu};
const Order orders[MAX_ORDERS] = {BY_SCORE_NAME_DOWN, BY_SCORE_NAME_UP, BY_SCORE_AS_FILED, BY_RANK, AS_FILED};
static Judged *judged;

void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "law broken: %s\n", what);
    abort();
}

int document_name(char *out, unsigned number) {
    static const char *const shapes[] = {"d%u", "clueweb09-en0000-%02u-04138", "doc%08u", "\xe2\x82\xac%u"};
    return sprintf(out, shapes[number % 4], number);
}

void laws_prepare(void) {
    static Names names, documents;
    static int64_t starts[JUDGED_TOPICS + 1];
    static int32_t codes[JUDGED_TOPICS * DOCUMENTS];
    char name[64];
    number_prepare();
    must(!names_init(&names) && !names_init(&documents), "no memory");
    for (unsigned d = 0; d < DOCUMENTS; d++) {
        size_t length = (size_t)document_name(name, d);
        must(names_add(&documents, hash_bytes(secret, name, length), name, length) == (int32_t)d, "a name without its code");
    }
    for (int t = 0; t < JUDGED_TOPICS; t++) {
        size_t length = strlen(topics[t]);
        must(names_add(&names, hash_bytes(secret, topics[t], length), topics[t], length) == t, "a name without its code");
        starts[t + 1] = starts[t];
        for (unsigned d = 0; d < DOCUMENTS; d += 1 + (unsigned)t) codes[starts[t + 1]++] = (int32_t)d;
    }
    judged = judged_new(secret, names_strings(&names), starts, codes, names_strings(&documents));
    must(judged != NULL, "no memory");
}

const Judged *fuzz_judged(void) { return judged; }

void laws_end(void) { judged_free(judged); }

/* --- runs ---------------------------------------------------------------------------------------------------------- */

typedef struct {
    const uint8_t *data;
    size_t size;
} Input;

/* The size of the n-th piece: the data's first bytes, repeated; large data has large pieces. */
static size_t piece(Input input, size_t n) {
    size_t sizes = input.size < 8 ? input.size : 8;
    return 1 + input.data[n % sizes] * (input.size > 100000 ? 1000u : 1u);
}

static Scan *scanned_by(int simd, Input input, const Order *asked, int count, int cut, int collect, ScanStatus *status) {
    Scan *scan = scan_new(judged, asked, count, collect);
    must(scan != NULL, "no memory");
    scan->simd = simd;
    *status = SCAN_OK;
    for (size_t done = 0, n = 0; done < input.size && *status == SCAN_OK; n++) {
        size_t more = cut ? piece(input, n) : input.size;
        char *room;
        if (more > input.size - done) more = input.size - done;
        room = scan_room(scan, more);
        must(room != NULL, "no memory");
        memcpy(room, input.data + done, more);
        *status = scan_added(scan, more);
        done += more;
    }
    if (*status == SCAN_OK) *status = scan_finish(scan);
    return scan;
}

static Scan *scanned(Input input, const Order *asked, int count, int cut, int collect, ScanStatus *status) {
    return scanned_by(2, input, asked, count, cut, collect, status);
}

/* The same bytes as a file; NULL if the system has no files in memory. */
static Scan *scanned_file(Input input, ScanStatus *status) {
#if defined(__linux__)
    static int descriptor = -1;
    Scan *scan = scan_new(judged, orders, MAX_ORDERS, 0);
    int error;
    double seconds;
    must(scan != NULL, "no memory");
    if (descriptor < 0) descriptor = memfd_create("run", 0);
    must(descriptor >= 0 && ftruncate(descriptor, 0) == 0, "no file in memory");
    must(pwrite(descriptor, input.data, input.size, 0) == (ssize_t)input.size, "no room in memory");
    must(lseek(descriptor, 0, SEEK_SET) == 0, "a file that cannot be read again");
    *status = scan_descriptor(scan, descriptor, &error, &seconds);
    must(!error, "a file that cannot be read");
    if (*status == SCAN_OK) *status = scan_finish(scan);
    return scan;
#else
    (void)input, (void)status;
    return NULL;
#endif
}

static void sane(const Scan *scan) {
    for (int o = 0; o < scan_order_count(scan); o++) {
        ScannedOrder order = scan_order(scan, o);
        for (size_t t = 0; t < scan_topic_count(scan); t++) {
            ScannedTopic topic = scan_topic(scan, t);
            for (int64_t i = order.starts[t]; i < order.starts[t + 1]; i++) {
                must(1 <= order.ranks[i] && order.ranks[i] <= topic.length, "a rank outside the topic");
                must(i == order.starts[t] || order.ranks[i - 1] < order.ranks[i], "ranks that do not increase");
                must(0 <= order.rows[i] && order.rows[i] < DOCUMENTS, "a row that is not judged");
            }
        }
        must((size_t)order.starts[scan_topic_count(scan)] == order.count, "hits without a topic");
    }
}

static void same_order(const Scan *a, int a_order, const Scan *b, int b_order) {
    ScannedOrder x = scan_order(a, a_order), y = scan_order(b, b_order);
    must(x.count == y.count, "two numbers of hits");
    must(!x.count || memcmp(x.ranks, y.ranks, x.count * sizeof(int32_t)) == 0, "two rankings");
    must(!x.count || memcmp(x.rows, y.rows, x.count * sizeof(int32_t)) == 0, "two lists of rows");
    must(memcmp(x.starts, y.starts, (scan_topic_count(a) + 1) * sizeof(int64_t)) == 0, "two lists of starts");
}

static void same_tags(const Scan *a, const Scan *b) {
    size_t a_tag, b_tag;
    const char *a_text = scan_tag(a, &a_tag), *b_text = scan_tag(b, &b_tag);
    must(a_tag == b_tag && (!a_tag || memcmp(a_text, b_text, a_tag) == 0), "two tags");
}

static void same_topics(const Scan *a, const Scan *b) {
    must(scan_contradictions(a) == scan_contradictions(b), "two counts of contradictions");
    must(scan_topic_count(a) == scan_topic_count(b), "two numbers of topics");
    for (size_t t = 0; t < scan_topic_count(a); t++) {
        ScannedTopic x = scan_topic(a, t), y = scan_topic(b, t);
        Strings a_names = scan_topic_names(a), b_names = scan_topic_names(b);
        must(x.judged == y.judged && x.length == y.length, "two topics");
        must(string_is(&b_names, t, string_at(&a_names, t), string_length(&a_names, t)), "two topic names");
    }
}

void same_rankings(const Scan *a, const Scan *b) {
    same_topics(a, b);
    for (int o = 0; o < MAX_ORDERS; o++) same_order(a, o, b, o);
}

static void same(const Scan *a, const Scan *b) {
    same_tags(a, b);
    same_rankings(a, b);
}

/* A single order; a topic without ranks is unusual only if the order uses ranks. */
static void alone(Input input, const Scan *all, ScanStatus all_status) {
    int which = input.size ? input.data[0] % MAX_ORDERS : 0;
    ScanStatus status;
    Scan *one = scanned(input, orders + which, 1, 0, all_status == SCAN_INTERLEAVED, &status);
    if (all_status == SCAN_OK) {
        must(status == SCAN_OK, "unusual only alone");
        same_tags(all, one);
        same_topics(all, one);
        same_order(all, which, one, 0);
    }
    if (status == SCAN_OK) sane(one);
    scan_free(one);
}

/* All implementations find the same white space; the separator of the fields depends on the data. */
static void law_of_marks(Input input) {
    char *block = malloc(input.size + 64), gap = input.size % 2 ? ' ' : '\t';
    uint32_t *index[3];
    Marks marks[3];
    must(block != NULL, "no memory");
    memset(block, '\n', input.size + 64);
    if (input.size) memcpy(block, input.data, input.size);
    for (int simd = 0; simd < 3; simd++) {
        must((index[simd] = malloc((input.size + 64) * sizeof(uint32_t))) != NULL, "no memory");
        marks[simd] = mark_spaces_by(simd, block, input.size, gap, index[simd]);
        must(marks[simd].count == marks[0].count && marks[simd].high == marks[0].high, "two counts of marks");
        must(marks[simd].tidy == marks[0].tidy, "two values of tidy");
        must(!marks[0].count || memcmp(index[simd], index[0], marks[0].count * sizeof(uint32_t)) == 0, "two marks");
    }
    for (int simd = 0; simd < 3; simd++) free(index[simd]);
    free(block);
}

int law_of_runs(const uint8_t *data, size_t size) {
    Input input = {data, size};
    ScanStatus status, other[6];
    Scan *whole = scanned(input, orders, MAX_ORDERS, 0, 0, &status);
    Scan *ways[6] = {scanned(input, orders, MAX_ORDERS, 1, 0, other), scanned_file(input, other + 1),
                     scanned(input, orders, MAX_ORDERS, 0, 1, other + 2),
                     scanned(input, orders, MAX_ORDERS, 1, 1, other + 3),
                     scanned_by(0, input, orders, MAX_ORDERS, 0, 0, other + 4),
                     scanned_by(1, input, orders, MAX_ORDERS, 0, 0, other + 5)};
    law_of_marks(input);
    must(other[4] == status && other[5] == status, "the instructions change the status");
    must(other[0] == status, "the pieces change the status");
    must(!ways[1] || other[1] == status, "a file and its bytes differ");
    must(other[2] == other[3], "the pieces change the status when collecting");
    must(other[2] != SCAN_INTERLEAVED, "collected and still interleaved");
    must(status == SCAN_INTERLEAVED || status == other[2], "collecting changes the status");
    if (status == SCAN_OK) sane(whole);
    for (int w = 0; w < 6 && status == SCAN_OK; w++)
        if (ways[w]) same(whole, ways[w]);
    if (other[2] == SCAN_OK) {
        sane(ways[2]);
        same(ways[2], ways[3]);
    }
    law_of_rows(data, size, status == SCAN_INTERLEAVED ? ways[2] : whole, status == SCAN_INTERLEAVED ? other[2] : status);
    alone(input, whole, status);
    scan_free(whole);
    for (int w = 0; w < 6; w++)
        if (ways[w]) scan_free(ways[w]);
    return (int)status;
}

/* --- judgments and numbers ----------------------------------------------------------------------------------------- */

/* A copy that is exactly as large as needed, so that the sanitizer detects reads beyond it. */
static char *exact_copy(const uint8_t *data, size_t size, size_t room) {
    char *copy = malloc(room ? room : 1);
    must(copy != NULL, "no memory");
    if (room) memset(copy, '7', room);
    if (size) memcpy(copy, data, size);
    return copy;
}

/* Check a topic's names of one kind: distinct, and documents in descending order. */
static void check_members(const Rows *rows, const Groups *groups, const Members *members, int kind) {
    const Strings *names = rows->names + kind;
    for (size_t t = 0; t < rows->names[TOPIC].count; t++) {
        int64_t first = members->starts[t], after = members->starts[t + 1];
        const int32_t *places = kind == DOCUMENT ? groups->rows : groups->columns;
        must(first < after, "a topic without a name of some kind");
        for (int64_t i = first; i + 1 < after; i++) {
            size_t a = (size_t)members->codes[i], b = (size_t)members->codes[i + 1];
            int order = compare_names(string_at(names, a), string_length(names, a), string_at(names, b),
                                      string_length(names, b));
            must(kind != DOCUMENT || order > 0, "documents not in descending order");
            must(order != 0, "a repeated name");
        }
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++)
            must(places[i] >= 0 && places[i] < after - first, "a position outside its topic");
    }
}

static void check_cells(const Rows *rows, const Groups *groups) {
    for (size_t t = 0; t < rows->names[TOPIC].count; t++)
        for (int64_t i = groups->starts[t] + 1; i < groups->starts[t + 1]; i++) {
            int aspect = groups->columns[i] - groups->columns[i - 1], row = groups->rows[i] - groups->rows[i - 1];
            must(aspect > 0 || (aspect == 0 && row >= 0), "judgments out of order");
        }
}

/* The groups contain the judgments of the columns: the sum of the hashes of all judgments is the same. */
static void check_groups(const Rows *rows, const Groups *groups) {
    uint64_t before = 0, after = 0;
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t grade;
        memcpy(&grade, rows->grades + i, 8);
        before += hash_bytes(secret, (char *)(uint64_t[4]){grade, (uint64_t)rows->codes[TOPIC][i],
                                                        (uint64_t)rows->codes[ASPECT][i],
                                                        (uint64_t)rows->codes[DOCUMENT][i]}, 32);
    }
    for (size_t t = 0; t < rows->names[TOPIC].count; t++)
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++) {
            int64_t aspect = groups->aspects.starts[t] + groups->columns[i];
            int64_t document = groups->documents.starts[t] + groups->rows[i];
            uint64_t grade;
            memcpy(&grade, groups->grades + i, 8);
            after += hash_bytes(secret, (char *)(uint64_t[4]){grade, (uint64_t)groups->topics[t],
                                                           (uint64_t)groups->aspects.codes[aspect],
                                                           (uint64_t)groups->documents.codes[document]}, 32);
        }
    must(before == after, "groups with other judgments than the file");
    check_members(rows, groups, &groups->aspects, ASPECT);
    check_members(rows, groups, &groups->documents, DOCUMENT);
    check_cells(rows, groups);
}

/* A file as columns, at once or in two parts. */
static Columns *columns_of(const char *text, size_t size, LinesOf lines_of, int cut, ScanStatus *status) {
    Columns *columns = columns_new(secret, lines_of);
    const char *newline = cut ? memchr(text + size / 2, '\n', size - size / 2) : NULL;
    const char *middle = newline ? newline + 1 : text;
    must(columns != NULL, "no memory");
    *status = middle > text ? columns_feed(columns, text, middle) : SCAN_OK;
    if (*status == SCAN_OK) *status = columns_feed(columns, middle, text + size);
    return columns;
}

static void check_codes(const Columns *columns) {
    for (size_t i = 0; i < columns->count; i++) {
        must(isfinite(columns->values[i]), "a value that is not finite");
        for (int n = 0; n < KINDS; n++)
            must(!columns->codes[n] || (size_t)columns->codes[n][i] < columns->names[n].count, "a code without a name");
    }
}

int law_of_judgments(const uint8_t *data, size_t size) {
    char *text = exact_copy(data, size, size);
    ScanStatus status, in_parts, of_runs;
    Columns *columns = columns_of(text, size, JUDGMENT_LINES, 0, &status);
    Columns *parts = columns_of(text, size, JUDGMENT_LINES, 1, &in_parts);
    Columns *run = columns_of(text, size, RUN_LINES, 1, &of_runs);
    must(status == in_parts && (status != SCAN_OK || columns->count == parts->count), "the parts change the result");
    if (of_runs == SCAN_OK) check_codes(run);
    if (status == SCAN_OK && columns->count) {
        Groups groups = {0};
        Rows rows = {.grades = columns->values, .count = columns->count};
        check_codes(columns);
        for (int n = 0; n < KINDS; n++) {
            rows.names[n] = names_strings(columns->names + n);
            rows.codes[n] = columns->codes[n];
            must(memcmp(columns->codes[n], parts->codes[n], columns->count * sizeof(int32_t)) == 0, "two readings");
        }
        if (groups_of(&groups, &rows) == SCAN_OK) check_groups(&rows, &groups);
        groups_free(&groups);
    }
    columns_free(columns);
    columns_free(parts);
    columns_free(run);
    free(text);
    return (int)status;
}

/* Two numbers of one shape compare as doubles do. The texts are the halves of the data. */
static void law_of_shapes(const uint8_t *data, size_t size) {
#if defined(HAVE_SHAPES)
    size_t half = size / 2;
    char *a = exact_copy(data, half, half + SHAPE_BYTES), *b = exact_copy(data + half, half, half + SHAPE_BYTES);
    Shape shape = shape_of(a, half);
    Digits first, second;
    if (shape.length) {
        must(digits_of(&shape, a, half, &first), "a number without its own shape");
        if (digits_of(&shape, b, half, &second)) {
            double x = 0, y = 0;
            int order = compare_digits(&shape, first, second);
            must(shape_of(b, half).length == half, "a shape for a text without one");
            must(parse_any_decimal(a, half, &x) && parse_any_decimal(b, half, &y), "a shape that is not a number");
            must(order == (x > y) - (x < y), "texts and doubles compare differently");
        }
    }
    free(a);
    free(b);
#else
    (void)data, (void)size;
#endif
}

int law_of_numbers(const uint8_t *data, size_t size) {
    size_t room = size < 8 ? 8 : size; /* parse_decimal may read eight bytes, even if the number is shorter */
    char *text = exact_copy(data, size, room), *ended = exact_copy(data, size, size + 1), *end;
    double value, other;
    int64_t rank;
    int quick = parse_decimal(text, size, &value);
    ended[size] = 0;
    law_of_shapes(data, size);
    must(parse_any_decimal(text, size, &other) == quick, "the fast parser and the general one disagree");
    must(!quick || memcmp(&value, &other, sizeof value) == 0, "two numbers for one text");
    if (quick) {
        double expected = strtod(ended, &end);
        must(end == ended + size && isfinite(expected), "a text that is not a number");
        must(memcmp(&value, &expected, sizeof value) == 0, "a number rounded differently");
    }
    if (parse_rank(text, size, &rank)) {
        long long expected = strtoll(ended, &end, 10);
        must(end == ended + size && expected == rank, "a different rank");
    }
    free(text);
    free(ended);
    return !quick;
}
