/* Lines like the line above. The lines of a topic nearly always differ in three things: the document, and the digits of
 * rank and score. So one line is turned into bounds for every byte around the document, and a line that keeps within them
 * has the same fields at the same places: nothing of it has to be looked for, and its numbers compare as their bytes do. */
#ifndef DIVEVAL_ALIKE_H
#define DIVEVAL_ALIKE_H

#include "scan.h"

#if defined(__SSE2__) && defined(__GNUC__)
#include <emmintrin.h>
#define ALIKE_WAYS 2
#else
#define ALIKE_WAYS 1
#endif

enum { PIECE = 16 }; /* bytes looked at together */

/* Learn what the next line should look like from a line of the open topic that was just taken; `end` is its newline. */
void liken(Likeness *likeness, const char *p, const char *end);

/* Take the lines from `from` on that are like the one above, up to `to`; returns where the first other line starts. */
size_t follow_alike(Scan *scan, size_t from, size_t to);

/* Does every byte keep within its bounds? `way`: 0 byte by byte, 1 SSE2. ALIKE bytes must be readable. */
static inline int within(const Bounds *bounds, const char *p, int way) {
#if ALIKE_WAYS > 1
    if (way == 1) {
        __m128i all = _mm_set1_epi8(-1);
        for (size_t i = 0; i < bounds->length; i += PIECE) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
            __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(bounds->low + i));
            __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(bounds->high + i));
            all = _mm_and_si128(all, _mm_cmpeq_epi8(_mm_min_epu8(_mm_max_epu8(bytes, low), high), bytes));
        }
        return _mm_movemask_epi8(all) == 0xffff;
    }
#endif
    unsigned outside = 0;
    (void)way;
    for (size_t i = 0; i < bounds->length; i += PIECE)
        for (size_t j = i; j < i + PIECE; j++) {
            unsigned char byte = (unsigned char)p[j];
            outside |= (unsigned)(byte < bounds->low[j]) | (unsigned)(byte > bounds->high[j]);
        }
    return !outside;
}

/* How many bytes of a name stand here: up to white space, a control character or what is not ASCII; ALIKE if there are
 * more. ALIKE bytes must be readable. */
static inline size_t name_length(const char *p, int way) {
    size_t length = 0;
#if ALIKE_WAYS > 1
    if (way == 1) {
        for (; length < ALIKE; length += 2 * PIECE) {
            const __m128i first_of_name = _mm_set1_epi8('!');
            __m128i here = _mm_loadu_si128((const __m128i *)(const void *)(p + length));
            __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(p + length + PIECE));
            /* Signed: what is not ASCII is less than zero. */
            unsigned ends = (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(here, first_of_name)) |
                            (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(next, first_of_name)) << PIECE;
            if (ends) return length + (size_t)__builtin_ctz(ends);
        }
        return ALIKE;
    }
#endif
    (void)way;
    while (length < ALIKE && (signed char)p[length] >= '!') length++;
    return length;
}

#endif
