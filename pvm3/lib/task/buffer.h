/*
 * buffer.h - message buffers and their ids.
 *
 * A buffer id names a buffer of the task; which buffer is active for sending or receiving is a
 * matter of the calling thread (struct caller). A buffer lives as long as somebody holds a
 * reference: the table, while the id is valid, and each thread for which it is active. After
 * pvm_freebuf the buffer has no message, nor has it while its thread receives another one: then no
 * call finds the id.
 *
 * A thread that has the only reference beside the table's is alone with the buffer: other threads
 * first get their reference from the table, and then ask, with the buffer's lock, whether the
 * buffer still has the id. So a thread that is alone with the buffer changes message and id under
 * this lock only. The next id of a buffer is in the table before the buffer gets it.
 */
#ifndef LIB_TASK_BUFFER_H
#define LIB_TASK_BUFFER_H

#include <stdbool.h>

#include "ck/base/owned_lock.h"
#include "core/message.h"
#include "lib/task/luggage.h"
#include "lib/task/task.h"

/* BUFFER_REOPENED: for sending again after unpacking; the default encoding then packs anew. */
enum buffer_use { BUFFER_PACKED, BUFFER_UNPACKED, BUFFER_REOPENED };

struct buffer {
    struct owned_lock lock; /* LOCK_BUFFER: guards what follows but `references` and `home` */
    atomic_uint references;
    struct buffers *home;    /* where the memory goes in the end */
    int id;                  /* 0 when it is valid no more */
    int spare_id;            /* leads to this buffer, too, and is valid next; or 0 */
    struct message *message; /* NULL once freed */
    bool queued;             /* the message is still the inbox's: pvm_probe gave the id out */
    bool sent;               /* since it was begun */
    bool arrived;            /* by a receive, and nothing was appended since */
    bool shown;              /* the program has been told where something of the message lies */
    enum buffer_use use;  /* what was done with it last, which decides where the next use begins */
    struct cursor cursor; /* for unpacking */
};

/*
 * A buffer for `message`, which becomes its own unless `queued`. Returns it with a reference for
 * the caller and its id in *id, or NULL when memory is short; then the message stays the caller's.
 */
struct buffer *buffer_new(struct task *task, struct message *message, enum buffer_use use,
                          bool queued, int *id);

/*
 * The buffer with the id `id`, with a reference for the caller; NULL when no buffer has the id, or
 * the buffer has no message. Another thread may free the message before the caller has the buffer's
 * lock.
 */
struct buffer *buffer_find(struct task *task, int id);

struct buffer *buffer_hold(struct buffer *buffer);
void buffer_release(struct buffer *buffer);

/*
 * Makes the id invalid and frees the message, at the latest when the caller drops its reference.
 */
void buffer_discard(struct task *task, struct buffer *buffer);

/*
 * Makes `buffer` active (NULL: none); takes over the caller's reference and drops that to the one
 * before.
 */
void buffer_activate(struct buffer **active, struct buffer *buffer);

/*
 * The buffer is now one to unpack, from its start unless that goes on already, or one to pack. With
 * its lock.
 */
void buffer_use_for(struct buffer *buffer, bool unpacking);

/* Frees the active buffer, if there is one. */
void buffer_discard_active(struct task *task, struct buffer **active);

/* The id of an active buffer; 0 when there is none or it was freed. */
int buffer_active_id(struct buffer **active);

/* Bytes of body in a fragment of the task's. */
size_t buffer_fragment(const struct task *task);

/*
 * A buffer to unpack `message` from, which is in no queue any more, and its id. A message that
 * pvm_probe has given an id keeps it. NULL when memory is short.
 */
struct buffer *buffer_for_message(struct task *task, struct message *message, int *id);

/* Frees the message of a buffer; the id stays, but no call finds it before buffer_refill. */
void buffer_drop_contents(struct buffer *buffer);

/*
 * Gives an emptied buffer, to which only the caller and the table refer, `message`, which has
 * arrived. Returns the buffer's id, or 0 when the buffer is not empty or others refer to it.
 */
int buffer_refill(struct buffer *buffer, struct message *message);

/*
 * Gives a buffer that only the caller and the table have a new id, and returns with its lock. False
 * without the lock when others have it or it has no message.
 */
bool buffer_begin_renewal(struct buffers *buffers, struct buffer *buffer);

/*
 * The id by which programs know a message that is still queued; it does not change. PvmNoMem. Under
 * the lock of the inbox.
 */
int buffer_identify(struct task *task, struct message *message);

/* Frees a message that is in no queue any more, and the id that pvm_probe may have given it. */
void buffer_drop_message(struct task *task, struct message *message);

/* Frees all buffers of a task without threads, whose endpoint is detached. */
void buffers_finish(struct task *task);

/*
 * The table of a task that moves, and what is in it. In the end a message that is still queued gets
 * its buffer by buffer_requeue. Nobody uses the table.
 */
bool buffers_are_shown(struct buffers *buffers); /* then they cannot move */
void buffers_put(struct buffers *buffers, struct luggage *luggage);
void buffers_get(struct task *task, struct luggage_reader *reader);
void buffer_requeue(struct task *task, struct message *message);

/*
 * Before a fork: copies what buffers hold in memory that is shared with other processes, so that
 * the child has it, too. With the lock of the table.
 */
void buffers_detach(struct buffers *buffers);

/*
 * In a child of fork: takes over the buffers of its parent's task, but for those that another
 * thread was just changing and those of messages that wait in the parent's inbox. None when memory
 * is short.
 */
void buffers_inherit(struct buffers *buffers, const struct buffers *from);

#endif
