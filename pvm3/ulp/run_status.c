/* run_status.c - a message to the parent. */
#include "ulp/run_status.h"

#include <stddef.h>

#include <pvm3.h>

#include "lib/task/own_program.h"

#define TAG_STATUS 0x50565354

/* The active buffers and the context of the program stay as they are. */
void run_status_tell(const char *started_by_pvmrun, int status)
{
    int parent = started_by_pvmrun && own_program_is_task() ? pvm_parent() : 0;
    if (parent <= 0)
        return;
    int buffer = pvm_mkbuf(PvmDataDefault), former = pvm_setsbuf(buffer);
    int context = pvm_setcontext(PvmBaseContext);
    pvm_pkint(&status, 1, 1);
    pvm_send(parent, TAG_STATUS);
    pvm_setcontext(context);
    pvm_setsbuf(former);
    pvm_freebuf(buffer);
}
