/* host_file.c - lines of the file. */
#include "daemon/members/host_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/base/settings.h"
#include "daemon/members/host_spec.h"

/* Options that one host has, each its own piece of memory. */
struct host_file_options {
    char *values[HOST_OPTION_COUNT];
};

/* What the file says of one host. */
struct host_file_entry {
    char *name;
    struct host_file_options options; /* its own, completed by the defaults above it */
    bool shared;                      /* $ */
    bool to_start;                    /* not & */
};

struct host_file {
    char *own_name;
    struct host_file_options defaults; /* of the lines that follow, in the end of all others */
    struct host_file_entry *entries;
    size_t count;
};

static void host_file_clear(struct host_file_options *options)
{
    for (int i = 0; i < HOST_OPTION_COUNT; i++) {
        free(options->values[i]);
        options->values[i] = NULL;
    }
}

/* Sets the options that the line gives, and the rest as in `others`. */
static void host_file_set(struct host_file_options *options, const struct host_spec *spec,
                          const struct host_file_options *others)
{
    host_file_clear(options);
    for (int i = 0; i < HOST_OPTION_COUNT; i++) {
        const char *value = spec->options[i] ? spec->options[i] : others->values[i];
        options->values[i] = value ? strdup(value) : NULL;
    }
}

/* A host that is named again is described anew. */
static bool host_file_add(struct host_file *file, const struct host_spec *spec)
{
    for (size_t i = 0; i < file->count; i++) {
        struct host_file_entry *entry = &file->entries[i];
        if (strcmp(entry->name, spec->name) != 0)
            continue;
        entry->shared = spec->shared;
        entry->to_start = !spec->listed_only;
        host_file_set(&entry->options, spec, &file->defaults);
        return true;
    }
    struct host_file_entry *entries =
        realloc(file->entries, (file->count + 1) * sizeof *file->entries);
    char *name = strdup(spec->name);
    if (entries)
        file->entries = entries;
    if (!entries || !name) {
        free(name);
        return false;
    }
    struct host_file_entry *entry = &entries[file->count++];
    *entry = (struct host_file_entry){
        .name = name, .shared = spec->shared, .to_start = !spec->listed_only};
    host_file_set(&entry->options, spec, &file->defaults);
    return true;
}

static void host_file_take_line(struct host_file *file, const char *path, const char *line,
                                int number)
{
    static const struct host_file_options none;
    struct host_spec spec;
    switch (host_spec_read_line(&spec, line)) {
    case HOST_SPEC_EMPTY:
        return;
    case HOST_SPEC_GOOD:
        if (strcmp(spec.name, "*") == 0)
            host_file_set(&file->defaults, &spec, &none);
        else if (!host_file_add(file, &spec))
            log_write("%s, line %d: no memory: skipped", path, number);
        host_spec_free(&spec);
        return;
    case HOST_SPEC_BAD:
        log_write("%s, line %d: %s: skipped", path, number, spec.wrong);
        return;
    case HOST_SPEC_MEMORY:
        log_write("%s, line %d: no memory: skipped", path, number);
        return;
    }
}

/* The options of the host; the defaults when the file does not name it. */
static const struct host_file_options *host_file_options_of(const struct host_file *file,
                                                            const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->entries[i].name, name) == 0)
            return &file->entries[i].options;
    return &file->defaults;
}

struct host_file *host_file_read(const char *path, const char *own_name)
{
    FILE *stream = fopen(path, "re");
    struct host_file *file = calloc(1, sizeof *file);
    if (!stream || !file) {
        log_write("cannot read the host file %s: %s", path, strerror(errno));
        free(file);
        if (stream)
            fclose(stream);
        return NULL;
    }
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; getline(&line, &room, stream) >= 0; number++)
        host_file_take_line(file, path, line, number);
    if (ferror(stream))
        log_write("cannot read all of the host file %s: %s", path, strerror(errno));
    free(line);
    fclose(stream);
    file->own_name = strdup(own_name);
    return file;
}

void host_file_free(struct host_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->count; i++) {
        host_file_clear(&file->entries[i].options);
        free(file->entries[i].name);
    }
    host_file_clear(&file->defaults);
    free(file->entries);
    free(file->own_name);
    free(file);
}

const char *host_file_apply(const struct host_file *file, struct settings *settings)
{
    char *const *values = host_file_options_of(file, file->own_name)->values;
    settings_replace(settings, values[HOST_SEARCH_PATH], values[HOST_DEBUGGER],
                     values[HOST_DIRECTORY]);
    if (values[HOST_SPEED])
        settings->speed = atoi(values[HOST_SPEED]);
    return values[HOST_ADDRESS];
}

void host_file_complete(const struct host_file *file, struct host_spec *spec)
{
    if (!file)
        return;
    const struct host_file_options *options = host_file_options_of(file, spec->name);
    for (int i = 0; i < HOST_OPTION_COUNT; i++)
        if (!spec->options[i])
            spec->options[i] = options->values[i];
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->entries[i].name, spec->name) == 0)
            spec->shared |= file->entries[i].shared;
}

const char *host_file_to_start(const struct host_file *file, size_t *place)
{
    while (file && file->own_name && *place < file->count) {
        const struct host_file_entry *entry = &file->entries[(*place)++];
        if (entry->to_start && strcmp(entry->name, file->own_name) != 0)
            return entry->name;
    }
    return NULL;
}
