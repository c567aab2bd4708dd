/* Fuzzing the scanner's core: files that look like runs, then are damaged. Whatever the bytes, however they are cut
 * into pieces, whether lines are collected or not, the answer must be one and the same, and no byte out of bounds is
 * touched.
 *
 *   fuzz/build.sh fuzz_scanner && ./fuzz_scanner SECONDS [SEED]     or, with clang, -DLIBFUZZER -fsanitize=fuzzer
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "columns.h"
#include "core.h"
#include "number.h"

static const uint64_t key[KEY_WORDS] = {0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu,
                                        0xD6E8FEB86659FD93u, 0xA0761D6478BD642Fu};
static const Order orders[MAX_ORDERS] = {BY_SCORE_NAME_DOWN, BY_SCORE_NAME_UP, BY_SCORE_AS_FILED, BY_RANK, AS_FILED};
static const char *const topics[] = {"1", "2", "30", "a-longer-topic-name", "\xc3\xa9", "7"};
enum { TOPICS = 6, JUDGED_TOPICS = 5, DOCUMENTS = 40 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (state * 0x2545F4914F6CDD1Du >> 16) % below : 0;
}

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_scanner: %s\n", what);
    abort();
}

static int document_name(char *out, uint64_t number) {
    static const char *const shapes[] = {"d%u", "clueweb09-en0000-%02u-04138", "doc%08u", "\xe2\x82\xac%u"};
    return sprintf(out, shapes[number % 4], (unsigned)number);
}

static Judged *judged_documents(void) {
    Judged *judged = judged_new(key);
    char name[64];
    must(judged != NULL, "no memory");
    for (int t = 0; t < JUDGED_TOPICS; t++) {
        must(!judged_add_topic(judged, topics[t], strlen(topics[t])), "no memory");
        for (unsigned d = 0; d < DOCUMENTS; d += 1 + (unsigned)t)
            must(!judged_add_document(judged, name, (size_t)document_name(name, d)), "no memory");
    }
    must(!judged_seal(judged), "no memory");
    return judged;
}

/* --- one input, scanned in every way ------------------------------------------------------------------------------- */

static Scan *scanned(const Judged *judged, const uint8_t *data, size_t size, size_t piece, int collect,
                     ScanStatus *status) {
    Scan *scan = scan_new(judged, orders, MAX_ORDERS, collect);
    must(scan != NULL, "no memory");
    *status = SCAN_OK;
    for (size_t done = 0; done < size && *status == SCAN_OK;) {
        size_t count = piece ? 1 + draw(piece) : size;
        if (count > size - done) count = size - done;
        char *room = scan_room(scan, count);
        must(room != NULL, "no memory");
        memcpy(room, data + done, count);
        *status = scan_added(scan, count);
        done += count;
    }
    if (*status == SCAN_OK) *status = scan_finish(scan);
    return scan;
}

static void sane(const Scan *scan) {
    for (int o = 0; o < MAX_ORDERS; o++) {
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

static void same(const Scan *a, const Scan *b) {
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
    for (int o = 0; o < MAX_ORDERS; o++) {
        ScannedOrder x = scan_order(a, o), y = scan_order(b, o);
        must(x.count == y.count, "two numbers of hits");
        must(!x.count || memcmp(x.ranks, y.ranks, x.count * sizeof(int64_t)) == 0, "two rankings");
        must(!x.count || memcmp(x.rows, y.rows, x.count * sizeof(int64_t)) == 0, "two lists of rows");
        must(memcmp(x.starts, y.starts, (scan_topic_count(a) + 1) * sizeof(int64_t)) == 0, "two lists of starts");
    }
}

static unsigned long long answers[4];

static void try_scan(const Judged *judged, const uint8_t *data, size_t size) {
    ScanStatus whole_status, cut_status, held_status;
    Scan *whole = scanned(judged, data, size, 0, 0, &whole_status);
    Scan *cut = scanned(judged, data, size, 1 + draw(size > 100000 ? 300000 : draw(2) ? 20 : 500), 0, &cut_status);
    Scan *held = scanned(judged, data, size, 0, 1, &held_status);
    answers[whole_status]++;
    must(whole_status == cut_status, "the pieces decide");
    must(held_status != SCAN_INTERLEAVED, "collected and still interleaved");
    must(whole_status == SCAN_INTERLEAVED || whole_status == held_status, "collecting decides");
    if (whole_status == SCAN_OK) {
        sane(whole);
        same(whole, cut);
        same(whole, held);
    }
    if (held_status == SCAN_OK) sane(held);
    scan_free(whole);
    scan_free(cut);
    scan_free(held);
}

static void try_columns(const uint8_t *data, size_t size) {
    Columns columns;
    char *exact = malloc(size ? size : 1); /* no byte more, so that the sanitizer sees any that is read beyond */
    must(exact != NULL, "no memory");
    if (size) memcpy(exact, data, size);
    if (columns_read(&columns, key, exact, exact + size) == SCAN_OK)
        for (size_t i = 0; i < columns.count; i++)
            for (int n = 0; n < JUDGMENT_NAMES; n++)
                must((size_t)columns.codes[n][i] < columns.names[n].count, "a code without a name");
    columns_free(&columns);
    free(exact);
}

/* Every spelling that is accepted gives the double that the C library gives. */
static void try_number(void) {
    char text[48] = {0};
    size_t length = 0;
    double value;
    if (draw(4) == 0) {
        for (length = 1 + draw(20); strlen(text) < length;) text[strlen(text)] = "0123456789.-+eE_x"[draw(17)];
    } else {
        if (draw(4) == 0) text[length++] = '-';
        for (uint64_t i = draw(12); i > 0; i--) text[length++] = (char)('0' + draw(10));
        if (draw(5)) text[length++] = '.';
        for (uint64_t i = draw(14); i > 0; i--) text[length++] = (char)('0' + draw(10));
        if (draw(6) == 0) length += (size_t)sprintf(text + length, "e%d", (int)draw(60) - 30);
    }
    if (parse_decimal(text, length, &value)) {
        char *end;
        double expected = strtod(text, &end);
        must(end == text + length && isfinite(expected), "a number that is none");
        must(memcmp(&value, &expected, sizeof value) == 0, "a number rounded twice");
    }
}

/* --- inputs ---------------------------------------------------------------------------------------------------------- */

static size_t put(uint8_t *out, const char *text) {
    size_t length = strlen(text);
    memcpy(out, text, length);
    return length;
}

static size_t gap(uint8_t *out) {
    static const char *const gaps[] = {" ", " ", " ", " ", " ", " ", "\t", "  ", " \t ", "\v", "\f", "\r"};
    return put(out, gaps[draw(12)]);
}

static size_t make_line(uint8_t *out, int topic, unsigned rank, int tidy, unsigned documents) {
    static const char *const odd[] = {"# comment \xff\n", "\n", " \t\r\n", "1 Q0 d1 1\n", "\xef\xbb\xbf", "#\n"};
    char name[64], score[32], place[16];
    const char *fields[6] = {topics[topic], "Q0", name, place, score, "tag"};
    size_t size = 0;
    if (!tidy && draw(30) == 0) return put(out, odd[draw(draw(10) ? 2 : 6)]);
    document_name(name, draw(20) && documents > DOCUMENTS ? rank : draw(documents));
    sprintf(place, draw(200) ? "%u" : "x%u", draw(50) ? rank : (unsigned)draw(9));
    sprintf(score, tidy || draw(20) ? "%.*f" : "%.*e", (int)draw(5), draw(30) ? 99999.0 / (rank + 1) : (double)draw(9));
    for (int i = 0; i < 6; i++) {
        size += put(out + size, fields[i]);
        if (i < 5) size += tidy ? put(out + size, " ") : gap(out + size);
    }
    return size + put(out + size, tidy || draw(20) ? "\n" : " more\r\n");
}

static size_t make_run(uint8_t *out, size_t room) {
    size_t size = 0;
    int tidy = draw(2) == 0, long_one = draw(400) == 0;
    unsigned documents = long_one || draw(3) ? 1000000 : DOCUMENTS;
    uint64_t segments = 1 + draw(6), first = draw(TOPICS);
    for (uint64_t s = 0; s < segments; s++) {
        int topic = (int)(draw(8) ? (first + s) % TOPICS : draw(TOPICS));
        uint64_t lines = long_one ? 5000 + draw(30000) : draw(draw(20) ? 12 : 1500);
        for (uint64_t i = 1; i <= lines && size + 400 < room; i++)
            size += make_line(out + size, topic, (unsigned)i, tidy, documents);
    }
    return size && draw(4) == 0 ? size - 1 : size;
}

static size_t damage(uint8_t *data, size_t size) {
    for (uint64_t n = draw(2) ? 0 : 1 + draw(4); n > 0 && size > 1; n--) {
        size_t at = draw(size), length = 1 + draw(size - at < 40 ? size - at : 40);
        switch (draw(5)) {
        case 0: data[at] = (uint8_t)draw(256); break;
        case 1: data[at] ^= (uint8_t)(1u << draw(8)); break;
        case 2: memmove(data + at, data + at + length, size - at - length), size -= length; break;
        case 3: data[at] = (uint8_t)"\n \t#\r\0\v9.-e"[draw(11)]; break;
        default: size = at ? at : size; break;
        }
    }
    return size;
}

#if defined(LIBFUZZER)
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Judged *judged;
    if (!judged) {
        number_prepare();
        judged = judged_documents();
    }
    try_scan(judged, data, size);
    try_columns(data, size);
    return 0;
}
#else
int main(int argc, char **argv) {
    enum { ROOM = 4 * 1024 * 1024 };
    double seconds = argc > 1 ? atof(argv[1]) : 10;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, inputs = 0;
    time_t start = time(NULL);
    uint8_t *data = malloc(ROOM);
    Judged *judged;
    number_prepare();
    judged = judged_documents();
    must(data != NULL, "no memory");
    for (; difftime(time(NULL), start) < seconds; inputs++) {
        size_t size;
        state = (seed * 1000003 + inputs) * 0x9E3779B97F4A7C15u + 1; /* each input can be made again by itself */
        size = damage(data, make_run(data, ROOM));
        try_scan(judged, data, size);
        try_columns(data, size);
        for (int i = 0; i < 50; i++) try_number();
    }
    printf("%llu inputs: %llu scanned, %llu interleaved, %llu for the plain reader; no fault\n",
           (unsigned long long)inputs, answers[SCAN_OK], answers[SCAN_INTERLEAVED], answers[SCAN_UNUSUAL]);
    judged_free(judged);
    free(data);
    return 0;
}
#endif
