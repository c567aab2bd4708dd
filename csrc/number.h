/* Scores and ranks from text: the same double that Python's float() gives, or "unusual" and the plain reader decides. */
#ifndef DIVEVAL_NUMBER_H
#define DIVEVAL_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Called once, before any thread parses: takes hold of the C locale. */
void number_prepare(void);

/* A finite decimal such as -12.5 or 1e-3; 0 if the text is anything else. */
int parse_decimal(const char *text, size_t length, double *value);

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
