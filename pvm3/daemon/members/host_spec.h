/*
 * host_spec.h - how a user describes a host: a line of a host file, or a string given to
 * pvm_addhosts.
 *
 *     [&|$]... name [option=value]...
 */
#ifndef DAEMON_MEMBERS_HOST_SPEC_H
#define DAEMON_MEMBERS_HOST_SPEC_H

#include <stdbool.h>

enum host_option {
    HOST_LOGIN,       /* lo= */
    HOST_START,       /* so= pw or ms */
    HOST_DAEMON,      /* dx= path of the daemon there */
    HOST_SEARCH_PATH, /* ep= */
    HOST_DEBUGGER,    /* bx= */
    HOST_DIRECTORY,   /* wd= */
    HOST_SPEED,       /* sp= 1 to 1000000 */
    HOST_ADDRESS,     /* ip= name or address to use in place of the name */
    HOST_MACHINE,     /* id= virtual machine */
    HOST_OPTION_COUNT,
};

struct host_spec {
    char *text;       /* memory of the other strings */
    const char *name; /* "*" stands for the defaults of the hosts that follow */
    const char *options[HOST_OPTION_COUNT]; /* NULL when not given */
    bool listed_only;                       /* & - not to be started by itself */
    bool shared;                            /* $ - may have the address of another one */
    char wrong[80];                         /* why the description is bad */
};

enum host_spec_result {
    HOST_SPEC_GOOD,
    HOST_SPEC_EMPTY,  /* a blank or a comment; nothing to free */
    HOST_SPEC_BAD,    /* `wrong` says why; nothing to free */
    HOST_SPEC_MEMORY, /* nothing to free */
};

/* Reads a line of a host file. */
enum host_spec_result host_spec_read_line(struct host_spec *spec, const char *line);
/* Reads what pvm_addhosts was given, which has no prefixes and is no comment. */
enum host_spec_result host_spec_read(struct host_spec *spec, const char *text);
void host_spec_free(struct host_spec *spec);

/* The name by which the host is to be found in the network. */
const char *host_spec_address(const struct host_spec *spec);

#endif
