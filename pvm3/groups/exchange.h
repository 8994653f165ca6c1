/*
 * exchange.h - how the members of a group send each other data along trees.
 *
 * A stage is a row of tasks. Its first place is the root of a star or a binomial tree, and the subtree
 * of each place is a stretch of places next to each other: so data are collected in the order of the
 * row.
 *
 * Errors: each message begins with the sender's error. The error of one member is passed on to all,
 * who take part to the end. If a member ends meanwhile, or members do not agree on who is in the
 * group, the exchange is lost. A member that sees this tells all others and leaves. So nobody waits
 * for ever, but messages can be left over: the members must not use this tag again with each other.
 *
 * The names of two or more stages of one exchange may be the same. All tasks are in `all`.
 */
#ifndef GROUPS_EXCHANGE_H
#define GROUPS_EXCHANGE_H

#include "groups/items.h"

struct stage {
    const int *tids;
    int count;
    int place; /* of the caller */
};

struct exchange {
    struct groups_call *call;
    struct items block; /* what each member gives; its data are the caller's */
    int tag;
    struct stage all; /* all members, by rising instance */
    int error;        /* told by some member or found here: all return it */

    /* What is done with a block that begins in the active receive buffer. Returns an error or 0. */
    int (*take)(struct exchange *exchange);
    void *room; /* of `take`: for one block */
};

/* A stage of all `tids`, one of which is `self`. place is -1 if not. */
struct stage stage_of(const int *tids, int count, int self);

/*
 * The blocks of a stage come to the first place, which takes them, but for its own one. Every other
 * place needs exchange->room. Returns 0, or an error when the exchange is lost.
 */
int exchange_collect(struct exchange *exchange, const struct stage *stage);

/*
 * The first place gives `blocks` blocks of `items`, which stand in one array, to all of the stage;
 * nothing but the error if there is one. Returns 0, or an error when the exchange is lost.
 */
int exchange_spread(struct exchange *exchange, const struct stage *stage, const struct items *items,
                    int blocks);

/*
 * Each member has a block in `data` for each, and gets one from each in `result`. Returns 0, or an
 * error when the exchange is lost.
 */
int exchange_across(struct exchange *exchange, const struct items *result,
                    const struct items *data);

/* Tells all that the exchange is lost with `error`, which it returns. */
int exchange_abandon(const struct exchange *exchange, int error);

#endif
