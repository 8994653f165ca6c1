/* host_start.c - commands and answers. */
#include "daemon/members/host_start.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/control.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/host_spec.h"
#include "daemon/members/slave.h"
#include "daemon/post/hosts.h"

#define DAEMON_DEFAULT         "pvmd"
#define WINDOWS_DAEMON_DEFAULT "%PVM_ROOT%\\lib\\WIN32\\pvmd3.exe"

/*
 * Words of the line that a daemon prints: protocol, architecture, address, mtu, signature; and the
 * salt of a daemon that has got a key.
 */
#define LINE_WORDS      6
#define LINE_WORDS_BARE 5

static char *__attribute__((format(printf, 1, 2))) host_start_text(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

/* The command that starts `program` there. */
static char *host_start_program(const char *program, const struct host_spec *spec,
                                const struct host *master, uint32_t part, uint32_t address,
                                bool with_key)
{
    char from[ENVIRONMENT_ADDRESS_SIZE], to[ENVIRONMENT_ADDRESS_SIZE];
    const char *start = spec->options[HOST_START];
    bool by_hand = start && strcmp(start, "ms") == 0;
    environment_format_address(from, master->address, master->port);
    environment_format_address(to, address, 0);
    return host_start_text("%s %s -d0x%0*x -n%s %u %s %d %u %s", program, by_hand ? "-S" : "-s",
                           with_key ? SLAVE_KEY_DIGITS : 1, log_mask(), spec->name,
                           master->part >> TID_HOST_SHIFT, from, HOST_MTU, part >> TID_HOST_SHIFT,
                           to);
}

char *host_start_command(const struct host_spec *spec, const struct host *master, uint32_t part,
                         uint32_t address, bool with_key)
{
    const char *program = spec->options[HOST_DAEMON];
    return host_start_program(program ? program : environment_get("PVM_DPATH", DAEMON_DEFAULT),
                              spec, master, part, address, with_key);
}

char *host_start_windows_command(const struct host_spec *spec, const struct host *master,
                                 uint32_t part, uint32_t address)
{
    if (spec->options[HOST_DAEMON])
        return NULL;
    return host_start_program(environment_get("PVM_WINDPATH", WINDOWS_DAEMON_DEFAULT), spec, master,
                              part, address, false);
}

const char *host_start_machine(const struct host_spec *spec)
{
    const char *machine = spec->options[HOST_MACHINE];
    return machine ? machine : environment_get("PVM_VMID", "");
}

/* Appends the text and frees it. False when `text` is NULL. */
static bool host_start_put_text(struct message *order, char *text)
{
    if (text)
        control_put_string(order, text);
    free(text);
    return text != NULL;
}

bool host_start_put(struct message *order, const struct host_spec *spec, const struct host *master,
                    uint32_t part, uint32_t address)
{
    const char *start = spec->options[HOST_START], *login = spec->options[HOST_LOGIN];
    control_put_tid(order, part);
    control_put_string(order, start ? start : "");
    if (!host_start_put_text(order, host_start_text("%s%s%s", login ? login : "", login ? "@" : "",
                                                    host_spec_address(spec))) ||
        !host_start_put_text(order, host_start_command(spec, master, part, address, false)))
        return false;
    if (spec->options[HOST_DAEMON])
        control_put_string(order, "");
    else if (!host_start_put_text(order, host_start_windows_command(spec, master, part, address)))
        return false;
    control_put_string(order, host_start_machine(spec));
    return true;
}

/* The text between the next < and > of `*line`, which moves on; false when there is none. */
static bool host_start_word(const char **line, char *word, size_t size)
{
    const char *open = strchr(*line, '<');
    const char *close = open ? strchr(open, '>') : NULL;
    if (!close)
        return false;
    snprintf(word, size, "%.*s", (int)(close - open - 1), open + 1);
    *line = close;
    return true;
}

int32_t host_start_judge(const char *line, struct host_start_result *result)
{
    char words[LINE_WORDS][64], more[2];
    const char *rest = line;
    int count = 0;
    while (count < LINE_WORDS && host_start_word(&rest, words[count], sizeof words[count]))
        count++;
    if (count < LINE_WORDS_BARE || host_start_word(&rest, more, sizeof more)) {
        int32_t error = error_code(line);
        return error < 0 ? error : PvmCantStart;
    }
    if (strtol(words[0], NULL, 10) != CONTROL_DAEMON_PROTOCOL)
        return PvmBadVersion;
    snprintf(result->architecture, sizeof result->architecture, "%s", words[1]);
    result->mtu = (int)strtol(words[3], NULL, 10);
    result->signature = (uint32_t)strtoul(words[4], NULL, 10);
    result->salt = count == LINE_WORDS ? strtoull(words[5], NULL, 16) : 0;
    return environment_parse_address(words[2], &result->address, &result->port) &&
                   result->mtu > HOST_MTU_LEAST
               ? PvmOk
               : PvmCantStart;
}
