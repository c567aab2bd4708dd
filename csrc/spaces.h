/* The ends of the fields of a block of lines, found many bytes at a time: with AVX2 if the processor has it, with SSE2 on
 * other x86-64, byte by byte elsewhere. All three must give the same result; the fuzzer compares them. */
#ifndef DIVEVAL_SPACES_H
#define DIVEVAL_SPACES_H

#include <stddef.h>
#include <stdint.h>

/* Properties of a block of complete lines. */
typedef struct {
    size_t count; /* of marks: bytes up to and including the space, that is white space and control characters */
    int high;     /* some byte is not ASCII */
    int tidy;     /* every mark is `gap` or a newline, no two are adjacent, and there are six marks per newline */
} Marks;

/* Find the positions of all marks in ascending order. `index` needs `size` + 64 entries, and 64 bytes after the block must
 * be readable. */
Marks mark_spaces(const char *block, size_t size, char gap, uint32_t *index);

/* The same with given instructions: 0 byte by byte, 1 SSE2, 2 AVX2, or the best lower one that is available. */
Marks mark_spaces_by(int simd, const char *block, size_t size, char gap, uint32_t *index);

#endif
