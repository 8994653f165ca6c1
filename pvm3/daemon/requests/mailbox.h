/*
 * mailbox.h - messages that tasks leave for each other under a class name and an index.
 *
 * A table of values only: it sends nothing and knows tasks by their tids. Classes are kept in the
 * order in which they were made, entries by index. One caller at a time.
 */
#ifndef DAEMON_REQUESTS_MAILBOX_H
#define DAEMON_REQUESTS_MAILBOX_H

#include "core/message.h"
#include "daemon/base/list.h"

struct mailboxes {
    struct list classes;
};

struct mailbox_class {
    struct list node;
    struct list entries;
    size_t count;
    char name[];
};

struct mailbox_entry {
    struct list node;
    int index;
    uint32_t owner; /* tid; 0 when it is gone */
    int flags;
    bool doomed; /* goes with its owner though it is persistent */
    struct message *message;
};

void mailbox_start(struct mailboxes *mailboxes);
void mailbox_finish(struct mailboxes *mailboxes);

/*
 * Puts a message and takes it over, on failure too. `index` is the one wanted, or -1 for the one in
 * the flags. The index that it got, PvmDenied, or PvmNoMem.
 */
int mailbox_put(struct mailboxes *mailboxes, const char *name, int index, int flags, uint32_t owner,
                struct message *message);

/*
 * Removes an entry. Its index, PvmNotFound, or PvmDenied when it belongs to somebody else and is
 * not for all.
 */
int mailbox_remove(struct mailboxes *mailboxes, const char *name, int index, uint32_t who);

/*
 * Finds the entry with `index`, or with PvmMboxFirstAvail the first one from `index` on. With
 * PvmMboxReadAndDelete it is taken out of the table. Returns the entry's index, and *message is a
 * view that becomes the caller's; otherwise PvmNotFound, PvmDenied or PvmNoMem.
 */
int mailbox_get(struct mailboxes *mailboxes, const char *name, int index, int flags, uint32_t who,
                struct message **message);

/*
 * Removes what `owner` left, but persistent entries, which then belong to nobody. Whether there was
 * anything.
 */
bool mailbox_forget_owner(struct mailboxes *mailboxes, uint32_t owner);

/*
 * Cleans up persistent entries of the class `name` ("" is all) with `index` (-1 is all): entries
 * that belong to nobody go at once; when all tasks but the `count` tids of `spared` are about to be
 * killed (`killing`), their entries go with them.
 */
void mailbox_reset(struct mailboxes *mailboxes, const char *name, int index, bool killing,
                   const uint32_t *spared, size_t count);

static inline struct mailbox_class *mailbox_class_at(struct list *node)
{
    return LIST_OWNER(node, struct mailbox_class, node);
}

static inline struct mailbox_entry *mailbox_entry_at(struct list *node)
{
    return LIST_OWNER(node, struct mailbox_entry, node);
}

#endif
