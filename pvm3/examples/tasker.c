/*
 * tasker.c - a tasker: starts the tasks of one host in place of its pvmd, and keeps account of
 * them.
 *
 * usage: tasker                         in a running virtual machine
 *        PVM_TASKER=/path/tasker pvm    from the start; the account is in the log of the pvmd
 *
 * The pvmd asks with SM_STTASK, and wants to be told with SM_TASKX how each task ended. Each task
 * has a thread here that starts the process and waits for its end: while they sleep there, the
 * first thread sleeps in pvm_recv. Here is the place for what a site wants to do with its tasks:
 * limits, priorities, containers. What the tasks print goes where the output of the tasker goes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service.h"

extern char **environ;

struct job {
    int tid;
    char *path;
    char **arguments;   /* with the path as the first one */
    char **environment; /* of this task; all others are our own */
};

static struct job *job_read(const struct request *request)
{
    struct job *job = service_allocate(sizeof *job);

    job->tid = service_int();
    service_int(); /* the flags of pvm_spawn */
    job->path = service_string(request);
    job->arguments = service_strings(request, service_int());
    job->environment = service_strings(request, service_int());
    return job; /* its number among its siblings follows, which we have no use for */
}

static void job_free(struct job *job)
{
    free(job->path);
    service_free_strings(job->arguments);
    service_free_strings(job->environment);
    free(job);
}

/* In the new process. PVMEPID in the environment tells the pvmd which task it is. */
static void job_execute(const struct job *job)
{
    for (int i = 0; job->environment[i]; i++)
        putenv(job->environment[i]);
    const char *folder = getenv("PVMSPAWNWD"); /* pvm_spawn was given one */
    if (folder && chdir(folder) != 0)
        perror(folder);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    execv(job->path, job->arguments);
    perror(job->path);
    _exit(127);
}

/* The thread of one task. */
static void *job_run(void *argument)
{
    struct job *job = argument;
    struct rusage used = {.ru_maxrss = 0};
    int status = 127 << 8;

    pid_t process = fork();
    if (process == 0)
        job_execute(job);
    if (process < 0)
        perror("tasker: fork");
    else if (wait4(process, &status, 0, &used) < 0)
        perror("tasker: wait4");
    int words[] = {job->tid,
                   status,
                   (int)used.ru_utime.tv_sec,
                   (int)used.ru_utime.tv_usec,
                   (int)used.ru_stime.tv_sec,
                   (int)used.ru_stime.tv_usec};
    printf("t%x %s: %s %d, %ld.%06ld s of processor time, %ld KB\n", (unsigned)job->tid, job->path,
           WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), (long)used.ru_utime.tv_sec,
           (long)used.ru_utime.tv_usec, used.ru_maxrss);
    service_begin(0);
    pvm_pkint(words, 6, 1);
    pvm_send(OWN_PVMD, SM_TASKX);
    job_free(job);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int buffer, result = pvm_reg_tasker();

    if (result < 0) {
        fprintf(stderr, "tasker: %s\n",
                result == PvmAlready ? "this host has a tasker already" : pvm_strerror());
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("tasker t%x is ready\n", (unsigned)pvm_mytid());
    pvm_setopt(PvmResvTids, 1); /* the tags of the pvmd are negative */
    while ((buffer = pvm_recv(-1, SM_STTASK)) > 0) {
        struct request request = service_request(buffer);
        if (request.source != OWN_PVMD)
            continue;
        struct job *job = job_read(&request);
        if (pthread_create(&thread, NULL, job_run, job) == 0)
            pthread_detach(thread);
        else
            job_run(job); /* one after the other is better than not at all */
    }
    return EXIT_SUCCESS;
}
