/*
 * groups.c - the calls of libgpvm3, one thread at a time, since that library takes any answer of
 * the group server for its own. It waits in pvm_recv, outside of the section.
 */
#include "forward.h"

static pthread_mutex_t one_at_a_time = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

#define GROUP(name, parameters, arguments)                                                         \
    PUBLIC int name parameters                                                                     \
    {                                                                                              \
        int cancelling;                                                                            \
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);                               \
        pthread_mutex_lock(&one_at_a_time);                                                        \
        FIND_NEXT(name)                                                                            \
        int result = next arguments;                                                               \
        pthread_mutex_unlock(&one_at_a_time);                                                      \
        pthread_setcancelstate(cancelling, NULL);                                                  \
        return result;                                                                             \
    }

GROUP(pvm_joingroup, (char *group), (group))
GROUP(pvm_lvgroup, (char *group), (group))
GROUP(pvm_gsize, (char *group), (group))
GROUP(pvm_getinst, (char *group, int tid), (group, tid))
GROUP(pvm_gettid, (char *group, int instance), (group, instance))
GROUP(pvm_bcast, (char *group, int tag), (group, tag))
GROUP(pvm_barrier, (char *group, int count), (group, count))
GROUP(pvm_freezegroup, (char *group, int size), (group, size))
GROUP(pvm_gather,
      (void *result_items, void *data, int count, int type, int tag, char *group, int root),
      (result_items, data, count, type, tag, group, root))
GROUP(pvm_scatter,
      (void *result_items, void *data, int count, int type, int tag, char *group, int root),
      (result_items, data, count, type, tag, group, root))
GROUP(pvm_reduce,
      (void (*function)(int *, void *, void *, int *, int *), void *data, int count, int type,
       int tag, char *group, int root),
      (function, data, count, type, tag, group, root))
