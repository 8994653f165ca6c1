/* machine.c - joining one, starting one. */
#include "run/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/memory.h"

/*
 * By PVMEPID a process shows its daemon that it was spawned. A shell that was spawned hands the
 * variable on: pvmrun is not the task that the shell is.
 */
static void machine_be_oneself(void)
{
    const char *spawned = getenv("PVMEPID");
    if (spawned && strtol(spawned, NULL, 10) != getpid())
        unsetenv("PVMEPID");
}

/* The name of the machine: daemons of other hosts have it, too, in folders that others share. */
static void machine_name(void)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    char *name = memory_text("run-%s-%ld", host, (long)getpid());
    setenv("PVM_VMID", name, 1);
    free(name);
}

static bool machine_start(struct machine *machine)
{
    const char *place = getenv("PVM_TMP");
    char *folder = memory_text("%s/pvmrun.XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "pvmrun: cannot make the folder %s: %s: set PVM_TMP to one where you may\n",
                folder, strerror(errno));
        free(folder);
        return false;
    }
    setenv("PVM_TMP", folder, 1);
    unsetenv("PVMSOCK");
    machine_name();
    char *address = keeper_start(&machine->keeper, folder);
    free(folder);
    if (!address)
        return false;
    setenv("PVMSOCK", address, 1);
    free(address);
    machine->is_private = true;
    machine->tid = pvm_mytid();
    if (machine->tid > 0)
        return true;
    fprintf(stderr, "pvmrun: cannot join the machine that was just started: %s\n", pvm_strerror());
    machine_close(machine);
    return false;
}

/* Is there a sign of a daemon? Without one, an attempt to join would print a complaint. */
static bool machine_may_run(void)
{
    const char *id = getenv("PVM_VMID");
    bool named = id && *id;
    char *file = memory_text("%s/pvmd.%ld%s%s", pvmgettmp(), (long)geteuid(), named ? "." : "",
                             named ? id : "");
    bool found = getenv("PVMSOCK") || access(file, F_OK) == 0;
    free(file);
    return found;
}

bool machine_open(struct machine *machine)
{
    *machine = (struct machine){0};
    machine_be_oneself();
    setenv("PVM_ALLOW_ROOT", "1", 1);
    machine->tid = machine_may_run() ? pvm_mytid() : PvmSysErr;
    bool joined = machine->tid > 0 || machine_start(machine);
    if (joined)
        pvm_setopt(PvmAutoErr, 0);
    return joined;
}

void machine_close(struct machine *machine)
{
    pvm_exit();
    if (machine->is_private)
        keeper_end(&machine->keeper);
}
