/* What must hold of the C reader for any bytes whatever. A law that does not hold ends the program. */
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

/* A run, scanned whole, in pieces, from a descriptor, collected, under every order at once and under one alone: one
 * answer. The sizes of the pieces are the first bytes of the data. Returns the status of the plain scan. */
int law_of_runs(const uint8_t *data, size_t size);
/* Judgments as columns: every code has its name, every grade is finite. */
int law_of_judgments(const uint8_t *data, size_t size);
/* A spelling that is accepted gives the double, or the whole number, that the C library gives. */
int law_of_numbers(const uint8_t *data, size_t size);

/* What the laws share. */
void must(int holds, const char *what);
extern const uint64_t secret[KEY_WORDS];
extern const Order orders[MAX_ORDERS];
const Judged *judged_here(void);
/* The same topics, contradictions and hits under every order. */
void same_rankings(const Scan *a, const Scan *b);
/* A run as a table, in every layout: what its lines gave. `status` is that of the lines. */
void law_of_rows(const uint8_t *data, size_t size, const Scan *lines, ScanStatus status);

#endif
