/* advice.c - a table for each kind of command. */
#include "console/advice.h"

#include <stddef.h>

#include <pvm3.h>

struct advice {
    int code;
    const char *text;
};

static const char *advice_find(const struct advice *advice, int code)
{
    while (advice->text && advice->code != code)
        advice++;
    return advice->text;
}

const char *advice_add(int code)
{
    static const struct advice advice[] = {
        {PvmNoHost, "this name has no address: put it into /etc/hosts or the name server, or "
                    "say add 'NAME ip=ADDRESS'"},
        {PvmDupHost, "it is in the virtual machine already (conf), or runs another one of yours: "
                     "end that, or give this one an id="},
        {PvmBadParam, "the options of a host are lo= so= dx= ep= wd= sp= bx= ip= id= "
                      "(help add tells them)"},
        {PvmCantStart, "check HOST tells what keeps it from starting"},
        {PvmIPLoopback, "other hosts cannot find this one: halt, and start the machine with "
                        "pvm -nNAME, a name with an address that they reach"},
        {PvmBadVersion, "the pvmd there is of another version of PVM: install the same one"},
        {PvmHostFail, "it joined and ended again: see its log there, and check HOST"},
        {PvmAlready, "somebody else is adding it just now"},
        {PvmOutOfRes, "the virtual machine has as many hosts as it can have"},
        {0, NULL},
    };
    return advice_find(advice, code);
}

const char *advice_delete(int code)
{
    if (code == PvmBadParam)
        return "the first host cannot be deleted: halt ends the whole virtual machine";
    return advice_host(code);
}

const char *advice_host(int code)
{
    static const struct advice advice[] = {
        {PvmNoHost, "conf lists the hosts of the virtual machine, add HOST adds one"},
        {PvmHostFail, "it does not answer; check HOST tells why"},
        {PvmSysErr, "the pvmd is lost: start the console again"},
        {0, NULL},
    };
    return advice_find(advice, code);
}

const char *advice_move(int code)
{
    static const struct advice advice[] = {
        {PvmNoTask, "ps -a lists the tasks"},
        {PvmNotImpl, "tasks that are user-level processes can move (spawn -ulp), between pvmds of "
                     "this release"},
        {PvmOutOfRes, "another host may have the addresses free"},
        {0, NULL},
    };
    return advice_find(advice, code);
}

const char *advice_spawn(int code)
{
    static const struct advice advice[] = {
        {PvmNoFile, "the pvmd looks in ~/pvm3/bin/ARCH and PVM_ROOT/bin/ARCH, or where ep= or "
                    "PVM_PATH of its host says: give the whole path, or put the program there"},
        {PvmNoHost, "conf lists the hosts and their architectures"},
        {PvmBadParam, "help spawn tells the options"},
        {PvmNoMem, "the host has no memory left for another process"},
        {PvmOutOfRes, "the host has as many tasks as it can have: see PVM_MAX_TASKS and ulimit"},
        {PvmHostFail, "the host is gone; conf lists those that are there"},
        {0, NULL},
    };
    return advice_find(advice, code);
}

const char *advice_task(int code)
{
    static const struct advice advice[] = {
        {PvmNoTask, "ps -a lists the tasks"},
        {PvmBadParam, "a task id is hexadecimal, as ps shows it: t40001 or 40001"},
        {0, NULL},
    };
    return advice_find(advice, code);
}

const char *advice_mailbox(int code)
{
    static const struct advice advice[] = {
        {PvmDenied, "an entry of this name is there (names): with flag 2 there may be several, "
                    "one with flag 4 can be replaced"},
        {PvmNotFound, "names lists the entries"},
        {0, NULL},
    };
    return advice_find(advice, code);
}
