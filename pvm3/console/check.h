/*
 * check.h - why does a machine not come up?
 *
 * The check does what pvmds do: it looks up names here, runs the remote shell, and starts a pvmd on
 * the other host for a moment, as a virtual machine of its own, which has to answer a packet.
 * Nothing of it is left behind.
 */
#ifndef CONSOLE_CHECK_H
#define CONSOLE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "console/report.h"

struct check {
    struct report *report;
    const char *host;    /* the host that is looked at, for the report */
    const char *name;    /* of this host, given by -n, or NULL */
    uint32_t address;    /* of this host, host byte order; 0: none is known */
    bool trial_possible; /* packets of other hosts can come here */
    bool in_machine;     /* this process can ask a pvmd */
    int patience;        /* seconds that an answer may take */
    int problems;
};

/*
 * This host, and then the `count` hosts that are described as for add. Gives how many problems. If
 * the console is no `task`, it becomes one for the time of the check, if a pvmd answers.
 */
int check_machine(struct report *report, bool task, const char *name, int count, char **hosts);

/* Another host alone, whose pvmd could not be started; what is wrong here is told as well. */
int check_failed_host(struct report *report, char *host);

/* check_finding.c: each finding is a line. A problem has a hint that says what to do. */
__attribute__((format(printf, 2, 3))) void check_good(struct check *check, const char *format, ...);
__attribute__((format(printf, 2, 3))) void check_note(struct check *check, const char *format, ...);
__attribute__((format(printf, 3, 4))) void check_problem(struct check *check, const char *hint,
                                                         const char *format, ...);

/*
 * check_here.c and check_there.c, the two parts. The first says whether it makes sense to go on
 * with others.
 */
void check_here(struct check *check, bool with_others);
void check_there(struct check *check, const char *host);

/* check_address.c: the IPv4 address of a name, host byte order; 0: it has none. */
uint32_t check_look_up(const char *name);

/* An address as people write it. */
#define CHECK_ADDRESS 16
void check_show_address(uint32_t address, char text[CHECK_ADDRESS]);

/* True for 127.0.0.0/8. */
bool check_is_loopback(uint32_t address);

#endif
