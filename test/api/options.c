/* Options: their defaults, what setting gives back, what is refused; contexts. */
#include "observe.h"
#include <pvm3.h>

static const struct {
    const char *name;
    int number;
} options[] = {
    {"PvmRoute", PvmRoute},
    {"PvmDebugMask", PvmDebugMask},
    {"PvmAutoErr", PvmAutoErr},
    {"PvmOutputTid", PvmOutputTid},
    {"PvmOutputCode", PvmOutputCode},
    {"PvmTraceTid", PvmTraceTid},
    {"PvmTraceCode", PvmTraceCode},
    {"PvmTraceBuffer", PvmTraceBuffer},
    {"PvmTraceOptions", PvmTraceOptions},
    {"PvmFragSize", PvmFragSize},
    {"PvmResvTids", PvmResvTids},
    {"PvmSelfOutputTid", PvmSelfOutputTid},
    {"PvmSelfOutputCode", PvmSelfOutputCode},
    {"PvmSelfTraceTid", PvmSelfTraceTid},
    {"PvmSelfTraceCode", PvmSelfTraceCode},
    {"PvmSelfTraceBuffer", PvmSelfTraceBuffer},
    {"PvmSelfTraceOptions", PvmSelfTraceOptions},
    {"PvmShowTids", PvmShowTids},
    {"PvmPollType", PvmPollType},
    {"PvmPollTime", PvmPollTime},
    {"PvmOutputContext", PvmOutputContext},
    {"PvmTraceContext", PvmTraceContext},
    {"PvmSelfOutputContext", PvmSelfOutputContext},
    {"PvmSelfTraceContext", PvmSelfTraceContext},
    {"PvmNoReset", PvmNoReset},
};

static void all_see(const char *when)
{
    AREA(when);
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        printf("%s: %d\n", options[i].name, pvm_getopt(options[i].number));
}

static void set_see(int option, int value)
{
    const char *name = "?";
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        if (options[i].number == option)
            name = options[i].name;
    }
    int result = pvm_setopt(option, value);
    printf("%s set to %d: %d, then %d\n", name, value, result, pvm_getopt(option));
}

static void settings_see(void)
{
    AREA("setting");
    set_see(PvmRoute, PvmDontRoute);
    set_see(PvmRoute, PvmRouteDirect);
    set_see(PvmRoute, 0);
    set_see(PvmRoute, 4);
    set_see(PvmRoute, PvmAllowDirect);
    set_see(PvmDebugMask, 0);
    set_see(PvmFragSize, 51);
    set_see(PvmFragSize, 52);
    set_see(PvmFragSize, 1048576);
    set_see(PvmFragSize, 1048577);
    set_see(PvmFragSize, 4080);
    set_see(PvmTraceOptions, 0);
    set_see(PvmTraceOptions, 4);
    set_see(PvmTraceOptions, PvmTraceTime);
    set_see(PvmSelfTraceOptions, 4);
    set_see(PvmSelfTraceOptions, PvmTraceCount);
    set_see(PvmTraceBuffer, 1000);
    set_see(PvmShowTids, 0);
    set_see(PvmShowTids, 7);
    set_see(PvmPollType, PvmPollSleep);
    set_see(PvmPollTime, 10);
    set_see(PvmSelfOutputContext, 1);
    set_see(PvmSelfTraceContext, 1);
    set_see(PvmOutputTid, pvm_mytid() + 1);
    set_see(PvmOutputTid, pvm_mytid());
    set_see(PvmOutputCode, 12);
    set_see(PvmOutputContext, 13);
    set_see(PvmOutputTid, 0);
    set_see(0, 1);
    set_see(26, 1);
    set_see(-1, 1);
    set_see(PvmResvTids, 1);
    set_see(PvmNoReset, 1);
    set_see(PvmNoReset, 0);
    SEE(pvm_initsend(PvmDataDefault) > 0);
    SEE(pvm_send(pvm_mytid(), -77));
    SEE(pvm_recv(-1, -77) > 0);
    set_see(PvmResvTids, 0);
}

static void contexts_see(void)
{
    int context;

    AREA("contexts");
    SEE(pvm_getcontext());
    SEE(context = pvm_newcontext());
    SEE(pvm_getcontext());
    SEE(pvm_setcontext(context));
    SEE(pvm_initsend(PvmDataDefault) > 0);
    SEE(pvm_send(pvm_mytid(), 3));
    SEE(pvm_setcontext(0) == context);
    SEE(pvm_send(pvm_mytid(), 4));
    SEE(pvm_recv(-1, -1) > 0);
    SEE(pvm_bufinfo(pvm_getrbuf(), NULL, &context, NULL));
    SEE(context);
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_setcontext(-1));
    SEE(pvm_recv(-1, -1) > 0);
    SEE(pvm_setcontext(0));
    SEE(context = pvm_newcontext());
    SEE(pvm_freecontext(context));
    SEE(pvm_freecontext(context));
    SEE(pvm_freecontext(-1));
    SEE(pvm_newcontext() > context);
}

int main(void)
{
    observe();
    all_see("before enrolment");
    pvm_mytid();
    all_see("after enrolment");
    settings_see();
    contexts_see();
    pvm_exit();
    return 0;
}
