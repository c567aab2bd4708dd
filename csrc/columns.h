/* Files as columns (distinct names, and codes and numbers for each line), and judgments grouped by topic. */
#ifndef DIVEVAL_COLUMNS_H
#define DIVEVAL_COLUMNS_H

#include "names.h"
#include "text.h"

static inline int same_field(Field a, Field b) { return a.length == b.length && same_bytes(a.start, b.start, a.length); }

enum { TOPIC, ASPECT, DOCUMENT, KINDS };

typedef enum { JUDGMENT_LINES, RUN_LINES } LinesOf;

enum { AHEAD = 16 };

/* A line that was split. */
typedef struct {
    Field names[KINDS], value, rank;
    uint64_t hash; /* of the document */
} Pending;

typedef struct {
    uint64_t key[KEY_WORDS];
    LinesOf lines_of;
    int begun;
    Names names[KINDS];
    int32_t last[KINDS]; /* the previous code: names repeat in consecutive lines */
    int32_t *codes[KINDS];
    Pending pending[AHEAD];
    size_t pending_count;
    double *values; /* grades or scores */
    int64_t *ranks; /* of runs */
    char *tag;
    size_t tag_length, tag_room, count, code_room[KINDS], value_room, rank_room;
} Columns;

/* NULL means no memory. */
Columns *columns_new(const uint64_t key[KEY_WORDS], LinesOf lines_of);
/* Read the next complete lines: `topic aspect document grade`, or the six columns of a run. Anything else gives
 * SCAN_UNUSUAL. */
ScanStatus columns_feed(Columns *columns, const char *p, const char *end);
void columns_free(Columns *columns);

/* Judgments, each as three codes and a grade. */
typedef struct {
    Strings names[KINDS];
    const int32_t *codes[KINDS];
    const double *grades;
    size_t count;
} Rows;

/* The names of one kind that each topic has, topic by topic; `starts` has one entry more than there are topics. */
typedef struct {
    int32_t *codes;
    int64_t *starts;
} Members;

/* Topics in natural order; a topic's documents by name descending, as ties are broken; its aspects in natural order.
 * Judgments are sorted by topic, aspect and document, and stay in input order within a cell; `rows` and `columns` are the
 * positions of a judgment's document and aspect within its topic. */
typedef struct {
    int32_t *topics; /* codes, in order */
    int64_t *starts;
    int32_t *rows, *columns;
    double *grades;
    Members aspects, documents;
} Groups;

/* Free the groups whatever the result is. */
ScanStatus groups_of(Groups *groups, const Rows *rows);
void groups_free(Groups *groups);

/* The position of each name in ascending or in natural order; nonzero means no memory. */
int names_standing(const Strings *names, int natural, int32_t *places);

#endif
