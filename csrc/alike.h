/* Lines like the line above. Consecutive lines of a topic nearly always differ only in the document and in the digits of
 * rank and score. So one line is turned into bounds for every byte around the document. A line within these bounds has
 * the same fields at the same positions: it need not be split, and its numbers compare as their bytes do. The bounds must
 * fix white space, sign and point exactly; otherwise a line of another format would be accepted unparsed. */
#ifndef DIVEVAL_ALIKE_H
#define DIVEVAL_ALIKE_H

#include "scan.h"

/* Set the bounds from a line of the open topic that was just processed; `end` is its newline. */
void liken(Likeness *likeness, const char *p, const char *end);

/* Process the lines from `from` up to `to` that are like the one above; returns where the first other line starts.
 * scan->simd selects the instructions: 0 byte by byte, 1 SSE2, 2 AVX2, or the best lower one that is available. */
size_t follow_alike(Scan *scan, size_t from, size_t to);

#endif
