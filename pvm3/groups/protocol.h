/*
 * protocol.h - what a task and the group server say to each other: the tags, words and codes of PVM
 * 3.4.6.
 *
 * Every request and reply travels in context GROUPS_CONTEXT in the default encoding. The server
 * announces itself in the mailbox GROUPS_MAILBOX, index 0, with its tid.
 *
 * Labels are our addition. The 3.4.6 server answers with the tag of the request, so that two
 * threads of one task that ask the same thing at once cannot tell whose answer they get. A server
 * of ours puts a second int, GROUPS_LABELS, into its mailbox entry. A client of ours that finds
 * this int appends one int to each request, the tag that the answer shall have. Behind GROUPS_LABELS
 * the entry has CHANGES_WORDS ints that say where the server counts changes (changes.h). Programs and
 * servers of 3.4.6 read none of these, since they read no further than the words that they know.
 */
#ifndef GROUPS_PROTOCOL_H
#define GROUPS_PROTOCOL_H

#define GROUPS_MAILBOX "pvmgs"
#define GROUPS_PROGRAM "pvmgs"
#define GROUPS_CONTEXT 0x7fffc
#define GROUPS_LABELS  1

/* Tags of requests; the words that follow the group's name stand behind them. */
enum groups_question {
    GROUPS_DIE,
    GROUPS_JOIN,         /* reply: instance */
    GROUPS_LEAVE,        /* reply: 0 */
    GROUPS_BARRIER,      /* count; reply, when all have come: count */
    GROUPS_BCAST,        /* reply: n, n tids, state */
    GROUPS_INSTANCE,     /* tid; reply: instance, state */
    GROUPS_TID,          /* instance; reply: tid, state */
    GROUPS_SIZE,         /* reply: size, state */
    GROUPS_RESET,        /* 3.4.6 never answers it, and neither do we */
    GROUPS_DUMP,         /* no words, no reply: the server writes its table to stderr */
    GROUPS_LIST,         /* no words; reply: the whole table */
    GROUPS_DEAD_TASK,    /* only word: tid; from the pvmd when a member has exited */
    GROUPS_MEMBERS,      /* as GROUPS_BCAST, but PvmNoInst when instances have holes */
    GROUPS_FREEZE,       /* size; reply, when all have come: size, state */
    GROUPS_HOST,         /* host; reply: hosts, members there, coordinator there, state */
    GROUPS_HOSTS,        /* reply: hosts, members of each, coordinator of each, state */
    GROUPS_BARRIER_HOST, /* count; as GROUPS_BARRIER, for all members of the caller's host */
    GROUPS_QUESTIONS
};

/* The first word of a state; the description of the group follows GROUPS_STATIC alone. */
enum groups_state { GROUPS_STATIC = 1, GROUPS_DYNAMIC = 2, GROUPS_DEAD = 3 };

/*
 * Tids of a group come in arrays whose length is a multiple of this; GROUPS_NOBODY marks an unused
 * place.
 */
#define GROUPS_TIDS_STEP 10
#define GROUPS_NOBODY    (-1)

/*
 * The part of a tid that two members on one host have in common. Bit 17 counts as a part of it, as
 * in 3.4.6.
 */
#define GROUPS_HOST_OF(tid) ((tid)&0x3ffe0000)

#endif
