/* check.c - findings, one a line. */
#include "console/check.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/host_facts.h"
#include "core/environment.h"

#define PATIENCE_MOST 15

int check_patience(void)
{
    long seconds = environment_get_number("PVM_START_PATIENCE", PATIENCE_MOST);
    return (int)(seconds < 1 ? 1 : seconds > PATIENCE_MOST ? PATIENCE_MOST : seconds);
}

uint32_t check_look_up(const char *name)
{
    struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found;
    if (getaddrinfo(name, NULL, &wanted, &found) != 0)
        return 0;
    uint32_t address = ntohl(((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr.s_addr);
    freeaddrinfo(found);
    return address;
}

void check_show_address(uint32_t address, char text[CHECK_ADDRESS])
{
    struct in_addr shown = {.s_addr = htonl(address)};
    inet_ntop(AF_INET, &shown, text, CHECK_ADDRESS);
}

bool check_is_loopback(uint32_t address)
{
    return address >> 24 == IN_LOOPBACKNET;
}

static void finding_write(struct check *check, const char *kind, const char *hint, const char *text)
{
    struct json *json = &check->report->members;
    json_open(json, '{');
    json_text_member(json, "host", check->host);
    json_text_member(json, "kind", kind);
    json_text_member(json, "text", text);
    json_text_member(json, "hint", hint);
    json_close(json, '}');
}

static void finding_tell(struct check *check, const char *kind, const char *hint,
                         const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    if (check->report->json) {
        finding_write(check, kind, hint, text);
    } else if (check->report->people) {
        people_print(0, 8, "%s: %s: %s", check->host, kind, text ? text : "out of memory");
        if (hint)
            people_print(4, 4, "%s", hint);
        fflush(stdout);
    } else {
        printf("%s: %s: %s\n", check->host, kind, text ? text : "out of memory");
        if (hint)
            printf("    %s\n", hint);
        fflush(stdout);
    }
    free(text);
}

void check_good(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    finding_tell(check, "ok", NULL, format, arguments);
    va_end(arguments);
}

void check_note(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    finding_tell(check, "note", NULL, format, arguments);
    va_end(arguments);
}

void check_problem(struct check *check, const char *hint, const char *format, ...)
{
    va_list arguments;
    check->problems++;
    va_start(arguments, format);
    finding_tell(check, "PROBLEM", hint, format, arguments);
    va_end(arguments);
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
            check_note(check, "it does not tell what runs there, as PVM 3.4.6");
    }
    check->host = here;
}

int check_machine(struct report *report, bool task, const char *name, int count, char **hosts)
{
    struct check check = {.report = report, .name = name};
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
    struct check check = {.report = report, .name = master_name()};
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
