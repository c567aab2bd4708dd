/* Parse scores and ranks: exactly the double that Python's float() gives, or failure, after which the plain reader reads
 * the file. */
#ifndef DIVEVAL_NUMBER_H
#define DIVEVAL_NUMBER_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Creates the C locale; called once, before any thread parses. */
void number_prepare(void);

/* A finite decimal such as -12.5 or 1e-3; 0 if the text is anything else. */
int parse_any_decimal(const char *text, size_t length, double *value);

/* The same. A text of two to eight bytes, digits with one point, as most scores are, is read as one little-endian word:
 * the point is removed, zeros are put in front, and the multiplications combine neighbouring digits into numbers of two,
 * four and eight digits. The quotient of two exact doubles is correctly rounded. Eight bytes at `text` must be readable,
 * even if it is shorter. */
static inline int parse_decimal(const char *text, size_t length, double *value) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && FLT_EVAL_METHOD == 0
    static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    if (length - 2 <= 6) { /* 2 to 8: smaller lengths wrap around */
        uint64_t word, at, point, before, digits;
        unsigned places;
        memcpy(&word, text, 8);
        at = word ^ 0x2e2e2e2e2e2e2e2eu;
        at = (at - 0x0101010101010101u) & ~at & 0x8080808080808080u; /* the lowest set bit marks the first point; higher ones may be wrong */
        at &= ~(uint64_t)0 >> (64 - 8 * length);
        if (at) {
            point = (uint64_t)__builtin_ctzll(at) >> 3;
            before = ((uint64_t)1 << 8 * point) - 1;
            places = (unsigned)(length - 1 - point);
            digits = (word & before) | (word >> 8 & ~before);
            digits = digits << 8 * (9 - length) | 0x3030303030303030u >> 8 * (length - 1);
            if (((digits + 0x4646464646464646u) | (digits - 0x3030303030303030u)) & 0x8080808080808080u)
                return parse_any_decimal(text, length, value);
            digits = (digits & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
            digits = (digits & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
            digits = (digits & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
            *value = (double)digits / tens[places];
            return 1;
        }
    }
#endif
    return parse_any_decimal(text, length, value);
}

/* Exactly -?[0-9]{1,18}; 0 if the text is anything else. */
static inline int parse_rank(const char *text, size_t length, int64_t *value) {
    int negative = length > 0 && text[0] == '-';
    const char *end = text + length;
    uint64_t total = 0;
    text += negative;
    if (text == end || end - text > 18) return 0;
    for (; text < end; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';
        if (digit > 9) return 0;
        total = total * 10 + digit;
    }
    *value = negative ? -(int64_t)total : (int64_t)total;
    return 1;
}

#endif
