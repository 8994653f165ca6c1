/* How does a test program tell what it observes? One line for each observation, on standard output.
 *
 * The library's own diagnostics appear among them, in place.
 */
#ifndef OBSERVE_H
#define OBSERVE_H

#include <fcntl.h>
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* "EXPRESSION: VALUE", the value as a decimal integer. */
#define SEE(expression) printf("%s: %ld\n", #expression, (long)(expression))

/* "WHAT: TEXT". */
#define SEE_TEXT(what, text) printf("%s: %s\n", what, text)

/* A heading for what follows. */
#define AREA(name) printf("== %s\n", name)

/* Call first: both standard streams go to standard output, line by line. */
static inline void observe(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    dup2(STDOUT_FILENO, STDERR_FILENO);
}

/* From now on what the library says on stderr is no observation: its words are its own affair. */
static inline void quiet(void)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    close(null);
}

/* How a process ended: "WHAT: exit CODE" or "WHAT: signal NUMBER". */
static inline void see_end(const char *what, int status)
{
    if (WIFSIGNALED(status))
        printf("%s: signal %d\n", what, WTERMSIG(status));
    else
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
}

/*
 * Runs `body` in a process of its own, and tells how that ends; 0 is not told. The caller must not
 * be a task: the process becomes one if it wants to.
 */
static inline void apart(const char *what, void (*body)(void))
{
    int status = 0;

    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        body();
        exit(0);
    }
    waitpid(process, &status, 0);
    if (status != 0)
        see_end(what, status);
}

/*
 * The next call does not return on stock: a signal ends the process after OBSERVE_HANGING seconds,
 * few on stock and many on ours.
 */
static inline void may_hang(void)
{
    const char *seconds = getenv("OBSERVE_HANGING");
    alarm(seconds ? (unsigned)atoi(seconds) : 60);
}

/* Bytes of a buffer, or the error. */
static inline int length_of(int buffer)
{
    int bytes = -1;
    int result = pvm_bufinfo(buffer, &bytes, NULL, NULL);

    return result < 0 ? result : bytes;
}

/* The tag of a buffer; what is none comes back. */
static inline int tag_of(int buffer)
{
    int tag = -1;

    if (buffer <= 0)
        return buffer;
    pvm_bufinfo(buffer, NULL, &tag, NULL);
    return tag;
}

/* The next int of the receive buffer, or the error. */
static inline int first_int(void)
{
    int got = -1, result = pvm_upkint(&got, 1, 1);

    return result < 0 ? result : got;
}

/* Wait until a spawned task is connected: before, its flags change, and it may not be killed. */
static inline void wait_connected(int tid)
{
    enum { CHILD_AND_CONNECTED = 6 };
    struct pvmtaskinfo *tasks = NULL;
    int count = 0;

    do
        if (pvm_tasks(tid, &count, &tasks) < 0)
            return;
    while (count != 1 || tasks[0].ti_flag != CHILD_AND_CONNECTED);
}

#endif
