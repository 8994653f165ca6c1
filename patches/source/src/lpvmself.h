/* lpvmself.h - what each thread has of its own: active buffers and message context. Ends lpvm.h. */
#ifndef LPVMSELF_H
#define LPVMSELF_H

#include <stdbool.h>

struct pmsg;

struct caller {
    struct pmsg *send;
    struct pmsg *receive;
    int context;
    int *descriptors; /* what pvm_getfds gave it */
    bool known;
    struct caller *next;
};

extern __thread struct caller this_caller;

#define pvmsbuf  this_caller.send
#define pvmrbuf  this_caller.receive
#define pvmmyctx this_caller.context

#endif
