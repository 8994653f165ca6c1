/* error.c - looks codes and names up. */
#include "core/error.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct error {
    const char *name;
    const char *text;
};

#define ERROR_ENTRY(index, name, text) [index] = {name, text},

static const struct error errors[ERROR_COUNT] = {ERROR_LIST(ERROR_ENTRY)};

static const struct error *error_find(int code)
{
    return code <= 0 && code > -ERROR_COUNT ? &errors[-code] : NULL;
}

const char *error_text(int code)
{
    const struct error *found = error_find(code);
    return found ? found->text : "Unknown Error";
}

const char *error_name(int code)
{
    const struct error *found = error_find(code);
    return found ? found->name : NULL;
}

int error_code(const char *name)
{
    for (int i = 1; i < ERROR_COUNT; i++)
        if (errors[i].name && strcmp(errors[i].name, name) == 0)
            return -i;
    return 0;
}

const char *error_remedy(int number)
{
    if (number == EMFILE)
        return " (raise 'ulimit -n')";
    return number == ENFILE ? " (raise fs.file-max)" : "";
}
