/*
 * exchange.c - stars and binomial trees.
 *
 * Up to STAR places are a star: all are children of the first. A message wakes a task, which costs
 * more than to send another one; so few members are done soonest if each wakes once.
 *
 * Place p of a tree is the parent of p + 1, p + 2, p + 4, and so on below the lowest bit of p. A
 * subtree's blocks go up in one message. Large ones do not: each place sends its block straight to
 * the root, so that none is copied more than once.
 */
#include "groups/exchange.h"

#include <stdbool.h>
#include <string.h>

#include <pvm3.h>

#include "groups/awaited.h"
#include "groups/wide_items.h"

/* Bytes of a block from which on all places send theirs straight to the root. */
enum { LARGE = 4096 };

/* Places of the largest star. */
enum { STAR = 16 };

struct stage stage_of(const int *tids, int count, int self)
{
    struct stage stage = {.tids = tids, .count = count, .place = -1};
    for (int i = 0; i < count; i++)
        if (tids[i] == self)
            stage.place = i;
    return stage;
}

static bool is_star(const struct stage *stage)
{
    return stage->count <= STAR;
}

/* The places of the subtree of `place`, itself among them. */
static int tree_span(const struct stage *stage, int place)
{
    int rest = stage->count - place;
    int span = is_star(stage) ? 1 : place & -place;
    return place == 0 || span > rest ? rest : span;
}

static int tree_parent(const struct stage *stage)
{
    return stage->tids[is_star(stage) ? 0 : stage->place & (stage->place - 1)];
}

/* A number by which messages of members that see the same group are known. */
static int exchange_view(const struct exchange *exchange)
{
    unsigned view = 0;
    for (int i = 0; i < exchange->all.count; i++)
        view = 31 * view + (unsigned)exchange->all.tids[i];
    return (int)view;
}

/* Begins a message; blocks follow if there is no error. */
static int exchange_write(const struct exchange *exchange, int error)
{
    int head[] = {exchange_view(exchange), error};
    int result = pvm_initsend(PvmDataDefault);
    return result < 0 ? result : pvm_pkint(head, 2, 1);
}

int exchange_abandon(const struct exchange *exchange, int error)
{
    const struct stage *all = &exchange->all;
    if (exchange_write(exchange, error) < 0)
        return error;
    for (int i = 0; i < all->count; i++)
        if (i != all->place)
            pvm_send(all->tids[i], exchange->tag);
    return error;
}

/* Takes in a message up to its blocks, and the error that it tells. */
static int exchange_read(struct exchange *exchange, int source, const int *watched, int count)
{
    int head[2];
    int result = awaited_receive(exchange->call, source, exchange->tag, watched, count);
    if (result >= 0)
        result = pvm_upkint(head, 2, 1);
    if (result < 0)
        return result;
    if (head[0] != exchange_view(exchange) || head[1] == PvmNoTask)
        return PvmNoTask;
    if (head[1] < 0)
        exchange->error = head[1];
    return 0;
}

/* Adds a block that has arrived to the message that is being packed. */
static int pass_on(struct exchange *exchange)
{
    struct items block = exchange->block;
    block.data = exchange->room;
    int result = wide_items_unpack(&block);
    return result < 0 ? result : wide_items_pack(&block);
}

/* Nobody can be done before the caller has sent its message: so all must live. */
static int collect_from(struct exchange *exchange, int source, int blocks,
                        int (*take)(struct exchange *exchange))
{
    const struct stage *all = &exchange->all;
    int result = exchange_read(exchange, source, all->tids, all->count);
    for (int i = 0; result == 0 && exchange->error == 0 && i < blocks; i++)
        exchange->error = take(exchange);
    return result;
}

static int collect_children(struct exchange *exchange, const struct stage *stage, bool large,
                            int (*take)(struct exchange *exchange))
{
    int result = 0, child = stage->place + 1, end = child;
    if (!large || stage->place == 0)
        end = stage->place + tree_span(stage, stage->place);
    while (result == 0 && child < end) {
        int blocks = large ? 1 : tree_span(stage, child);
        result = collect_from(exchange, stage->tids[child], blocks, take);
        child += blocks;
    }
    return result;
}

int exchange_collect(struct exchange *exchange, const struct stage *stage)
{
    bool large = items_bytes(&exchange->block) >= LARGE;
    if (stage->place == 0)
        return collect_children(exchange, stage, large, exchange->take);
    int result = exchange_write(exchange, 0);
    if (result >= 0 && exchange->error == 0)
        exchange->error = wide_items_pack(&exchange->block);
    if (result >= 0)
        result = collect_children(exchange, stage, large, pass_on);
    if (result >= 0 && exchange->error < 0)
        result = exchange_write(exchange, exchange->error);
    if (result >= 0)
        result = pvm_send(large ? stage->tids[0] : tree_parent(stage), exchange->tag);
    return result;
}

/* All blocks of an array, one after the other. */
static int each_block(const struct items *items, int blocks, int (*move)(const struct items *items))
{
    int result = 0;
    for (int i = 0; result >= 0 && i < blocks; i++) {
        struct items block = items_block(items, i);
        result = move(&block);
    }
    return result;
}

/* Sends the active buffer to the children, those with the largest subtrees first. */
static int send_to_children(const struct exchange *exchange, const struct stage *stage, int span)
{
    int result = 0, step = 1;
    if (is_star(stage))
        return pvm_mcast((int *)stage->tids + 1, stage->count - 1, exchange->tag);
    while (2 * step < span)
        step *= 2;
    for (; result >= 0 && step > 0; step /= 2)
        result = pvm_send(stage->tids[stage->place + step], exchange->tag);
    return result;
}

static int spread_to_children(const struct exchange *exchange, const struct stage *stage,
                              const struct items *items, int blocks)
{
    int span = tree_span(stage, stage->place);
    if (span == 1)
        return 0;
    int result = exchange_write(exchange, exchange->error);
    if (result >= 0 && exchange->error == 0)
        result = each_block(items, blocks, wide_items_pack);
    return result < 0 ? result : send_to_children(exchange, stage, span);
}

int exchange_spread(struct exchange *exchange, const struct stage *stage, const struct items *items,
                    int blocks)
{
    int result = 0;
    if (stage->place > 0) {
        int parent = tree_parent(stage);
        result = exchange_read(exchange, parent, NULL, 1);
        if (result == 0 && exchange->error == 0)
            exchange->error = each_block(items, blocks, wide_items_unpack);
    }
    return result < 0 ? result : spread_to_children(exchange, stage, items, blocks);
}

/* Sends the blocks of the others, each to its place, beginning behind the own place. */
static int across_send(struct exchange *exchange, const struct items *data)
{
    const struct stage *all = &exchange->all;
    int result = 0;
    for (int i = 1; result >= 0 && i < all->count; i++) {
        int place = (all->place + i) % all->count;
        struct items block = items_block(data, place);
        result = exchange_write(exchange, exchange->error);
        if (result >= 0 && exchange->error == 0)
            result = wide_items_pack(&block);
        if (result >= 0)
            result = pvm_send(all->tids[place], exchange->tag);
    }
    return result;
}

int exchange_across(struct exchange *exchange, const struct items *result, const struct items *data)
{
    const struct stage *all = &exchange->all;
    int status = across_send(exchange, data);
    struct items own = items_block(data, all->place), place = items_block(result, all->place);
    memmove(place.data, own.data, items_bytes(&own));
    for (int i = 0; status >= 0 && i < all->count; i++) {
        struct items block = items_block(result, i);
        if (i == all->place)
            continue;
        status = exchange_read(exchange, all->tids[i], NULL, 1);
        if (status == 0 && exchange->error == 0)
            exchange->error = wide_items_unpack(&block);
    }
    return status;
}
