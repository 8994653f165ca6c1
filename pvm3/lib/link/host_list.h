/*
 * host_list.h - the hosts of the virtual machine, as answers of the pvmd tell of them.
 *
 * Threads: any thread may call anything.
 */
#ifndef LIB_LINK_HOST_LIST_H
#define LIB_LINK_HOST_LIST_H

#include "core/control.h"
#include "lib/task/task.h"

struct pvmhostinfo;

/* Reads one host. Its strings are the caller's (free), also on failure. */
void host_list_read(struct control_reader *reader, struct pvmhostinfo *host);

/*
 * Asks for all hosts, the master first. Returns how many there are, or an error: then *list is
 * NULL. The list is the caller's (host_list_free). *formats: how many data formats they have.
 */
int host_list_ask(struct task *task, struct pvmhostinfo **list, int *formats);

/* Frees a list, which may be NULL. */
void host_list_free(struct pvmhostinfo *list, int count);

#endif
