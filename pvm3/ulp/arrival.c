/* arrival.c - from a connection to a program that goes on. */
#include "ulp/arrival.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "ulp/cargo.h"
#include "ulp/entry.h"
#include "ulp/file_moves.h"
#include "ulp/heap.h"
#include "ulp/machine.h"
#include "ulp/room.h"
#include "ulp/traits.h"
#include "ulp/ulp.h"

/* One that is underway. */
struct arrival {
    struct ulp *ulp;
    int connection;
    struct arrival_head head;
    char text[512];
};

/* Says that it has worked so far, or why not. Whether both is so. */
static bool arrival_say(const struct arrival *arrival, const char *why)
{
    struct arrival_word word = {.content = !why};
    snprintf(word.why, sizeof word.why, "%s", why ? why : "");
    return cargo_put(arrival->connection, &word, sizeof word) && word.content;
}

/* NULL, or why the program cannot come. */
static const char *arrival_compare(struct arrival *arrival, const char *wanted)
{
    char *path = traits_program(wanted), *own = NULL;
    const char *why = path ? ulp_expect(arrival->ulp, path) : strerror(ENOMEM);
    if (!why && !(own = traits_write(arrival->ulp)))
        why = strerror(ENOMEM);
    if (!why)
        why = traits_compare(wanted, own, arrival->text, sizeof arrival->text);
    free(path);
    free(own);
    return why;
}

static bool arrival_meet(struct arrival *arrival)
{
    size_t size;
    char *wanted = cargo_get_block(arrival->connection, &size);
    if (!wanted)
        return false;
    bool met = arrival_say(arrival, arrival_compare(arrival, wanted));
    free(wanted);
    return met;
}

/* The memory that comes ahead. False if the connection ends. */
static bool arrival_take_ahead(const struct arrival *arrival)
{
    struct region *region = arrival->ulp->region;
    unsigned char *heap_end;
    while (cargo_get_round(arrival->connection, &heap_end)) {
        if (!heap_end)
            return true;
        own_program_await(arrival->connection); /* it is not called in at once */
        if (!heap_arrives(region, heap_end) || !cargo_get_memory(arrival->connection, region))
            return false;
    }
    return false;
}

/* The memory, but for what it has of this process. False if the connection ends. */
static bool arrival_take_memory(struct arrival *arrival)
{
    struct ulp *ulp = arrival->ulp;
    const struct ulp here = *ulp;
    if (!heap_arrives(ulp->region, arrival->head.heap_end) ||
        !cargo_get_memory(arrival->connection, here.region)) {
        *ulp = here;
        return false;
    }
    ulp_take_over(ulp, &here);
    return true;
}

/* The task becomes the one that was there. */
static bool arrival_become(struct arrival *arrival, const void *state, size_t size)
{
    const char *why;
    own_program_come_back();
    int error = own_program_arrive(state, size, &why);
    own_program_go_home();
    arrival_say(arrival, error < 0 ? why : NULL);
    return error >= 0;
}

/* Opens its files again. False after saying why not. */
static bool arrival_take_files(struct arrival *arrival, const void *files, size_t size)
{
    bool folder = false;
    const char *why;
    if (files_unpack(&arrival->ulp->files, files, size, &folder, &why))
        return true;
    arrival_say(arrival, why);
    return false;
}

static bool arrival_take(struct arrival *arrival)
{
    size_t size, files_size;
    if (!arrival_meet(arrival) || !arrival_take_ahead(arrival) ||
        !cargo_get(arrival->connection, &arrival->head, sizeof arrival->head))
        return false;
    void *state = cargo_get_block(arrival->connection, &size);
    void *files = state ? cargo_get_block(arrival->connection, &files_size) : NULL;
    bool arrived = files && arrival_take_memory(arrival) &&
                   arrival_take_files(arrival, files, files_size) &&
                   arrival_become(arrival, state, size);
    free(state);
    free(files);
    return arrived;
}

/* Takes what the pvmds are to have of it, all of which is in the blocks. */
static bool arrival_revive(struct arrival *arrival, const struct own_program_bytes *tids,
                           const struct own_program_bytes *record,
                           const struct own_program_bytes *entries)
{
    own_program_come_back();
    const char *why =
        own_program_revive(tids->bytes, (int)(tids->size / sizeof(int)), record, entries);
    own_program_go_home();
    return arrival_say(arrival, why);
}

/* One that comes from a file goes on with all others. False if not all have come. */
static bool arrival_wait(struct arrival *arrival)
{
    enum { TIDS, RECORD, ENTRIES, BLOCKS };
    struct own_program_bytes blocks[BLOCKS] = {{NULL, 0}};
    struct park_word word;
    bool runs = true;
    own_program_await(arrival->connection);
    for (int i = 0; i < BLOCKS && runs; i++) {
        blocks[i].bytes = cargo_get_block(arrival->connection, &blocks[i].size);
        runs = blocks[i].bytes != NULL;
    }
    runs = runs && arrival_revive(arrival, &blocks[TIDS], &blocks[RECORD], &blocks[ENTRIES]) &&
           cargo_get(arrival->connection, &word, sizeof word);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i].bytes);
    return runs;
}

static void arrival_begin(struct ulp *ulp, int connection)
{
    struct arrival arrival = {.ulp = ulp, .connection = connection};
    own_program_go_home();
    bool arrived = arrival_take(&arrival) && (!arrival.head.waits || arrival_wait(&arrival));
    close(arrival.connection);
    if (arrived)
        ulp_go_on(ulp, arrival.head.context, (int)arrival.head.error);
}

void arrival_welcome(int connection)
{
    if (!ulp_receive(arrival_begin, connection))
        close(connection);
}
