/*
 * spawn.h - the worlds that ranks spawn: mpiexec starts them, too, so that what they print, and how
 * they end, is told as of its other ranks.
 */
#ifndef MPI_MESSAGES_SPAWN_H
#define MPI_MESSAGES_SPAWN_H

#include <stdint.h>

struct info;

/* By this text the first rank of the new world and the one that has spawned it find each other. */
#define SPAWN_MEETING "spawn"

/* A program, and how many ranks of it. */
struct spawn_part {
    const char *command;
    char *const *words; /* behind the name of the program, up to a NULL; or NULL */
    int count;
    struct info *info; /* wdir, path, host, arch and soft; or NULL */
};

/*
 * Starts them. MPI_SUCCESS with the first rank, and how many there are, or MPI_ERR_SPAWN: then none
 * is left.
 */
int spawn_start(const struct spawn_part *parts, int part_count, uint32_t *first, int *count);

#endif
