/*
 * operations.c - the functions that pvm_reduce can be given: the larger, the smaller, the sum, the
 * product.
 */
#include <pvm3.h>

/*
 * Orders like the modulus, and needs no more than a square may be large; programs link libgpvm3.a
 * without the mathematical library, as with 3.4.6.
 */
static long double operations_square(long double real, long double imaginary)
{
    return real * real + imaginary * imaginary;
}

/* x[i] = y[i] where y[i] goes before x[i] by the order `before`. */
#define TAKE_BETTER(item, before)                                                                  \
    do {                                                                                           \
        item *left = x;                                                                            \
        const item *right = y;                                                                     \
        for (int i = 0; i < *count; i++)                                                           \
            if (right[i] before left[i])                                                           \
                left[i] = right[i];                                                                \
    } while (0)

/* Like TAKE_BETTER, for pairs of `item`, by their moduli. */
#define TAKE_BETTER_PAIR(item, before)                                                             \
    do {                                                                                           \
        item *left = x;                                                                            \
        const item *right = y;                                                                     \
        for (int i = 0; i < 2 * *count; i += 2)                                                    \
            if (operations_square(right[i], right[i + 1])                                          \
                    before operations_square(left[i], left[i + 1])) {                              \
                left[i] = right[i];                                                                \
                left[i + 1] = right[i + 1];                                                        \
            }                                                                                      \
    } while (0)

/* `items` times x[i] = x[i] operator y[i]. */
#define COMBINE(item, items, operator)                                                             \
    do {                                                                                           \
        item *left = x;                                                                            \
        const item *right = y;                                                                     \
        for (int i = 0; i < (items); i++)                                                          \
            left[i] = (item)(left[i] operator right[i]);                                           \
    } while (0)

#define MULTIPLY_PAIR(item)                                                                        \
    do {                                                                                           \
        item *left = x;                                                                            \
        const item *right = y;                                                                     \
        for (int i = 0; i < 2 * *count; i += 2) {                                                  \
            item real = left[i] * right[i] - left[i + 1] * right[i + 1];                           \
            left[i + 1] = left[i] * right[i + 1] + left[i + 1] * right[i];                         \
            left[i] = real;                                                                        \
        }                                                                                          \
    } while (0)

#define TAKE_BETTER_OF(before)                                                                     \
    *info = 0;                                                                                     \
    switch (*type) {                                                                               \
    case PVM_BYTE:                                                                                 \
        TAKE_BETTER(char, before);                                                                 \
        break;                                                                                     \
    case PVM_SHORT:                                                                                \
        TAKE_BETTER(short, before);                                                                \
        break;                                                                                     \
    case PVM_INT:                                                                                  \
        TAKE_BETTER(int, before);                                                                  \
        break;                                                                                     \
    case PVM_LONG:                                                                                 \
        TAKE_BETTER(long, before);                                                                 \
        break;                                                                                     \
    case PVM_FLOAT:                                                                                \
        TAKE_BETTER(float, before);                                                                \
        break;                                                                                     \
    case PVM_DOUBLE:                                                                               \
        TAKE_BETTER(double, before);                                                               \
        break;                                                                                     \
    case PVM_CPLX:                                                                                 \
        TAKE_BETTER_PAIR(float, before);                                                           \
        break;                                                                                     \
    case PVM_DCPLX:                                                                                \
        TAKE_BETTER_PAIR(double, before);                                                          \
        break;                                                                                     \
    default:                                                                                       \
        *info = PvmBadParam;                                                                       \
    }

void PvmMax(int *type, void *x, void *y, int *count, int *info)
{
    TAKE_BETTER_OF(>)
}

void PvmMin(int *type, void *x, void *y, int *count, int *info)
{
    TAKE_BETTER_OF(<)
}

void PvmSum(int *type, void *x, void *y, int *count, int *info)
{
    *info = 0;
    switch (*type) {
    case PVM_SHORT:
        COMBINE(short, *count, +);
        break;
    case PVM_INT:
        COMBINE(int, *count, +);
        break;
    case PVM_LONG:
        COMBINE(long, *count, +);
        break;
    case PVM_FLOAT:
        COMBINE(float, *count, +);
        break;
    case PVM_DOUBLE:
        COMBINE(double, *count, +);
        break;
    case PVM_CPLX:
        COMBINE(float, 2 * *count, +);
        break;
    case PVM_DCPLX:
        COMBINE(double, 2 * *count, +);
        break;
    default:
        *info = PvmBadParam;
    }
}

void PvmProduct(int *type, void *x, void *y, int *count, int *info)
{
    *info = 0;
    switch (*type) {
    case PVM_SHORT:
        COMBINE(short, *count, *);
        break;
    case PVM_INT:
        COMBINE(int, *count, *);
        break;
    case PVM_LONG:
        COMBINE(long, *count, *);
        break;
    case PVM_FLOAT:
        COMBINE(float, *count, *);
        break;
    case PVM_DOUBLE:
        COMBINE(double, *count, *);
        break;
    case PVM_CPLX:
        MULTIPLY_PAIR(float);
        break;
    case PVM_DCPLX:
        MULTIPLY_PAIR(double);
        break;
    default:
        *info = PvmBadParam;
    }
}
