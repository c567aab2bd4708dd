/* Doubles as Python's repr writes them: the fewest digits that read back as the same double. */
#ifndef DIVEVAL_PRINTED_H
#define DIVEVAL_PRINTED_H

#include <stddef.h>

enum { LONGEST_PRINTED = 24 };

/* Write 0, 1 or a value from 0.0001 to below 10, as scores nearly always are, and return the number of bytes; return 0
 * for any other value, which is left to Python. `out` has room for LONGEST_PRINTED bytes. */
size_t print_double(double value, char *out);

#endif
