/* environment.c - names and addresses as text. */
#include "core/environment.h"

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
    return environment_fits(snprintf(path, ENVIRONMENT_PATH_SIZE, "%s/%s.%u%s%s", environment_temporary_folder(),
                                     stem, uid, *machine ? "." : "", machine));
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

void environment_format_address(char text[ENVIRONMENT_ADDRESS_SIZE], uint32_t address, uint16_t port)
{
    snprintf(text, ENVIRONMENT_ADDRESS_SIZE, "%08x:%04x", address, port);
}

bool environment_parse_address(const char *text, uint32_t *address, uint16_t *port)
{
    char *end;
    errno = 0;
    unsigned long host = strtoul(text, &end, 16);
    if (end == text || host > UINT32_MAX || errno != 0)
        return false;
    unsigned long number = 0;
    if (*end == ':') {
        const char *digits = end + 1;
        number = strtoul(digits, &end, 16);
        if (end == digits)
            return false;
    }
    if (*end != '\0' || number > UINT16_MAX)
        return false;
    *address = (uint32_t)host;
    *port = (uint16_t)number;
    return true;
}
