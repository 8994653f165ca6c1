/* What do packing and unpacking cost, compared with memcpy?
 *
 * usage: packing ROUNDS LARGEST
 *
 * For each type, number of items (up to LARGEST) and encoding it fills a message, sends it to itself
 * and takes it apart again, ROUNDS times after some that are not measured. A message of few items has
 * many calls, since a single one is too short to be measured. Prints a line for each round,
 *     @packing items=NUMBER type=TYPE encoding=NAME calls=CALLS pack=NS unpack=NS memcpy=NS
 * with the time for all calls. Beside the calls, pack has pvm_initsend, where the last message's memory
 * goes. memcpy copies the same arrays to memory that has been in use.
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In place, 3.4.6 writes beyond a table of its own from the 14th packing of a message on. */
enum { WARM_UP = 3, TAG = 3, ITEMS = 10000, CALLS_IN_PLACE = 10 };

static const int counts[] = {1, 100, 10000, 1000000};
enum { COUNTS = sizeof counts / sizeof *counts, MOST = 1000000 };

static const struct encoding {
    const char *name;
    int code;
} encodings[] = {{"default", PvmDataDefault}, {"raw", PvmDataRaw}, {"in_place", PvmDataInPlace}};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

static int pack_ints(void *items, int count)
{
    return pvm_pkint(items, count, 1);
}

static int unpack_ints(void *items, int count)
{
    return pvm_upkint(items, count, 1);
}

static int pack_doubles(void *items, int count)
{
    return pvm_pkdouble(items, count, 1);
}

static int unpack_doubles(void *items, int count)
{
    return pvm_upkdouble(items, count, 1);
}

static const struct type {
    const char *name;
    size_t size;
    int (*pack)(void *items, int count);
    int (*unpack)(void *items, int count);
} types[] = {{"int", sizeof(int), pack_ints, unpack_ints},
             {"double", sizeof(double), pack_doubles, unpack_doubles}};
enum { TYPES = sizeof types / sizeof *types };

static unsigned char *data, *found, *copy; /* MOST doubles each */

static void *memory(void)
{
    void *bytes = malloc(MOST * sizeof(double));
    if (!bytes) {
        fprintf(stderr, "packing: no memory\n");
        exit(1);
    }
    return memset(bytes, 1, MOST * sizeof(double));
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void check(int result, const char *call)
{
    if (result >= 0)
        return;
    fprintf(stderr, "packing: %s gives %d\n", call, result);
    exit(1);
}

/* Nanoseconds of what each side does, in all calls together. */

static int64_t pack(const struct type *type, const struct encoding *encoding, int count, int calls)
{
    int result = 0;
    int64_t start = now();
    check(pvm_initsend(encoding->code), "pvm_initsend");
    for (int i = 0; i < calls && result >= 0; i++)
        result = type->pack(data + (size_t)i * (size_t)count * type->size, count);
    int64_t end = now();
    check(result, "packing");
    return end - start;
}

static int64_t unpack(const struct type *type, int count, int calls)
{
    int result = 0;
    int64_t start = now();
    for (int i = 0; i < calls && result >= 0; i++)
        result = type->unpack(found + (size_t)i * (size_t)count * type->size, count);
    int64_t end = now();
    check(result, "unpacking");
    return end - start;
}

static int64_t copy_plainly(const struct type *type, int count, int calls)
{
    const size_t size = (size_t)count * type->size;
    int64_t start = now();
    for (int i = 0; i < calls; i++)
        memcpy(copy + (size_t)i * size, data + (size_t)i * size, size);
    return now() - start;
}

static void run_round(const struct type *type, const struct encoding *encoding, int count, int told)
{
    int calls = count < ITEMS ? ITEMS / count : 1;
    if (encoding->code == PvmDataInPlace && calls > CALLS_IN_PLACE)
        calls = CALLS_IN_PLACE;
    const size_t size = (size_t)calls * (size_t)count * type->size;
    int64_t packing = pack(type, encoding, count, calls);
    check(pvm_send(pvm_mytid(), TAG), "pvm_send");
    check(pvm_recv(-1, TAG), "pvm_recv");
    memset(found, 0, size);
    int64_t unpacking = unpack(type, count, calls);
    int64_t copying = copy_plainly(type, count, calls);
    if (memcmp(found, data, size) != 0 || memcmp(copy, data, size) != 0) {
        fprintf(stderr, "packing: %s, %d items: others came back\n", encoding->name, count);
        exit(1);
    }
    if (told)
        printf("@packing items=%d type=%s encoding=%s calls=%d pack=%lld unpack=%lld memcpy=%lld\n",
               count, type->name, encoding->name, calls, (long long)packing, (long long)unpacking,
               (long long)copying);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: packing ROUNDS LARGEST\n");
        return 2;
    }
    check(pvm_mytid(), "pvm_mytid");
    data = memory();
    found = memory();
    copy = memory();
    for (size_t i = 0; i < MOST * sizeof(double); i++)
        data[i] = (unsigned char)(i * 167 >> 3);
    for (int count = 0; count < COUNTS && counts[count] <= atoi(argv[2]); count++)
        for (int type = 0; type < TYPES; type++)
            for (int encoding = 0; encoding < ENCODINGS; encoding++)
                for (int round = -WARM_UP; round < atoi(argv[1]); round++)
                    run_round(&types[type], &encodings[encoding], counts[count], round >= 0);
    pvm_exit();
    return 0;
}
