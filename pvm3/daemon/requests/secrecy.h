/*
 * secrecy.h - where all that passes between hosts is encrypted (daemon/post/machine_key.h), tasks
 * of different hosts have no ways past their daemons, since what passes there is not encrypted.
 *
 * Tasks ask each other for such ways in messages. The daemon answers an offer of a direct route in
 * place of its receiver: it is denied. It drops an address for a fast network, since a sender
 * needs no answer to it. The tasks go on through their daemons, as 3.4.6 does after a denial. One
 * thread.
 */
#ifndef DAEMON_REQUESTS_SECRECY_H
#define DAEMON_REQUESTS_SECRECY_H

#include <stdbool.h>

#include "core/frame_reader.h"

struct task;

/* Whether `received`, a frame of the task to another task, was kept from its receiver. */
bool secrecy_keeps(const struct task *task, const struct received_frame *received);

#endif
