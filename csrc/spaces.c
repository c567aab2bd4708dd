#include "spaces.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#define HAVE_SSE2 1
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_AVX2 1
#endif

static Marks by_bytes(const char *block, size_t size, char gap, uint32_t *index) {
    size_t count = 0, newlines = 0;
    int other = 0, touching = 0, before = 1;
    unsigned char any = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)block[i];
        int mark = byte <= ' ';
        index[count] = (uint32_t)i;
        count += (size_t)mark;
        newlines += byte == '\n';
        other |= mark & (byte != '\n') & (block[i] != gap);
        touching |= mark & before;
        before = mark;
        any |= byte;
    }
    return (Marks){count, any >= 0x80, !other && !touching && count == 6 * newlines};
}

#if defined(HAVE_SSE2)
/* A bit for each of 64 bytes. */
typedef struct {
    uint64_t marks, newlines, gaps, high;
} Bits;

static inline Bits bits_by_sse2(const char *p, char gap) {
    Bits bits = {0, 0, 0, 0};
    for (int i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i marks = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
        bits.marks |= (uint64_t)(unsigned)_mm_movemask_epi8(marks) << i;
        bits.newlines |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))) << i;
        bits.gaps |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(gap))) << i;
        bits.high |= (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << i;
    }
    return bits;
}

static inline unsigned count_by_hand(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* Bit 63 is set because the search is undefined for 0; the position it gives then is overwritten later. */
static inline unsigned first_by_hand(uint64_t mask) {
    mask |= (uint64_t)1 << 63;
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(mask);
#else
    unsigned long at;
    _BitScanForward64(&at, mask);
    return (unsigned)at;
#endif
}

/* One loop for both instruction sets. Positions are written eight at a time without a branch per mark; the excess ones are
 * overwritten by the next round, which is why `index` needs 64 entries more than there are bytes. */
#define MARK_BY(BITS, COUNT, FIRST)                                                                                   \
    uint64_t before = 1, wrong = 0, any = 0;                                                                          \
    size_t count = 0, newlines = 0;                                                                                   \
    for (size_t base = 0; base < size; base += 64) {                                                                  \
        const uint64_t inside = size - base >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (size - base)) - 1;                \
        const Bits bits = BITS(block + base, gap);                                                                    \
        uint64_t mask = bits.marks & inside;                                                                          \
        const unsigned found = COUNT(mask);                                                                           \
        uint32_t *out = index + count;                                                                                \
        any |= bits.high & inside;                                                                                    \
        wrong |= (mask & ~(bits.newlines | bits.gaps)) | (mask & (mask << 1 | before));                               \
        before = mask >> 63;                                                                                          \
        newlines += COUNT(bits.newlines & inside);                                                                    \
        count += found;                                                                                               \
        for (unsigned done = 0; done < found; done += 8, out += 8)                                                    \
            for (int i = 0; i < 8; i++) {                                                                             \
                out[i] = (uint32_t)base + (uint32_t)FIRST(mask);                                                      \
                mask &= mask - 1;                                                                                     \
            }                                                                                                         \
    }                                                                                                                 \
    return (Marks){count, any != 0, !wrong && count == 6 * newlines};

static Marks by_sse2(const char *block, size_t size, char gap, uint32_t *index) {
    MARK_BY(bits_by_sse2, count_by_hand, first_by_hand)
}
#endif

#if defined(HAVE_AVX2)
#define TARGET __attribute__((target("avx2,bmi,popcnt")))

TARGET static inline Bits bits_by_avx2(const char *p, char gap) {
    Bits bits = {0, 0, 0, 0};
    for (int i = 0; i < 64; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i marks = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(' ')), bytes);
        __m256i newlines = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
        __m256i gaps = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(gap));
        bits.marks |= (uint64_t)(unsigned)_mm256_movemask_epi8(marks) << i;
        bits.newlines |= (uint64_t)(unsigned)_mm256_movemask_epi8(newlines) << i;
        bits.gaps |= (uint64_t)(unsigned)_mm256_movemask_epi8(gaps) << i;
        bits.high |= (uint64_t)(unsigned)_mm256_movemask_epi8(bytes) << i;
    }
    return bits;
}

TARGET static Marks by_avx2(const char *block, size_t size, char gap, uint32_t *index) {
    MARK_BY(bits_by_avx2, __builtin_popcountll, _tzcnt_u64)
}
#endif

Marks mark_spaces_by(int simd, const char *block, size_t size, char gap, uint32_t *index) {
#if defined(HAVE_AVX2)
    if (simd >= 2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
        return by_avx2(block, size, gap, index);
#endif
#if defined(HAVE_SSE2)
    if (simd >= 1) return by_sse2(block, size, gap, index);
#endif
    (void)simd;
    return by_bytes(block, size, gap, index);
}

Marks mark_spaces(const char *block, size_t size, char gap, uint32_t *index) {
    return mark_spaces_by(2, block, size, gap, index);
}
