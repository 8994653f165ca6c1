/*
 * list.h - a ring of nodes that lie inside what they list: insert and remove in any place, no
 * memory of its own.
 *
 * The head is a node too. A node that is in no list points to itself, so that removing it twice
 * does no harm.
 */
#ifndef DAEMON_BASE_LIST_H
#define DAEMON_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *next;
    struct list *previous;
};

/* The structure of which `node` is the member `member`. */
#define LIST_OWNER(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* The body may remove the current node. */
#define LIST_FOR_EACH(node, head)                                                                  \
    for (struct list *node = (head)->next, *node##_next = node->next; node != (head);              \
         node = node##_next, node##_next = node->next)

static inline void list_start(struct list *node)
{
    node->next = node->previous = node;
}

static inline bool list_is_empty(const struct list *head)
{
    return head->next == head;
}

/* Puts `node` behind `place`; behind the head is the front of the list. */
static inline void list_insert(struct list *place, struct list *node)
{
    node->previous = place;
    node->next = place->next;
    place->next->previous = node;
    place->next = node;
}

static inline void list_append(struct list *head, struct list *node)
{
    list_insert(head->previous, node);
}

static inline void list_remove(struct list *node)
{
    node->previous->next = node->next;
    node->next->previous = node->previous;
    list_start(node);
}

#endif
