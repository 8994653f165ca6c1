/*
 * hello.c - a task on each host of the virtual machine says hello.
 *
 * usage: hello
 *
 * One program plays both parts, as in all examples here: a copy that was spawned has a parent.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

enum { GREETING = 1, LONGEST = 300 };

/* The name of the host on which this task runs, as the virtual machine knows it. */
static const char *host_name(void)
{
    struct pvmhostinfo *hosts;
    int count, own = pvm_tidtohost(pvm_mytid());

    if (pvm_config(&count, NULL, &hosts) == 0)
        for (int i = 0; i < count; i++)
            if (hosts[i].hi_tid == own)
                return hosts[i].hi_name;
    return "an unknown host";
}

static void say_hello(int parent)
{
    char text[LONGEST];

    snprintf(text, sizeof text, "hello from %s", host_name());
    pvm_initsend(PvmDataDefault);
    pvm_pkstr(text);
    pvm_send(parent, GREETING);
}

/* Starts a copy on one host, waits for its greeting and prints it. Returns 0 if all went well. */
static int hear(char *host)
{
    char text[LONGEST];
    int tid;

    if (pvm_spawn("hello", NULL, PvmTaskHost, host, 1, &tid) != 1) {
        /* In place of a tid stands the reason. */
        fprintf(stderr, "hello: no copy could be started on %s, error %d%s\n", host, tid,
                tid == PvmNoFile ? ": the program is not where that host looks for it" : "");
        return 1;
    }
    if (pvm_recv(tid, GREETING) < 0 || pvm_upkstr(text) < 0)
        return 1;
    printf("t%x: %s\n", (unsigned)tid, text);
    return 0;
}

int main(void)
{
    struct pvmhostinfo *hosts;
    int count, failed = 0, parent = pvm_parent();

    if (parent > 0) {
        say_hello(parent);
    } else {
        if (pvm_config(&count, NULL, &hosts) < 0)
            return EXIT_FAILURE; /* the library has said why */
        for (int i = 0; i < count; i++)
            failed += hear(hosts[i].hi_name);
    }
    pvm_exit();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
