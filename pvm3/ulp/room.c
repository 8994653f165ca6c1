/* room.c - the only thread-local variable of pvmulp. */
#include "ulp/room.h"

#include "ulp/machine.h"

#define ROOM_SIZE 4096

/*
 * Where variables follow the thread pointer, those of a program come after a gap that its alignment
 * makes. Behind a larger gap the room would begin too late, and libraries have variables in the gap.
 */
#if defined(__aarch64__)
#define ROOM_ALIGNMENT 16
#else
#define ROOM_ALIGNMENT 64
#endif

/* The variables of a program end, or begin, at the side of the thread pointer. */
static _Thread_local struct {
#if defined(__aarch64__)
    _Alignas(ROOM_ALIGNMENT) unsigned char variables[ROOM_SIZE];
    struct ulp *owner;
    bool lends;
#else
    bool lends;
    struct ulp *owner;
    _Alignas(ROOM_ALIGNMENT) unsigned char variables[ROOM_SIZE];
#endif
} room __attribute__((tls_model("local-exec")));

bool room_has(intptr_t offset, size_t size, size_t alignment)
{
    intptr_t first = room.variables - machine_thread_pointer(), end = first + ROOM_SIZE;
    return size == 0 || (alignment <= ROOM_ALIGNMENT && size <= ROOM_SIZE && offset >= first &&
                         offset <= end - (intptr_t)size);
}

unsigned char *room_variables(size_t *size)
{
    *size = ROOM_SIZE;
    return room.variables;
}

struct ulp *room_owner(void)
{
    return room.owner;
}

void room_set_owner(struct ulp *ulp)
{
    room.owner = ulp;
}

bool room_lends(void)
{
    return room.lends;
}

void room_lend(bool lends)
{
    room.lends = lends;
}
