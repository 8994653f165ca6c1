/*
 * control.h - the messages by which tasks and daemons ask, answer and tell: their codes and their
 * fields.
 *
 * The codes are the tags of 3.4.6, which pvmproto.h names. Bodies are XDR:
 * 32-bit integers and strings, one behind the other. control_put_* append to a message,
 * control_get_* take from one; both keep their first error, so that a body is written or read in
 * one go and checked once, at the end.
 */
#ifndef CORE_CONTROL_H
#define CORE_CONTROL_H

#include <stdbool.h>

#include <pvmproto.h>

#include "core/message.h"

/* Versions; each must be equal on both sides of its link. */
#define CONTROL_TASK_PROTOCOL   TDPROTOCOL
#define CONTROL_DAEMON_PROTOCOL DDPROTOCOL

/* Contexts of the system. */
#define CONTROL_CONTEXT_TC SYSCTX_TC /* all TC messages */
#define CONTROL_CONTEXT_TM SYSCTX_TM /* requests to the daemon */

/*
 * A TC message that only tasks of ours send: what follows from its sender is in the memory that
 * both tasks share (ck/ports/shm/shm.h). The tag is far from the TC tags of 3.4.6.
 */
#define CONTROL_FENCE (TC_FIRST + 0x1000)

/*
 * Messages about leases (daemon/post/lease.h). A process asks for tids by CONTROL_LEASE. The two
 * messages that tell of births and deaths have no answers. CONTROL_ENDED is a TC message of the
 * pvmd to a task: the process is to end that task. Only our own pvmds know leases. They put
 * CONTROL_LEASES behind all that 3.4.6 says in its answer to TM_CONN2.
 */
#define CONTROL_LEASE  (TM_FIRST + 0x1000) /* tids that are needed, tids that are wished for */
#define CONTROL_BIRTHS (TM_FIRST + 0x1001) /* a count; of each task: tid, parent, name, sinks */
#define CONTROL_DEATHS (TM_FIRST + 0x1002) /* a count, and tids */
#define CONTROL_ENDED  (TC_FIRST + 0x1001) /* nothing */
#define CONTROL_LEASES 1

/*
 * As many tids are leased at once, the first of which is a multiple of it, unless few tasks are
 * allowed; and at most so many.
 */
#define CONTROL_LEASE_BLOCK 64
#define CONTROL_LEASE_MOST  4096

/*
 * Messages about numbers of regions (daemon/requests/region_requests.h), which pvmds that lend tids
 * lend, too. The numbers are 0 to CONTROL_REGION_COUNT - 1. The master gives them to our pvmds in
 * blocks of CONTROL_REGION_BLOCK, of which the first number is a multiple of it. A process asks for
 * at most one block at once.
 */
#define CONTROL_REGIONS       (TM_FIRST + 0x1003) /* as CONTROL_LEASE, but numbers */
#define CONTROL_REGIONS_BACK  (TM_FIRST + 0x1004) /* a count, and numbers; no answer */
#define CONTROL_BLOCK         (DM_FIRST + 0x1000) /* nothing */
#define CONTROL_BLOCK_ANSWER  (DM_FIRST + 0x1001) /* a block, counted from 0, or an error */
#define CONTROL_BLOCK_BACK    (DM_FIRST + 0x1002) /* a block; no answer */
#define CONTROL_REGION_COUNT  (1 << 18)
#define CONTROL_REGION_BLOCK  256
#define CONTROL_REGION_BLOCKS (CONTROL_REGION_COUNT / CONTROL_REGION_BLOCK)

/*
 * Messages about moves of tasks between hosts (daemon/requests/move_requests.h). Only tasks of a
 * lease move, and a task moves itself: CONTROL_MOVE tells it to. It leaves one process, and the
 * holder of another process says that it has arrived there. MIGRATE is answered by an error and
 * text that says why, or by PvmHostFail alone; LEAVE, STAY and ARRIVE by a result alone. The other
 * two have no answers.
 *
 * A file takes the place of the old process when a program is brought back that was put away
 * (daemon/requests/revivals.h). RECORD is answered by an error and text that says why, or what the
 * pvmd knows of the task; REVIVE and REVIVED by a result; WANT, with two flags, has no answer.
 */
#define CONTROL_MIGRATE    (TM_FIRST + 0x1005) /* a task and a host: the task is to move there */
#define CONTROL_MIGRATED   (TM_FIRST + 0x1006) /* number of the order, an error, and why */
#define CONTROL_LEAVE      (TM_FIRST + 0x1007) /* a host, and the number of the region */
#define CONTROL_STAY       (TM_FIRST + 0x1008) /* nothing: the task that left is to stay */
#define CONTROL_ARRIVE     (TM_FIRST + 0x1009) /* a task, which lives with the asking holder now */
#define CONTROL_ARRIVE_NOT (TM_FIRST + 0x100a) /* a task, which will not arrive */
#define CONTROL_RECORD     (TM_FIRST + 0x100b) /* the number of the region */
#define CONTROL_REVIVE     (TM_FIRST + 0x100c) /* a host, and what a pvmd has known of the task */
#define CONTROL_REVIVED    (TM_FIRST + 0x100d) /* a task, which has been brought back, or is not to */
#define CONTROL_WANT       (TM_FIRST + 0x100e) /* what a pvmd has known of the asking task */
#define CONTROL_MOVE       (TC_FIRST + 0x1003) /* number of the order, and a host */
#define CONTROL_BACK       (TC_FIRST + 0x1004) /* nothing: of a task to itself, by its daemon */
#define CONTROL_STAYS      0 /* result of CONTROL_STAY: the task lives on in the old process */
#define CONTROL_ARRIVED    1 /* result of CONTROL_STAY: the task lives on the other host */

/*
 * What our pvmds say to each other of moves. Answers are next to their questions. A message that
 * goes behind frames has several copies; its last field is how many (host_link.h).
 */
#define CONTROL_MOVE_ORDER     (DM_FIRST + 0x1003) /* as CONTROL_MIGRATE, and so is its answer */
#define CONTROL_MOVE_ANSWER    (DM_FIRST + 0x1004)
#define CONTROL_TASK_HOLD      (DM_FIRST + 0x1005) /* a task, where to, its region; our hosts */
#define CONTROL_TASK_HELD      (DM_FIRST + 0x1006) /* the task, behind frames to it */
#define CONTROL_TASK_RECORD    (DM_FIRST + 0x1007) /* what a pvmd knows of the task */
#define CONTROL_RECORD_ANSWER  (DM_FIRST + 0x1008) /* 0, or an error */
#define CONTROL_TASK_MOVED     (DM_FIRST + 0x1009) /* the task, the host where it lives, region */
#define CONTROL_TASK_OVER      (DM_FIRST + 0x100a) /* a task that has travelled, and its region */
#define CONTROL_TASK_SETTLE    (DM_FIRST + 0x100b) /* a task that is to stay, if it has not arrived */
#define CONTROL_SETTLE_ANSWER  (DM_FIRST + 0x100c) /* CONTROL_STAYS or CONTROL_ARRIVED */
#define CONTROL_TASK_FLUSH     (DM_FIRST + 0x100d) /* a task, behind frames to it */
#define CONTROL_FLUSH_ANSWER   (DM_FIRST + 0x100e) /* nothing */
#define CONTROL_CONTEXT        (DM_FIRST + 0x100f) /* a task, and a context that it gives back */
#define CONTROL_CONTEXT_ANSWER (DM_FIRST + 0x1010) /* 0, or an error */
#define CONTROL_FRAME          (DM_FIRST + 0x1011) /* receiver, sender, flags, and bytes of a frame */

#define CONTROL_TASK_CLAIM   (DM_FIRST + 0x1012) /* as CONTROL_TASK_HOLD: a task from a file */
#define CONTROL_CLAIM_ANSWER (DM_FIRST + 0x1013) /* 0, or an error */

/* Index and salt (two integers) of hosts; the master says it (daemon/post/machine_key.h). */
#define CONTROL_SALTS (DM_FIRST + 0x1019)

/* Is a host there, as the receiver sees it (daemon/hosts/witness.h)? The number is the asker's. */
#define CONTROL_PROBE  (DM_FIRST + 0x101a) /* the host, and a number */
#define CONTROL_PROBED (DM_FIRST + 0x101b) /* the host, the number, 1 (it answers) or 0 */

/*
 * How another host becomes the master when the master has died (daemon/members/succession.h), and
 * what the deputies of the master know in advance (daemon/members/deputies.h). A term is the number
 * of a master: one more with each.
 */
#define CONTROL_DEPUTY       (DM_FIRST + 0x101c) /* term, whether there are deputies, rank or 0 */
#define CONTROL_VOTE         (DM_FIRST + 0x101d) /* term, and the host that was the master */
#define CONTROL_VOTED        (DM_FIRST + 0x101e) /* term, and the host that has the sender's vote */
#define CONTROL_MASTER       (DM_FIRST + 0x101f) /* as CONTROL_VOTE: the sender is the master now */
#define CONTROL_COPY         (DM_FIRST + 0x1020) /* number, kind and change (requests/copies.h) */
#define CONTROL_COPIED       (DM_FIRST + 0x1021) /* number of a change that the sender has */
#define CONTROL_AGAIN        (DM_FIRST + 0x1022) /* tag, wait identifier, body (requests/again.h) */
#define CONTROL_AGAIN_ANSWER (DM_FIRST + 0x1023) /* as the answer to that tag */
#define CONTROL_GONE         (DM_FIRST + 0x1024) /* hosts whose ends the sender has heard of */

/*
 * What our pvmds say to each other of a message that goes along a tree of hosts
 * (daemon/post/tree_origin.h). Each begins with the sending task and the number of the message.
 */
#define CONTROL_TREE       (DM_FIRST + 0x1014) /* parent, children, and receivers */
#define CONTROL_TREE_OVER  (DM_FIRST + 0x1015) /* nothing: the rest does not come */
#define CONTROL_TREE_TURN  (DM_FIRST + 0x1016) /* nothing: the origin is the parent now */
#define CONTROL_TREE_PULL  (DM_FIRST + 0x1017) /* bytes that the host has, modulo 2^32 */
#define CONTROL_TREE_TAKEN (DM_FIRST + 0x1018) /* as PULL, and whether that is all */

/*
 * TC messages of tasks to others that are put away (lib/spawn/park.h): a task is to stop and to
 * connect to an address, with a secret; and behind all that it has sent to another one, it says that
 * it has stopped. The number is that of the checkpoint.
 */
#define CONTROL_PARK         (TC_FIRST + 0x1005)
#define CONTROL_PARK_NOT     (TC_FIRST + 0x1006) /* nothing: the task cannot */
#define CONTROL_MARK(number) (TC_FIRST + 0xa000 + (int)((unsigned)(number) % 0x4000))

/*
 * The event of a pvmd for the library of a task of ours: another task is over, whose tid it has.
 * The library passes it on to the other interface that has asked for it (lib/calls/kernel.h).
 */
#define CONTROL_DEATH (TC_FIRST + 0x1007)

/* A task tells another one, by its own tid, that its end is none of the other's concern. */
#define CONTROL_FAREWELL (TC_FIRST + 0x1008)

/*
 * TC messages by which tasks of ours ask for thread tasks in other processes, and answer
 * (lib/spawn/hold_order.h). Each order has an answer with a tag of its own, one of many. The pvmd
 * tells a holder in the same way of the end of a task that has sent orders, by its tid. If
 * CONTROL_HOLD_COMES is behind the tid, it asks: CONTROL_ARRIVE_NOT if the task does not come.
 */
#define CONTROL_HOLD         (TC_FIRST + 0x1002)
#define CONTROL_HOLD_COMES   1
#define CONTROL_HELD(number) (TC_FIRST + 0x2000 + (int)((unsigned)(number) % 0x8000))

/* Operations on mailboxes, the first field of TM_DB. */
enum control_mailbox {
    MAILBOX_PUT = TMDB_PUT,
    MAILBOX_REMOVE = TMDB_REMOVE,
    MAILBOX_GET = TMDB_GET,
    MAILBOX_NAMES = TMDB_NAMES,
    MAILBOX_RESET = TMDB_RESET,
};

/* What TM_SETOPT sets; the values are hexadecimal text. */
enum control_option {
    OPTION_OUTPUT_TID = TS_OUTTID,
    OPTION_OUTPUT_CONTEXT = TS_OUTCTX,
    OPTION_OUTPUT_TAG = TS_OUTTAG,
    OPTION_TRACE_TID = TS_TRCTID,
    OPTION_TRACE_CONTEXT = TS_TRCCTX,
    OPTION_TRACE_TAG = TS_TRCTAG,
};

/* What DM_SLCONF sets; the values are text. */
enum control_setting {
    SETTING_SEARCH_PATH = DM_SLCONF_EP,
    SETTING_DEBUGGER = DM_SLCONF_BP,
    SETTING_DIRECTORY = DM_SLCONF_WD,
    SETTING_SCHEDULER = DM_SLCONF_SCHED,
    SETTING_TRACER = DM_SLCONF_TRACE,
};

/* Bytes in one message of collected output: what collectors of 3.4.6 have room for. */
#define CONTROL_OUTPUT_MOST 3999

/* In place of a byte count in a message of collected output. */
enum control_output { OUTPUT_END = TO_EOF, OUTPUT_SPAWNED = TO_SPAWN, OUTPUT_STARTED = TO_NEW };

/* Flags of a task in the answer to TM_TASK. */
enum control_task_flag {
    TASK_IS_CHILD = 0x2,
    TASK_IS_CONNECTED = 0x4,
    TASK_IS_AUTHENTICATING = 0x8,
    TASK_IS_CLOSING = 0x10,
    TASK_IS_SCHEDULER = 0x100,
    TASK_IS_HOSTER = 0x200,
    TASK_IS_TASKER = 0x400,
    TASK_IS_TRACER = 0x800,
    TASK_SERVES = TASK_IS_SCHEDULER | TASK_IS_HOSTER | TASK_IS_TASKER | TASK_IS_TRACER,
};

/* Writing -------------------------------------------------------------------------------------- */

/*
 * A new empty control message. NULL when memory is short: control_put_* take NULL and
 * control_is_whole says so.
 */
struct message *control_new(int32_t tag, int32_t context, int32_t wait);

void control_put_int(struct message *message, int32_t value);
void control_put_tid(struct message *message, uint32_t tid);
void control_put_string(struct message *message, const char *string);
void control_put_items(struct message *message, int type, const void *items,
                       int count); /* of a type of pvm3.h */
void control_put_bytes(struct message *message, const void *bytes,
                       size_t size); /* padded, without a count */

/* True when every field found room. Otherwise the message can only be freed (message_free). */
bool control_is_whole(const struct message *message);

/* Reading -------------------------------------------------------------------------------------- */

struct control_reader {
    const struct message *message;
    struct cursor cursor;
    bool failed; /* a field made no sense: everything read from there on is 0 or NULL */
};

/*
 * Reads the body as XDR whatever the header says, as 3.4.6 does. The message must outlive the
 * reader.
 */
void control_read(struct control_reader *reader, const struct message *message);

int32_t control_get_int(struct control_reader *reader);
uint32_t control_get_tid(struct control_reader *reader);

/*
 * A string in memory of the caller (free); NULL on failure. At most `limit` bytes with its NUL,
 * which must be there; limit 0 means as long as the body holds.
 */
char *control_get_string(struct control_reader *reader, size_t limit);

/* `size` opaque bytes and their padding. */
void control_get_bytes(struct control_reader *reader, void *bytes, size_t size);

/*
 * A count of things of which each takes at least `item` bytes of body: a count that the rest of the
 * body cannot hold or a negative one is a failure, so that what comes back may be allocated.
 */
int32_t control_get_count(struct control_reader *reader, size_t item);

/* Bytes not yet read. */
size_t control_rest(const struct control_reader *reader);

#endif
