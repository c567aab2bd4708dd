/* Lines and fields: the white space, comments and encodings that diveval.reading.lines accepts, and nothing else. */
#ifndef DIVEVAL_TEXT_H
#define DIVEVAL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define HAVE_SSE2 1
#endif

typedef struct {
    const char *start;
    size_t length;
} Field;

typedef struct {
    Field topic, document, rank, score, tag;
} Line;

typedef enum { LINE_EMPTY, LINE_SHORT, LINE_WHOLE } LineKind;

/* Python's bytes.split(): space, tab, newline, vertical tab, form feed, carriage return. */
static inline int is_space(char c) { return c == ' ' || (unsigned)((unsigned char)c - 9) <= 4; }

enum { LONGEST_LINE = 16 * 1024 * 1024 - 16 }; /* a little below the plain reader's limit, which has the last word */

/* The next field between p and end, of length 0 if there is none; returns where it ends. */
const char *next_field(const char *p, const char *end, Field *field);

/* One line without its newline: blank and # lines are empty, columns beyond the sixth are ignored. */
LineKind split_line(const char *p, const char *end, Line *line);

/* What Python's strict decoder accepts: no overlong forms, no surrogates, nothing above U+10FFFF. */
int is_utf8(const char *p, const char *end);

static inline uint64_t first_bit(uint64_t mask) {
#if defined(__GNUC__)
    return (uint64_t)__builtin_ctzll(mask);
#else
    uint64_t at = 0;
    while (!(mask >> at & 1)) at++;
    return at;
#endif
}

static inline unsigned bit_count(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* Where the white space is, in ascending order; `index` needs `size` + 64 places, and 64 bytes behind the block must be
 * readable. Returns how many; `high` is set if a byte is not ASCII. */
static inline size_t index_spaces(const char *block, size_t size, uint32_t *index, int *high) {
    size_t count = 0;
#if defined(HAVE_SSE2)
    const __m128i blank = _mm_set1_epi8(' '), tab = _mm_set1_epi8(9), four = _mm_set1_epi8(4);
    uint64_t any = 0;
    for (size_t base = 0; base < size; base += 64) {
        uint64_t mask = 0, above = 0, inside = size - base >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (size - base)) - 1;
        unsigned found;
        for (int i = 0; i < 4; i++) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + base + 16 * i));
            __m128i shifted = _mm_sub_epi8(bytes, tab);
            __m128i spaces = _mm_or_si128(_mm_cmpeq_epi8(bytes, blank),
                                          _mm_cmpeq_epi8(_mm_min_epu8(shifted, four), shifted));
            mask |= (uint64_t)(unsigned)_mm_movemask_epi8(spaces) << (16 * i);
            above |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << (16 * i);
        }
        mask &= inside;
        any |= above & inside;
        found = bit_count(mask);
        /* Eight at a time without asking: what is written too much is overwritten by the next round. */
        for (unsigned done = 0; done < found; done += 8) {
            uint32_t *out = index + count + done;
            for (int i = 0; i < 8; i++) {
                out[i] = (uint32_t)(base + first_bit(mask | (uint64_t)1 << 63));
                mask &= mask - 1;
            }
        }
        count += found;
    }
    *high = any != 0;
#else
    unsigned char any = 0;
    for (size_t i = 0; i < size; i++) {
        index[count] = (uint32_t)i;
        count += (size_t)is_space(block[i]);
        any |= (unsigned char)block[i];
    }
    *high = any >= 0x80;
#endif
    return count;
}

#endif
