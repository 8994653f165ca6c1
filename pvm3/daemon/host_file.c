/* host_file.c - lines of the file. */
#include "daemon/host_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/host_spec.h"
#include "daemon/log.h"
#include "daemon/settings.h"

/* Options that one host has, each its own piece of memory. */
struct host_file_options {
    char *values[HOST_OPTION_COUNT];
};

/* What the file has said so far. */
struct host_file {
    const char *path;
    const char *own_name;
    struct host_file_options defaults; /* of the lines that follow */
    struct host_file_options own;
    bool names_own;
};

static void host_file_clear(struct host_file_options *options)
{
    for (int i = 0; i < HOST_OPTION_COUNT; i++) {
        free(options->values[i]);
        options->values[i] = NULL;
    }
}

/* Those that the line gives, else those of `others`. */
static void host_file_set(struct host_file_options *options, const struct host_spec *spec,
                          const struct host_file_options *others)
{
    host_file_clear(options);
    for (int i = 0; i < HOST_OPTION_COUNT; i++) {
        const char *value = spec->options[i] ? spec->options[i] : others->values[i];
        options->values[i] = value ? strdup(value) : NULL;
    }
}

static void host_file_take_host(struct host_file *file, const struct host_spec *spec, int number)
{
    static const struct host_file_options none;
    if (strcmp(spec->name, "*") == 0) {
        host_file_set(&file->defaults, spec, &none);
    } else if (strcmp(spec->name, file->own_name) == 0) {
        host_file_set(&file->own, spec, &file->defaults);
        file->names_own = true;
    } else if (!spec->listed_only) {
        log_write("%s, line %d: host %s is not started: this daemon does not start others yet",
                  file->path, number, spec->name);
    }
}

static void host_file_take_line(struct host_file *file, const char *line, int number)
{
    struct host_spec spec;
    switch (host_spec_read(&spec, line)) {
    case HOST_SPEC_EMPTY:
        return;
    case HOST_SPEC_GOOD:
        host_file_take_host(file, &spec, number);
        host_spec_free(&spec);
        return;
    case HOST_SPEC_BAD:
        log_write("%s, line %d makes no sense: skipped", file->path, number);
        return;
    case HOST_SPEC_MEMORY:
        log_write("%s, line %d: no memory: skipped", file->path, number);
        return;
    }
}

static char *host_file_apply(struct host_file *file, struct settings *settings)
{
    char **values = file->names_own ? file->own.values : file->defaults.values;
    settings_replace(settings, values[HOST_SEARCH_PATH], values[HOST_DEBUGGER],
                     values[HOST_DIRECTORY]);
    if (values[HOST_SPEED])
        settings->speed = atoi(values[HOST_SPEED]);
    char *address = values[HOST_ADDRESS];
    values[HOST_ADDRESS] = NULL;
    host_file_clear(&file->defaults);
    host_file_clear(&file->own);
    return address;
}

char *host_file_read(const char *path, const char *own_name, struct settings *settings)
{
    FILE *stream = fopen(path, "re");
    if (!stream) {
        log_write("cannot read the host file %s: %s", path, strerror(errno));
        return NULL;
    }
    struct host_file file = {.path = path, .own_name = own_name};
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; getline(&line, &room, stream) >= 0; number++)
        host_file_take_line(&file, line, number);
    if (ferror(stream))
        log_write("cannot read all of the host file %s: %s", path, strerror(errno));
    free(line);
    fclose(stream);
    return host_file_apply(&file, settings);
}
