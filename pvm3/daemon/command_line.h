/*
 * command_line.h - what is the daemon asked for by its words and by the environment?
 *
 *     pvmd [-dMASK] [-nHOSTNAME] [-f] [--log-level=LEVEL] [HOSTFILE]
 *     pvmd -s|-S [OPTION]... and the five words of a slave (slave.h)
 *     pvmd -t | --help | --version
 */
#ifndef DAEMON_COMMAND_LINE_H
#define DAEMON_COMMAND_LINE_H

#include <stdbool.h>

#include "daemon/base/log.h"
#include "daemon/members/slave.h"

enum command_line_order {
    COMMAND_LINE_RUN,
    COMMAND_LINE_TEST, /* -t: print the versions and the words */
    COMMAND_LINE_HELP,
    COMMAND_LINE_VERSION,
    COMMAND_LINE_WRONG, /* told on the standard error, in one line */
};

struct command_line {
    enum command_line_order order;
    bool is_slave;
    struct slave slave;
    const char *host_name; /* NULL is the system's */
    const char *host_file; /* NULL is none */
    unsigned mask;         /* debug classes */
    enum log_level level;
    bool foreground; /* the log is to be seen on the standard error, too */
};

/* Reads the words behind the program's name, up to NULL; what is read points into them. */
void command_line_read(struct command_line *command, char **words);

/* Prints the help, for --help. */
void command_line_print_help(void);

#endif
