/*
 * log.h - the log of the daemon, TMP/pvml.UID[.VMID].
 *
 * A line is "[tTID] MM/DD HH:MM:SS text", as in 3.4.6; the text of a line that is not of level info
 * begins with its level, "warning: " say, and for debugging with the name of the class, too. Until
 * the daemon is ready, lines but notes also go to stderr. If stderr is the journal of systemd, lines
 * there begin with the priority that the journal reads. The file is removed at an orderly end
 * when this run wrote nothing but notes of its own start and end into it, and when it was not there
 * before. There is one log, as there is one standard error. One thread.
 */
#ifndef DAEMON_BASE_LOG_H
#define DAEMON_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much of a nuisance a line tells of; what is worse than the level that was set is told. */
enum log_level {
    LEVEL_ERROR,   /* the daemon cannot start, or has to end */
    LEVEL_WARNING, /* something failed, was refused or was dropped; the rest goes on */
    LEVEL_INFO,    /* the daemon's start and end, hosts that come and go, what tasks print */
    LEVEL_DEBUG,   /* the classes of the debug mask, all classes when it is 0 */
};

/* Classes of debug lines, each a bit of the debug mask; the values are those of 3.4.6. */
enum log_class {
    LOG_PACKETS = 0x1,
    LOG_MESSAGES = 0x2,
    LOG_TASKS = 0x4,
    LOG_STARTS = 0x8,
    LOG_HOSTS = 0x10,
    LOG_NETWORK = 0x40,
    LOG_SCHEDULER = 0x100,
    LOG_APPLICATION = 0x200,
    LOG_WAITS = 0x400,
    LOG_ROUTES = 0x4000,
    LOG_MAILBOXES = 0x8000,
    LOG_MULTICAST = 0x20000,
};

/*
 * Opens the file at `path`; when that cannot be done, says so on stderr, and lines go there
 * instead.
 */
void log_open(const char *path, long limit);

/* At an orderly end. */
void log_close(void);

/* The tid that lines carry from now on; before, they carry the process id. */
void log_set_tid(uint32_t tid);
/* From now on lines go to the file only. */
void log_set_ready(void);

unsigned log_mask(void);
void log_set_mask(unsigned mask);

/* Reads the name of a level. False when it is none. */
bool log_read_level(const char *text, enum log_level *level);
/*
 * From now on only lines of this level and worse ones are written, and debug lines of the classes
 * in the mask; with LEVEL_DEBUG and an empty mask debug lines of all classes. `seen`: also to
 * stderr.
 */
void log_set_level(enum log_level level, bool seen);

/* A line of level error. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of level warning: tells of something that should not happen. */
void log_write(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of level info, of the daemon's life, not worth keeping the file for. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line of level debug, of this class. */
void log_debug(enum log_class class, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Logs output of a task that nobody collects, at level info: each line behind the tid of the task.
 */
void log_output(uint32_t tid, const char *text, size_t length);

#endif
