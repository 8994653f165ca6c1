/*
 * xdr.c - plain loops, of which the compiler makes instructions that work on several items at once:
 * configure tells it to (VECTOR_CFLAGS), and test/gate looks at what it made.
 */
#include "core/xdr.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/*
 * CONVERSION(name) makes a function of the loop name_loop. The first x86-64 could not swap bytes
 * within a vector: there the loop is compiled once more, for the processors since 2013, and the
 * function looks which one it has. The loader could choose, too (target_clones), but not that of
 * musl, and not before a sanitizer is ready.
 */
#ifdef HAVE_AVX2_TARGET
#define CONVERSION(name, result)                                                                   \
    __attribute__((target("avx2"))) static void name##_avx2(                                       \
        result *restrict to, const void *restrict from, size_t count)                              \
    {                                                                                              \
        name##_loop(to, from, count);                                                              \
    }                                                                                              \
    void name(result *restrict to, const void *restrict from, size_t count)                        \
    {                                                                                              \
        if (__builtin_cpu_supports("avx2"))                                                        \
            name##_avx2(to, from, count);                                                          \
        else                                                                                       \
            name##_loop(to, from, count);                                                          \
    }
#else
#define CONVERSION(name, result)                                                                   \
    void name(result *restrict to, const void *restrict from, size_t count)                        \
    {                                                                                              \
        name##_loop(to, from, count);                                                              \
    }
#endif

ALWAYS_INLINE void xdr_swap_words_loop(unsigned char *restrict to,
                                       const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t item;
        memcpy(&item, from + i * sizeof item, sizeof item);
        xdr_store(to + i * XDR_WORD, item);
    }
}

ALWAYS_INLINE void xdr_swap_doubles_loop(unsigned char *restrict to,
                                         const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t item;
        memcpy(&item, from + i * sizeof item, sizeof item);
        item = htobe64(item);
        memcpy(to + i * sizeof item, &item, sizeof item);
    }
}

ALWAYS_INLINE void xdr_put_shorts_loop(unsigned char *restrict to,
                                       const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        xdr_store_short(to + i * XDR_WORD, from + i * sizeof(short));
}

ALWAYS_INLINE void xdr_get_shorts_loop(unsigned char *restrict to,
                                       const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        xdr_load_short(to + i * sizeof(short), from + i * XDR_WORD);
}

ALWAYS_INLINE void xdr_put_longs_loop(unsigned char *restrict to,
                                      const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned long item;
        memcpy(&item, from + i * sizeof item, sizeof item);
        xdr_store(to + i * XDR_WORD, (uint32_t)item);
    }
}

ALWAYS_INLINE void xdr_get_longs_loop(unsigned char *restrict to,
                                      const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned long item = xdr_load(from + i * XDR_WORD);
        memcpy(to + i * sizeof item, &item, sizeof item);
    }
}

ALWAYS_INLINE void xdr_get_signed_longs_loop(unsigned char *restrict to,
                                             const unsigned char *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        long item = (int32_t)xdr_load(from + i * XDR_WORD);
        memcpy(to + i * sizeof item, &item, sizeof item);
    }
}

ALWAYS_INLINE void xdr_survey_longs_loop(struct xdr_longs *restrict known,
                                         const unsigned char *restrict items, size_t count)
{
    unsigned long bits = 0, complement = 0, negative = 0;
    for (size_t i = 0; i < count; i++) {
        long item;
        memcpy(&item, items + i * sizeof item, sizeof item);
        const unsigned long sign = item < 0 ? ~0ul : 0;
        bits |= (unsigned long)item & ~sign;
        complement |= ~(unsigned long)item & sign;
        negative |= sign;
    }
    known->bits |= bits;
    known->complement |= complement;
    known->negative = known->negative || negative;
}

ALWAYS_INLINE void xdr_survey_unsigned_longs_loop(struct xdr_longs *restrict known,
                                                  const unsigned char *restrict items, size_t count)
{
    unsigned long bits = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned long item;
        memcpy(&item, items + i * sizeof item, sizeof item);
        bits |= item;
    }
    known->bits |= bits;
}

CONVERSION(xdr_swap_words, void)
CONVERSION(xdr_swap_doubles, void)
CONVERSION(xdr_put_shorts, void)
CONVERSION(xdr_get_shorts, void)
CONVERSION(xdr_put_longs, void)
CONVERSION(xdr_get_longs, void)
CONVERSION(xdr_get_signed_longs, void)
CONVERSION(xdr_survey_longs, struct xdr_longs)
CONVERSION(xdr_survey_unsigned_longs, struct xdr_longs)
