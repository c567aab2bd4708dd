/* The ends of the fields of a block of lines, found many bytes at a time: with AVX2 if the processor has it, with SSE2 on
 * other x86-64, byte by byte elsewhere. All three must give the same result; the fuzzer compares them. */
#ifndef DIVEVAL_SPACES_H
#define DIVEVAL_SPACES_H

#include <stddef.h>
#include <stdint.h>

/* Properties of a block of whole lines. */
typedef struct {
    size_t count; /* of marks: bytes up to the blank, which is white space and the rare control character */
    int high;     /* a byte is not ASCII */
    int tidy;     /* every mark is `gap` or a newline, no two stand side by side, and there are six to each newline */
} Marks;

/* The places of all marks in ascending order; `index` needs `size` + 64 places, and 64 bytes behind the block must be
 * readable. */
Marks mark_spaces(const char *block, size_t size, char gap, uint32_t *index);

/* The same by one way: 0 byte by byte, 1 SSE2, 2 AVX2, or the next lower one that the processor has. */
Marks mark_spaces_by(int way, const char *block, size_t size, char gap, uint32_t *index);

#endif
