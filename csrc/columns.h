/* Judgments as columns: each name once, each line as three numbers and a grade. */
#ifndef DIVEVAL_COLUMNS_H
#define DIVEVAL_COLUMNS_H

#include "judged.h"

enum { JUDGMENT_NAMES = 3 }; /* topic, aspect, document */

typedef struct {
    Text text;
    Table table;
    Name *names;
    size_t count, room;
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

#endif
