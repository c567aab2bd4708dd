/* A keyed hash of short strings. The key is random, so that no file can be crafted to cause collisions. */
#ifndef DIVEVAL_HASH_H
#define DIVEVAL_HASH_H

#include <stdint.h>
#include <string.h>

#include "core.h"

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

/* Multiply to 128 bits and fold the halves together: every bit of both factors reaches every bit of the result. */
static inline uint64_t fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high, low = _umul128(a, b, &high);
    return low ^ high;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + ((a0 * b0) >> 32), other = a0 * b1 + (uint32_t)middle;
    return (a * b) ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

static inline uint64_t eight_bytes(const char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

static inline uint64_t four_bytes(const char *p) {
    uint32_t word;
    memcpy(&word, p, 4);
    return word;
}

/* memcmp() == 0 without a function call for short names, as most are. Between 4 and 16 bytes, two words that may overlap
 * cover the text. */
static inline int same_bytes(const char *a, const char *b, size_t length) {
    if (length > 16) return memcmp(a, b, length) == 0;
    if (length >= 8)
        return eight_bytes(a) == eight_bytes(b) && eight_bytes(a + length - 8) == eight_bytes(b + length - 8);
    if (length >= 4) return four_bytes(a) == four_bytes(b) && four_bytes(a + length - 4) == four_bytes(b + length - 4);
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i]) return 0;
    return 1;
}

/* The last 16 bytes are always hashed as two words, which may overlap bytes already hashed; the length goes into the state,
 * so that texts of different lengths with equal words differ. */
static inline uint64_t hash_bytes(const uint64_t key[KEY_WORDS], const char *p, size_t length) {
    uint64_t first = 0, last = 0, state = key[4] ^ length;
    if (length > 16) {
        const char *tail = p + length - 16;
        for (; p < tail; p += 16) state = fold(eight_bytes(p) ^ key[0], eight_bytes(p + 8) ^ key[1] ^ state);
        first = eight_bytes(tail);
        last = eight_bytes(tail + 8);
    } else if (length >= 8) {
        first = eight_bytes(p);
        last = eight_bytes(p + length - 8);
    } else if (length >= 4) {
        first = four_bytes(p);
        last = four_bytes(p + length - 4);
    } else if (length > 0) {
        first = ((uint64_t)(unsigned char)p[0] << 16) | ((uint64_t)(unsigned char)p[length / 2] << 8) |
                (unsigned char)p[length - 1];
    }
    state = fold(first ^ key[2], last ^ key[3] ^ state);
    return fold(state ^ key[0], key[1]);
}

#endif
