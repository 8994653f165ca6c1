/* guest.c - the thread for a task that comes, and how it finds the task. */
#include "lib/spawn/guest.h"

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/life/tasks.h"
#include "lib/link/lease.h"
#include "lib/link/pvmd_link.h"
#include "lib/spawn/door.h"
#include "lib/spawn/thread_start.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

void own_program_welcome(void (*welcome)(int connection))
{
    caller_self()->task->process->welcome = welcome;
}

void guest_tell_not(struct task *holder, int tid)
{
    if (process_awaits(tid))
        return;
    struct message *word = pvmd_link_request(CONTROL_ARRIVE_NOT);
    control_put_int(word, tid);
    pvmd_link_tell(holder, word, TID_OWN_DAEMON);
}

/* The function of the thread. */
static int guest_run(int count, char **words)
{
    struct task *task = caller_self()->task;
    (void)count;
    own_program_go_home();
    int connection = door_enter(words[1], words[2]);
    own_program_come_back();
    if (connection >= 0)
        task->process->welcome(connection);
    int tid = atomic_exchange(&task->move.becomes, 0);
    if (tid != 0)
        guest_tell_not(task->process->first, tid);
    return 0;
}

int guest_start(struct caller *caller, int tid, const struct guest *guest, char *const *words)
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
    return thread_start_guest(caller, tid, &order, guest);
}
