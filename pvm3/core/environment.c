/* environment.c - names and addresses as text. */
#include "core/environment.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

const char *environment_get(const char *name, const char *fallback)
{
    const char *value = getenv(name);
    return value && *value ? value : fallback;
}

long environment_get_number(const char *name, long fallback)
{
    const char *value = getenv(name);
    if (!value || !*value)
        return fallback;
    char *end;
    errno = 0;
    long number = strtol(value, &end, 0);
    return *end == '\0' && errno == 0 ? number : fallback;
}

const char *environment_temporary_folder(void)
{
    return environment_get("PVM_TMP", "/tmp");
}

static bool environment_fits(int length)
{
    return length >= 0 && length < ENVIRONMENT_PATH_SIZE;
}

static bool environment_machine_file(char *path, const char *stem, unsigned uid)
{
    const char *machine = environment_get("PVM_VMID", "");
    return environment_fits(snprintf(path, ENVIRONMENT_PATH_SIZE, "%s/%s.%u%s%s",
                                     environment_temporary_folder(), stem, uid, *machine ? "." : "",
                                     machine));
}

bool environment_address_file(char path[ENVIRONMENT_PATH_SIZE], unsigned uid)
{
    return environment_machine_file(path, "pvmd", uid);
}

bool environment_log_file(char path[ENVIRONMENT_PATH_SIZE], unsigned uid)
{
    return environment_machine_file(path, "pvml", uid);
}

bool environment_temporary_name(char path[ENVIRONMENT_PATH_SIZE], long pid, unsigned number)
{
    return environment_fits(snprintf(path, ENVIRONMENT_PATH_SIZE, "%s/pvmtmp%06ld.%u",
                                     environment_temporary_folder(), pid, number));
}

void environment_format_address(char text[ENVIRONMENT_ADDRESS_SIZE], uint32_t address,
                                uint16_t port)
{
    snprintf(text, ENVIRONMENT_ADDRESS_SIZE, "%08x:%04x", address, port);
}

/*
 * Takes one hexadecimal number of at most `limit`; returns where it ends, NULL when there is none.
 */
static const char *environment_parse_hexadecimal(const char *text, unsigned long limit,
                                                 unsigned long *number)
{
    char *end;
    if (!isxdigit((unsigned char)*text)) /* strtoul would take blanks and signs */
        return NULL;
    errno = 0;
    *number = strtoul(text, &end, 16);
    return errno == 0 && *number <= limit ? end : NULL;
}

bool environment_parse_address(const char *text, uint32_t *address, uint16_t *port)
{
    unsigned long host;
    unsigned long number = 0;
    const char *end = environment_parse_hexadecimal(text, UINT32_MAX, &host);
    if (end && *end == ':')
        end = environment_parse_hexadecimal(end + 1, UINT16_MAX, &number);
    if (!end || *end != '\0')
        return false;
    *address = (uint32_t)host;
    *port = (uint16_t)number;
    return true;
}
