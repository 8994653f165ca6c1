/* What PvmAutoErr does with a failure in each kind of call, and what pvm_errno says after each. */
#include "observe.h"
#include <string.h>

extern int pvm_errno;
int lpvmerr(char *function, int code);

static int level, me;
static char *words[] = {"nothing", NULL};

/* Each of these fails, with another code or in another way. */
static int none(void)
{
    return 0;
}

static int bad_parameter(void)
{
    return pvm_send(0, 1);
}

static int no_buffer(void)
{
    pvm_setsbuf(0);
    return pvm_send(me, 1);
}

static int no_such_buffer(void)
{
    return pvm_freebuf(4321);
}

static int no_data(void)
{
    int value;

    pvm_initsend(PvmDataDefault);
    pvm_setrbuf(pvm_getsbuf());
    return pvm_upkint(&value, 1, 1);
}

static int not_implemented(void)
{
    return pvm_psend(me, 1, words, 1, PVM_STR);
}

static int handle(int buffer)
{
    return buffer;
}

static int exists(void)
{
    return pvm_addmhf(-1, -1, -1, handle);
}

static int not_found(void)
{
    return pvm_freecontext(123);
}

static int nested_kill(void)
{
    return pvm_kill(-1);
}

static int nested_initsend(void)
{
    return pvm_initsend(99);
}

static int nested_psend(void)
{
    return pvm_psend(-1, 1, words, 1, PVM_INT);
}

static int nested_packf(void)
{
    return pvm_packf("%+%d", 99, 1);
}

static int in_packf(void)
{
    pvm_setsbuf(0);
    return pvm_packf("%d", 1);
}

static int quiet_parent(void)
{
    return pvm_parent();
}

static int quiet_mailbox(void)
{
    return pvm_recvinfo("nothing", 0, PvmMboxDefault);
}

static int quiet_state(void)
{
    return pvm_pstat(me + 70);
}

static int quiet_host(void)
{
    return pvm_mstat("nothing");
}

static int quiet_message(void)
{
    return pvm_pkmesg(4321);
}

static int quiet_lookup(void)
{
    return pvm_lookup("nothing", 0, NULL);
}

static int partial_spawn(void)
{
    return pvm_spawn("no-such-program", NULL, 0, "", 1, &me);
}

static int raised(void)
{
    return lpvmerr("my_function", PvmNoMem);
}

static int raised_zero(void)
{
    return lpvmerr("my_function", 0);
}

static int raised_strange(void)
{
    return lpvmerr("my_function", -200);
}

static const struct {
    const char *name;
    int (*fail)(void);
} failures[] = {
    {"nothing fails", none},
    {"pvm_send to nobody", bad_parameter},
    {"pvm_send of nothing", no_buffer},
    {"pvm_freebuf of an unknown buffer", no_such_buffer},
    {"pvm_upkint behind the end", no_data},
    {"pvm_psend of a string", not_implemented},
    {"pvm_addmhf for all", exists},
    {"pvm_freecontext of another's", not_found},
    {"pvm_kill of nobody", nested_kill},
    {"pvm_initsend with a wrong encoding", nested_initsend},
    {"pvm_psend to nobody", nested_psend},
    {"pvm_packf with a wrong encoding", nested_packf},
    {"pvm_packf without a buffer", in_packf},
    {"pvm_parent", quiet_parent},
    {"pvm_recvinfo of an unknown name", quiet_mailbox},
    {"pvm_pstat of an unknown task", quiet_state},
    {"pvm_mstat of an unknown host", quiet_host},
    {"pvm_pkmesg of an unknown buffer", quiet_message},
    {"pvm_lookup of an unknown name", quiet_lookup},
    {"pvm_spawn of an unknown program", partial_spawn},
    {"lpvmerr", raised},
    {"lpvmerr of 0", raised_zero},
    {"lpvmerr of a strange code", raised_strange},
};

static int (*failing)(void);

static void fail(void)
{
    me = pvm_mytid();
    pvm_setopt(PvmAutoErr, level);
    pvm_errno = 0;
    int result = failing();
    pvm_setopt(PvmAutoErr, 0);
    printf("  returned %d, pvm_errno %d\n", result, pvm_errno);
    pvm_exit();
}

int main(void)
{
    observe();
    for (unsigned i = 0; i < sizeof failures / sizeof *failures; i++) {
        AREA(failures[i].name);
        failing = failures[i].fail;
        for (level = 0; level <= 3; level++) {
            printf("level %d\n", level);
            apart("  ended", fail);
        }
    }
    AREA("other levels");
    failing = bad_parameter;
    for (level = -1; level <= 77; level += level < 0 ? 5 : 73) {
        printf("level %d\n", level);
        apart("  ended", fail);
    }
    return 0;
}
