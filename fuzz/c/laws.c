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
#include "number.h"

const char *const topics[TOPICS] = {"1", "2", "30", "a-longer-topic-name", "\xc3\xa9", "7"};
static const uint64_t key[KEY_WORDS] = {0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu,
                                        0xD6E8FEB86659FD93u, 0xA0761D6478BD642Fu};
static const Order orders[MAX_ORDERS] = {BY_SCORE_NAME_DOWN, BY_SCORE_NAME_UP, BY_SCORE_AS_FILED, BY_RANK, AS_FILED};
static Judged *judged;

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "law broken: %s\n", what);
    abort();
}

int document_name(char *out, unsigned number) {
    static const char *const shapes[] = {"d%u", "clueweb09-en0000-%02u-04138", "doc%08u", "\xe2\x82\xac%u"};
    return sprintf(out, shapes[number % 4], number);
}

void laws_prepare(void) {
    char name[64];
    number_prepare();
    judged = judged_new(key);
    must(judged != NULL, "no memory");
    for (int t = 0; t < JUDGED_TOPICS; t++) {
        must(!judged_add_topic(judged, topics[t], strlen(topics[t])), "no memory");
        for (unsigned d = 0; d < DOCUMENTS; d += 1 + (unsigned)t)
            must(!judged_add_document(judged, name, (size_t)document_name(name, d)), "no memory");
    }
    must(!judged_seal(judged), "no memory");
}

void laws_end(void) { judged_free(judged); }

/* --- runs ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    const uint8_t *data;
    size_t size;
} Input;

/* The size of the n-th piece: the data's first bytes, over and over; large data in large pieces. */
static size_t piece(Input input, size_t n) {
    size_t sizes = input.size < 8 ? input.size : 8;
    return 1 + input.data[n % sizes] * (input.size > 100000 ? 1000u : 1u);
}

static Scan *scanned(Input input, const Order *asked, int count, int cut, int collect, ScanStatus *status) {
    Scan *scan = scan_new(judged, asked, count, collect);
    must(scan != NULL, "no memory");
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

/* The same bytes as a file; NULL where this system has no file in memory. */
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
                must(i == order.starts[t] || order.ranks[i - 1] < order.ranks[i], "ranks that do not rise");
                must(0 <= order.rows[i] && order.rows[i] < DOCUMENTS, "a row that is not judged");
            }
        }
        must((size_t)order.starts[scan_topic_count(scan)] == order.count, "hits without a topic");
    }
}

static void same_order(const Scan *a, int a_order, const Scan *b, int b_order) {
    ScannedOrder x = scan_order(a, a_order), y = scan_order(b, b_order);
    must(x.count == y.count, "two numbers of hits");
    must(!x.count || memcmp(x.ranks, y.ranks, x.count * sizeof(int64_t)) == 0, "two rankings");
    must(!x.count || memcmp(x.rows, y.rows, x.count * sizeof(int64_t)) == 0, "two lists of rows");
    must(memcmp(x.starts, y.starts, (scan_topic_count(a) + 1) * sizeof(int64_t)) == 0, "two lists of starts");
}

static void same_topics(const Scan *a, const Scan *b) {
    size_t a_tag, b_tag;
    const char *a_text = scan_tag(a, &a_tag), *b_text = scan_tag(b, &b_tag);
    must(a_tag == b_tag && (!a_tag || memcmp(a_text, b_text, a_tag) == 0), "two tags");
    must(scan_contradictions(a) == scan_contradictions(b), "two counts of contradictions");
    must(scan_topic_count(a) == scan_topic_count(b), "two numbers of topics");
    for (size_t t = 0; t < scan_topic_count(a); t++) {
        ScannedTopic x = scan_topic(a, t), y = scan_topic(b, t);
        must(x.judged == y.judged && x.length == y.length && x.name_length == y.name_length, "two topics");
        must(memcmp(x.name, y.name, x.name_length) == 0, "two topic names");
    }
}

static void same(const Scan *a, const Scan *b) {
    same_topics(a, b);
    for (int o = 0; o < MAX_ORDERS; o++) same_order(a, o, b, o);
}

/* One order asked for alone; a topic without ranks is unusual only where ranks are asked for. */
static void alone(Input input, const Scan *all, ScanStatus all_status) {
    int which = input.size ? input.data[0] % MAX_ORDERS : 0;
    ScanStatus status;
    Scan *one = scanned(input, orders + which, 1, 0, all_status == SCAN_INTERLEAVED, &status);
    if (all_status == SCAN_OK) {
        must(status == SCAN_OK, "unusual only alone");
        same_topics(all, one);
        same_order(all, which, one, 0);
    }
    if (status == SCAN_OK) sane(one);
    scan_free(one);
}

int law_of_runs(const uint8_t *data, size_t size) {
    Input input = {data, size};
    ScanStatus status, other[4];
    Scan *whole = scanned(input, orders, MAX_ORDERS, 0, 0, &status);
    Scan *ways[4] = {scanned(input, orders, MAX_ORDERS, 1, 0, other), scanned_file(input, other + 1),
                     scanned(input, orders, MAX_ORDERS, 0, 1, other + 2),
                     scanned(input, orders, MAX_ORDERS, 1, 1, other + 3)};
    must(other[0] == status, "the pieces decide");
    must(!ways[1] || other[1] == status, "a file and its bytes differ");
    must(other[2] == other[3], "the pieces decide what is collected");
    must(other[2] != SCAN_INTERLEAVED, "collected and still interleaved");
    must(status == SCAN_INTERLEAVED || status == other[2], "collecting decides");
    if (status == SCAN_OK) sane(whole);
    for (int w = 0; w < 3 && status == SCAN_OK; w++)
        if (ways[w]) same(whole, ways[w]);
    if (other[2] == SCAN_OK) {
        sane(ways[2]);
        same(ways[2], ways[3]);
    }
    alone(input, whole, status);
    scan_free(whole);
    for (int w = 0; w < 4; w++)
        if (ways[w]) scan_free(ways[w]);
    return (int)status;
}

/* --- judgments and numbers --------------------------------------------------------------------------------------------- */

/* A copy without a byte to spare, so that the sanitizer sees any that is read beyond. */
static char *exact_copy(const uint8_t *data, size_t size, size_t room) {
    char *copy = malloc(room ? room : 1);
    must(copy != NULL, "no memory");
    if (room) memset(copy, '7', room);
    if (size) memcpy(copy, data, size);
    return copy;
}

static int name_of(const Names *names, int32_t code, const char **bytes) {
    must((size_t)code < names->count, "a code without a name");
    *bytes = names->text.bytes + names->names[code].offset;
    return (int)names->names[code].length;
}

/* A topic's names of one kind: each once, and documents descending. */
static void look_at_members(const Columns *columns, const Groups *groups, const Members *members, int kind) {
    for (size_t t = 0; t < columns->names[TOPIC].count; t++) {
        int64_t first = members->starts[t], after = members->starts[t + 1];
        must(first < after, "a topic without a name of some kind");
        for (int64_t i = first; kind == DOCUMENT && i + 1 < after; i++) {
            const char *here, *below;
            int a = name_of(columns->names + kind, members->codes[i], &here);
            int b = name_of(columns->names + kind, members->codes[i + 1], &below);
            int found = memcmp(here, below, (size_t)(a < b ? a : b));
            must(found > 0 || (found == 0 && a > b), "documents that do not descend");
        }
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++) {
            must(members->places[i] >= 0 && members->places[i] < after - first, "a place outside its topic");
            must(kind != DOCUMENT || i == groups->starts[t] || members->places[i] >= members->places[i - 1],
                 "judgments that are not in the order of their documents");
        }
    }
}

/* Groups hold what the columns hold: the sums over all judgments of grade and names are the same both ways. */
static void look_at_groups(const Columns *columns, const Groups *groups) {
    uint64_t before = 0, after = 0;
    for (size_t i = 0; i < columns->count; i++) {
        uint64_t grade;
        memcpy(&grade, columns->grades + i, 8);
        before += hash_bytes(key, (char *)(uint64_t[4]){grade, (uint64_t)columns->codes[TOPIC][i],
                                                        (uint64_t)columns->codes[ASPECT][i],
                                                        (uint64_t)columns->codes[DOCUMENT][i]}, 32);
    }
    for (size_t t = 0; t < columns->names[TOPIC].count; t++)
        for (int64_t i = groups->starts[t]; i < groups->starts[t + 1]; i++) {
            int64_t aspect = groups->aspects.starts[t] + groups->aspects.places[i];
            int64_t document = groups->documents.starts[t] + groups->documents.places[i];
            uint64_t grade;
            memcpy(&grade, groups->grades + i, 8);
            after += hash_bytes(key, (char *)(uint64_t[4]){grade, t, (uint64_t)groups->aspects.codes[aspect],
                                                           (uint64_t)groups->documents.codes[document]}, 32);
        }
    must(before == after, "groups that hold other judgments than the file");
    look_at_members(columns, groups, &groups->aspects, ASPECT);
    look_at_members(columns, groups, &groups->documents, DOCUMENT);
}

int law_of_judgments(const uint8_t *data, size_t size) {
    Columns columns;
    Groups groups = {0};
    char *text = exact_copy(data, size, size);
    ScanStatus status = columns_read(&columns, key, text, text + size);
    for (size_t i = 0; status == SCAN_OK && i < columns.count; i++) {
        must(isfinite(columns.grades[i]), "a grade that is no number");
        for (int n = 0; n < JUDGMENT_NAMES; n++)
            must((size_t)columns.codes[n][i] < columns.names[n].count, "a code without a name");
    }
    if (status == SCAN_OK && groups_of(&groups, &columns) == SCAN_OK) look_at_groups(&columns, &groups);
    groups_free(&groups);
    columns_free(&columns);
    free(text);
    return (int)status;
}

int law_of_numbers(const uint8_t *data, size_t size) {
    size_t room = size < 8 ? 8 : size; /* parse_decimal may look at eight bytes, however short the number */
    char *text = exact_copy(data, size, room), *ended = exact_copy(data, size, size + 1), *end;
    double value, other;
    int64_t rank;
    int quick = parse_decimal(text, size, &value);
    ended[size] = 0;
    must(parse_any_decimal(text, size, &other) == quick, "the quick road and the long one disagree");
    must(!quick || memcmp(&value, &other, sizeof value) == 0, "two numbers for one text");
    if (quick) {
        double expected = strtod(ended, &end);
        must(end == ended + size && isfinite(expected), "a number that is none");
        must(memcmp(&value, &expected, sizeof value) == 0, "a number rounded twice");
    }
    if (parse_rank(text, size, &rank)) {
        long long expected = strtoll(ended, &end, 10);
        must(end == ended + size && expected == rank, "a rank that is another");
    }
    free(text);
    free(ended);
    return !quick;
}
