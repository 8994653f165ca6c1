/* host_start.c - commands and answers. */
#include "daemon/host_start.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/control.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/tid.h"
#include "daemon/host_spec.h"
#include "daemon/hosts.h"
#include "daemon/log.h"

#define DAEMON_DEFAULT         "pvmd"
#define WINDOWS_DAEMON_DEFAULT "%PVM_ROOT%\\lib\\WIN32\\pvmd3.exe"

/* Words of the line that a daemon prints: protocol, architecture, address, mtu, signature. */
#define LINE_WORDS 5

static bool __attribute__((format(printf, 2, 3)))
host_start_put_text(struct message *order, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    control_put_string(order, text);
    free(text);
    return true;
}

/* The command that starts the daemon there. */
static bool host_start_put_command(struct message *order, const char *program,
                                   const struct host_spec *spec, const struct host *master,
                                   uint32_t part, uint32_t address)
{
    char from[ENVIRONMENT_ADDRESS_SIZE], to[ENVIRONMENT_ADDRESS_SIZE];
    const char *start = spec->options[HOST_START];
    bool by_hand = start && strcmp(start, "ms") == 0;
    environment_format_address(from, master->address, master->port);
    environment_format_address(to, address, 0);
    return host_start_put_text(
        order, "%s %s -d0x%x -n%s %u %s %d %u %s", program, by_hand ? "-S" : "-s", log_mask(),
        spec->name, master->part >> TID_HOST_SHIFT, from, HOST_MTU, part >> TID_HOST_SHIFT, to);
}

bool host_start_put(struct message *order, const struct host_spec *spec, const struct host *master,
                    uint32_t part, uint32_t address)
{
    const char *start = spec->options[HOST_START], *login = spec->options[HOST_LOGIN];
    const char *program = spec->options[HOST_DAEMON], *machine = spec->options[HOST_MACHINE];
    control_put_tid(order, part);
    control_put_string(order, start ? start : "");
    if (!host_start_put_text(order, "%s%s%s", login ? login : "", login ? "@" : "",
                             host_spec_address(spec)) ||
        !host_start_put_command(order,
                                program ? program : environment_get("PVM_DPATH", DAEMON_DEFAULT),
                                spec, master, part, address))
        return false;
    if (program)
        control_put_string(order, "");
    else if (!host_start_put_command(order, environment_get("PVM_WINDPATH", WINDOWS_DAEMON_DEFAULT),
                                     spec, master, part, address))
        return false;
    control_put_string(order, machine ? machine : environment_get("PVM_VMID", ""));
    return true;
}

int32_t host_start_judge(const char *line)
{
    const char *open, *close = line;
    long protocol = 0;
    int words = 0;
    while ((open = strchr(close, '<')) != NULL && (close = strchr(open, '>')) != NULL)
        if (words++ == 0)
            protocol = strtol(open + 1, NULL, 10);
    if (words == LINE_WORDS)
        return protocol == CONTROL_DAEMON_PROTOCOL ? PvmOk : PvmBadVersion;
    int32_t error = error_code(line);
    return error < 0 ? error : PvmCantStart;
}
