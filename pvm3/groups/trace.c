/* trace.c - the events of group calls, through the interface for libgpvm3 of 3.4.6. */
#include "groups/trace.h"

#include <pthread.h>
#include <stddef.h>

/* Of libpvm3, in no header of 3.4.6. */
typedef int trace_encode(int field, int array, const void *data, int count, int stride);

struct trace_codec {
    trace_encode *encode[TEV_DATA_STRING]; /* one for each type, TEV_DATA_BYTE first */
};

extern struct Pvmtracer pvmtrc;
extern int pvmmytid;
extern int pvmtoplvl;
extern const struct trace_codec *pvmtrccodef;

int tev_begin(int kind, int entry_exit);
int tev_fin(void);

/*
 * Of our libpvm3 alone, which looks at the settings of the calling thread's task, as tev_begin does
 * there. The data symbols show the settings of one task of the process.
 */
__attribute__((weak)) int tev_enter(void);
__attribute__((weak)) void tev_leave(void);

/* How many traced group calls run on a libpvm3 of 3.4.6; pvmtoplvl is 0 while there are any. */
static struct {
    pthread_mutex_t mutex;
    int calls;
} within = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int load(const int *number)
{
    return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static bool trace_is_on(void)
{
    int sink = load(&pvmtrc.trctid);
    int own = load(&pvmmytid);
    return sink > 0 && own > 0 && sink != own;
}

static bool trace_wants(int event)
{
    if (event == GROUPS_NO_EVENT || tev_enter)
        return event != GROUPS_NO_EVENT;
    char bits = __atomic_load_n(&pvmtrc.tmask[event / 4], __ATOMIC_RELAXED);
    return trace_is_on() && (bits & (1 << (event & 3))) != 0;
}

static void trace_put(int type, int field, int array, const void *data, int count)
{
    pvmtrccodef->encode[type - TEV_DATA_BYTE](field, array, data, count, 1);
}

/*
 * True if the task is traced: then its calls are not the program's own until trace_leave. libpvm3
 * of 3.4.6 writes events by calls that it would trace otherwise.
 */
static bool trace_enter(void)
{
    if (tev_enter)
        return tev_enter();
    if (!trace_is_on())
        return false;
    pthread_mutex_lock(&within.mutex);
    if (within.calls++ == 0)
        __atomic_exchange_n(&pvmtoplvl, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&within.mutex);
    return true;
}

static void trace_leave(void)
{
    if (tev_leave) {
        tev_leave();
        return;
    }
    pthread_mutex_lock(&within.mutex);
    if (--within.calls == 0)
        __atomic_exchange_n(&pvmtoplvl, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&within.mutex);
}

void groups_trace_entry(struct groups_trace *trace, int event, const char *group, int field,
                        int value)
{
    *trace = (struct groups_trace){.event = event, .told = trace_enter()};
    if (!trace->told)
        return;
    if (trace_wants(event) && tev_begin(event, TEV_EVENT_ENTRY)) {
        trace_put(TEV_DATA_STRING, TEV_DID_GN, TEV_DATA_SCALAR, group ? group : "", 1);
        if (field)
            trace_put(TEV_DATA_INT, field, TEV_DATA_SCALAR, &value, 1);
        tev_fin();
    }
}

int groups_trace_exit(const struct groups_trace *trace, int field, int result)
{
    return groups_trace_exit_list(trace, field, result, NULL, 0);
}

int groups_trace_exit_list(const struct groups_trace *trace, int field, int result, const int *tids,
                           int count)
{
    if (!trace->told)
        return result;
    if (trace_wants(trace->event) && tev_begin(trace->event, TEV_EVENT_EXIT)) {
        trace_put(TEV_DATA_INT, field, TEV_DATA_SCALAR, &result, 1);
        if (tids)
            trace_put(TEV_DATA_INT, TEV_DID_MDL, TEV_DATA_ARRAY, tids, count);
        tev_fin();
    }
    trace_leave();
    return result;
}
