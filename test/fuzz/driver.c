/*
 * driver.c - feeds a target where the compiler has no fuzzer of its own: changes the seeds at
 * random, again and again.
 *
 * usage: TARGET SECONDS FOUND SEED...      each SEED is a file
 *
 * An input that ends the program is saved in the file FOUND. With 0 seconds the seeds are fed as
 * they are. The changes follow from a constant: a run finds again what the last one found.
 */
#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "input.h"

#define ROOM 65536

struct seed {
    uint8_t bytes[ROOM];
    size_t size;
};

static uint64_t random_state = 0x9e3779b97f4a7c15u;

/* xorshift64 of George Marsaglia. */
static size_t random_below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % limit);
}

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "driver: cannot %s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

static void seed_read(struct seed *seed, const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        fail("read", name);
    seed->size = fread(seed->bytes, 1, ROOM, file);
    fclose(file);
}

static void seed_insert(struct seed *seed, size_t at, size_t size)
{
    if (seed->size + size > ROOM)
        return;
    memmove(seed->bytes + at + size, seed->bytes + at, seed->size - at);
    for (size_t i = 0; i < size; i++)
        seed->bytes[at + i] = (uint8_t)random_below(256);
    seed->size += size;
}

static void seed_remove(struct seed *seed, size_t at, size_t size)
{
    if (size > seed->size - at)
        size = seed->size - at;
    memmove(seed->bytes + at, seed->bytes + at + size, seed->size - at - size);
    seed->size -= size;
}

/*
 * One small change, of the kinds that break decoders: bits, bytes, lengths that are too large, too
 * little, too much.
 */
static void seed_change(struct seed *seed)
{
    static const uint8_t telling[] = {0, 1, 3, 4, 8, 31, 32, 0x7f, 0x80, 0xff};
    size_t at = random_below(seed->size + 1);
    switch (random_below(5)) {
    case 0:
        seed_insert(seed, at, 1 + random_below(40));
        break;
    case 1:
        seed_remove(seed, at, 1 + random_below(40));
        break;
    case 2:
        if (at < seed->size)
            seed->bytes[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 3:
        if (at < seed->size)
            seed->bytes[at] = (uint8_t)random_below(256);
        break;
    default:
        if (at < seed->size)
            seed->bytes[at] = telling[random_below(sizeof telling)];
    }
}

/* Saves the input that ends the program, when a sanitizer or MUST does so. */
static const char *found;
static const struct seed *present;

static void save(void)
{
    FILE *file = fopen(found, "wb");
    if (!file || fwrite(present->bytes, 1, present->size, file) != present->size ||
        fclose(file) != 0)
        perror(found);
}

static void save_and_end(int signal_number)
{
    save();
    _exit(128 + signal_number);
}

/* The target gets memory of exactly the size, so that the sanitizer sees a byte read beyond it. */
static void feed(const struct seed *seed)
{
    uint8_t *bytes = malloc(seed->size + !seed->size);
    MUST(bytes);
    present = seed;
    memcpy(bytes, seed->bytes, seed->size);
    LLVMFuzzerTestOneInput(bytes, seed->size);
    free(bytes);
}

int main(int count, char **arguments)
{
    static struct seed seed;
    if (count < 4) {
        fprintf(stderr, "usage: %s SECONDS FOUND SEED...\n", arguments[0]);
        return 2;
    }
    found = arguments[2];
    signal(SIGABRT, save_and_end);
    __sanitizer_set_death_callback(save);
    time_t end = time(NULL) + atoi(arguments[1]);
    unsigned long runs = 0;
    for (int i = 3; i < count; i++, runs++) {
        seed_read(&seed, arguments[i]);
        feed(&seed);
    }
    while (time(NULL) < end) {
        seed_read(&seed, arguments[3 + random_below((size_t)count - 3)]);
        for (size_t changes = 1 + random_below(8); changes > 0; changes--)
            seed_change(&seed);
        feed(&seed);
        runs++;
    }
    printf("%lu inputs\n", runs);
    return 0;
}
