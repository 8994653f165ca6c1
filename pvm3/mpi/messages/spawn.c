/* spawn.c - what mpiexec is asked for, and what it answers. */
#include "mpi/messages/spawn.h"

#include <limits.h>
#include <mpi.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/messages/world.h"
#include "mpi/objects/info.h"

/* The tag of a request to mpiexec, and of its answer. */
#define SPAWN 0x4d504953

static void spawn_pack_int(int number)
{
    pvm_pkint(&number, 1, 1);
}

static void spawn_pack_text(const char *text, size_t length)
{
    spawn_pack_int((int)length);
    pvm_pkbyte((char *)text, (int)length, 1);
}

/* The value of a key, in `value`; an empty text if there is none. */
static const char *spawn_hint(struct info *info, const char *key, char value[MPI_MAX_INFO_VAL])
{
    value[0] = '\0';
    if (info)
        info_get(info, key, value, MPI_MAX_INFO_VAL);
    return value;
}

static void spawn_pack_hint(struct info *info, const char *key)
{
    char value[MPI_MAX_INFO_VAL];
    spawn_hint(info, key, value);
    spawn_pack_text(value, strlen(value));
}

/* The working folder: this one, unless a hint says otherwise. */
static void spawn_pack_folder(struct info *info)
{
    char folder[PATH_MAX];
    if (info && info_get(info, "wdir", folder, sizeof folder) >= 0)
        spawn_pack_text(folder, strlen(folder));
    else
        spawn_pack_text(folder, getcwd(folder, sizeof folder) ? strlen(folder) : 0);
}

/* A list of names with commas between them. */
static void spawn_pack_hosts(struct info *info)
{
    char value[MPI_MAX_INFO_VAL];
    const char *name = spawn_hint(info, "host", value);
    int count = *name != '\0';
    for (const char *comma = name; (comma = strchr(comma, ',')) != NULL; comma++)
        count++;
    spawn_pack_int(count);
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(name, ",");
        spawn_pack_text(name, length);
        name += length + 1;
    }
}

static void spawn_pack_words(const struct spawn_part *part)
{
    int count = 0;
    while (part->words && part->words[count])
        count++;
    spawn_pack_int(count + 1);
    spawn_pack_text(part->command, strlen(part->command));
    for (int i = 0; i < count; i++)
        spawn_pack_text(part->words[i], strlen(part->words[i]));
}

/* The greatest number in FIRST[:LAST[:STRIDE]] up to `most`, or -1. */
static long spawn_most_of_range(const char *range, long most)
{
    char *end;
    long first = strtol(range, &end, 10), last = first, stride = 1;
    if (*end == ':')
        last = strtol(end + 1, &end, 10);
    if (*end == ':')
        stride = strtol(end + 1, &end, 10);
    if (stride < 0) { /* the same numbers from below */
        long lowest = first - (first - last) / -stride * -stride;
        last = first;
        first = lowest;
        stride = -stride;
    }
    if (stride == 0 || first > most)
        return -1;
    last = last < most ? last : most;
    return first + (last - first) / stride * stride;
}

/* How many ranks: as many as are wanted, or the most below that the hint "soft" allows. */
static int spawn_count(const struct spawn_part *part)
{
    char value[MPI_MAX_INFO_VAL];
    long most = -1;
    const char *range = spawn_hint(part->info, "soft", value);
    if (!*range)
        return part->count;
    for (; range; range = strchr(range, ',') ? strchr(range, ',') + 1 : NULL) {
        long allowed = spawn_most_of_range(range, part->count);
        most = allowed > most ? allowed : most;
    }
    return (int)most;
}

static void spawn_pack(const struct spawn_part *parts, int part_count, int context)
{
    spawn_pack_int(context);
    spawn_pack_int(part_count);
    for (int i = 0; i < part_count; i++) {
        spawn_pack_int(spawn_count(&parts[i]));
        spawn_pack_folder(parts[i].info);
        spawn_pack_hint(parts[i].info, "path");
        spawn_pack_hint(parts[i].info, "arch");
        spawn_pack_hosts(parts[i].info);
        spawn_pack_words(&parts[i]);
    }
}

/* Reads the answer. */
static int spawn_unpack(uint32_t *first, int *count)
{
    int error;
    bool whole = pvm_upkint(&error, 1, 1) == 0 && error == 0 && pvm_upkint(count, 1, 1) == 0 &&
                 pvm_upkint((int *)first, 1, 1) == 0;
    return whole ? MPI_SUCCESS : MPI_ERR_SPAWN;
}

int spawn_start(const struct spawn_part *parts, int part_count, uint32_t *first, int *count)
{
    if (!world_has_mpiexec())
        return MPI_ERR_SPAWN;
    int sends = pvm_setsbuf(0), receives = pvm_setrbuf(0);
    int context = pvm_newcontext(), own = pvm_setcontext(PvmBaseContext);
    int request = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(request);
    spawn_pack(parts, part_count, context);
    pvm_send(pvm_parent(), SPAWN);
    pvm_setcontext(context);
    int answer = pvm_recv(pvm_parent(), SPAWN);
    int error = answer > 0 ? spawn_unpack(first, count) : MPI_ERR_SPAWN;
    pvm_freebuf(answer);
    pvm_freebuf(request);
    pvm_setcontext(own);
    pvm_freecontext(context);
    pvm_setsbuf(sends);
    pvm_setrbuf(receives);
    return error;
}
