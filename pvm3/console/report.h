/*
 * report.h - how does a command tell its result, and what went wrong?
 *
 * As text: the command prints to stdout; for people, that is on a terminal, problems come with a
 * hint what to do. As JSON (--json): each command line gives one line, an object with the members
 *
 *     command  its first word, aliases replaced, or null
 *     ok       whether there was no problem
 *     ...      what the command tells; pvm(1) has the members of each
 *     lines    what it printed, line by line, of commands without members of their own
 *     errors   a list of objects: text, code (of pvm3.h, or null), hint (or null)
 *
 * What comes unasked is an object with the member event in place of command.
 */
#ifndef CONSOLE_REPORT_H
#define CONSOLE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "console/json.h"

/* A text in memory that is written to as to a stream. */
struct memory_text {
    FILE *file;
    char *text;
    size_t length;
};

struct report {
    bool json;
    bool people;         /* text goes to a terminal */
    bool failed;         /* the present command had a problem */
    bool ever_failed;    /* one of all commands had */
    struct json members; /* of the present command; its file is NULL when text is wanted */
    struct json errors;
    struct memory_text members_text;
    struct memory_text errors_text;
    int captured; /* the file to which stdout goes meanwhile, */
    int terminal; /* and the one to which it goes else; -1: is not captured */
};

void report_start(struct report *report, bool json);

/* Around each command line. `command` may be NULL. */
void report_begin(struct report *report);
void report_end(struct report *report, const char *command);

/*
 * Something went wrong: `code` is that of the library or 0, `hint`, or NULL, says what to do.
 * problem prints the text; failure does not, because the library has done so on stderr.
 */
__attribute__((format(printf, 4, 5))) void problem(struct report *report, int code,
                                                   const char *hint, const char *format, ...);
__attribute__((format(printf, 4, 5))) void failure(struct report *report, int code,
                                                   const char *hint, const char *format, ...);

/*
 * Prints text for people on a terminal, in lines that are not wider than it: the first one behind
 * so many spaces, the others behind `rest`.
 */
__attribute__((format(printf, 3, 4))) void people_print(int first, int rest, const char *format,
                                                        ...);

/* Begins and ends a line of JSON about what comes unasked. */
struct json event_begin(const char *event);
void event_end(struct json *json);

#endif
