#include "text.h"

const char *next_field(const char *p, const char *end, Field *field) {
    while (p < end && is_space(*p)) p++;
    field->start = p;
    while (p < end && !is_space(*p)) p++;
    field->length = (size_t)(p - field->start);
    return p;
}

int has_inner_return(const char *p, const char *end) {
    while (p < end && is_space(*p)) p++;
    while (p < end && is_space(end[-1])) end--;
    return p < end && memchr(p, '\r', (size_t)(end - p)) != NULL;
}

LineKind split_line(const char *p, const char *end, Line *line) {
    Field q0, more;
    if (has_inner_return(p, end)) return LINE_ODD;
    p = next_field(p, end, &line->topic);
    if (line->topic.length == 0 || line->topic.start[0] == '#') return LINE_EMPTY;
    p = next_field(p, end, &q0);
    p = next_field(p, end, &line->document);
    p = next_field(p, end, &line->rank);
    p = next_field(p, end, &line->score);
    p = next_field(p, end, &line->tag);
    next_field(p, end, &more);
    return line->tag.length && !more.length ? LINE_WHOLE : LINE_ODD;
}

int is_utf8(const char *start, const char *stop) {
    const unsigned char *p = (const unsigned char *)start, *end = (const unsigned char *)stop;
    while (p < end) {
        unsigned lead = *p++, low = 0x80, high = 0xBF;
        int more;
        if (lead < 0x80) {
            uint64_t word;
            for (; end - p >= 8; p += 8) {
                memcpy(&word, p, 8);
                if (word & 0x8080808080808080u) break;
            }
            continue;
        }
        if (lead >= 0xC2 && lead <= 0xDF) more = 1;
        else if (lead >= 0xE0 && lead <= 0xEF) more = 2;
        else if (lead >= 0xF0 && lead <= 0xF4) more = 3;
        else return 0;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
        for (; more > 0; more--, p++, low = 0x80, high = 0xBF)
            if (p == end || *p < low || *p > high) return 0;
    }
    return 1;
}
