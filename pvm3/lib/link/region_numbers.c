/* region_numbers.c - what is asked and told of regions. */
#include "lib/link/region_numbers.h"

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/tid.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/caller.h"

static struct task *region_task(void)
{
    const struct caller *caller = caller_current();
    return caller && pvmd_link_is_enrolled(caller->task) ? caller->task : NULL;
}

static int region_numbers_read(const struct message *answer, int wished, int *numbers)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int count = control_get_int(&reader);
    for (int i = 0; i < count && i < wished; i++)
        numbers[i] = control_get_int(&reader);
    return reader.failed || count > wished ? PvmBadMsg : count;
}

int region_numbers_ask(int needed, int wished, int *numbers)
{
    HOLD_OFF_CANCELLATION;
    struct message *answer;
    struct task *task = region_task();
    if (!task)
        return PvmSysErr;
    if (!task->may_lease && !atomic_load(&task->leased))
        return PvmNotImpl;
    struct message *request = pvmd_link_request(CONTROL_REGIONS);
    control_put_int(request, needed);
    control_put_int(request, wished);
    int result = pvmd_link_call(task, request, &answer);
    if (result < 0)
        return result;
    result = region_numbers_read(answer, wished, numbers);
    message_free(answer);
    return result;
}

int region_numbers_give_back(const int *numbers, int count)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = region_task();
    if (!task)
        return PvmSysErr;
    struct message *message = pvmd_link_request(CONTROL_REGIONS_BACK);
    control_put_int(message, count);
    control_put_items(message, PVM_INT, numbers, count);
    return pvmd_link_tell(task, message, TID_OWN_DAEMON);
}
