/* mailbox.c - classes and their entries. */
#include "daemon/requests/mailbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

void mailbox_start(struct mailboxes *mailboxes)
{
    list_start(&mailboxes->classes);
}

static void mailbox_entry_free(struct mailbox_class *class, struct mailbox_entry *entry)
{
    list_remove(&entry->node);
    message_free(entry->message);
    free(entry);
    class->count--;
}

static void mailbox_class_drop_if_empty(struct mailbox_class *class)
{
    if (!list_is_empty(&class->entries))
        return;
    list_remove(&class->node);
    free(class);
}

void mailbox_finish(struct mailboxes *mailboxes)
{
    LIST_FOR_EACH(node, &mailboxes->classes)
    {
        struct mailbox_class *class = mailbox_class_at(node);
        LIST_FOR_EACH(entry, &class->entries)
        mailbox_entry_free(class, mailbox_entry_at(entry));
        mailbox_class_drop_if_empty(class);
    }
}

static struct mailbox_class *mailbox_find_class(struct mailboxes *mailboxes, const char *name)
{
    LIST_FOR_EACH(node, &mailboxes->classes)
    if (strcmp(mailbox_class_at(node)->name, name) == 0)
        return mailbox_class_at(node);
    return NULL;
}

static struct mailbox_class *mailbox_make_class(struct mailboxes *mailboxes, const char *name)
{
    size_t size = strlen(name) + 1;
    struct mailbox_class *class = malloc(sizeof *class + size);
    if (!class)
        return NULL;
    list_start(&class->entries);
    class->count = 0;
    memcpy(class->name, name, size);
    list_append(&mailboxes->classes, &class->node);
    return class;
}

/* The first entry with an index of at least `index`, or NULL. */
static struct mailbox_entry *mailbox_first(struct mailbox_class *class, int index)
{
    LIST_FOR_EACH(node, &class->entries)
    if (mailbox_entry_at(node)->index >= index)
        return mailbox_entry_at(node);
    return NULL;
}

static bool mailbox_may_change(const struct mailbox_entry *entry, uint32_t who)
{
    return entry->owner == who || (entry->flags & PvmMboxOverWritable);
}

/* Inserts in front of `next`, or at the end when `next` is NULL. */
static int mailbox_insert(struct mailbox_class *class, struct mailbox_entry *next, int index,
                          int flags, uint32_t owner, struct message *message)
{
    struct mailbox_entry *entry = malloc(sizeof *entry);
    if (!entry) {
        message_free(message);
        mailbox_class_drop_if_empty(class);
        return PvmNoMem;
    }
    *entry =
        (struct mailbox_entry){.index = index, .owner = owner, .flags = flags, .message = message};
    list_append(next ? &next->node : &class->entries, &entry->node);
    class->count++;
    return index;
}

/* Inserts at the first free index from that of `entry` on. */
static int mailbox_put_behind(struct mailbox_class *class, struct mailbox_entry *entry, int flags,
                              uint32_t owner, struct message *message)
{
    int index = entry->index;
    struct list *node = &entry->node;
    while (node != &class->entries && mailbox_entry_at(node)->index == index && index < INT_MAX) {
        index++;
        node = node->next;
    }
    struct mailbox_entry *next = node == &class->entries ? NULL : mailbox_entry_at(node);
    return mailbox_insert(class, next, index, flags, owner, message);
}

static int mailbox_replace(struct mailbox_entry *entry, int flags, uint32_t owner,
                           struct message *message)
{
    message_free(entry->message);
    entry->message = message;
    entry->flags = flags;
    entry->owner = owner;
    entry->doomed = false;
    return entry->index;
}

int mailbox_put(struct mailboxes *mailboxes, const char *name, int index, int flags, uint32_t owner,
                struct message *message)
{
    bool exact = index != -1;
    int wanted = exact ? index : (int)PvmMboxDirectIndexOf(flags);
    struct mailbox_class *class = mailbox_find_class(mailboxes, name);
    if (!class)
        class = mailbox_make_class(mailboxes, name);
    if (!class) {
        message_free(message);
        return PvmNoMem;
    }
    struct mailbox_entry *entry = mailbox_first(class, wanted);
    if (!entry || entry->index != wanted)
        return mailbox_insert(class, entry, wanted, flags, owner, message);
    if ((flags & PvmMboxMultiInstance) && !exact)
        return mailbox_put_behind(class, entry, flags, owner, message);
    if (!(flags & PvmMboxMultiInstance) && mailbox_may_change(entry, owner))
        return mailbox_replace(entry, flags, owner, message);
    message_free(message);
    return PvmDenied;
}

static struct mailbox_entry *mailbox_find(struct mailbox_class *class, int index, bool first)
{
    struct mailbox_entry *entry = class ? mailbox_first(class, index) : NULL;
    return entry && (first || entry->index == index) ? entry : NULL;
}

int mailbox_remove(struct mailboxes *mailboxes, const char *name, int index, uint32_t who)
{
    struct mailbox_class *class = mailbox_find_class(mailboxes, name);
    struct mailbox_entry *entry = mailbox_find(class, index, false);
    if (!entry)
        return PvmNotFound;
    if (!mailbox_may_change(entry, who))
        return PvmDenied;
    mailbox_entry_free(class, entry);
    mailbox_class_drop_if_empty(class);
    return index;
}

int mailbox_get(struct mailboxes *mailboxes, const char *name, int index, int flags, uint32_t who,
                struct message **message)
{
    struct mailbox_class *class = mailbox_find_class(mailboxes, name);
    struct mailbox_entry *entry = mailbox_find(class, index, flags & PvmMboxFirstAvail);
    if (!entry)
        return PvmNotFound;
    bool take = flags & PvmMboxReadAndDelete;
    if (take && !mailbox_may_change(entry, who))
        return PvmDenied;
    *message = message_view(entry->message);
    if (!*message)
        return PvmNoMem;
    int found = entry->index;
    if (take) {
        mailbox_entry_free(class, entry);
        mailbox_class_drop_if_empty(class);
    }
    return found;
}

static bool mailbox_class_forget_owner(struct mailbox_class *class, uint32_t owner)
{
    bool owned = false;
    LIST_FOR_EACH(node, &class->entries)
    {
        struct mailbox_entry *entry = mailbox_entry_at(node);
        if (entry->owner != owner)
            continue;
        owned = true;
        if ((entry->flags & PvmMboxPersistent) && !entry->doomed)
            entry->owner = 0;
        else
            mailbox_entry_free(class, entry);
    }
    mailbox_class_drop_if_empty(class);
    return owned;
}

bool mailbox_forget_owner(struct mailboxes *mailboxes, uint32_t owner)
{
    bool owned = false;
    LIST_FOR_EACH(node, &mailboxes->classes)
    owned |= mailbox_class_forget_owner(mailbox_class_at(node), owner);
    return owned;
}

static bool mailbox_is_spared(uint32_t owner, const uint32_t *spared, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (spared[i] == owner)
            return true;
    return false;
}

void mailbox_reset(struct mailboxes *mailboxes, const char *name, int index, bool killing,
                   const uint32_t *spared, size_t count)
{
    LIST_FOR_EACH(class_node, &mailboxes->classes)
    {
        struct mailbox_class *class = mailbox_class_at(class_node);
        if (*name && strcmp(class->name, name) != 0)
            continue;
        LIST_FOR_EACH(node, &class->entries)
        {
            struct mailbox_entry *entry = mailbox_entry_at(node);
            if (!(entry->flags & PvmMboxPersistent) || (index != -1 && entry->index != index))
                continue;
            if (entry->owner == 0)
                mailbox_entry_free(class, entry);
            else if (killing && !mailbox_is_spared(entry->owner, spared, count))
                entry->doomed = true;
        }
        mailbox_class_drop_if_empty(class);
    }
}
