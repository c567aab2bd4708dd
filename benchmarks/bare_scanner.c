/* A lower bound for comparison: the least work a program can do with runs and judgments. It splits lines, looks up topic
 * and document in the judged set, and records the rank of each hit. It trusts its input: it does not check the order,
 * parse scores, find duplicates or check the encoding.
 *
 *   cc -O3 bare_scanner.c -o bare_scanner && ./bare_scanner QRELS RUN...
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 1 << 16, BUFFER = 1 << 18 };

typedef struct {
    const char *topic, *document;
    size_t topic_length, document_length;
} Line;

typedef struct {
    uint32_t slot, rank;
} Hit;

static uint64_t hashes[SLOTS]; /* separate from the names, so that they stay in the cache */
static Line judged[SLOTS];
static Hit *hits;
static size_t hit_count, hit_room;

static uint64_t hash_bytes(uint64_t hash, const char *p, size_t length) {
    uint64_t word;
    for (; length >= 8; p += 8, length -= 8) {
        memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, p, length);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static int same(const Line *a, const Line *b) {
    return a->topic_length == b->topic_length && a->document_length == b->document_length &&
           memcmp(a->topic, b->topic, a->topic_length) == 0 &&
           memcmp(a->document, b->document, a->document_length) == 0;
}

/* The slot of a judged document, or the empty one where it would be. */
static size_t find(const Line *line, uint64_t hash) {
    size_t at = hash >> 48;
    while (hashes[at] && (hashes[at] != hash || !same(judged + at, line))) at = (at + 1) % SLOTS;
    return at;
}

static const char *field(const char **p) {
    const char *start;
    while (**p == ' ' || **p == '\t') ++*p;
    for (start = *p; **p > ' ';) ++*p;
    return start;
}

/* The topic and the document of a line; p moves to the next one. */
static Line next_line(const char **p, const char *end) {
    Line line = {field(p), NULL, 0, 0};
    line.topic_length = (size_t)(*p - line.topic);
    field(p);
    line.document = field(p);
    line.document_length = (size_t)(*p - line.document);
    *p = (const char *)memchr(*p, '\n', (size_t)(end - *p)) + 1;
    return line;
}

static uint64_t hash_line(const Line *line, uint64_t topic_hash) {
    return hash_bytes(topic_hash, line->document, line->document_length) | 1;
}

static void judge(const char *p, const char *end) {
    while (p < end) {
        Line line = next_line(&p, end);
        uint64_t hash = hash_line(&line, hash_bytes(1, line.topic, line.topic_length));
        size_t at = find(&line, hash);
        hashes[at] = hash;
        judged[at] = line;
    }
}

static char topic[256];
static size_t topic_length;
static uint64_t topic_hash;
static uint32_t rank;

static void scan(const char *p, const char *end) {
    while (p < end) {
        Line line = next_line(&p, end);
        size_t at;
        if (line.topic_length != topic_length || memcmp(line.topic, topic, topic_length) != 0) {
            topic_length = line.topic_length;
            memcpy(topic, line.topic, topic_length);
            topic_hash = hash_bytes(1, topic, topic_length);
            rank = 0;
        }
        rank++;
        at = find(&line, hash_line(&line, topic_hash));
        if (hashes[at]) {
            if (hit_count == hit_room) hits = realloc(hits, (hit_room = hit_room ? 2 * hit_room : 1024) * sizeof *hits);
            hits[hit_count++] = (Hit){(uint32_t)at, rank};
        }
    }
}

int main(int argc, char **argv) {
    static char buffer[BUFFER + 1];
    for (int i = 1; i < argc; i++) {
        int file = open(argv[i], O_RDONLY);
        size_t held = 0;
        ssize_t count;
        if (i == 1) {
            off_t size = lseek(file, 0, SEEK_END);
            char *whole = malloc((size_t)size + 1);
            lseek(file, 0, SEEK_SET);
            for (off_t done = 0; done < size; done += count)
                if ((count = read(file, whole + done, (size_t)(size - done))) <= 0) return 1;
            judge(whole, whole + size);
        } else {
            topic_length = 0;
            while ((count = read(file, buffer + held, BUFFER - held)) > 0) {
                char *end = buffer + held + count, *line = end;
                while (line > buffer && line[-1] != '\n') line--;
                scan(buffer, line);
                held = (size_t)(end - line);
                memmove(buffer, line, held);
            }
        }
        close(file);
    }
    printf("%zu hits\n", hit_count);
    return 0;
}
