/*
 * whole.h - all of some bytes over a connection that blocks, however many calls that takes.
 *
 * False: the connection has ended, or its time is up (SO_SNDTIMEO, SO_RCVTIMEO); what has gone or
 * come before that stays so. SIGPIPE is not raised.
 *
 * Here, not in a library: pvmulp calls these, too, and libpvm3 does not export them.
 *
 * Threads: one at a time for each direction of a connection.
 */
#ifndef CK_BASE_WHOLE_H
#define CK_BASE_WHOLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* After a call that gave `done`: false if it has failed. Moves on by what is done. */
static inline bool whole_goes_on(ssize_t done, char **place, size_t *size)
{
    if (done < 0 && errno == EINTR)
        return true;
    if (done <= 0)
        return false;
    *place += done;
    *size -= (size_t)done;
    return true;
}

/* `flags` are those of send, such as MSG_MORE if something follows at once. */
static inline bool send_whole(int connection, const void *bytes, size_t size, int flags)
{
    char *place = (char *)bytes;
    while (size > 0)
        if (!whole_goes_on(send(connection, place, size, MSG_NOSIGNAL | flags), &place, &size))
            return false;
    return true;
}

static inline bool receive_whole(int connection, void *bytes, size_t size)
{
    char *place = bytes;
    while (size > 0)
        if (!whole_goes_on(recv(connection, place, size, 0), &place, &size))
            return false;
    return true;
}

#endif
