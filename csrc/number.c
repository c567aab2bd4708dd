#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* strtod_l */
#endif
#include "number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* strtod_l with the C locale, because the locale of the process may have a decimal comma. */
#if defined(_WIN32)
static _locale_t c_locale;
void number_prepare(void) { if (!c_locale) c_locale = _create_locale(LC_ALL, "C"); }
static double library_decimal(const char *text, char **end) { return _strtod_l(text, end, c_locale); }
#else
static locale_t c_locale;
void number_prepare(void) { if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }
static double library_decimal(const char *text, char **end) { return strtod_l(text, end, c_locale); }
#endif

enum { LONGEST_NUMBER = 200, EXACT_POWER = 22 };

/* Powers of ten that are exact as doubles. */
static const double powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static int from_library(const char *text, size_t length, double *value) {
    char copy[LONGEST_NUMBER + 1], *end;
    if (length > LONGEST_NUMBER || !c_locale) return 0;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = library_decimal(copy, &end);
    return end == copy + length && isfinite(*value);
}

#if defined(__SIZEOF_INT128__)
/* digits / 10^places, rounded once: the quotient has 63 or 64 bits, with its last bit set if there is a remainder
 * (a sticky bit), so that the conversion to a double is the only rounding and rounds correctly. */
static double divide_exactly(uint64_t digits, int places) {
    uint64_t divisor = 1, quotient;
    unsigned __int128 dividend;
    int up, down;
    for (int i = 0; i < places; i++) divisor *= 10;
    up = __builtin_clzll(digits);
    down = __builtin_clzll(divisor);
    divisor <<= down;
    dividend = (unsigned __int128)(digits << up) << 63;
    quotient = (uint64_t)(dividend / divisor);
    quotient |= dividend % divisor != 0;
    return ldexp((double)quotient, down - up - 63);
}
#endif

int parse_any_decimal(const char *text, size_t length, double *value) {
    const char *p = text, *end = text + length, *start;
    int negative = 0, count, places = 0, exponent = 0;
    uint64_t digits = 0;
    unsigned digit;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    start = p;
    for (; p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) digits = digits * 10 + digit;
    count = (int)(p - start);
    if (p < end && *p == '.') {
        start = ++p;
        for (; p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++) digits = digits * 10 + digit;
        places = (int)(p - start);
        count += places;
    }
    if (count == 0) return 0;
    if (p < end) {
        int falling = 0;
        if (*p != 'e' && *p != 'E') return 0;
        if (++p < end && (*p == '-' || *p == '+')) falling = *p++ == '-';
        start = p;
        for (; p < end && (digit = (unsigned)(unsigned char)*p - '0') <= 9 && exponent < 10000; p++)
            exponent = exponent * 10 + (int)digit;
        if (p == start || p < end) return 0;
        if (falling) exponent = -exponent;
    }
#if FLT_EVAL_METHOD == 0
    exponent -= places;
    if (count <= 19 && digits < (1ULL << 53) && -EXACT_POWER <= exponent && exponent <= EXACT_POWER) {
        /* Both operands are exact, so the single operation rounds correctly. This needs FLT_EVAL_METHOD 0: with extended
         * precision (x87) the result would be rounded twice. */
        double result = exponent < 0 ? (double)digits / powers[-exponent] : (double)digits * powers[exponent];
        *value = negative ? -result : result;
        return 1;
    }
#if defined(__SIZEOF_INT128__)
    if (count <= 19 && -19 <= exponent && exponent <= 0 && digits != 0) {
        double result = divide_exactly(digits, -exponent);
        *value = negative ? -result : result;
        return 1;
    }
#endif
#endif
    return from_library(text, length, value);
}
