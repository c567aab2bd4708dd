/* Lines like the line above. The lines of a topic nearly always differ in three things: the document, and the digits of
 * rank and score. So one line is turned into bounds for every byte around the document, and a line that keeps within them
 * has the same fields at the same places: nothing of it has to be looked for, and its numbers compare as their bytes do. */
#ifndef DIVEVAL_ALIKE_H
#define DIVEVAL_ALIKE_H

#include "scan.h"

/* Learn what the next line should look like from a line of the open topic that was just taken; `end` is its newline. */
void liken(Likeness *likeness, const char *p, const char *end);

/* Take the lines from `from` on that are like the one above, up to `to`; returns where the first other line starts. By
 * scan->way: 0 byte by byte, 1 SSE2, 2 AVX2, or the next lower one that there is. */
size_t follow_alike(Scan *scan, size_t from, size_t to);

#endif
