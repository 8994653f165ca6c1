/* datagram_trial.h - a socket in the place of a master's, and packets to a slave. */
#ifndef CONSOLE_DATAGRAM_TRIAL_H
#define CONSOLE_DATAGRAM_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

struct datagram_trial {
    int fd;
    uint32_t address; /* host byte order */
    uint16_t port;
};

/* The packets go from host 1 to host 2. */
enum { TRIAL_MASTER = 1, TRIAL_SLAVE = 2 };

/*
 * At the address, and at a port as a pvmd would take it (PVMNETSOCKPORT). False, errno says why,
 * when it cannot be had.
 */
bool datagram_trial_start(struct datagram_trial *trial, uint32_t address);
void datagram_trial_finish(struct datagram_trial *trial);

/* Asks the slave to close, which it has to answer, or with `now` to end without an answer. */
void datagram_trial_ask(const struct datagram_trial *trial, uint32_t address, uint16_t port,
                        bool now);

/* Takes one packet, if there is one. True when it is from there. */
bool datagram_trial_take(const struct datagram_trial *trial, uint32_t address, uint16_t port);

#endif
