/* Mailboxes: putting, getting, listing, removing, and who may; the older calls for one integer. */
#include "observe.h"
#include <pvm3.h>

static int made(int value)
{
    int buffer = pvm_mkbuf(PvmDataDefault), old = pvm_setsbuf(buffer);
    pvm_pkint(&value, 1, 1);
    pvm_setsbuf(old);
    return buffer;
}

static int put(char *name, int value, int flags)
{
    int buffer = made(value), result = pvm_putinfo(name, buffer, flags);
    pvm_freebuf(buffer);
    return result;
}

static int get(char *name, int index, int flags)
{
    int value = -99, buffer = pvm_recvinfo(name, index, flags);
    if (buffer <= 0)
        return buffer;
    pvm_upkint(&value, 1, 1);
    return value;
}

static void list_see(char *pattern)
{
    struct pvmmboxinfo *classes = NULL;
    int count = -1, result = pvm_getmboxinfo(pattern, &count, &classes);

    printf("list '%s': %d, %d classes\n", pattern ? pattern : "(null)", result, count);
    for (int i = 0; i < count; i++) {
        printf("  %s:", classes[i].mi_name);
        for (int j = 0; j < classes[i].mi_nentries; j++)
            printf(" %d owner %x flags %x", classes[i].mi_indices[j],
                   (unsigned)classes[i].mi_owners[j], (unsigned)classes[i].mi_flags[j]);
        printf("\n");
    }
}

static void put_see(void)
{
    AREA("put and get");
    list_see("*");
    SEE(get("none", 0, PvmMboxDefault));
    SEE(put("one", 1, PvmMboxDefault));
    SEE(get("one", 0, PvmMboxDefault));
    SEE(get("one", 1, PvmMboxDefault));
    SEE(put("one", 2, PvmMboxDefault));
    SEE(get("one", 0, PvmMboxDefault));
    SEE(put("many", 10, PvmMboxMultiInstance));
    SEE(put("many", 11, PvmMboxMultiInstance));
    SEE(put("many", 15, PvmMboxMultiInstance | PvmMboxDirectIndex(5)));
    SEE(put("many", 12, PvmMboxMultiInstance | PvmMboxPersistent));
    SEE(get("many", 5, PvmMboxDefault));
    SEE(get("many", 3, PvmMboxDefault));
    SEE(get("many", 3, PvmMboxFirstAvail));
    SEE(get("many", 6, PvmMboxFirstAvail));
    SEE(get("many", 0, PvmMboxReadAndDelete));
    SEE(get("many", 0, PvmMboxDefault));
    list_see("*");
    list_see("an");
    list_see("m*y");
    list_see("x");
    list_see("");
    list_see(NULL);
}

static void remove_see(void)
{
    AREA("removing");
    SEE(pvm_delinfo("many", 0, PvmMboxDefault));
    SEE(pvm_delinfo("many", 1, PvmMboxDefault));
    SEE(pvm_delinfo("many", 1, PvmMboxDefault));
    SEE(pvm_delinfo("none", 0, PvmMboxDefault));
    SEE(pvm_delinfo("one", 0, PvmMboxDefault));
    list_see("*");
    SEE(pvm_delinfo("many", 2, PvmMboxDefault));
    SEE(pvm_delinfo("many", 5, PvmMboxDefault));
    list_see("*");
}

static void refused_see(void)
{
    int buffer = made(1);

    AREA("what is refused");
    SEE(pvm_putinfo("", buffer, 0));
    SEE(pvm_putinfo(NULL, buffer, 0));
    SEE(pvm_recvinfo("", 0, 0));
    SEE(pvm_recvinfo(NULL, 0, 0));
    SEE(pvm_recvinfo("one", -1, 0));
    SEE(pvm_delinfo("", 0, 0));
    SEE(pvm_delinfo(NULL, 0, 0));
    SEE(pvm_delinfo("one", -1, 0));
    SEE(pvm_freebuf(buffer));
}

static void owners_see(void)
{
    int first = pvm_mytid();

    AREA("entries of a task that has left");
    put("stays", 1, PvmMboxPersistent);
    put("goes", 2, PvmMboxDefault);
    put("open", 3, PvmMboxPersistent | PvmMboxOverWritable);
    pvm_exit();
    SEE(pvm_mytid() != first);
    list_see("*");
    SEE(get("stays", 0, PvmMboxDefault));
    SEE(get("goes", 0, PvmMboxDefault));
    SEE(put("stays", 9, PvmMboxDefault));
    SEE(pvm_delinfo("stays", 0, PvmMboxDefault));
    SEE(put("open", 9, PvmMboxDefault));
    SEE(get("open", 0, PvmMboxReadAndDelete));
    list_see("*");
}

static void integers_see(void)
{
    int value = -1;

    AREA("the older calls");
    SEE(pvm_lookup("number", -1, &value));
    SEE(pvm_insert("number", -1, 42));
    SEE(pvm_insert("number", -1, 43));
    SEE(pvm_insert("number", 7, 44));
    SEE(pvm_insert("number", 7, 45));
    SEE((pvm_lookup("number", -1, &value), value));
    SEE((pvm_lookup("number", 7, &value), value));
    SEE(pvm_lookup("number", 3, &value));
    SEE(pvm_lookup("number", 1, NULL));
    SEE(pvm_delete("number", 7));
    SEE(pvm_delete("number", 7));
    SEE(pvm_delete("number", -1));
    SEE(pvm_insert("number", -2, 1));
    SEE(pvm_insert("", -1, 1));
    SEE(pvm_lookup(NULL, -1, &value));
    list_see("number");
}

int main(void)
{
    observe();
    pvm_mytid();
    put_see();
    remove_see();
    refused_see();
    owners_see();
    integers_see();
    pvm_exit();
    return 0;
}
