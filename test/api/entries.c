/*
 * Mailbox entries: an entry of each kind, then another one of each kind under its name, of the same
 * task or of one that came after it, and what each way of reading and removing does with them.
 */
#include "observe.h"

extern int pvm_errno;

enum { KINDS = 8 }; /* sets of PvmMboxPersistent, PvmMboxMultiInstance and PvmMboxOverWritable */

static int put(char *name, int value, int flags)
{
    pvm_errno = 0;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    return pvm_putinfo(name, pvm_getsbuf(), flags);
}

static void get_see(char *name, int index, int flags)
{
    int value = -1;

    pvm_errno = 0;
    int buffer = pvm_recvinfo(name, index, flags);
    if (buffer > 0)
        pvm_upkint(&value, 1, 1);
    printf(" %d", buffer > 0 ? value : buffer);
    pvm_freebuf(pvm_setrbuf(0));
}

static void list_see(char *name)
{
    struct pvmmboxinfo *classes;
    int count = 0;

    pvm_getmboxinfo(name, &count, &classes);
    printf("; %d:", count);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < classes[i].mi_nentries; j++)
            printf(" %d/%x/%s", classes[i].mi_indices[j], (unsigned)classes[i].mi_flags[j],
                   classes[i].mi_owners[j] == pvm_mytid() ? "own"
                   : classes[i].mi_owners[j]              ? "other"
                                                          : "none");
}

static int flags_of(int kind)
{
    return kind & (PvmMboxPersistent | PvmMboxMultiInstance | PvmMboxOverWritable);
}

/* What there is, read in each way, then removed. */
static void end_see(char *name)
{
    list_see(name);
    printf("; read");
    for (int index = 0; index < 3; index++) {
        get_see(name, index, PvmMboxDefault);
        get_see(name, index, PvmMboxFirstAvail);
    }
    get_see(name, 1, PvmMboxReadAndDelete | PvmMboxFirstAvail);
    get_see(name, 0, PvmMboxReadAndDelete);
    get_see(name, 0, PvmMboxFirstAvail);
    list_see(name);
    printf("; removed");
    for (int index = 0; index < 3; index++)
        printf(" %d", pvm_delinfo(name, index, PvmMboxDefault));
    list_see(name);
    printf("\n");
}

static void same_see(int first, int second, int index)
{
    char name[64];

    snprintf(name, sizeof name, "same %d %d %d", first, second, index);
    printf("kind %d, then %d at %d:", first, second, index);
    printf(" %d", put(name, 1, flags_of(first)));
    printf(" %d", put(name, 2, flags_of(second) | (index ? PvmMboxDirectIndex(index) : 0)));
    printf(" %d", put(name, 3, flags_of(first)));
    end_see(name);
}

static void first_put(int first, int second)
{
    char name[64];

    snprintf(name, sizeof name, "later %d %d", first, second);
    put(name, 1, flags_of(first));
}

static void later_see(int first, int second)
{
    char name[64];

    snprintf(name, sizeof name, "later %d %d", first, second);
    printf("kind %d of one who has left, then %d:", first, second);
    list_see(name);
    printf(" %d", pvm_delinfo(name, 0, PvmMboxDefault));
    printf(" %d", put(name, 2, flags_of(second)));
    end_see(name);
}

/* A buffer with two ints is active when something is read or asked; what is active then? */
#define ACTIVE(expression)                                                                         \
    {                                                                                              \
        int filled = filled_buffer();                                                              \
        pvm_setrbuf(filled);                                                                       \
        SEE(expression);                                                                           \
        active_see(filled);                                                                        \
    }

static int filled_buffer(void)
{
    static int values[] = {5, 6};
    int buffer = pvm_mkbuf(PvmDataRaw), before = pvm_setsbuf(buffer);

    pvm_pkint(values, 2, 1);
    length_of(buffer);
    pvm_setsbuf(before);
    return buffer;
}

static void active_see(int before)
{
    int buffer = pvm_getrbuf(), bytes = 0, tag = 0, source = 0;
    struct pvmminfo info = {0};

    printf("  %s", buffer == 0 ? "none" : buffer == before ? "the same" : "another");
    if (buffer > 0) {
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        pvm_getminfo(buffer, &info);
        printf(", length %d, tag %x, from %x, context %x, to unpack %d", bytes, (unsigned)tag,
               (unsigned)source, (unsigned)info.ctx, first_int());
    }
    printf(", before: %d\n", length_of(before));
    pvm_freebuf(pvm_setrbuf(0));
}

static void active_buffers_see(void)
{
    struct pvmmboxinfo *names;
    int count, *tids, value;

    AREA("the active receive buffer");
    put("there", 1, PvmMboxDefault);
    ACTIVE(pvm_recvinfo("nothing", 0, PvmMboxDefault))
    ACTIVE(pvm_recvinfo("nothing", 3, PvmMboxFirstAvail))
    ACTIVE(pvm_recvinfo("nothing", 0, PvmMboxReadAndDelete))
    ACTIVE(pvm_recvinfo("there", 1, PvmMboxDefault))
    ACTIVE(pvm_recvinfo("there", 0, PvmMboxDefault) > 0)
    ACTIVE(pvm_recvinfo("there", -1, PvmMboxDefault))
    ACTIVE(pvm_recvinfo("", 0, PvmMboxDefault))
    ACTIVE(pvm_lookup("nothing", 0, &value))
    ACTIVE(pvm_lookup("there", 0, &value))
    ACTIVE(pvm_delinfo("nothing", 0, PvmMboxDefault))
    ACTIVE(pvm_delete("nothing", 0))
    ACTIVE(pvm_insert("there", 0, 1))
    ACTIVE(pvm_getmboxinfo("*", &count, &names))
    ACTIVE(pvm_getnoresets(&tids, &count))
    ACTIVE(pvm_putinfo("there", pvm_getrbuf(), PvmMboxDefault))
    SEE(pvm_recvinfo("nothing", 0, PvmMboxDefault));
    active_see(0);
    SEE(pvm_recvinfo("nothing", 0, PvmMboxDefault));
    SEE(pvm_recvinfo("nothing", 0, PvmMboxDefault));
    active_see(0);
    pvm_delinfo("there", 0, PvmMboxDefault);
}

int main(void)
{
    observe();
    pvm_mytid();
    pvm_setopt(PvmAutoErr, 0);
    active_buffers_see();
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++) {
            same_see(first, second, 0);
            same_see(first, second, 1);
        }
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++)
            first_put(first, second);
    pvm_exit();
    pvm_mytid();
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++)
            later_see(first, second);
    pvm_exit();
    return 0;
}
