/* Files as columns: each name once, each line as numbers; and judgments grouped by topic. */
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
    int32_t last[KINDS]; /* the code given last: files repeat themselves from line to line */
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
/* The next whole lines: `topic aspect document grade`, or a run's six columns and perhaps more. Anything else is
 * SCAN_UNUSUAL. */
ScanStatus columns_feed(Columns *columns, const char *p, const char *end);
void columns_free(Columns *columns);

/* Judgments from anywhere, each as three codes and a grade. */
typedef struct {
    Strings names[KINDS];
    const int32_t *codes[KINDS];
    const double *grades;
    size_t count;
} Rows;

/* What each topic has of one kind of name, one topic after the other; `starts` has one entry more than there are
 * topics. */
typedef struct {
    int32_t *codes;
    int64_t *starts;
} Members;

/* Topics in natural order; a topic's documents by name descending, as ties are broken; its aspects in natural order.
 * Judgments by topic, aspect and document, those of one cell as they came; `rows` and `columns` are the places of a
 * judgment's document and aspect within its topic. */
typedef struct {
    int32_t *topics; /* codes, in order */
    int64_t *starts;
    int32_t *rows, *columns;
    double *grades;
    Members aspects, documents;
} Groups;

/* Free the groups whatever comes back. */
ScanStatus groups_of(Groups *groups, const Rows *rows);
void groups_free(Groups *groups);

/* Where each name stands among all, in ascending or in natural order; nonzero means no memory. */
int names_standing(const Strings *names, int natural, int32_t *places);

#endif
