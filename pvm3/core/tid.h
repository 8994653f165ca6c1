/*
 * tid.h - what a task identifier says.
 *
 * A tid is a 32-bit value: bit 31 marks a daemon, bit 30 a multicast address, bits 29..18 are the
 * index of the host (1..4095) and bits 17..0 the number of the task on that host (0 for a daemon).
 */
#ifndef CORE_TID_H
#define CORE_TID_H

#include <stdbool.h>
#include <stdint.h>

#define TID_DAEMON_BIT    0x80000000u
#define TID_MULTICAST_BIT 0x40000000u
#define TID_HOST_MASK     0x3ffc0000u
#define TID_LOCAL_MASK    0x0003ffffu
#define TID_HOST_SHIFT    18
#define TID_HOST_MAX      4095u

/* Destination of a frame between our pvmds: a message on a tree of hosts; the rest is its number. */
#define TID_TREE_BITS (TID_DAEMON_BIT | TID_MULTICAST_BIT)

/* As a destination: the daemon of the sender's own host. As a source: the local daemon. */
#define TID_OWN_DAEMON 0x80000000u

/* Source of the frames of a task that is not yet enrolled. */
#define TID_ANY 0xffffffffu

static inline bool tid_is_task(uint32_t tid)
{
    return (tid & (TID_DAEMON_BIT | TID_MULTICAST_BIT)) == 0 && (tid & TID_LOCAL_MASK) != 0;
}

static inline bool tid_is_daemon(uint32_t tid)
{
    return (tid & ~TID_HOST_MASK) == TID_DAEMON_BIT;
}

static inline bool tid_is_multicast(uint32_t tid)
{
    return (tid & (TID_DAEMON_BIT | TID_MULTICAST_BIT)) == TID_MULTICAST_BIT;
}

static inline bool tid_is_tree(uint32_t tid)
{
    return (tid & TID_TREE_BITS) == TID_TREE_BITS;
}

static inline uint32_t tid_host_part(uint32_t tid)
{
    return tid & TID_HOST_MASK;
}

/* True when `tid` lives on the host whose part is `own`; part 0 always means the own host. */
static inline bool tid_is_here(uint32_t tid, uint32_t own)
{
    return tid_host_part(tid) == 0 || tid_host_part(tid) == tid_host_part(own);
}

#endif
