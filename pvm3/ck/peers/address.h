/*
 * address.h - what an address is to the kernel: a number of 32 bits, whose meaning its owner knows.
 *
 * The kernel compares addresses and uses them as keys; it takes none apart. Endpoints that reach
 * each other have different addresses. If two ask each other for a way at the same time, the one
 * with the higher address grants it. What else there is to know, the dialect of the owner says
 * (struct addressing), and the kernel keeps the answer for each peer where every message needs it.
 *
 * Two numbers are the address of nobody: PATTERN_ANY_SOURCE (core/match.h) and ADDRESS_NONE.
 */
#ifndef CK_PEERS_ADDRESS_H
#define CK_PEERS_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_NONE 0u

/* What an owner says of addresses. Any thread may call the functions, with any lock. */
struct addressing {
    uint32_t daemon;   /* of the own daemon, to which the common way leads */
    uint32_t newcomer; /* what an endpoint says that it is before it is opened; nobody's address */

    /* Whether an endpoint has it, so that there may be ways to it: not a daemon, nor a list. */
    bool (*is_endpoint)(uint32_t address);

    /* Whether two endpoints are on one host. */
    bool (*on_one_host)(uint32_t one, uint32_t other);

    /*
     * At which address others call an endpoint that they do not find at its own; NULL: at none.
     */
    uint32_t (*block)(uint32_t address);

    /* Where the daemon takes the message for the list that it has got from `own` (dialect.list). */
    uint32_t (*list_of)(uint32_t own);
};

#endif
