/* Numbers compared as text. The scores of a run nearly always have the shape of the score above them (equal length, the
 * point at the same position), and so do the ranks; two numbers of one shape compare as their bytes do, without parsing.
 * A shape has at most 15 digits: with more, different texts could be the same double, and ties would be missed. */
#ifndef DIVEVAL_SHAPE_H
#define DIVEVAL_SHAPE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SHAPE_BYTES = 16, SHAPE_DIGITS = 15 };

#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAVE_SHAPES 1

typedef struct {
    size_t length; /* 0: no shape */
    int negative;
    uint64_t inside[2]; /* the bytes of the number */
    uint64_t marks[2];  /* XOR turns its sign and its point into the digit 0 */
    uint64_t fixed[2];  /* selects its sign and its point, which must then be the digit 0 */
} Shape;

/* A number of some shape, the first byte most significant. */
typedef struct {
    uint64_t first, second;
} Digits;

static inline uint64_t bytes_inside(size_t count) { return count >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * count) - 1; }

/* The shape of -?[0-9]+(\.[0-9]+)?; of length 0 if the text has none. */
static inline Shape shape_of(const char *text, size_t length) {
    Shape none = {0, 0, {0, 0}, {0, 0}, {0, 0}}, shape = none;
    size_t point = 0, digits = 0;
    if (length == 0 || length > SHAPE_BYTES) return none;
    shape.length = length;
    shape.negative = text[0] == '-';
    shape.inside[0] = bytes_inside(length);
    shape.inside[1] = length > 8 ? bytes_inside(length - 8) : 0;
    if (shape.negative) {
        shape.marks[0] = '-' ^ '0';
        shape.fixed[0] = 0xff;
    }
    for (size_t i = (size_t)shape.negative; i < length; i++) {
        if (text[i] == '.') {
            if (point || digits == 0 || i + 1 == length) return none;
            point = i;
            shape.marks[i >> 3] |= (uint64_t)('.' ^ '0') << 8 * (i & 7);
            shape.fixed[i >> 3] |= (uint64_t)0xff << 8 * (i & 7);
        } else if ((unsigned)(unsigned char)text[i] - '0' <= 9) {
            digits++;
        } else {
            return none;
        }
    }
    return digits && digits <= SHAPE_DIGITS ? shape : none;
}

static inline int all_digits(uint64_t word) {
    return !(((word + 0x4646464646464646u) | (word - 0x3030303030303030u)) & 0x8080808080808080u);
}

/* The text as a number of this shape; 0 if it has another shape. Sixteen bytes at `text` must be readable. */
static inline int digits_of(const Shape *shape, const char *text, size_t length, Digits *out) {
    const uint64_t zeros = 0x3030303030303030u;
    uint64_t first, second;
    if (length != shape->length) return 0;
    memcpy(&first, text, 8);
    first = ((first ^ shape->marks[0]) & shape->inside[0]) | (zeros & ~shape->inside[0]);
    out->first = __builtin_bswap64(first);
    out->second = 0;
    if (length <= 8) return all_digits(first) & !((first ^ zeros) & shape->fixed[0]);
    memcpy(&second, text + 8, 8);
    second = ((second ^ shape->marks[1]) & shape->inside[1]) | (zeros & ~shape->inside[1]);
    out->second = __builtin_bswap64(second);
    return all_digits(first) & all_digits(second) &
           !(((first ^ zeros) & shape->fixed[0]) | ((second ^ zeros) & shape->fixed[1]));
}

/* Negative, 0 or positive if a is less than, equal to or greater than b; both must have this shape. */
static inline int compare_digits(const Shape *shape, Digits a, Digits b) {
    int order = a.first != b.first ? (a.first > b.first ? 1 : -1) : (a.second > b.second) - (a.second < b.second);
    return shape->negative ? -order : order;
}
#endif

#endif
