/* settings.c - the environment. */
#include "daemon/base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/expand.h"
#include "core/search.h"
#include "daemon/base/log.h"
#include "daemon/base/memory.h"
#include "places.h"

#define DEBUGGER_DEFAULT       "$PVM_ROOT/lib/debugger"
#define LOG_LIMIT_DEFAULT      1000000
#define PATIENCE_MOST          86400 /* seconds */
#define REQUEST_DEFAULT        256   /* megabytes */
#define HOST_PATIENCE_DEFAULT  30    /* seconds */
#define START_PATIENCE_DEFAULT 60
#define MEGABYTES_MAX          (1 << 20)

/* What is given in megabytes, as bytes. */
static size_t settings_get_bytes(const char *name, long fallback)
{
    long number = environment_get_number(name, fallback);
    return (size_t)(number < 1 ? 1 : number > MEGABYTES_MAX ? MEGABYTES_MAX : number) << 20;
}

/* Seconds, as milliseconds. */
static int settings_patience(const char *name, int fallback)
{
    long seconds = environment_get_number(name, fallback);
    if (seconds >= 1 && seconds <= PATIENCE_MOST)
        return 1000 * (int)seconds;
    log_write("%s is %ld: taking %d seconds, as it must be 1 to %d", name, seconds, fallback,
              PATIENCE_MOST);
    return 1000 * fallback;
}

/* As many descriptors as the system allows: each task needs two. */
static void settings_raise_descriptors(struct settings *settings)
{
    getrlimit(RLIMIT_NOFILE, &settings->descriptors);
    struct rlimit raised = settings->descriptors;
    raised.rlim_cur = raised.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) < 0) {
        log_write("cannot raise the number of descriptors above %lu: %s",
                  (unsigned long)settings->descriptors.rlim_cur, strerror(errno));
        raised = settings->descriptors;
    }
    settings->descriptor_limit = raised.rlim_cur;
}

/* Half of the memory: the rest is for the tasks, which hold what they have read. */
static size_t settings_get_queue_limit(void)
{
    return settings_get_bytes("PVM_QUEUE_LIMIT", (long)(memory_available() >> 21));
}

/*
 * Whether a variable is `chosen` or, by default, `usual`. False after a line on the log: a wrong
 * word must not let in or show more than the user wants.
 */
static bool settings_read_choice(const char *name, const char *chosen, const char *usual,
                                 bool *is_chosen)
{
    const char *word = environment_get(name, usual);
    *is_chosen = strcmp(word, chosen) == 0;
    if (*is_chosen || strcmp(word, usual) == 0)
        return true;
    log_error("%s is '%.64s', which is neither %s nor %s", name, word, chosen, usual);
    return false;
}

int settings_start(struct settings *settings)
{
    setenv("PVM_ROOT", environment_get("PVM_ROOT", PVM_DEFAULT_ROOT), 1);
    setenv("PVM_ARCH", SETTINGS_ARCHITECTURE, 1);
    settings->search_path = expand_variables(environment_get("PVM_PATH", SEARCH_PATH_DEFAULT));
    settings->debugger = expand_variables(environment_get("PVM_DEBUGGER", DEBUGGER_DEFAULT));
    settings->speed = SETTINGS_SPEED_DEFAULT;
    settings->task_limit = environment_get_number("PVM_MAX_TASKS", 0);
    settings->log_limit = environment_get_number("PVMDLOGMAX", LOG_LIMIT_DEFAULT);
    settings->request_limit = settings_get_bytes("PVM_REQUEST_LIMIT", REQUEST_DEFAULT);
    settings->queue_limit = settings_get_queue_limit();
    settings->host_patience = settings_patience("PVM_HOST_PATIENCE", HOST_PATIENCE_DEFAULT);
    settings->start_patience = settings_patience("PVM_START_PATIENCE", START_PATIENCE_DEFAULT);
    settings->use_streams = !getenv("PVM_NO_STREAM");
    if (!settings_read_choice("PVM_PEERS", "ours", "any", &settings->keyed_peers_only) ||
        !settings_read_choice("PVM_SECRECY", "on", "off", &settings->secrecy) ||
        !settings_read_choice("PVM_FAILOVER", "off", "on", &settings->ends_with_master))
        return -1;
    settings_raise_descriptors(settings);
    settings->directory = expand_variables(environment_get("PVM_WD", environment_get("HOME", "/")));
    if (settings->search_path && settings->debugger && settings->directory)
        return 0;
    log_error("no memory to start");
    return -1;
}

static void settings_replace_one(char **setting, const char *value)
{
    char *expanded = value ? expand_variables(value) : NULL;
    if (!expanded)
        return;
    free(*setting);
    *setting = expanded;
}

void settings_replace(struct settings *settings, const char *search_path, const char *debugger,
                      const char *directory)
{
    settings_replace_one(&settings->search_path, search_path);
    settings_replace_one(&settings->debugger, debugger);
    settings_replace_one(&settings->directory, directory);
}

void settings_enter_directory(const struct settings *settings)
{
    if (chdir(settings->directory) < 0)
        log_write("cannot change to %s, where tasks should start: %s", settings->directory,
                  strerror(errno));
}

void settings_finish(struct settings *settings)
{
    free(settings->search_path);
    free(settings->debugger);
    free(settings->directory);
}
