/* Doubles as Python's repr writes them: the fewest digits that read back as the same double. */
#ifndef DIVEVAL_PRINTED_H
#define DIVEVAL_PRINTED_H

#include <stddef.h>

enum { LONGEST_PRINTED = 24 };

/* Writes 0, 1 and what lies between 0.0001 and 10, which scores nearly always are, and returns how many bytes; 0 for
 * any other value, which Python prints itself. `out` has room for LONGEST_PRINTED bytes. */
size_t print_double(double value, char *out);

#endif
