/*
 * Where the output of children and of the task itself goes: the options, and the records that
 * come.
 */
#include "observe.h"
#include <string.h>

static int me;

/* The next record of a child's output. */
static int record_see(const char *what, int context, int tag)
{
    int tid = 0, count = -9, parent = -9, source = 0, bytes = 0;
    char text[256] = "";

    pvm_setcontext(context);
    pvm_recv(-1, tag);
    pvm_setcontext(0);
    pvm_bufinfo(pvm_getrbuf(), &bytes, NULL, &source);
    pvm_upkint(&tid, 1, 1);
    pvm_upkint(&count, 1, 1);
    if (count > 0) {
        pvm_upkbyte(text, count < 255 ? count : 255, 1);
        text[count < 255 ? count : 255] = '\0';
    } else if (count < 0) {
        pvm_upkint(&parent, 1, 1);
    }
    /* That it was spawned and that it began come from two places, in any order. */
    printf("%s: from %x, %d bytes, of a %s, %s, parent %s, '%.*s'\n", what, (unsigned)source, bytes,
           tid > me ? "child" : "task",
           count > 0    ? "text"
           : count == 0 ? "end"
                        : "begin",
           parent == me   ? "me"
           : parent == -9 ? "none"
                          : "other",
           (int)strcspn(text, "\n"), text);
    return count;
}

static void collected_see(void)
{
    char *arguments[] = {"print", "a line\n", NULL};
    int tid = 0, context = pvm_newcontext();

    AREA("output of a child to its parent");
    SEE(pvm_setopt(PvmOutputTid, me));
    SEE(pvm_setopt(PvmOutputCode, 77));
    SEE(pvm_setopt(PvmOutputContext, context));
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    for (int i = 0; i < 10; i++)
        if (record_see("record", context, 77) == 0)
            break;
    SEE(pvm_setopt(PvmOutputTid, 0) == me);
    SEE(pvm_getopt(PvmOutputCode));
    SEE(pvm_getopt(PvmOutputContext) == context);
}

static void nothing_see(void)
{
    char *arguments[] = {"exit", "3", NULL};
    int tid = 0;

    AREA("a child that says nothing");
    SEE(pvm_setopt(PvmOutputTid, me));
    SEE(pvm_setopt(PvmOutputCode, 78));
    SEE(pvm_setopt(PvmOutputContext, 0) > 0);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    for (int i = 0; i < 10; i++)
        if (record_see("record", 0, 78) == 0)
            break;
    SEE(pvm_setopt(PvmOutputTid, 0) == me);
}

static void absent_see(void)
{
    int tid = 0;

    AREA("a program that cannot be found");
    SEE(pvm_setopt(PvmOutputTid, me));
    SEE(pvm_spawn("no-such-program", NULL, PvmTaskDefault, "", 1, &tid));
    SEE(tid);
    SEE(pvm_nrecv(-1, 78));
    SEE(pvm_setopt(PvmOutputTid, 0) == me);
}

static void set_see(const char *name, int option, int value)
{
    int result = pvm_setopt(option, value), now = pvm_getopt(option);

    printf("%s to %s: %s, then %s\n", name,
           value == me  ? "me"
           : value == 0 ? "0"
                        : "another",
           result == me  ? "me"
           : result < 0  ? "an error"
           : result == 0 ? "0"
                         : "another",
           now == me  ? "me"
           : now == 0 ? "0"
                      : "another");
}

/* What children will inherit. */
static void children_see(void)
{
    int tid = pvm_getopt(PvmOutputTid);

    printf("for children: output to %s with code %d, trace code %d buffer %d options %d\n",
           tid == me ? "me"
           : tid     ? "another"
                     : "nobody",
           pvm_getopt(PvmOutputCode), pvm_getopt(PvmTraceCode), pvm_getopt(PvmTraceBuffer),
           pvm_getopt(PvmTraceOptions));
}

static void rules_see(void)
{
    AREA("what may be set for children");
    set_see("PvmOutputTid", PvmOutputTid, me + 3);
    set_see("PvmOutputTid", PvmOutputTid, -1);
    set_see("PvmOutputCode", PvmOutputCode, 5);
    set_see("PvmOutputContext", PvmOutputContext, 6);
    set_see("PvmOutputTid", PvmOutputTid, me);
    set_see("PvmOutputCode", PvmOutputCode, 7);
    set_see("PvmOutputContext", PvmOutputContext, 8);
    set_see("PvmOutputTid", PvmOutputTid, me + 3);
    set_see("PvmOutputTid", PvmOutputTid, 0);
    set_see("PvmTraceTid", PvmTraceTid, me + 3);
    set_see("PvmTraceTid", PvmTraceTid, me);
    set_see("PvmTraceCode", PvmTraceCode, 9);
    set_see("PvmTraceContext", PvmTraceContext, 10);
    set_see("PvmTraceTid", PvmTraceTid, 0);
    AREA("what may be set for the task itself");
    set_see("PvmOutputTid", PvmOutputTid, me);
    set_see("PvmOutputCode", PvmOutputCode, 11);
    set_see("PvmTraceBuffer", PvmTraceBuffer, 12);
    set_see("PvmTraceOptions", PvmTraceOptions, PvmTraceTime);
    set_see("PvmSelfOutputContext", PvmSelfOutputContext, 3);
    set_see("PvmSelfOutputCode", PvmSelfOutputCode, 0);
    set_see("PvmSelfOutputTid", PvmSelfOutputTid, 0);
    set_see("PvmSelfTraceContext", PvmSelfTraceContext, 3);
    set_see("PvmSelfTraceCode", PvmSelfTraceCode, 0);
    set_see("PvmSelfTraceTid", PvmSelfTraceTid, 0);
    set_see("PvmSelfTraceBuffer", PvmSelfTraceBuffer, 100);
    set_see("PvmSelfTraceOptions", PvmSelfTraceOptions, 0);
    set_see("PvmSelfTraceOptions", PvmSelfTraceOptions, PvmTraceCount);
    set_see("PvmSelfOutputTid", PvmSelfOutputTid, me);
    set_see("PvmSelfOutputCode", PvmSelfOutputCode, 13);
    children_see();
    set_see("PvmOutputCode", PvmOutputCode, 14);
    set_see("PvmSelfOutputTid", PvmSelfOutputTid, 0);
    children_see();
    set_see("PvmOutputCode", PvmOutputCode, 15);
    set_see("PvmSelfOutputCode", PvmSelfOutputCode, 16);
    children_see();
}

/* A child whose output goes elsewhere from some point on. */
static void redirected_see(void)
{
    char *arguments[] = {"redirect", "79", NULL};
    int tid = 0;

    AREA("a child that redirects its output");
    SEE(pvm_setopt(PvmOutputTid, 0));
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    for (int i = 0; i < 10; i++)
        if (record_see("record", 0, 79) == 0)
            break;
}

int main(void)
{
    observe();
    me = pvm_mytid();
    rules_see();
    collected_see();
    nothing_see();
    absent_see();
    redirected_see();
    pvm_exit();
    return 0;
}
