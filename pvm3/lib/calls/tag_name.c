/* tag_name.c - what a tag of the system is called, for programs that show messages. */
#include <stdbool.h>
#include <stdio.h>

#include <pvmproto.h>

#include "lib/task/process.h"
#include "lib/task/public.h"

#define NAMED(tag)                                                                                 \
    {                                                                                              \
        tag, #tag                                                                                  \
    }

static const struct tag_name {
    int tag;
    const char *name;
} tag_names[] = {
    NAMED(TM_CONNECT),  NAMED(TM_CONN2),       NAMED(TM_EXIT),       NAMED(TM_ADDHOST),
    NAMED(TM_DELHOST),  NAMED(TM_CONFIG),      NAMED(TM_MSTAT),      NAMED(TM_HALT),
    NAMED(TM_TICKLE),   NAMED(TM_SPAWN),       NAMED(TM_PSTAT),      NAMED(TM_SENDSIG),
    NAMED(TM_TASK),     NAMED(TM_MCA),         NAMED(TM_NOTIFY),     NAMED(TM_DB),
    NAMED(TM_SCHED),    NAMED(TM_TASKER),      NAMED(TM_HOSTER),     NAMED(TM_TRACER),
    NAMED(TM_HOSTSYNC), NAMED(TM_SETOPT),      NAMED(TM_GETOPT),     NAMED(TM_CONTEXT),
    NAMED(TM_SHMCONN),  NAMED(DM_ADD),         NAMED(DM_ADDACK),     NAMED(DM_EXEC),
    NAMED(DM_EXECACK),  NAMED(DM_SENDSIG),     NAMED(DM_HTUPD),      NAMED(DM_HTUPDACK),
    NAMED(DM_HTCOMMIT), NAMED(DM_SLCONF),      NAMED(DM_STARTACK),   NAMED(DM_TASK),
    NAMED(DM_TASKACK),  NAMED(DM_DELHOST),     NAMED(DM_DELHOSTACK), NAMED(DM_NULL),
    NAMED(DM_TASKOUT),  NAMED(DM_PSTAT),       NAMED(DM_PSTATACK),   NAMED(DM_HALT),
    NAMED(DM_MCA),      NAMED(DM_NOTIFY),      NAMED(DM_NOTIFYACK),  NAMED(DM_DB),
    NAMED(DM_DBACK),    NAMED(DM_RESET),       NAMED(DM_RESETACK),   NAMED(DM_HTDEL),
    NAMED(DM_HOSTSYNC), NAMED(DM_HOSTSYNCACK), NAMED(TC_CONREQ),     NAMED(TC_CONACK),
    NAMED(TC_TASKEXIT), NAMED(TC_NOOP),        NAMED(TC_OUTPUT),     NAMED(TC_SETTRACE),
    NAMED(TC_SETTMASK), NAMED(TC_SETTRCBUF),   NAMED(TC_SETTRCOPT),  NAMED(TC_SHMAT),
    NAMED(TC_OUTPUTX),  NAMED(TC_SIBLINGS),    NAMED(SM_SPAWN),      NAMED(SM_EXEC),
    NAMED(SM_EXECACK),  NAMED(SM_TASK),        NAMED(SM_CONFIG),     NAMED(SM_ADDHOST),
    NAMED(SM_DELHOST),  NAMED(SM_ADD),         NAMED(SM_ADDACK),     NAMED(SM_NOTIFY),
    NAMED(SM_TASKX),    NAMED(SM_HOSTX),       NAMED(SM_HANDOFF),    NAMED(SM_SCHED),
    NAMED(SM_STHOST),   NAMED(SM_STHOSTACK),   NAMED(SM_STTASK),
};

char *pvmnametag(int tag, int *found)
{
    for (size_t i = 0; i < sizeof tag_names / sizeof *tag_names; i++)
        if (tag_names[i].tag == tag) {
            if (found)
                *found = true;
            return (char *)tag_names[i].name;
        }
    if (found)
        *found = false;
    struct caller *caller = caller_self();
    snprintf(caller->tag_text, sizeof caller->tag_text, "%d", tag);
    return caller->tag_text;
}
