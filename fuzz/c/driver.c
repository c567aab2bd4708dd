/* The fuzzer for systems without clang: it generates files that look like runs and damages them, without coverage guidance.
 *
 *   driver INPUTS SECONDS SEED CASE     stops after INPUTS inputs or SECONDS; a failing input is written to CASE
 *   driver replay FILE …                checks the laws on files
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sanitizer/asan_interface.h>

#include "core.h"
#include "laws.h"

static uint64_t state = 1;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (state * 0x2545F4914F6CDD1Du >> 16) % below : 0;
}

/* --- inputs -------------------------------------------------------------------------------------------------------- */

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
    document_name(name, draw(20) && documents > DOCUMENTS ? rank : (unsigned)draw(documents));
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

static size_t make_number(uint8_t *out) {
    char *text = (char *)out;
    size_t length = 0;
    if (draw(4) == 0) {
        for (uint64_t i = 1 + draw(20); i > 0; i--) text[length++] = "0123456789.-+eE_x"[draw(17)];
    } else {
        if (draw(4) == 0) text[length++] = '-';
        for (uint64_t i = draw(12); i > 0; i--) text[length++] = (char)('0' + draw(10));
        if (draw(5)) text[length++] = '.';
        for (uint64_t i = draw(14); i > 0; i--) text[length++] = (char)('0' + draw(10));
        if (draw(6) == 0) length += (size_t)sprintf(text + length, "e%d", (int)draw(60) - 30);
    }
    return length;
}

/* --- the current input, stored if it fails ---------------------------------------------------------------------- */

static struct {
    const uint8_t *data;
    size_t size;
    const char *path;
} at_hand;

static void keep_case(void) {
    FILE *file = at_hand.path ? fopen(at_hand.path, "wb") : NULL;
    if (!file) return;
    fwrite(at_hand.data, 1, at_hand.size, file);
    fclose(file);
}

static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    long size;
    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || !(data = malloc((size_t)size + 1))) return 2;
    rewind(file);
    if (fread(data, 1, (size_t)size, file) != (size_t)size) return 2;
    fclose(file);
    law_of_runs(data, (size_t)size);
    law_of_judgments(data, (size_t)size);
    law_of_numbers(data, (size_t)size);
    free(data);
    return 0;
}

static void on(uint8_t *data, size_t size, int (*law)(const uint8_t *, size_t), unsigned long long *answers) {
    at_hand.data = data;
    at_hand.size = size;
    answers[law(data, size)]++;
}

static void fuzz(uint64_t inputs, double seconds, uint64_t seed) {
    enum { ROOM = 4 * 1024 * 1024 };
    unsigned long long runs[4] = {0}, judgments[4] = {0}, numbers[2] = {0};
    uint64_t done = 0;
    time_t start = time(NULL);
    uint8_t *data = malloc(ROOM);
    for (; data && done < inputs && difftime(time(NULL), start) < seconds; done++) {
        size_t size;
        state = (seed * 1000003 + done) * 0x9E3779B97F4A7C15u + 1; /* so that each input can be generated on its own */
        size = damage(data, make_run(data, ROOM));
        on(data, size, law_of_runs, runs);
        on(data, size, law_of_judgments, judgments);
        for (int i = 0; i < 50; i++) on(data, make_number(data), law_of_numbers, numbers);
    }
    free(data);
    printf("%llu inputs: %llu scanned, %llu interleaved, %llu for the plain reader; no fault\n",
           (unsigned long long)done, runs[SCAN_OK], runs[SCAN_INTERLEAVED], runs[SCAN_UNUSUAL]);
}

int main(int argc, char **argv) {
    int code = 0;
    laws_prepare();
    __sanitizer_set_death_callback(keep_case);
    if (argc > 1 && strcmp(argv[1], "replay") == 0) {
        for (int i = 2; i < argc && !code; i++) {
            fprintf(stderr, "%s\n", argv[i]); /* the last file printed is the one that failed */
            code = replay(argv[i]);
        }
        if (!code) printf("%d files; no fault\n", argc - 2);
    } else if (argc == 5) {
        at_hand.path = argv[4];
        fuzz(strtoull(argv[1], NULL, 10), atof(argv[2]), strtoull(argv[3], NULL, 10));
    } else code = 2;
    laws_end();
    return code;
}
