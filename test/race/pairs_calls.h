/*
 * pairs_calls.h - one call of every public function, as one of two threads makes it against the
 * other.
 *
 * What a function needs - a buffer to pack into, a message to receive - is prepared within, so that
 * any two of the calls can run at once, any number of times. Where C forbids that two threads do
 * the same, as with the lists that a function returns anew each time, the arguments are such that
 * any program could use them.
 */
#ifndef PAIRS_CALLS_H
#define PAIRS_CALLS_H

/* One of the two threads. */
struct worker {
    int number; /* 0 or 1 */
    int turn;   /* counts the calls, to vary their arguments */
    int alone;  /* the other calls another function: a list that this one gets stays */
};

/* Bit of an error code in a set of them. */
#define ERROR_BIT(code) (1ULL << -(code))

struct call {
    const char *name;
    int (*make)(struct worker *me); /* returns what the function did, 0 if that is no number */
    unsigned long long errors;      /* that may come of two threads using the same things */
};

extern const struct call calls[];
extern const int call_count;

/* Of TAG_HELPER and TAG_HANDLED there are several. */
enum { TAG_MESSAGE = 1, TAG_LEFT, TAG_NOTE, TAG_END, TAG_HELPER = 10, TAG_HANDLED = 20 };

/* Buffers that both threads have active in some rounds. */
extern int shared_send, shared_receive;

/*
 * Makes pvm_exit and pvm_start_pvmd harmless to the other's receives: whoever waits gets a message.
 */
void calls_feed(void);

/* The task that gets what is sent to another; 0: none. */
extern int peer_tid;

/* The calls of the group library, which pairs_groups.c has. The other task is in one group. */
#define GROUP_OF_PEER "peer"
int call_joingroup(struct worker *me);
int call_lvgroup(struct worker *me);
int call_gsize(struct worker *me);
int call_getinst(struct worker *me);
int call_gettid(struct worker *me);
int call_bcast(struct worker *me);
int call_barrier(struct worker *me);
int call_freezegroup(struct worker *me);
int call_gather(struct worker *me);
int call_scatter(struct worker *me);
int call_allgather(struct worker *me);
int call_alltoall(struct worker *me);
int call_allreduce(struct worker *me);
int call_reduce(struct worker *me);

/* Once, before the first call. */
void calls_begin(void);

#endif
