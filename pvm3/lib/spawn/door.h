/*
 * door.h - a socket at which this process awaits connections of others that it has told of it.
 *
 * They show that they are meant by a secret. Threads: each door has one.
 */
#ifndef LIB_SPAWN_DOOR_H
#define LIB_SPAWN_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/environment.h"

/* Characters of a secret. */
#define DOOR_SECRET 32

struct door {
    int listening;
    char address[ENVIRONMENT_ADDRESS_SIZE];
    char secret[DOOR_SECRET + 1];
};

/*
 * Opens a door for so many at once, at `host`, the network address by which others know this one.
 * False if the system does not allow it.
 */
bool door_open(struct door *door, uint32_t host, int count);
void door_close(const struct door *door);

/* The connection of who knows the secret; or -1 if nobody comes in so many milliseconds. Blocks. */
int door_answered(const struct door *door, int milliseconds);

/* The other side: a connection to the door at this address, or -1. Blocks. */
int door_enter(const char *address, const char *secret);

/* Milliseconds for one side to wait for the other, each time, unless it is told to stay. */
#define DOOR_PATIENCE 20000

/* Nothing on the connection takes longer; and what is short goes at once. */
void door_be_patient(int connection);

/* The other side is waited for as long as its host is there. */
void door_stay(int connection);

/* Sends or receives all of it. False if the connection ends, or patience. */
bool door_put(int connection, const void *bytes, size_t size);
bool door_get(int connection, void *bytes, size_t size);

#endif
