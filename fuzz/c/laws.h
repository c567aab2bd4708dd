/* What must hold of the C reader for arbitrary bytes. A broken law aborts the program. */
#ifndef DIVEVAL_FUZZ_LAWS_H
#define DIVEVAL_FUZZ_LAWS_H

#include <stddef.h>
#include <stdint.h>

#include "scan.h"

enum { TOPICS = 6, JUDGED_TOPICS = 5, DOCUMENTS = 40 };

extern const char *const topics[TOPICS]; /* the last one is not judged */
int document_name(char *out, unsigned number);

/* Called once, before any law. */
void laws_prepare(void);
void laws_end(void);

/* A run gives the same result whether it is scanned at once, in pieces, from a descriptor or collected, and in every order
 * together or in one alone. The sizes of the pieces are the first bytes of the data. Returns the status of the scan. */
int law_of_runs(const uint8_t *data, size_t size);
/* Judgments as columns: every code has its name, every grade is finite. */
int law_of_judgments(const uint8_t *data, size_t size);
/* A text that is accepted gives the same double, or integer, as the C library. */
int law_of_numbers(const uint8_t *data, size_t size);

/* Shared by the laws. */
void must(int holds, const char *what);
extern const uint64_t secret[KEY_WORDS];
extern const Order orders[MAX_ORDERS];
const Judged *fuzz_judged(void);
/* The same topics, contradictions and hits under every order. */
void same_rankings(const Scan *a, const Scan *b);
/* A run as a table, in every layout, gives the same result as its lines. `status` is that of the lines. */
void law_of_rows(const uint8_t *data, size_t size, const Scan *lines, ScanStatus status);

#endif
