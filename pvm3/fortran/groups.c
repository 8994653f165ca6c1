/* groups.c - the calls of libgpvm3; a program that calls none of them need not have libgpvm3. */
#include "fortran/text.h"

#include <pvm3.h>

void pvmfjoingroup(char *group, int *instance, text_length group_length)
{
    char name[TEXT_ROOM];
    *instance = text_take(name, group, group_length) ? pvm_joingroup(name) : PvmBadParam;
}

void pvmflvgroup(char *group, int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length) ? pvm_lvgroup(name) : PvmBadParam;
}

void pvmfgsize(char *group, int *size, text_length group_length)
{
    char name[TEXT_ROOM];
    *size = text_take(name, group, group_length) ? pvm_gsize(name) : PvmBadParam;
}

void pvmfgetinst(char *group, int *tid, int *instance, text_length group_length)
{
    char name[TEXT_ROOM];
    *instance = text_take(name, group, group_length) ? pvm_getinst(name, *tid) : PvmBadParam;
}

void pvmfgettid(char *group, int *instance, int *tid, text_length group_length)
{
    char name[TEXT_ROOM];
    *tid = text_take(name, group, group_length) ? pvm_gettid(name, *instance) : PvmBadParam;
}

void pvmffreezegroup(char *group, int *size, int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length) ? pvm_freezegroup(name, *size) : PvmBadParam;
}

void pvmfbarrier(char *group, int *count, int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length) ? pvm_barrier(name, *count) : PvmBadParam;
}

void pvmfbcast(char *group, int *tag, int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length) ? pvm_bcast(name, *tag) : PvmBadParam;
}

void pvmfgather(void *result, void *data, int *count, int *type, int *tag, char *group, int *root,
                int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length)
                ? pvm_gather(result, data, *count, *type, *tag, name, *root)
                : PvmBadParam;
}

void pvmfscatter(void *result, void *data, int *count, int *type, int *tag, char *group, int *root,
                 int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length)
                ? pvm_scatter(result, data, *count, *type, *tag, name, *root)
                : PvmBadParam;
}

void pvmfallgather(void *result, void *data, int *count, int *type, int *tag, char *group,
                   int *info, text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length)
                ? pvm_allgather(result, data, *count, *type, *tag, name)
                : PvmBadParam;
}

void pvmfalltoall(void *result, void *data, int *count, int *type, int *tag, char *group, int *info,
                  text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length)
                ? pvm_alltoall(result, data, *count, *type, *tag, name)
                : PvmBadParam;
}

void pvmfallreduce(void (*func)(int *type, void *x, void *y, int *count, int *info), void *data,
                   int *count, int *type, int *tag, char *group, int *info,
                   text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length)
                ? pvm_allreduce(func, data, *count, *type, *tag, name)
                : PvmBadParam;
}

void pvmfreduce(void (*func)(int *type, void *x, void *y, int *count, int *info), void *data,
                int *count, int *type, int *tag, char *group, int *root, int *info,
                text_length group_length)
{
    char name[TEXT_ROOM];
    *info = text_take(name, group, group_length)
                ? pvm_reduce(func, data, *count, *type, *tag, name, *root)
                : PvmBadParam;
}

void pvmmax(int *type, void *x, void *y, int *count, int *info)
{
    PvmMax(type, x, y, count, info);
}

void pvmmin(int *type, void *x, void *y, int *count, int *info)
{
    PvmMin(type, x, y, count, info);
}

void pvmsum(int *type, void *x, void *y, int *count, int *info)
{
    PvmSum(type, x, y, count, info);
}

void pvmproduct(int *type, void *x, void *y, int *count, int *info)
{
    PvmProduct(type, x, y, count, info);
}
