/* check.c - which hosts are looked at, and how many problems there are. */
#include "console/check.h"

#include <pvm3.h>

#include "console/commands.h"
#include "console/host_facts.h"
#include "core/environment.h"

#define PATIENCE_MOST 15

/* Seconds that an answer may take: PVM_START_PATIENCE, which pvmds obey, and at most 15. */
static int patience(void)
{
    long seconds = environment_get_number("PVM_START_PATIENCE", PATIENCE_MOST);
    return (int)(seconds < 1 ? 1 : seconds > PATIENCE_MOST ? PATIENCE_MOST : seconds);
}

/* The hosts that are in the machine. */
static void check_hosts(struct check *check)
{
    int count;
    struct pvmhostinfo *hosts;
    char text[HOST_DESCRIPTION];
    const char *here = check->host;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    for (int i = 0; i < count; i++) {
        check->host = hosts[i].hi_name;
        if (host_describe(text, hosts[i].hi_tid))
            check_good(check, "%s", text);
        else
            check_note(check, "it does not tell what runs there; no PVM 3.4.6 does");
    }
    check->host = here;
}

int check_machine(struct report *report, bool task, const char *name, int count, char **hosts)
{
    struct check check = {.report = report, .name = name, .patience = patience()};
    if (report->json) {
        json_key(&report->members, "findings");
        json_open(&report->members, '[');
    }
    check_here(&check, count > 0);
    if (check.in_machine && count == 0)
        check_hosts(&check);
    for (int i = 0; i < count; i++)
        check_there(&check, hosts[i]);
    if (check.in_machine && !task)
        pvm_exit();
    if (report->json)
        json_close(&report->members, ']');
    if (check.problems > 0)
        failure(report, 0, NULL, "%d problem%s found", check.problems,
                check.problems == 1 ? "" : "s");
    return check.problems;
}

/* The name under which the master of the running machine is known. */
static const char *master_name(void)
{
    int count;
    struct pvmhostinfo *hosts;
    return pvm_config(&count, NULL, &hosts) == 0 && count > 0 ? hosts[0].hi_name : NULL;
}

int check_failed_host(struct report *report, char *host)
{
    struct check check = {.report = report, .name = master_name(), .patience = patience()};
    check.host = host;
    check.address = check.name ? check_look_up(check.name) : 0;
    check.trial_possible = check.address != 0;
    check.in_machine = true;
    check_there(&check, host);
    return check.problems;
}

void command_check(struct console *console, int count, char **word)
{
    check_machine(&console->report, true, master_name(), count - 1, word + 1);
}
