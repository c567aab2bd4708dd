#include "alike.h"

#include "number.h"
#include "segment.h"
#include "shape.h"

#if defined(HAVE_SHAPES)

#if defined(__SSE2__)
#include <emmintrin.h>
#define HAVE_SSE2 1
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_AVX2 1
#endif

enum {
    ALIKE_LINES = 64, /* processed together */
    TEXT_AHEAD = 512  /* bytes to prefetch ahead: the start of a line is known too late to prefetch it */
};

/* How the digits of the score change from one line to the next; these flags extend those of a topic in scan.h. */
enum { GREW = 1 << 16, SHRANK = 1 << 17 };

/* --- numbers as their bytes ---------------------------------------------------------------------------------------- */

/* Up to eight bytes of a number, most significant first: numbers of the same shape compare as these words do. */
static inline uint64_t digits_at(const char *p, uint64_t mask) { return __builtin_bswap64(eight_bytes(p)) & mask; }

static uint64_t first_bytes(size_t count) {
    return count >= 8 ? ~(uint64_t)0 : ~(~(uint64_t)0 >> 8 * count);
}

/* --- bounds for the next line -------------------------------------------------------------------------------------- */

static void bound(Bounds *bounds, size_t at, unsigned char low, unsigned char high) {
    bounds->low[at] = low;
    bounds->high[at] = high;
}

/* Bounds for the text from p to end: white space must stay the same, anything else may be any byte of a name. 0 if the
 * text is too long or contains a byte that is neither white space nor part of a name. */
static int bounds_of(Bounds *bounds, const char *p, const char *end) {
    bounds->length = (size_t)(end - p);
    if (bounds->length > ALIKE) return 0;
    memset(bounds->low, 0, ALIKE);
    memset(bounds->high, 0xff, ALIKE);
    for (size_t i = 0; i < bounds->length; i++) {
        unsigned char byte = (unsigned char)p[i];
        if (is_space(p[i])) bound(bounds, i, byte, byte);
        else if (byte > ' ' && byte < 0x80) bound(bounds, i, '!', 0x7f);
        else return 0;
    }
    return 1;
}

/* A number within `behind`, which starts at `base`; 0 if it has no shape. */
static int numeral_of(Numeral *numeral, Bounds *behind, const char *base, Field text) {
    const Shape shape = shape_of(text.start, text.length);
    if (!shape.length) return 0;
    numeral->start = (size_t)(text.start - base);
    numeral->length = text.length;
    numeral->negative = shape.negative;
    numeral->mask[0] = first_bytes(text.length);
    numeral->mask[1] = text.length > 8 ? first_bytes(text.length - 8) : 0;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.start[i];
        if (byte == '.' || byte == '-') bound(behind, numeral->start + i, byte, byte);
        else bound(behind, numeral->start + i, '0', '9');
    }
    for (int i = 0; i < 2; i++) numeral->above[i] = digits_at(text.start + 8 * i, numeral->mask[i]);
    return 1;
}

void liken(Likeness *likeness, const char *p, const char *end) {
    Line line;
    const char *behind;
    likeness->known = 0;
    if (split_line(p, end, &line) != LINE_WHOLE) return;
    behind = line.document.start + line.document.length;
    if (!bounds_of(&likeness->before, p, line.document.start) || !bounds_of(&likeness->behind, behind, end + 1)) return;
    for (size_t i = 0, at = (size_t)(line.topic.start - p); i < line.topic.length; i++, at++)
        bound(&likeness->before, at, (unsigned char)p[at], (unsigned char)p[at]);
    if (!numeral_of(&likeness->rank, &likeness->behind, behind, line.rank)) return;
    if (!numeral_of(&likeness->score, &likeness->behind, behind, line.score)) return;
    likeness->known = line.rank.length <= 8 && !likeness->rank.negative; /* as ranks nearly always are; the walk compares one word only */
}

/* --- effects of the lines on the topic ----------------------------------------------------------------------------- */

/* Rarely called; a separate function keeps its code out of the hot loop. */
static __attribute__((noinline)) unsigned tie_between(Field name, Field above) {
    return tie(name, above.start, above.length);
}

static __attribute__((noinline)) void likely_hit(Segment *segment, const Judged *judged, Field name, uint64_t hash,
                                                 int64_t line) {
    take_hit(segment, judged, name, hash, line);
}

/* Update the open topic after `count` lines, of which `document` is the last. */
static void lines_taken(Segment *segment, const Likeness *likeness, Field document, unsigned flags, int64_t count) {
    const char *rest = document.start + document.length;
    const unsigned rose = likeness->score.negative ? SHRANK : GREW; /* a negative score rises when its digits shrink */
    segment->flags |= (flags & ~(unsigned)(GREW | SHRANK)) | (flags & rose ? SCORE_ROSE : 0u);
    segment->count += count;
    segment->name = document.start;
    segment->name_length = document.length;
    segment->rank = NO_RANK;
    parse_rank(rest + likeness->rank.start, likeness->rank.length, &segment->rank);
    parse_decimal(rest + likeness->score.start, likeness->score.length, &segment->score); /* cannot fail: the bounds admit numbers only */
}

/* --- three implementations of the checks --------------------------------------------------------------------------- */

/* Each implements two functions: whether all bytes before and after the document are within their bounds; and how many
 * bytes a name has up to white space, a control character or a byte that is not ASCII, ALIKE if there are more. ALIKE
 * bytes at each position must be readable. */

static inline unsigned outside_by_bytes(const Bounds *bounds, const char *p) {
    unsigned outside = 0;
    for (size_t i = 0; i < bounds->length; i++) {
        unsigned char byte = (unsigned char)p[i];
        outside |= (unsigned)(byte < bounds->low[i]) | (unsigned)(byte > bounds->high[i]);
    }
    return outside;
}

static inline int within_by_bytes(const Bounds *before, const char *p, const Bounds *behind, const char *q) {
    return !(outside_by_bytes(before, p) | outside_by_bytes(behind, q));
}

static inline size_t name_by_bytes(const char *p) {
    size_t length = 0;
    while (length < ALIKE && (signed char)p[length] > ' ') length++; /* signed: bytes that are not ASCII are negative */
    return length;
}

#if defined(HAVE_SSE2)
static inline __m128i inside_by_sse2(const Bounds *bounds, const char *p, size_t i) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(bounds->low + i));
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(bounds->high + i));
    return _mm_cmpeq_epi8(_mm_min_epu8(_mm_max_epu8(bytes, low), high), bytes);
}

static inline int within_by_sse2(const Bounds *before, const char *p, const Bounds *behind, const char *q) {
    __m128i inside = _mm_and_si128(inside_by_sse2(before, p, 0), inside_by_sse2(behind, q, 0));
    for (size_t i = 16; i < before->length; i += 16) inside = _mm_and_si128(inside, inside_by_sse2(before, p, i));
    for (size_t i = 16; i < behind->length; i += 16) inside = _mm_and_si128(inside, inside_by_sse2(behind, q, i));
    return _mm_movemask_epi8(inside) == 0xffff;
}

static inline size_t name_by_sse2(const char *p) {
    for (size_t length = 0; length < ALIKE; length += 32) {
        __m128i here = _mm_loadu_si128((const __m128i *)(const void *)(p + length));
        __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(p + length + 16));
        unsigned ends = (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(here, _mm_set1_epi8('!'))) |
                        (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(next, _mm_set1_epi8('!'))) << 16;
        if (ends) return length + (size_t)__builtin_ctz(ends);
    }
    return ALIKE;
}
#endif

#if defined(HAVE_AVX2)
#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

AVX2 static inline __m256i inside_by_avx2(const Bounds *bounds, const char *p, size_t i) {
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(bounds->low + i));
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bounds->high + i));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(_mm256_max_epu8(bytes, low), high), bytes);
}

AVX2 static inline int within_by_avx2(const Bounds *before, const char *p, const Bounds *behind, const char *q) {
    __m256i inside = _mm256_and_si256(inside_by_avx2(before, p, 0), inside_by_avx2(behind, q, 0));
    if (before->length > 32) inside = _mm256_and_si256(inside, inside_by_avx2(before, p, 32));
    if (behind->length > 32) inside = _mm256_and_si256(inside, inside_by_avx2(behind, q, 32));
    return _mm256_movemask_epi8(inside) == -1;
}

AVX2 static inline size_t name_by_avx2(const char *p) {
    for (size_t length = 0; length < ALIKE; length += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(p + length));
        unsigned ends = (unsigned)_mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8('!'), bytes));
        if (ends) return length + (size_t)_tzcnt_u32(ends);
    }
    return ALIKE;
}
#endif

/* --- the walk ------------------------------------------------------------------------------------------------------ */

#define DOCUMENTS documents_by_bytes
#define WALK walk_by_bytes
#define WITHIN within_by_bytes
#define NAME_LENGTH name_by_bytes
#define TARGET
#include "alike_walk.h"

#if defined(HAVE_SSE2)
#define DOCUMENTS documents_by_sse2
#define WALK walk_by_sse2
#define WITHIN within_by_sse2
#define NAME_LENGTH name_by_sse2
#define TARGET
#include "alike_walk.h"
#endif

#if defined(HAVE_AVX2)
#define DOCUMENTS documents_by_avx2
#define WALK walk_by_avx2
#define WITHIN within_by_avx2
#define NAME_LENGTH name_by_avx2
#define TARGET AVX2
#include "alike_walk.h"
#endif

typedef const char *(*Walk)(Scan *scan, const char *p, const char *end);

static Walk walk_by(int simd) {
#if defined(HAVE_AVX2)
    if (simd >= 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return walk_by_avx2;
#endif
#if defined(HAVE_SSE2)
    if (simd >= 1) return walk_by_sse2;
#endif
    (void)simd;
    return walk_by_bytes;
}

size_t follow_alike(Scan *scan, size_t from, size_t to) {
    const Walk walk = walk_by(scan->simd);
    if (!scan->open || !scan->likeness.known) return from;
    for (size_t before = to; from != before && from < to;) {
        before = from;
        from = (size_t)(walk(scan, scan->buffer + from, scan->buffer + to) - scan->buffer);
    }
    return from;
}

#else /* digits cannot be compared as words: all lines take the path with marks */

void liken(Likeness *likeness, const char *p, const char *end) { (void)likeness, (void)p, (void)end; }

size_t follow_alike(Scan *scan, size_t from, size_t to) {
    (void)scan, (void)to;
    return from;
}

#endif
