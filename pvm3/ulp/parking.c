/* parking.c - word for word with the process that writes the file. */
#include "ulp/parking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "ulp/arrival.h"
#include "ulp/cargo.h"
#include "ulp/departure.h"
#include "ulp/file_moves.h"
#include "ulp/heap.h"
#include "ulp/room.h"
#include "ulp/traits.h"
#include "ulp/ulp.h"

/* One that is underway. */
struct parking {
    struct ulp *ulp;
    void *context;
    int error; /* errno of the program */
    int connection;
};

/* What is packed. */
struct parcels {
    void *record, *state, *files;
    char *traits;
    size_t record_size, state_size, files_size;
};

static bool parking_say(const struct parking *parking, enum park_kind kind, const void *bytes,
                        size_t size)
{
    const struct park_word word = {.kind = kind, .tid = pvm_mytid(), .size = size};
    return cargo_put(parking->connection, &word, sizeof word) &&
           cargo_put(parking->connection, bytes, size);
}

static bool parking_say_why(const struct parking *parking, const char *why)
{
    return parking_say(parking, PARK_CANNOT, why, strlen(why));
}

/* NULL, or why it cannot be put away. */
static const char *parking_pack(const struct parking *parking, struct parcels *parcels)
{
    struct ulp *ulp = parking->ulp;
    const char *why = NULL;
    parcels->files = files_pack(&ulp->files, false, &parcels->files_size, &why);
    if (!parcels->files)
        return why;
    if (own_program_pack((int)region_number(ulp->region), &parcels->state, &parcels->state_size,
                         &parcels->record, &parcels->record_size, &why) < 0)
        return why;
    parcels->traits = traits_write(ulp);
    return parcels->traits ? NULL : strerror(ENOMEM);
}

static bool parking_put_cargo(const struct parking *parking, const struct parcels *parcels)
{
    const int connection = parking->connection;
    const struct arrival_head head = {
        .context = parking->context,
        .heap_end = heap_end(parking->ulp->heap),
        .error = parking->error,
        .waits = true,
    };
    return parking_say(parking, PARK_CARGO, NULL, 0) && cargo_put_round(connection, NULL) &&
           cargo_put(connection, &head, sizeof head) &&
           cargo_put_block(connection, parcels->state, parcels->state_size) &&
           cargo_put_block(connection, parcels->files, parcels->files_size) &&
           departure_put_memory(connection, parking->ulp, NULL, parking->context) &&
           cargo_put(connection, PARK_WHOLE, sizeof PARK_WHOLE) &&
           shutdown(connection, SHUT_WR) == 0;
}

/* Sends all that it has. False if the connection ends. */
static bool parking_put(const struct parking *parking)
{
    struct parcels parcels = {.record = NULL};
    const char *why = parking_pack(parking, &parcels);
    own_program_go_home();
    bool put =
        why ? parking_say_why(parking, why)
            : parking_say(parking, PARK_RECORD, parcels.record, parcels.record_size) &&
                  parking_say(parking, PARK_TRAITS, parcels.traits, strlen(parcels.traits)) &&
                  parking_put_cargo(parking, &parcels);
    own_program_come_back();
    free(parcels.record);
    free(parcels.state);
    free(parcels.files);
    free(parcels.traits);
    return put;
}

/* The number and the tids of all are `list`. */
static bool parking_flush(const struct parking *parking, const int *list, size_t size)
{
    const int count = (int)(size / sizeof *list) - 1;
    return count > 0 && own_program_flush(list[0], list + 1, count, parking->connection) &&
           parking_say(parking, PARK_FLUSHED, NULL, 0);
}

/* What comes next, and the bytes behind it (free). False if the connection ends. */
static bool parking_hear(const struct parking *parking, struct park_word *word, void **bytes)
{
    own_program_go_home();
    bool heard = cargo_get(parking->connection, word, sizeof *word) &&
                 (*bytes = malloc(word->size + 1)) != NULL &&
                 cargo_get(parking->connection, *bytes, word->size);
    own_program_come_back();
    return heard;
}

/* Does what it is told. False when it is to run on. */
static bool parking_obey(const struct parking *parking)
{
    struct park_word word = {.kind = PARK_RUN};
    void *bytes = NULL;
    bool on = false;
    if (parking_hear(parking, &word, &bytes)) {
        if (word.kind == PARK_FLUSH)
            on = parking_flush(parking, bytes, word.size);
        else if (word.kind == PARK_WRITE)
            on = parking_put(parking);
    }
    free(bytes);
    return on;
}

static void parking_stand(const struct parking *parking)
{
    struct ulp *ulp = parking->ulp;
    const char *why = departure_hinders(ulp);
    if (why) {
        parking_say_why(parking, why);
        return;
    }
    const struct park_stands stands = {
        .tid = pvm_mytid(),
        .region = (int)region_number(ulp->region),
        .stack = (uint64_t)(ulp->region->stack_end - ulp->region->stack),
    };
    if (!parking_say(parking, PARK_STANDS, &stands, sizeof stands))
        return;
    while (parking_obey(parking))
        continue;
}

void parking_heed(void *context)
{
    struct parking parking = {.ulp = room_owner(), .context = context, .error = errno};
    parking.connection = own_program_park();
    if (parking.connection >= 0) {
        parking_stand(&parking);
        close(parking.connection);
    }
    own_program_run_on();
    errno = parking.error;
}
