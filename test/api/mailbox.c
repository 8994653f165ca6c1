/* Mailboxes: every flag, who may replace and remove, indices, waiting, and patterns of names. */
#include "observe.h"

extern int pvm_errno;

static int me;

static int put(char *name, int value, int flags)
{
    int buffer = pvm_mkbuf(PvmDataDefault), old = pvm_setsbuf(buffer);
    pvm_pkint(&value, 1, 1);
    pvm_setsbuf(old);
    int result = pvm_putinfo(name, buffer, flags);
    pvm_freebuf(buffer);
    return result;
}

/* The value of an entry, or the error with what is noted of it. */
static int get(char *name, int index, int flags)
{
    int value = -99, buffer;

    pvm_errno = 0;
    buffer = pvm_recvinfo(name, index, flags);
    if (buffer <= 0) {
        printf("  noted %d\n", pvm_errno);
        return buffer;
    }
    pvm_upkint(&value, 1, 1);
    return value;
}

static int removed(char *name, int index, int flags)
{
    pvm_errno = 0;
    int result = pvm_delinfo(name, index, flags);
    if (result < 0)
        printf("  noted %d\n", pvm_errno);
    return result;
}

static void list_see(char *pattern)
{
    struct pvmmboxinfo *classes = NULL;
    int count = -1, result = pvm_getmboxinfo(pattern, &count, &classes);

    printf("list '%s': %d, %d classes\n", pattern ? pattern : "(null)", result, count);
    for (int i = 0; i < count; i++) {
        printf("  %s:", classes[i].mi_name);
        for (int j = 0; j < classes[i].mi_nentries; j++)
            printf(" [%d] %s %x", classes[i].mi_indices[j],
                   classes[i].mi_owners[j] == me  ? "mine"
                   : classes[i].mi_owners[j] == 0 ? "nobody's"
                                                  : "another's",
                   (unsigned)classes[i].mi_flags[j]);
        printf("\n");
    }
}

static void indices_see(void)
{
    AREA("indices");
    SEE(put("a", 1, PvmMboxDirectIndex(5)));
    SEE(put("a", 2, PvmMboxDirectIndex(3)));
    SEE(put("a", 3, PvmMboxDefault));
    SEE(put("a", 4, PvmMboxDirectIndex(5)));
    SEE(put("a", 5, PvmMboxMultiInstance));
    SEE(put("a", 6, PvmMboxMultiInstance | PvmMboxDirectIndex(3)));
    SEE(put("a", 7, PvmMboxMultiInstance | PvmMboxDirectIndex(3)));
    SEE(put("a", 8, PvmMboxDirectIndex(PvmMboxMaxDirectIndex - 1)));
    SEE(put("a", 9, PvmMboxDirectIndex(PvmMboxMaxDirectIndex)));
    list_see("a");
    SEE(get("a", 5, PvmMboxDefault));
    SEE(get("a", 2, PvmMboxDefault));
    SEE(get("a", 2, PvmMboxFirstAvail));
    SEE(get("a", 4, PvmMboxFirstAvail));
    SEE(get("a", 7, PvmMboxFirstAvail));
    SEE(get("a", 2097151, PvmMboxDefault));
    SEE(get("a", 2097152, PvmMboxFirstAvail));
    SEE(PvmMboxDirectIndexOf(PvmMboxDirectIndex(77) | PvmMboxPersistent));
    SEE(put("unflagged", 1, -1));
    SEE(put("unflagged", 1, PvmMboxMaxFlag));
    SEE(put("unflagged", 1, 64 | 128 | 256));
    list_see("unflagged");
}

static void deleting_see(void)
{
    AREA("reading and deleting");
    SEE(put("b", 1, PvmMboxMultiInstance));
    SEE(put("b", 2, PvmMboxMultiInstance));
    SEE(put("b", 3, PvmMboxMultiInstance));
    SEE(get("b", 1, PvmMboxReadAndDelete));
    SEE(get("b", 1, PvmMboxReadAndDelete));
    SEE(get("b", 1, PvmMboxReadAndDelete | PvmMboxFirstAvail));
    SEE(get("b", 1, PvmMboxFirstAvail));
    SEE(put("b", 4, PvmMboxMultiInstance));
    SEE(get("b", 0, PvmMboxReadAndDelete | PvmMboxFirstAvail | PvmMboxWaitForInfo));
    SEE(removed("b", 0, PvmMboxDefault));
    SEE(removed("b", 1, PvmMboxFirstAvail));
    SEE(removed("b", 0, PvmMboxFirstAvail));
    SEE(removed("b", 7, PvmMboxDefault));
    list_see("b");
    SEE(put("b", 5, PvmMboxDefault));
    SEE(removed("b", 0, PvmMboxPersistent));
    SEE(removed("b", 2097152, PvmMboxDefault));
}

/* A task of another process: puts entries, and ends with them or tells who it is and waits. */
static void another(int begin)
{
    char byte;

    if (read(begin, &byte, 1) != 1)
        _exit(1);
    put("theirs", 1, PvmMboxDefault);
    put("theirs", 2, PvmMboxDirectIndex(1) | PvmMboxOverWritable);
    put("theirs", 3, PvmMboxDirectIndex(2) | PvmMboxPersistent);
    put("theirs", 4, PvmMboxDirectIndex(3) | PvmMboxPersistent | PvmMboxOverWritable);
    put("theirs", 5, PvmMboxDirectIndex(4) | PvmMboxMultiInstance);
    put("there", 1, PvmMboxDefault);
    pvm_recvinfo("go", 0, PvmMboxWaitForInfo);
    pvm_exit();
    _exit(0);
}

static void owners_see(pid_t other)
{
    AREA("entries of another");
    SEE(get("there", 0, PvmMboxWaitForInfo));
    list_see("theirs");
    SEE(put("theirs", 11, PvmMboxDefault));
    SEE(put("theirs", 11, PvmMboxOverWritable));
    SEE(put("theirs", 12, PvmMboxDirectIndex(1)));
    SEE(put("theirs", 13, PvmMboxDirectIndex(2)));
    SEE(put("theirs", 15, PvmMboxDirectIndex(4)));
    SEE(put("theirs", 16, PvmMboxDirectIndex(4) | PvmMboxMultiInstance));
    SEE(get("theirs", 0, PvmMboxDefault));
    SEE(get("theirs", 1, PvmMboxDefault));
    SEE(get("theirs", 0, PvmMboxReadAndDelete));
    SEE(get("theirs", 4, PvmMboxReadAndDelete));
    SEE(get("theirs", 3, PvmMboxReadAndDelete));
    SEE(get("theirs", 3, PvmMboxDefault));
    SEE(removed("theirs", 0, PvmMboxDefault));
    SEE(removed("theirs", 1, PvmMboxDefault));
    SEE(removed("theirs", 2, PvmMboxDefault));
    SEE(removed("theirs", 4, PvmMboxDefault));
    list_see("theirs");
    AREA("entries of one who has left");
    SEE(put("go", 1, PvmMboxDefault));
    waitpid(other, NULL, 0);
    list_see("the");
    SEE(get("theirs", 2, PvmMboxReadAndDelete));
    SEE(removed("theirs", 2, PvmMboxDefault));
    SEE(put("theirs", 17, PvmMboxDirectIndex(2) | PvmMboxOverWritable));
}

static void patterns_see(void)
{
    static char *const patterns[] = {
        "",       "*",    "**",     "an",    "AN",    "n*n",   "*n*n*",    "b*a",
        "banana", "^b",   "a.a",    "\\*",   "st\\*", "r*\\*", "banana*x", "?",
        " ",      "na*",  "*na",    "a\\*b", "a\\*",  "\\*b",  "*\\*",     "*a\\*b",
        "\\",     "\\\\", "k\\\\s", "k\\s",  "*\\",   "**a",   "a**n",     NULL};

    AREA("patterns");
    put("banana", 1, PvmMboxDefault);
    put("Anna", 1, PvmMboxDefault);
    put("star*", 1, PvmMboxDefault);
    put("with blank", 1, PvmMboxDefault);
    put("what?", 1, PvmMboxDefault);
    put("*", 1, PvmMboxDefault);
    put("a*b", 1, PvmMboxDefault);
    put("back\\slash", 1, PvmMboxDefault);
    for (int i = 0; patterns[i]; i++) {
        struct pvmmboxinfo *classes = NULL;
        int count = -1, result = pvm_getmboxinfo(patterns[i], &count, &classes);
        printf("'%s': %d:", patterns[i], result);
        for (int j = 0; j < count; j++)
            printf(" '%s'", classes[j].mi_name);
        printf("\n");
    }
    SEE(pvm_getmboxinfo("*", NULL, NULL));
}

static void refused_see(void)
{
    int buffer = pvm_mkbuf(PvmDataDefault), active, value = 3;

    AREA("what is refused, and what stays");
    SEE(pvm_putinfo(NULL, buffer, 0));
    SEE(pvm_putinfo("", buffer, 0));
    SEE(pvm_recvinfo(NULL, 0, 0));
    SEE(pvm_recvinfo("", 0, 0));
    SEE(pvm_recvinfo("a", -1, 0));
    SEE(pvm_recvinfo("a", -1, PvmMboxFirstAvail));
    SEE(pvm_delinfo(NULL, 0, 0));
    SEE(pvm_delinfo("", 0, 0));
    SEE(pvm_delinfo("a", -1, 0));
    active = pvm_initsend(PvmDataRaw);
    pvm_pkint(&value, 1, 1);
    SEE(pvm_putinfo("raw", active, PvmMboxDefault));
    SEE(pvm_getsbuf() == active);
    SEE(get("raw", 0, PvmMboxDefault));
    SEE(pvm_putinfo("empty", buffer, PvmMboxDefault));
    SEE(get("empty", 0, PvmMboxDefault));
    SEE(pvm_initsend(PvmDataInPlace) > 0);
    SEE(pvm_pkint(&value, 1, 1));
    SEE(pvm_putinfo("in place", pvm_getsbuf(), PvmMboxDefault));
    SEE(pvm_freebuf(buffer));
}

static void header_see(void)
{
    struct pvmminfo info = {-7, -7, -7, -7, -7, -7, -7, -7};

    AREA("the header of what comes back");
    pvm_setcontext(12);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&me, 1, 1);
    pvm_send(me, 13);
    pvm_putinfo("header", pvm_getsbuf(), PvmMboxDefault);
    pvm_setcontext(0);
    SEE(pvm_recvinfo("header", 0, PvmMboxDefault) > 0);
    SEE(pvm_getminfo(pvm_getrbuf(), &info));
    printf("len %d ctx %d tag %d wid %d enc %x src %x dst %x\n", info.len, info.ctx, info.tag,
           info.wid, (unsigned)info.enc, (unsigned)info.src, (unsigned)info.dst);
}

/* What the task itself has put before it left the machine for a while. */
static void earlier_see(void)
{
    AREA("entries of an earlier life");
    put("stays", 1, PvmMboxPersistent);
    put("goes", 2, PvmMboxDefault);
    put("open", 3, PvmMboxPersistent | PvmMboxOverWritable);
    SEE(pvm_exit());
    SEE((me = pvm_mytid()) > 0);
    SEE(get("stays", 0, PvmMboxDefault));
    SEE(get("goes", 0, PvmMboxDefault));
    SEE(put("stays", 9, PvmMboxDefault));
    SEE(removed("stays", 0, PvmMboxDefault));
    SEE(put("open", 9, PvmMboxDefault));
    SEE(get("open", 0, PvmMboxReadAndDelete));
    list_see("");
}

int main(void)
{
    pid_t other;
    int ends[2];

    observe();
    if (pipe(ends) < 0 || (other = fork()) < 0)
        return 1;
    if (other == 0)
        another(ends[0]);
    me = pvm_mytid();
    indices_see();
    deleting_see();
    if (write(ends[1], "", 1) != 1)
        return 1;
    owners_see(other);
    patterns_see();
    refused_see();
    header_see();
    earlier_see();
    pvm_exit();
    return 0;
}
