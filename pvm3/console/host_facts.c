/* host_facts.c - what pvmds tell of their hosts. */
#include "console/host_facts.h"

#include <stdio.h>
#include <string.h>

#include <pvm3.h>

#define TICKLE_FACTS   30 /* of pvm_tickle: what a host is like */
#define TICKLE_ANSWERS 10
#define RELEASE_SIZE   48

/* What a pvmd of ours tells of its host (daemon/requests/facts.h), each -1 with one of 3.4.6. */
struct facts {
    int release, processors, load, tasks;
};

static void facts_ask(struct facts *facts, int dtid)
{
    int question[] = {TICKLE_FACTS, dtid}, answer[TICKLE_ANSWERS], count = 0;
    bool told = pvm_tickle(2, question, &count, answer) == 0 && count == 4;
    *facts = told ? (struct facts){answer[0], answer[1], answer[2], answer[3]}
                  : (struct facts){-1, -1, -1, -1};
}

static void facts_format_release(char text[RELEASE_SIZE], int release)
{
    if (release < 0)
        strcpy(text, "-");
    else
        snprintf(text, RELEASE_SIZE, "%d.%d.%d.%d", release / 1000000, release / 10000 % 100,
                 release / 100 % 100, release % 100);
}

bool host_describe(char text[HOST_DESCRIPTION], int dtid)
{
    struct facts facts;
    char release[RELEASE_SIZE];
    facts_ask(&facts, dtid);
    facts_format_release(release, facts.release);
    snprintf(text, HOST_DESCRIPTION,
             "PVM %s runs there, on %d processor%s, load %d.%02d, %d task%s", release,
             facts.processors, facts.processors == 1 ? "" : "s", facts.load / 100, facts.load % 100,
             facts.tasks, facts.tasks == 1 ? "" : "s");
    return facts.release >= 0;
}

void host_facts_write(struct json *json, int dtid)
{
    struct facts facts;
    char release[RELEASE_SIZE];
    facts_ask(&facts, dtid);
    facts_format_release(release, facts.release);
    json_text_member(json, "release", facts.release < 0 ? NULL : release);
    if (facts.release < 0)
        return;
    json_number_member(json, "processors", facts.processors);
    json_key(json, "load");
    json_thousandths(json, facts.load * 10L);
    json_number_member(json, "tasks", facts.tasks);
}

void host_facts_add(struct table *table, int dtid)
{
    struct facts facts;
    char release[RELEASE_SIZE];
    facts_ask(&facts, dtid);
    facts_format_release(release, facts.release);
    table_add(table, "%s", release);
    if (facts.release < 0) {
        table_add(table, "-");
        table_add(table, "-");
        table_add(table, "-");
        return;
    }
    table_add(table, "%d", facts.processors);
    table_add(table, "%d.%02d", facts.load / 100, facts.load % 100);
    table_add(table, "%d", facts.tasks);
}
