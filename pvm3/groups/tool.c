/* tool.c - the way to the group server, and the end without it. */
#include "groups/tool.h"

#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "groups/arguments.h"
#include "groups/protocol.h"

/* Of libgpvm3, in no header of 3.4.6: the tid of the group server, or an error. */
int gs_getgstid(void);

enum { STATUS_FAILED = 255 };

static const char *called;

void tool_fail(const char *why)
{
    fprintf(stderr, "%s: %s\n", called, why);
    pvm_exit();
    exit(STATUS_FAILED);
}

int tool_begin(int count, char **words, const char *name, const char *purpose)
{
    arguments_answer(count, words, name, purpose);
    called = words[0];
    int server = gs_getgstid();
    if (server < 0)
        tool_fail("no groups server");
    pvm_setcontext(GROUPS_CONTEXT);
    return server;
}

void tool_ask(int server, int question)
{
    pvm_initsend(PvmDataDefault);
    if (pvm_send(server, question) < 0)
        tool_fail("the group server cannot be asked");
}
