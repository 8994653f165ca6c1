/* messages.c - sending and receiving, contexts and message handlers. */
#include "fortran/routines.h"

#include <pvm3.h>

void pvmfsend(int *tid, int *tag, int *info)
{
    *info = pvm_send(*tid, *tag);
}

void pvmfmcast(int *ntask, int *tids, int *tag, int *info)
{
    *info = pvm_mcast(tids, *ntask, *tag);
}

void pvmfpsend(int *tid, int *tag, void *buffer, int *count, int *type, int *info)
{
    *info = pvm_psend(*tid, *tag, buffer, *count, *type);
}

void pvmfrecv(int *tid, int *tag, int *bufid)
{
    *bufid = pvm_recv(*tid, *tag);
}

void pvmfnrecv(int *tid, int *tag, int *bufid)
{
    *bufid = pvm_nrecv(*tid, *tag);
}

void pvmftrecv(int *tid, int *tag, int *seconds, int *microseconds, int *bufid)
{
    struct timeval most = {.tv_sec = *seconds, .tv_usec = *microseconds};
    *bufid = pvm_trecv(*tid, *tag, *seconds == -1 ? NULL : &most);
}

void pvmfprobe(int *tid, int *tag, int *bufid)
{
    *bufid = pvm_probe(*tid, *tag);
}

void pvmfprecv(int *tid, int *tag, void *buffer, int *count, int *type, int *source, int *real_tag,
               int *bytes, int *info)
{
    *info = pvm_precv(*tid, *tag, buffer, *count, *type, source, real_tag, bytes);
}

void pvmfnewcontext(int *context)
{
    *context = pvm_newcontext();
}

void pvmfgetcontext(int *context)
{
    *context = pvm_getcontext();
}

void pvmfsetcontext(int *context, int *old)
{
    *old = pvm_setcontext(*context);
}

/* As in 3.4.6, whose programs may depend on it: the context becomes the current one. */
void pvmffreecontext(int *context, int *info)
{
    *info = pvm_setcontext(*context);
}

void pvmfaddmhf(int *source, int *tag, int *context, int *unused, int (*handler)(int bufid),
                int *mhid)
{
    (void)unused;
    *mhid = pvm_addmhf(*source, *tag, *context, handler);
}

void pvmfdelmhf(int *mhid, int *info)
{
    *info = pvm_delmhf(*mhid);
}
