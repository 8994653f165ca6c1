/* guest.c - the thread for a task that comes, and how it finds the task. */
#include "lib/spawn/guest.h"

#include <pvm3.h>

#include "lib/link/lease.h"
#include "lib/spawn/door.h"
#include "lib/spawn/thread_start.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

void own_program_welcome(void (*welcome)(int connection))
{
    caller_self()->task->process->welcome = welcome;
}

/* The function of the thread. */
static int guest_run(int count, char **words)
{
    (void)count;
    own_program_go_home();
    int connection = door_enter(words[1], words[2]);
    own_program_come_back();
    if (connection >= 0)
        caller_self()->task->process->welcome(connection);
    return 0;
}

int guest_start(struct caller *caller, const struct guest *guest, char *const *words)
{
    const struct thread_order order = {.function = guest_run, .name = "guest", .words = words};
    struct process *process = caller->task->process;
    if (!process->welcome || !words[0] || !words[1])
        return PvmNotImpl;
    lease_begin(process);
    bool shared = lease_is_there(caller->task);
    lease_end(process);
    if (!shared)
        return PvmNotImpl;
    return thread_start_guest(caller, &order, guest);
}
