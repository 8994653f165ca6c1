/*
 * work.h - operations in steps that go on in whatever call waits: non-blocking collectives and the
 * like. And how a thread waits for several things at once.
 *
 * Work that has begun is in a list of the process. A thread that waits for anything in MPI moves all
 * of it, one thread at a time, and sleeps until a send or receive is done that some work waits for.
 * While there is no work, nobody pays for it.
 *
 * Threads: any thread may call anything. `advance` and `pending` are called by one thread at a time,
 * and never for work that is done.
 */
#ifndef MPI_MESSAGES_WORK_H
#define MPI_MESSAGES_WORK_H

#include <stdbool.h>

struct kernel_post;
struct posted;
struct work;

/* Posts that a thread is going to wait for. */
struct awaited {
    struct kernel_post **posts;
    int count;
    int room;
};

/*
 * Adds what is posted and not done. Without memory it is left out: then the thread that waits asks
 * again when anything else is done.
 */
void awaited_add(struct awaited *awaited, const struct posted *posted);
void awaited_add_post(struct awaited *awaited, struct kernel_post *post);

/* What the owner of some work does; `advance` may call posted_test, and never blocks. */
struct work_steps {
    /* Goes on as far as it can without waiting. True when the work is over. */
    bool (*advance)(struct work *work);
    /* Names the posts of which one is to be done before it can go on, by awaited_add. */
    void (*pending)(struct work *work, struct awaited *awaited);
};

/* To be embedded in what owns it, which is not freed before it is done. `done` is changed by the thread that advances. */
struct work {
    const struct work_steps *steps;
    struct work *next;
    struct work *previous;
    bool done; /* guarded by the lock of all work, as what follows */
    void (*over)(struct work *work);
};

/* Advances it at once; if it is not over then, it goes on later. */
void work_begin(struct work *work, const struct work_steps *steps);

/* Whether it is over, after all work went on. Then nothing of it is in the list. */
bool work_test(struct work *work);

/*
 * Nobody waits for the work any more: `over` is called once it is over, by any thread. False if it
 * is over already.
 */
bool work_orphan(struct work *work, void (*over)(struct work *work));

/* Waits until it is over. False when that cannot be, as the virtual machine is gone. */
bool work_wait(struct work *work);

/* Whether there is work. Who waits or looks then does it by the functions below. */
bool work_exists(void);

/* Lets all work go on, unless another thread sees to that. */
void work_look(void);

/* What a thread waits for. */
struct wanted {
    bool (*done)(void *owner);                          /* whether it is there, after a look */
    void (*list)(void *owner, struct awaited *awaited); /* the posts of which one has to be done */
    void *owner;
};

/* Waits, and lets all work go on meanwhile. False as work_wait. */
bool work_wait_until(const struct wanted *wanted);

/* Something has changed that `done` of a thread may ask about. */
void work_recheck(void);

/* Waits until no work is left. */
void work_drain(void);

#endif
