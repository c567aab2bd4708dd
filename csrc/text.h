/* Lines and fields: the white space, comments and encodings that diveval.reading.lines accepts, and nothing else. */
#ifndef DIVEVAL_TEXT_H
#define DIVEVAL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *start;
    size_t length;
} Field;

typedef struct {
    Field topic, document, rank, score, tag;
} Line;

typedef enum { LINE_EMPTY, LINE_ODD, LINE_WHOLE } LineKind;

/* Python's bytes.split(): space, tab, newline, vertical tab, form feed, carriage return. */
static inline int is_space(char c) { return c == ' ' || (unsigned)((unsigned char)c - 9) <= 4; }

enum { LONGEST_LINE = 16 * 1024 * 1024 - 16 }; /* slightly below the plain reader's limit, so that the plain reader decides in doubtful cases */

/* The next field between p and end, with length 0 if there is none; returns its end. */
const char *next_field(const char *p, const char *end, Field *field);

/* Whether a line has a carriage return that is not at its ends, as in a file with line ends of CR only. */
int has_inner_return(const char *p, const char *end);

/* Split a line without its newline. Blank lines and comments are empty; a line without exactly six columns is odd: the plain
 * reader decides whether further columns belong to a tag with blanks. */
LineKind split_line(const char *p, const char *end, Line *line);

/* Accepts what Python's strict decoder accepts: no overlong forms, no surrogates, nothing above U+10FFFF. */
int is_utf8(const char *p, const char *end);

#endif
