/*
 * shm_socket.h - how two tasks of one host meet, to share memory: a Unix socket without a name in
 * the file system (abstract), and letters that carry descriptors.
 *
 * A task listens at a name made of the user, the pvmd that it belongs to and its address. The name
 * is gone with the process, however that ends. Anybody of the host may use one: so each side asks
 * the system whose process the other one is.
 *
 * Nothing here waits. Threads: as the owner of each descriptor says.
 */
#ifndef CK_PORTS_SHM_SHM_SOCKET_H
#define CK_PORTS_SHM_SHM_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Changes with anything that two tasks must agree on. */
#define SHM_VERSION 0x70766d06u

enum shm_letter_kind {
    SHM_INTRODUCTION =
        1,       /* of the writer: `value` is its address, `number` the call's, and the ring */
    SHM_WELCOME, /* of the reader: descriptors of its page and its doorbell */
    SHM_FILE,    /* of the writer: `value` is the number of an arena file, with it */
};

#define SHM_DESCRIPTORS 2

struct shm_letter {
    uint32_t version;
    uint32_t kind;
    uint32_t value;
    uint32_t number; /* of a call, which its fences have, too */
    uint64_t to;     /* of a call: the address that it is for; so wide that there is no hole */
    uint64_t size;   /* bytes of a file */
};

/*
 * A socket at which the task `address`, connected to its pvmd by `pvmd`, is found; -1 when there
 * can be none.
 */
int shm_socket_listen(int pvmd, uint32_t address);

/* A connection to the task `address` of the same pvmd and user; -1 when nobody listens. */
int shm_socket_connect(int pvmd, uint32_t address);

/* A connection of a process of our user; -1 when there is none, *more tells of further ones. */
int shm_socket_accept(int listener, bool *more);

/* The process that a connection leads to, 0 when it has no number here; and whether it is there. */
pid_t shm_socket_process(int descriptor);
bool shm_socket_is_open(int descriptor);

/*
 * Ends our half of the connection: the other side reads an end, and its own end can still be seen.
 * False if the system refuses.
 */
bool shm_socket_part(int descriptor);

/* Whether the other side has ended the connection. */
bool shm_socket_is_left(int descriptor);

/* Ends the connection, also if a child of fork has a copy of the descriptor. */
void shm_socket_end(int descriptor);

/* False when it is not sent. */
bool shm_socket_send(int descriptor, const struct shm_letter *letter, const int *descriptors,
                     int count);

enum shm_socket_result {
    SHM_SOCKET_LETTER,
    SHM_SOCKET_NOTHING,
    SHM_SOCKET_END, /* the other side is gone, or says what makes no sense */
};

/* Of a letter exactly `count` descriptors are the caller's. */
enum shm_socket_result shm_socket_receive(int descriptor, struct shm_letter *letter,
                                          int *descriptors, int *count);

#endif
