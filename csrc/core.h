/* The scanner's core: from the bytes of a TREC run to the ranks of judged documents. It does not depend on Python, so
 * that it can be fuzzed and timed separately. Anything unusual (a bad line, a number in an unusual format, invalid UTF-8,
 * a repeated document) ends the scan with SCAN_UNUSUAL: the plain reader then reads the file again and returns the
 * result or raises the error. So the scanner needs no error messages, but must never accept a line that the plain reader
 * would read differently. */
#ifndef DIVEVAL_CORE_H
#define DIVEVAL_CORE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    SCAN_OK,
    SCAN_UNUSUAL,     /* read the file with the plain reader */
    SCAN_INTERLEAVED, /* a topic occurs in two places: scan again with `collect` */
    SCAN_NO_MEMORY
} ScanStatus;

typedef enum { BY_SCORE_NAME_DOWN, BY_SCORE_NAME_UP, BY_SCORE_AS_FILED, BY_RANK, AS_FILED } Order;

enum { MAX_ORDERS = 5, KEY_WORDS = 5 };
#define NO_RANK INT64_MIN /* the rank of a line whose rank is not an integer */

/* --- the judged set: built once, then only read, by any number of threads ------------------------------------------ */

/* Concatenated text; string i is at bytes[offsets[i]] to bytes[offsets[i + 1]]. */
typedef struct {
    const char *bytes;
    const int64_t *offsets;
    size_t count;
} Strings;

typedef struct Judged Judged;

/* `codes` are documents; those of a topic are at starts[topic] to starts[topic + 1]. Rows are numbered from 0 within a topic. The
 * arguments are not copied and must outlive the set. NULL means no memory. */
Judged *judged_new(const uint64_t key[KEY_WORDS], Strings topics, const int64_t *starts, const int32_t *codes,
                   Strings documents);
void judged_free(Judged *judged);

/* --- one scan of one file ------------------------------------------------------------------------------------------ */

typedef struct Scan Scan;

/* `collect` keeps every line until the end, for files whose topics are interleaved. NULL means no memory. */
Scan *scan_new(const Judged *judged, const Order *orders, int order_count, int collect);
void scan_free(Scan *scan);
/* A buffer for at least `wanted` more bytes; then the number of bytes written there. */
char *scan_room(Scan *scan, size_t wanted);
ScanStatus scan_added(Scan *scan, size_t count);
/* Read a descriptor to its end; `error` becomes errno if reading fails, else 0; `seconds` is the time spent in read(). */
ScanStatus scan_descriptor(Scan *scan, int descriptor, int *error, double *seconds);
ScanStatus scan_finish(Scan *scan);

typedef struct {
    int64_t judged; /* index of the topic in the judged set, -1 if not judged */
    int64_t length; /* lines */
} ScannedTopic;

typedef struct {
    const int32_t *ranks, *rows; /* hits of all topics, one topic after the other */
    const int64_t *starts;       /* where each topic's hits start; one more than there are topics */
    size_t count;
} ScannedOrder;

ScanStatus scan_state(const Scan *scan);
int scan_order_count(const Scan *scan);
size_t scan_topic_count(const Scan *scan);
Strings scan_topic_names(const Scan *scan);
ScannedTopic scan_topic(const Scan *scan, size_t index);
ScannedOrder scan_order(const Scan *scan, int index);
int64_t scan_contradictions(const Scan *scan);
const char *scan_tag(const Scan *scan, size_t *length);

#endif
