/*
 * settings.h - what the environment and the command line say about how this daemon works.
 */
#ifndef DAEMON_BASE_SETTINGS_H
#define DAEMON_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

struct settings {
    char *search_path;         /* folders in which programs are looked for, variables expanded */
    char *debugger;            /* what runs tasks that are to be debugged */
    char *directory;           /* where tasks start */
    int speed;                 /* relative to other hosts, for information */
    long task_limit;           /* PVM_MAX_TASKS, 0 is none */
    long log_limit;            /* bytes, PVMDLOGMAX */
    size_t request_limit;      /* bytes of a message to this daemon, PVM_REQUEST_LIMIT */
    size_t queue_limit;        /* bytes that may wait for tasks and hosts, PVM_QUEUE_LIMIT */
    int start_patience;        /* milliseconds that the start of a daemon may take */
    int64_t host_patience;     /* milliseconds after which a host that does not answer is gone */
    bool use_streams;          /* connections with other daemons of ours; PVM_NO_STREAM forbids */
    bool keyed_peers_only;     /* PVM_PEERS=ours: no hosts without the secret of the machine */
    bool secrecy;              /* PVM_SECRECY=on: a master has all encrypted between holders */
    bool ends_with_master;     /* PVM_FAILOVER=off: no other host becomes the master */
    struct rlimit descriptors; /* as the daemon found them; its children get them back */
    size_t descriptor_limit;   /* as the daemon has raised it */
};

/* The name of the architecture of this machine, as PVM_ARCH and host tables carry it. */
#define SETTINGS_ARCHITECTURE (sizeof(long) == 8 ? "LINUX64" : "LINUX")

#define SETTINGS_SPEED_DEFAULT 1000

/*
 * Reads the environment and puts into it what children need: PVM_ROOT, PVM_ARCH. 0, or -1 after a
 * line on the log.
 */
int settings_start(struct settings *settings);
/* Sets the settings that are not NULL; variables in their texts are expanded. */
void settings_replace(struct settings *settings, const char *search_path, const char *debugger,
                      const char *directory);
/*
 * Goes where tasks start; a folder that is not there is told on the log, and no reason not to run.
 */
void settings_enter_directory(const struct settings *settings);
void settings_finish(struct settings *settings);

#endif
