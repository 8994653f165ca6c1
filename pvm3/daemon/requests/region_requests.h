/*
 * region_requests.h - numbers of regions for tasks, and blocks of them for hosts.
 *
 * A process holds numbers, whichever of its tasks asked, until one of its tasks gives them back or
 * its last connection ends. A request is answered at once if enough numbers of this host's blocks
 * are free. Otherwise it waits for a block from the master. A host keeps one block that no process
 * uses, and gives others back. The master takes back the blocks of a host that is gone. A master of
 * 3.4.6 has no blocks: it is not asked.
 */
#ifndef DAEMON_REQUESTS_REGION_REQUESTS_H
#define DAEMON_REQUESTS_REGION_REQUESTS_H

#include "daemon/post/pending.h"
#include "daemon/post/request.h"

struct daemon;
struct task;
struct task_link;

/* Requests for numbers of which not enough are free here. */
struct region_waits {
    struct list list;
    struct pending question; /* to the master, for a block; in no list: none is awaited */
};

void region_start(struct daemon *daemon);
/* Frees all blocks. The master has been told that this host ends, and no request waits. */
void region_finish(struct daemon *daemon);

/* The connection is closed: if its process has no other one, the numbers of the process are free. */
void region_link_end(struct task_link *link);

/*
 * The number of the region of a task that moves belongs to no process, since the region is in use
 * on another host. If the task stays, the number belongs to the task's process again.
 */
void region_depart(const struct task *task);
void region_stay(const struct task *task);
/*
 * A task that is restored from a file needs this number. It must be free, and of a block that the
 * home of the task has or that no host has. The master is asked first. 0, PvmOutOfRes or PvmNoMem.
 */
int32_t region_claim(struct daemon *daemon, uint32_t tid, int32_t number);
/* The number of a task that has travelled, and is over, is free, if this host has its block. */
void region_over(struct daemon *daemon, uint32_t tid, int32_t number);
/*
 * The host is gone, and the master has taken back its blocks. Regions of tasks that have moved to
 * other hosts are given to nobody before these tasks end.
 */
void region_host_end(struct daemon *daemon, uint32_t part);
/* This daemon is the master now: blocks of hosts that are gone are free, as far as they may be. */
void region_take_over(struct daemon *daemon);

enum request_result region_request(struct request *request);         /* CONTROL_REGIONS */
enum request_result region_take_back(struct request *request);       /* CONTROL_REGIONS_BACK */
enum request_result region_grant_block(struct request *request);     /* CONTROL_BLOCK */
enum request_result region_take_block_back(struct request *request); /* CONTROL_BLOCK_BACK */

#endif
