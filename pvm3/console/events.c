/* events.c - one poll for the user and the virtual machine. */
#include "console/events.h"

#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "console/hosts.h"
#include "console/job_record.h"
#include "console/trace_job.h"
#include "tracing/wait.h"

static void hosts_told(struct console *console)
{
    hosts_added(console);
    for (struct job *job = console->jobs; job; job = job->next)
        if (job->trace)
            trace_job_update_hosts(job);
}

/* Takes all messages that are there. False when the pvmd is lost. */
static bool events_show(struct console *console)
{
    int buffer, bytes, tag, tid;

    while ((buffer = pvm_nrecv(-1, -1)) > 0) {
        if (pvm_bufinfo(buffer, &bytes, &tag, &tid) < 0)
            continue;
        if (tag == TAG_HOSTS_ADDED)
            hosts_told(console);
        else if (tag > TAG_JOBS)
            job_record(console, tag - TAG_JOBS, buffer);
    }
    fflush(stdout);
    return buffer == 0;
}

bool events_take(struct console *console)
{
    bool there = events_show(console);
    if (!there)
        fprintf(stderr, "Console: the connection to the pvmd is lost\n");
    return there;
}

bool events_wait_for(struct console *console, int fd)
{
    bool readable = false;
    while (!readable) {
        if (!events_take(console))
            return false;
        readable = wait_for(fd);
    }
    return true;
}

bool events_wait_for_jobs(struct console *console)
{
    while (console->jobs) {
        if (!events_take(console))
            return false;
        if (console->jobs)
            wait_for(-1);
    }
    return true;
}
