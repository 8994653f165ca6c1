/* hosts.c - add, conf, delete, halt, mstat. */
#include "console/hosts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/advice.h"
#include "console/check.h"
#include "console/commands.h"
#include "console/host_facts.h"
#include "console/host_names.h"
#include "console/host_words.h"
#include "console/move.h"
#include "console/output.h"
#include "console/table.h"

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* The members of a host in JSON. */
static void host_write(struct json *json, const struct pvmhostinfo *host, bool full)
{
    json_open(json, '{');
    json_text_member(json, "name", host->hi_name);
    json_tid_member(json, "tid", host->hi_tid);
    json_text_member(json, "arch", host->hi_arch);
    json_number_member(json, "speed", host->hi_speed);
    json_number_member(json, "signature", host->hi_dsig);
    if (full)
        host_facts_write(json, host->hi_tid);
    json_close(json, '}');
}

static void conf_print(bool people, const struct pvmhostinfo *host, int hosts, int formats,
                       bool full)
{
    static const struct column columns[] = {{.title = "HOST", .gap = "", .width = 24, .text = true},
                                            {.title = "DTID", .gap = " ", .width = 8},
                                            {.title = "ARCH", .gap = " ", .width = 8, .text = true},
                                            {.title = "SPEED", .gap = "", .width = 8},
                                            {.title = "DSIG", .gap = " ", .width = 10},
                                            {.title = "RELEASE", .gap = " ", .width = 10},
                                            {.title = "CPUS", .gap = " ", .width = 5},
                                            {.title = "LOAD", .gap = " ", .width = 7},
                                            {.title = "TASKS", .gap = " ", .width = 6}};
    struct table table;

    printf("%d host%s, %d data format%s\n", hosts, plural(hosts), formats, plural(formats));
    table_start(&table, columns, full ? 9 : 5, people);
    for (int i = 0; i < hosts; i++) {
        table_add(&table, "%s", host[i].hi_name);
        table_add(&table, "%x", (unsigned)host[i].hi_tid);
        table_add(&table, "%s", host[i].hi_arch);
        table_add(&table, "%d", host[i].hi_speed);
        table_add(&table, "0x%08x", (unsigned)host[i].hi_dsig);
        if (full)
            host_facts_add(&table, host[i].hi_tid);
    }
    table_print(&table);
    table_finish(&table);
}

void command_conf(struct console *console, int count, char **word)
{
    int hosts, formats;
    struct pvmhostinfo *host;
    struct json *json = &console->report.members;

    if (count > 1 && strcmp(word[1], "-l") != 0) {
        problem(&console->report, 0, "it is: conf [ -l ]", "conf: wrong #args");
        return;
    }
    int result = pvm_config(&hosts, &formats, &host);
    if (result < 0) {
        failure(&console->report, result, advice_host(result), "%s", error_text(result));
        return;
    }
    if (!console->report.json) {
        conf_print(console->report.people, host, hosts, formats, count > 1);
        return;
    }
    json_key(json, "hosts");
    json_open(json, '[');
    for (int i = 0; i < hosts; i++)
        host_write(json, &host[i], count > 1);
    json_close(json, ']');
    json_number_member(json, "formats", formats);
}

/*
 * The notice of a host that we add ourselves is not shown; it may come before or after the answer.
 */
static void own_host_remember(struct console *console, int dtid)
{
    size_t size = ((size_t)console->own_host_count + 1) * sizeof *console->own_hosts;
    int *hosts = realloc(console->own_hosts, size);
    if (!hosts)
        return;
    hosts[console->own_host_count++] = dtid;
    console->own_hosts = hosts;
}

static bool own_host_forget(struct console *console, int dtid)
{
    for (int i = 0; i < console->own_host_count; i++)
        if (console->own_hosts[i] == dtid) {
            console->own_hosts[i] = console->own_hosts[--console->own_host_count];
            return true;
        }
    return false;
}

/* What became of each host that a command names. */
struct outcome {
    char **name;
    const int *status; /* a dtid, something else that is not negative, or an error */
    int count;
    const char *(*advice)(int code);
};

/* The hosts with their results, in JSON; hosts that were added have a tid. */
static void outcome_write(struct report *report, const struct outcome *outcome, bool tids)
{
    struct json *json = &report->members;
    json_key(json, "hosts");
    json_open(json, '[');
    for (int i = 0; i < outcome->count; i++) {
        int status = outcome->status[i];
        json_open(json, '{');
        json_text_member(json, "name", outcome->name[i]);
        if (tids) {
            json_tid_member(json, "tid", status);
        }
        json_text_member(json, "status", status < 0 ? error_text(status) : "ok");
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* An error for each host that has one; hints for people name the host. */
static void outcome_complain(struct report *report, const struct outcome *outcome)
{
    for (int i = 0; i < outcome->count; i++) {
        int status = outcome->status[i];
        const char *hint = status < 0 ? outcome->advice(status) : NULL;
        if (status < 0)
            failure(report, status, report->json ? hint : NULL, "%s: %s", outcome->name[i],
                    error_text(status));
        if (hint && report->people)
            people_print(2, 4, "%s: %s", outcome->name[i], hint);
    }
}

/* The library's text refers to a file of 3.4.6. */
static const char *added_text(bool people, int status)
{
    return people && status == PvmIPLoopback ? "The master has a loopback address"
                                             : error_text(status);
}

static void added_print(bool people, const struct outcome *outcome)
{
    static const struct column columns[] = {{.title = "HOST", .gap = "", .width = 24, .text = true},
                                            {.title = "DTID", .gap = " ", .width = 8}};
    struct table table;

    table_start(&table, columns, 2, people);
    for (int i = 0; i < outcome->count; i++) {
        table_add(&table, "%s", outcome->name[i]);
        if (outcome->status[i] < 0)
            table_add(&table, "%s", added_text(people, outcome->status[i]));
        else
            table_add(&table, "%x", (unsigned)outcome->status[i]);
    }
    table_print(&table);
    table_finish(&table);
}

/* Looks for the reasons why daemons could not be started. */
static void outcome_diagnose(struct report *report, const struct outcome *outcome)
{
    int failed = 0;
    for (int i = 0; i < outcome->count; i++) {
        if (outcome->status[i] != PvmCantStart)
            continue;
        if (failed++ == 0)
            printf("\nAuto-Diagnosing Failed Hosts...\n");
        printf("%s...\n", outcome->name[i]);
        check_failed_host(report, outcome->name[i]);
        printf("\n");
    }
}

static void hosts_add(struct console *console, const struct host_words *words, int *status)
{
    struct report *report = &console->report;
    struct outcome outcome = {words->line, status, words->count, advice_add};

    int added = pvm_addhosts(outcome.name, outcome.count, status);
    if (added < 0) {
        failure(report, added, advice_add(added), "%s", error_text(added));
        return;
    }
    for (int i = 0; i < outcome.count; i++)
        if (status[i] > 0)
            own_host_remember(console, status[i]);
    if (report->json) {
        outcome_write(report, &outcome, true);
    } else {
        printf("%d successful\n", added);
        added_print(report->people, &outcome);
    }
    outcome_complain(report, &outcome);
    if (!report->json)
        outcome_diagnose(report, &outcome);
}

void command_add(struct console *console, int count, char **word)
{
    struct host_words words;
    host_words_read(&words, &console->report, count - 1, word + 1);
    int *status = calloc((size_t)words.count + 1, sizeof *status);
    if (status && words.count > 0)
        hosts_add(console, &words, status);
    free(status);
    host_words_free(&words);
}

static void deleted_print(bool people, const struct outcome *outcome)
{
    static const struct column columns[] = {
        {.title = "HOST", .gap = "", .width = 24, .text = true},
        {.title = "STATUS", .gap = "  ", .fill_right = true, .text = true}};
    struct table table;

    table_start(&table, columns, 2, people);
    for (int i = 0; i < outcome->count; i++) {
        table_add(&table, "%s", outcome->name[i]);
        table_add(&table, "%s",
                  outcome->status[i] < 0 ? error_text(outcome->status[i]) : "deleted");
    }
    table_print(&table);
    table_finish(&table);
}

void command_delete(struct console *console, int count, char **word)
{
    struct report *report = &console->report;
    int status[WORDS_MOST];
    const bool evacuate = strcmp(word[1], "--evacuate") == 0;
    struct outcome outcome = {word + 1 + evacuate, status, count - 1 - evacuate, advice_delete};

    if (outcome.count == 0) {
        problem(report, 0, "which hosts? conf lists them", "incorrect arg count");
        return;
    }
    if (evacuate && !hosts_evacuate(console, outcome.count, outcome.name)) {
        problem(report, 0, "without --evacuate the tasks that are left end with their host",
                "nothing is deleted");
        return;
    }
    int deleted = pvm_delhosts(outcome.name, outcome.count, status);
    if (deleted < 0) {
        failure(report, deleted, advice_delete(deleted), "%s", error_text(deleted));
        return;
    }
    if (report->json) {
        outcome_write(report, &outcome, false);
    } else {
        printf("%d successful\n", deleted);
        deleted_print(report->people, &outcome);
    }
    outcome_complain(report, &outcome);
}

void command_mstat(struct console *console, int count, char **word)
{
    struct report *report = &console->report;
    int status[WORDS_MOST];
    struct outcome outcome = {word + 1, status, count - 1, advice_host};

    for (int i = 0; i < outcome.count; i++) {
        status[i] = pvm_mstat(outcome.name[i]);
        if (!report->json)
            printf("%24s  %s\n", outcome.name[i], status[i] < 0 ? error_text(status[i]) : "ok");
    }
    if (report->json)
        outcome_write(report, &outcome, false);
    outcome_complain(report, &outcome);
}

void command_halt(struct console *console, int count, char **word)
{
    (void)count, (void)word;
    /*
     * The virtual machine ends all its tasks, the console among them: our end is no error to
     * report.
     */
    signal(SIGTERM, SIG_IGN);
    pvm_setopt(PvmAutoErr, 0);
    fflush(stdout);
    int result = pvm_halt();
    if (result < 0)
        failure(&console->report, result, NULL, "%s", error_text(result));
    console->status = result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    console->finished = true;
}

static bool is_among(int dtid, const int *dtids, int count)
{
    for (int i = 0; i < count; i++)
        if (dtids[i] == dtid)
            return true;
    return false;
}

static void hosts_print_new(const struct pvmhostinfo *host, int hosts, const int *dtids, int count)
{
    printf("\nConsole: %d new host%s added\n", count, plural(count));
    printf("%24s %8s %8s %7s\n", "HOST", "DTID", "ARCH", "SPEED");
    for (int i = 0; i < hosts; i++)
        if (is_among(host[i].hi_tid, dtids, count))
            printf("%24s %8x %8s %7d\n", host[i].hi_name, (unsigned)host[i].hi_tid, host[i].hi_arch,
                   host[i].hi_speed);
}

static void hosts_write_new(const struct pvmhostinfo *host, int hosts, const int *dtids, int count)
{
    struct json json = event_begin("hosts added");
    json_key(&json, "hosts");
    json_open(&json, '[');
    for (int i = 0; i < hosts; i++)
        if (is_among(host[i].hi_tid, dtids, count))
            host_write(&json, &host[i], false);
    json_close(&json, ']');
    event_end(&json);
}

/* Tells of hosts that others have added. */
static void hosts_tell_new(const struct console *console, const int *dtids, int count)
{
    int hosts;
    struct pvmhostinfo *host;

    if (pvm_config(&hosts, NULL, &host) < 0)
        hosts = 0;
    if (console->report.json)
        hosts_write_new(host, hosts, dtids, count);
    else
        hosts_print_new(host, hosts, dtids, count);
}

void hosts_added(struct console *console)
{
    int announced, others = 0;

    if (pvm_upkint(&announced, 1, 1) < 0 || announced < 1)
        return;
    int *dtids = malloc((size_t)announced * sizeof *dtids);
    if (dtids && pvm_upkint(dtids, announced, 1) == 0) {
        for (int i = 0; i < announced; i++)
            if (!own_host_forget(console, dtids[i]))
                dtids[others++] = dtids[i];
        if (others > 0)
            hosts_tell_new(console, dtids, others);
    }
    free(dtids);
}
