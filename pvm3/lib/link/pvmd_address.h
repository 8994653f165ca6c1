/*
 * pvmd_address.h - finding the local pvmd: PVMSOCK, or the address file of this user and PVM_VMID.
 */
#ifndef LIB_LINK_PVMD_ADDRESS_H
#define LIB_LINK_PVMD_ADDRESS_H

#include <stdbool.h>

#include "lib/task/task.h"

/* A descriptor connected to the pvmd, or -1 after a line on stderr that says what is wrong. */
int pvmd_address_connect(struct task *task);

/* True when somebody listens at the address in the file `path`. */
bool pvmd_address_is_answered(const char *path);

#endif
