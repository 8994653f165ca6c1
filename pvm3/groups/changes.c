/* changes.c - a sealed memfd; a table of counts, by a hash of the name. */
#include "groups/changes.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_WORDS = 2 };

static const char name[] = "pvmgs";

struct changes {
    int key[KEY_WORDS];
    _Atomic unsigned counts[CHANGES_PLACES];
};

static struct changes *changes_map(int descriptor, int protection)
{
    void *memory = mmap(NULL, sizeof(struct changes), protection, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The descriptor stays open, as others find the page by it. */
struct changes *changes_make(int words[CHANGES_WORDS])
{
    struct changes *changes = NULL;
    memset(words, 0, CHANGES_WORDS * sizeof *words);
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return NULL;
    if (ftruncate(descriptor, sizeof *changes) == 0 &&
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        changes = changes_map(descriptor, PROT_READ | PROT_WRITE);
    if (!changes || getrandom(changes->key, sizeof changes->key, 0) != sizeof changes->key) {
        changes_close(changes);
        close(descriptor);
        return NULL;
    }
    words[0] = getpid();
    words[1] = descriptor;
    memcpy(words + 2, changes->key, sizeof changes->key);
    return changes;
}

/* Whether it has the size of a page for as long as it is there: then reading it is safe. */
static bool changes_is_page(int descriptor)
{
    struct stat status;
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && seals & F_SEAL_SHRINK && fstat(descriptor, &status) == 0 &&
           status.st_size == sizeof(struct changes);
}

/* Opens it only if it has the name: to open what else a process has could have an effect. */
static int changes_open_file(int process, int descriptor)
{
    char path[64], expected[64], target[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, descriptor);
    int length = snprintf(expected, sizeof expected, "/memfd:%s", name);
    return readlink(path, target, sizeof target) >= length &&
                   memcmp(target, expected, (size_t)length) == 0
               ? open(path, O_RDONLY | O_CLOEXEC)
               : -1;
}

const struct changes *changes_open(const int words[CHANGES_WORDS])
{
    int descriptor = words[0] > 0 ? changes_open_file(words[0], words[1]) : -1;
    if (descriptor < 0)
        return NULL;
    const struct changes *changes = NULL;
    if (changes_is_page(descriptor))
        changes = changes_map(descriptor, PROT_READ);
    close(descriptor);
    if (changes && memcmp(changes->key, words + 2, sizeof changes->key) == 0)
        return changes;
    changes_close(changes);
    return NULL;
}

void changes_close(const struct changes *changes)
{
    if (changes)
        munmap((void *)changes, sizeof *changes);
}

static unsigned changes_place(const char *group)
{
    unsigned hash = 0;
    for (; *group; group++)
        hash = 31 * hash + (unsigned char)*group;
    return hash % CHANGES_PLACES;
}

void changes_count(struct changes *changes, const char *group)
{
    if (changes)
        atomic_fetch_add(&changes->counts[changes_place(group)], 1);
}

unsigned changes_of(const struct changes *changes, const char *group)
{
    return atomic_load(&changes->counts[changes_place(group)]);
}
