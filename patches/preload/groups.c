/*
 * groups.c - the calls of libgpvm3. They enter the section, since that library writes variables of
 * libpvm3, and one thread at a time makes them, since it takes any answer of the group server for
 * its own. It waits in pvm_recv, outside of the section.
 */
#include "forward.h"

#define GROUP(name, parameters, arguments)                                                         \
    PUBLIC int name parameters                                                                     \
    {                                                                                              \
        bool outermost = section_enter_group();                                                    \
        FIND_NEXT(name)                                                                            \
        int result = next arguments;                                                               \
        section_leave_group(outermost);                                                            \
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
