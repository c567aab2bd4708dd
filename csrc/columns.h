/* Judgments as columns: each name once, each line as three numbers and a grade; then grouped by topic. */
#ifndef DIVEVAL_COLUMNS_H
#define DIVEVAL_COLUMNS_H

#include "judged.h"

enum { TOPIC, ASPECT, DOCUMENT, JUDGMENT_NAMES };

typedef struct {
    Text text;
    Table table;
    Name *names;
    size_t count, room;
    int32_t last; /* the code given last: files repeat themselves from line to line */
} Names;

typedef struct {
    Names names[JUDGMENT_NAMES];
    int32_t *codes[JUDGMENT_NAMES];
    double *grades;
    size_t count, code_room[JUDGMENT_NAMES], grade_room;
} Columns;

/* Lines of exactly four fields, the last a finite decimal; anything else is SCAN_UNUSUAL. Free the columns
 * whatever comes back. */
ScanStatus columns_read(Columns *columns, const uint64_t key[KEY_WORDS], const char *p, const char *end);
void columns_free(Columns *columns);

/* What each topic has of one kind of name, one topic after the other: `starts` has one entry more than there are
 * topics. `places` says for each judgment where its name stands among its topic's. */
typedef struct {
    int32_t *codes, *places;
    int64_t *starts;
} Members;

/* The judgments one topic after the other, inside a topic by document: names descending, as ties are broken. Aspects
 * are in the order in which they came. */
typedef struct {
    int64_t *starts;
    double *grades;
    Members aspects, documents;
} Groups;

/* Free the groups whatever comes back. */
ScanStatus groups_of(Groups *groups, const Columns *columns);
void groups_free(Groups *groups);

#endif
