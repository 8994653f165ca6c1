/*
 * kernel.h - the door by which another interface than PVM uses the kernel of this process: the MPI
 * library (pvm3/mpi) is one. A task sends and receives here in contexts that PVM calls never use,
 * through the inbox and the ways that PVM calls have, too.
 *
 * The calling thread's task is meant everywhere. It is enrolled, or it stands alone
 * (kernel_enrol_or_stay). No function is a point of cancellation, and none polls.
 *
 * Threads: any thread may call anything. At most one thread waits for a post at a time; others may
 * test or cancel it.
 */
#ifndef LIB_CALLS_KERNEL_H
#define LIB_CALLS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_CALL __attribute__((visibility("default")))

/* Contexts of the other interface have this bit, and not the highest one. */
#define KERNEL_CONTEXTS 0x40000000

#define KERNEL_ANY_SOURCE 0xffffffffu
#define KERNEL_ANY_TAG    (-1)

enum kernel_result {
    KERNEL_RECALLED = -5, /* by kernel_recall, before there was a message */
    KERNEL_CANCELLED,
    KERNEL_OVER,      /* the other task is over */
    KERNEL_NO_MEMORY, /* this process has no memory left */
    KERNEL_LOST       /* the task is not part of a virtual machine, or not any more */
};

/* What a receive or a probe asks for. */
struct kernel_match {
    uint32_t source; /* or KERNEL_ANY_SOURCE */
    int32_t tag;     /* from 0 on, or KERNEL_ANY_TAG */
    int32_t context;
};

/* Copies bytes [offset, offset + size) of what `from` stands for to `to`. */
typedef void kernel_pack(const void *from, size_t offset, void *to, size_t size);

/* Takes bytes [offset, offset + size) of what came for what `to` stands for. */
typedef void kernel_unpack(void *to, size_t offset, const void *from, size_t size);

/* A message that goes out: `size` bytes at `memory`, or those that `pack` gives. */
struct kernel_letter {
    uint32_t destination;
    int32_t tag; /* from 0 on */
    int32_t context;
    size_t size;
    const void *memory; /* NULL: they are packed */
    kernel_pack *pack;
    const void *from;
    bool copied;  /* the bytes at `memory` are the caller's again as soon as the call returns */
    bool failure; /* there are no bytes: who awaits the message is told that it cannot be sent */
};

/*
 * Where a message goes that comes: up to `size` bytes to `memory`, or to `unpack`; the rest of a
 * longer message is dropped.
 */
struct kernel_room {
    size_t size;
    void *memory; /* NULL: they are unpacked */
    kernel_unpack *unpack;
    void *to;
};

/* What has come: of whom, and how long it is, whether it fits or not. */
struct kernel_arrival {
    uint32_t source;
    int32_t tag;
    size_t size;
    bool failure; /* what is awaited cannot be sent */
};

struct message;
struct kernel_post;

/* The task. ------------------------------------------------------------------------------------ */

/*
 * Makes the process a task if it is not one yet. 0, or KERNEL_LOST after a line on stderr that says
 * why.
 */
KERNEL_CALL int kernel_enrol(void);

/*
 * Makes the process a task if a virtual machine runs that would take it. Otherwise it can send
 * messages to itself from now on. If it becomes a task later, its address changes, and what has not
 * been received by then is lost. 0, or KERNEL_LOST when the system has no descriptor left.
 */
KERNEL_CALL int kernel_enrol_or_stay(void);

/* Whether the process is a task. */
KERNEL_CALL bool kernel_is_enrolled(void);

/* Whether the task is one of several in the process: a thread task, or a user-level process. */
KERNEL_CALL bool kernel_shares_process(void);

KERNEL_CALL uint32_t kernel_address(void);

/*
 * Orders: messages in this context are no receive's. Each is carried out, one after the other in the
 * order in which they have come, by whichever thread of the task is in a call that waits or looks,
 * also of PVM. It calls `carry_out`, which takes the bytes by kernel_accept and may send, but neither
 * receive nor wait. It is the same function in all calls, and stays.
 */
#define KERNEL_ORDERS 0x7ffffffd
typedef void kernel_carry_out(struct message *order, size_t size);
KERNEL_CALL void kernel_serve(kernel_carry_out *carry_out);

/*
 * Waits until an event is raised (kernel_post_event), and carries out orders while no other thread
 * of the task does. Such a thread costs the others nothing: it sleeps while they wait.
 */
KERNEL_CALL void kernel_stand_by(struct kernel_post *event);

/* The end of other tasks. ---------------------------------------------------------------------- */

/*
 * Asks to be told once of each of these tasks when it is over, behind all that it has sent: `told`
 * is called by a thread that is in some call of the task, holds no lock and may not block. It is
 * the same function in all calls. A task that is over already is told of at once; the own one
 * never. With `left` a task has said that it leaves (kernel_leave), and is over later. 0, or
 * KERNEL_LOST for a task that is none.
 */
typedef void kernel_told(uint32_t task, bool left);
KERNEL_CALL int kernel_watch(const uint32_t *tasks, int count, kernel_told *told);

/* Tells a task that this one leaves, behind all that it has sent. */
KERNEL_CALL void kernel_leave(uint32_t task);

/* Forgets what was asked for. */
KERNEL_CALL void kernel_unwatch(const uint32_t *tasks, int count);

/*
 * Nobody sends any more what some receives in this context ask for: those from `source`, and
 * synchronous sends to it; with KERNEL_ANY_SOURCE those from any. They end with KERNEL_OVER, now
 * and from now on, unless a message is there. kernel_hope withdraws all that was said with this
 * number. 0 or KERNEL_NO_MEMORY.
 */
struct kernel_despair {
    int number;
    uint32_t source;
    int32_t context;
};
KERNEL_CALL int kernel_despair(const struct kernel_despair *despair);
KERNEL_CALL void kernel_hope(int number);

/* At once, or blocking. 0 or a result. ---------------------------------------------------------- */

/* Returns when the system has all of the message: it does not wait for a receiver. */
KERNEL_CALL int kernel_send(const struct kernel_letter *letter);

/*
 * While `recall`, threads do not wait in kernel_receive or kernel_wait, which return
 * KERNEL_RECALLED, also to those that wait now.
 */
KERNEL_CALL void kernel_recall(bool recall);

/* Until this returns the contents of the memory are undefined. */
KERNEL_CALL int kernel_receive(const struct kernel_match *match, const struct kernel_room *room,
                               struct kernel_arrival *arrival);

/* Looks for a message that stays where it is: 1 when there is one, 0 when there is none. */
KERNEL_CALL int kernel_probe(const struct kernel_match *match, struct kernel_arrival *arrival);

/*
 * Takes a message out, so that no other receive or probe sees it: 1, or 0 when none has come. The
 * message counts as received when kernel_accept has put it into the room, which frees it.
 */
KERNEL_CALL int kernel_claim(const struct kernel_match *match, struct message **message,
                             struct kernel_arrival *arrival);
KERNEL_CALL void kernel_accept(struct message *message, const struct kernel_room *room);

/* Requests that make progress in any call in which a thread of the task waits. ----------------- */

/*
 * A send. *post is NULL when it is done at once. Otherwise the bytes stay as they are until it is
 * done, unless they are packed or copied. A `synchronous` one is done when a receive has the
 * message.
 */
KERNEL_CALL int kernel_post_send(const struct kernel_letter *letter, bool synchronous,
                                 struct kernel_post **post);

/*
 * A receive, whose message counts as received as soon as it has come. A sender may write to the
 * memory of the room from now on until the receive is done; kernel_finish gets the same room.
 */
KERNEL_CALL int kernel_post_receive(const struct kernel_match *match,
                                    const struct kernel_room *room, struct kernel_post **post);

/* A receive that is ended by kernel_finish_claim. */
KERNEL_CALL int kernel_post_claim(const struct kernel_match *match, struct kernel_post **post);

/* Something that is done when any thread says so. */
KERNEL_CALL int kernel_post_event(struct kernel_post **post);
KERNEL_CALL void kernel_raise(struct kernel_post *event);

/* Whether it is done, after a look at what has come. */
KERNEL_CALL bool kernel_test(struct kernel_post *post);

/* Waits until it is done: 0, or KERNEL_RECALLED. */
KERNEL_CALL int kernel_wait(struct kernel_post *post);

/*
 * Waits until one of `count` is done, among which NULL may be. Its index, or a result: KERNEL_LOST
 * when all are NULL. Nobody is called back.
 */
KERNEL_CALL int kernel_wait_any(struct kernel_post *const *posts, int count);

/*
 * Ends what is done, and frees it: 0, or why it failed. Of a receive the message goes to `room`, and
 * *arrival tells of it. Both may be NULL.
 */
KERNEL_CALL int kernel_finish(struct kernel_post *post, const struct kernel_room *room,
                              struct kernel_arrival *arrival);

/*
 * Ends what kernel_post_claim has posted when it is done, and frees it. Its message is claimed as
 * by kernel_claim, or, without `message`, goes back to its place among the others. 0, or why there
 * is none.
 */
KERNEL_CALL int kernel_finish_claim(struct kernel_post *post, struct message **message,
                                    struct kernel_arrival *arrival);

/* Ends what is not done, which is done then. False if it is, or if the message is on its way. */
KERNEL_CALL bool kernel_cancel(struct kernel_post *post);

#endif
