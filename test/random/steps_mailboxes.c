/* Steps on mailboxes; a[0] is the number of the name. */
#include "steps.h"
#include <stdio.h>

extern int pvm_errno;

static char *name(const struct steps *steps, const int *a)
{
    return name_of(steps, 'M', a[0]);
}

/* 3.4.6 waits for ever for an answer about no buffer. */
static int put(struct steps *steps, const int *a)
{
    int buffer = pvm_getsbuf();

    return buffer > 0 ? pvm_putinfo(name(steps, a), buffer, a[1]) : 0;
}

/* In 3.4.6 one that fails leaves the daemon's answer as the receive buffer. */
static int get(struct steps *steps, const int *a)
{
    int buffer = pvm_recvinfo(name(steps, a), a[1], a[2]);

    if (buffer < 0)
        pvm_freebuf(pvm_setrbuf(0));
    return show(steps, buffer);
}

static int delete(struct steps *steps, const int *a)
{
    return pvm_delinfo(name(steps, a), a[1], a[2]);
}

static int list(struct steps *steps, const int *a)
{
    int count = -9, result;
    struct pvmmboxinfo *entries;

    result = pvm_getmboxinfo(name(steps, a), &count, &entries);
    for (int i = 0; i < count; i++) {
        printf(" [%d]", entries[i].mi_nentries);
        for (int j = 0; j < entries[i].mi_nentries; j++)
            printf(" %d %d %d", entries[i].mi_indices[j], role_of(steps, entries[i].mi_owners[j]),
                   entries[i].mi_flags[j]);
    }
    return result;
}

static int insert(struct steps *steps, const int *a)
{
    return pvm_insert(name(steps, a), a[1], a[2]);
}

static int look_up(struct steps *steps, const int *a)
{
    int data = -9, result = pvm_lookup(name(steps, a), a[1], &data);

    printf(" %d", pvm_errno ? -9 : data); /* 3.4.6 gives what its stack holds if there is no int */
    return result;
}

static int remove_one(struct steps *steps, const int *a)
{
    return pvm_delete(name(steps, a), a[1]);
}

const struct step mailbox_steps[] = {
    {"putinfo", put},   {"recvinfo", get},   {"delinfo", delete},    {"mboxinfo", list},
    {"insert", insert}, {"lookup", look_up}, {"delete", remove_one}, {NULL, NULL}};
