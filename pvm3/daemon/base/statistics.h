/*
 * statistics.h - counters of what the daemon did; a tickle writes them to the log.
 */
#ifndef DAEMON_BASE_STATISTICS_H
#define DAEMON_BASE_STATISTICS_H

#include <stdint.h>

struct statistics {
    uint64_t reads;  /* from tasks */
    uint64_t writes; /* to tasks */
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t frames;   /* received from tasks */
    uint64_t requests; /* of tasks to the daemon */
    uint64_t packets;  /* with data, sent to other daemons, those sent again too */
    uint64_t repeated; /* packets that others have sent again as they were: none of them counts */
    uint64_t host_frames; /* received over connections with other daemons */
    uint64_t host_writes; /* to connections with other daemons */
};

#endif
