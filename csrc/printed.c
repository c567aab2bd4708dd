#include "printed.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#if defined(__SIZEOF_INT128__) && DBL_MANT_DIG == 53
typedef unsigned __int128 Wide;

/* digits / 10^places, with at least one digit on both sides of the point. */
static size_t print_fixed(uint64_t digits, int places, char *out) {
    char text[LONGEST_PRINTED];
    size_t at = sizeof text, length;
    for (int i = 0; i < places || i == 0; i++) {
        text[--at] = (char)('0' + (places ? digits % 10 : 0));
        if (places) digits /= 10;
    }
    text[--at] = '.';
    text[--at] = (char)('0' + digits); /* below 10 */
    length = sizeof text - at;
    memcpy(out, text + at, length);
    return length;
}

/* Decimals that read back as value = m / 2^e lie between (4m − 2) / 2^(e+2) and (4m + 2) / 2^(e+2); the lower end is
 * (4m − 1) / 2^(e+2) for a power of two, below which doubles are closer. Some decimal of 17 digits lies inside; digits are
 * removed as long as a decimal remains, and the one nearest to the value is printed. Everything is an exact integer: 55
 * bits times 10^20 take 122 bits. A larger range of values would overflow `Wide`. */
size_t print_double(double value, char *out) {
    uint64_t bits, m, low, high, middle, tens = 1;
    int e, places = 16, even;
    Wide scale, part, mask;
    memcpy(&bits, &value, sizeof bits);
    if (bits == 0 || value == 1.0) {
        memcpy(out, bits ? "1.0" : "0.0", 3);
        return 3;
    }
    if (!(value >= 1e-4 && value < 10.0)) return 0;
    for (double limit = 1.0; value < limit && places < 20; limit /= 10) places++;
    m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    e = 1075 - (int)(bits >> 52) + 2;
    even = !(m & 1);
    scale = 1;
    for (int i = 0; i < places; i++) scale *= 10;
    mask = ((Wide)1 << e) - 1;
    part = (Wide)(4 * m - (m == (uint64_t)1 << 52 ? 1 : 2)) * scale;
    low = (uint64_t)(part >> e) + ((part & mask) != 0 || !even); /* the ends are included if m is even (round half to even) */
    part = (Wide)(4 * m + 2) * scale;
    high = (uint64_t)(part >> e) - ((part & mask) == 0 && !even);
    part = (Wide)(4 * m) * scale;
    middle = (uint64_t)(part >> e);
    part &= mask;
    while (low <= high && (low + 9) / 10 <= high / 10 && places > 0) {
        low = (low + 9) / 10;
        high /= 10;
        tens *= 10;
        places--;
    }
    {
        uint64_t below = middle / tens, over = middle % tens;
        Wide half = tens == 1 ? mask / 2 + 1 : 0;
        int up = tens == 1 ? part > half : over > tens / 2 || (over == tens / 2 && part != 0);
        if (tens == 1 ? part == half : over == tens / 2 && part == 0) return 0; /* two decimals are equally near: left to Python */
        if (below < low) up = 1;
        else if (below + 1 > high) up = 0;
        return print_fixed(below + (uint64_t)up, places, out);
    }
}
#else
size_t print_double(double value, char *out) {
    (void)value;
    (void)out;
    return 0;
}
#endif
