/* error.c - the table of error codes, written once. */
#include "core/error.h"

#include <stddef.h>
#include <string.h>

#include <pvm3.h>

struct error {
    const char *name;
    const char *text;
};

/* Unassigned codes keep the text that 3.4.6 prints for them and have no name. */
static const struct error errors[ERROR_COUNT] = {
    [-PvmOk] = {"PvmOk", "Error 0"},
    [1] = {NULL, "Error 1"},
    [-PvmBadParam] = {"PvmBadParam", "Bad parameter"},
    [-PvmMismatch] = {"PvmMismatch", "Parameter mismatch"},
    [-PvmOverflow] = {"PvmOverflow", "Value too large"},
    [-PvmNoData] = {"PvmNoData", "End of buffer"},
    [-PvmNoHost] = {"PvmNoHost", "No such host"},
    [-PvmNoFile] = {"PvmNoFile", "No such file"},
    [-PvmDenied] = {"PvmDenied", "Permission denied"},
    [9] = {NULL, "Error 9"},
    [-PvmNoMem] = {"PvmNoMem", "Malloc failed"},
    [11] = {NULL, "Error 11"},
    [-PvmBadMsg] = {"PvmBadMsg", "Can't decode message"},
    [13] = {NULL, "Error 13"},
    [-PvmSysErr] = {"PvmSysErr", "Can't contact local daemon"},
    [-PvmNoBuf] = {"PvmNoBuf", "No current buffer"},
    [-PvmNoSuchBuf] = {"PvmNoSuchBuf", "No such buffer"},
    [-PvmNullGroup] = {"PvmNullGroup", "Null group name"},
    [-PvmDupGroup] = {"PvmDupGroup", "Already in group"},
    [-PvmNoGroup] = {"PvmNoGroup", "No such group"},
    [-PvmNotInGroup] = {"PvmNotInGroup", "Not in group"},
    [-PvmNoInst] = {"PvmNoInst", "No such instance"},
    [-PvmHostFail] = {"PvmHostFail", "Host failed"},
    [-PvmNoParent] = {"PvmNoParent", "No parent task"},
    [-PvmNotImpl] = {"PvmNotImpl", "Not implemented"},
    [-PvmDSysErr] = {"PvmDSysErr", "Pvmd system error"},
    [-PvmBadVersion] = {"PvmBadVersion", "Version mismatch"},
    [-PvmOutOfRes] = {"PvmOutOfRes", "Out of resources"},
    [-PvmDupHost] = {"PvmDupHost", "Duplicate host"},
    [-PvmCantStart] = {"PvmCantStart", "Can't start pvmd"},
    [-PvmAlready] = {"PvmAlready", "Already in progress"},
    [-PvmNoTask] = {"PvmNoTask", "No such task"},
    [-PvmNotFound] = {"PvmNotFound", "Not Found"},
    [-PvmExists] = {"PvmExists", "Already Exists"},
    [-PvmHostrNMstr] = {"PvmHostrNMstr", "Hoster must run on master host"},
    [-PvmParentNotSet] = {"PvmParentNotSet", "Spawning parent set PvmNoParent"},
    [-PvmIPLoopback] = {"PvmIPLoopback", "Master Host IP Address is Loopback! (See pvm3/Readme)"},
};

static const struct error *error_find(int code)
{
    return code <= 0 && code > -ERROR_COUNT ? &errors[-code] : NULL;
}

const char *error_text(int code)
{
    const struct error *found = error_find(code);
    return found ? found->text : "Unknown Error";
}

const char *error_name(int code)
{
    const struct error *found = error_find(code);
    return found ? found->name : NULL;
}

int error_code(const char *name)
{
    for (int i = 1; i < ERROR_COUNT; i++)
        if (errors[i].name && strcmp(errors[i].name, name) == 0)
            return -i;
    return 0;
}
