/*
 * far_feeders.h - tasks of another host that have sent more than somebody here reads.
 *
 * Such a task is a feeder (backlog.h) that cannot be held from here: its daemon is asked to keep
 * what it sends (LINK_WAIT), until there is room again (LINK_GO_ON). That daemon must be one of
 * ours, connected with this one (host_stream.h); when the connection ends all is forgotten. Frames
 * that are underway when the daemon is asked come all the same. One thread.
 */
#ifndef DAEMON_POST_FAR_FEEDERS_H
#define DAEMON_POST_FAR_FEEDERS_H

#include <stdint.h>

#include "core/frame_reader.h"
#include "core/link_word.h"
#include "daemon/base/list.h"

struct far_feeder;
struct host_stream;

struct far_feeders {
    struct host_stream *stream;
    void (*say)(struct host_stream *stream, const struct link_word *word);
    struct list held;         /* tasks whose daemon was asked to keep what they send */
    struct far_feeder *spare; /* memory for the next one, or NULL */
};

/* `say` tells the other side something. */
void far_feeders_start(struct far_feeders *feeders, struct host_stream *stream,
                       void (*say)(struct host_stream *stream, const struct link_word *word));
/* The connection is over. */
void far_feeders_forget(struct far_feeders *feeders);

/* Hands the frame up (upcalls.h), on behalf of the task that has sent it. */
void far_feeders_pass(struct far_feeders *feeders, struct received_frame *received);

#endif
