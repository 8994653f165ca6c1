/*
 * A process with several tasks, which do what a watcher says.
 *
 * several TASKS first|late|none WATCHER
 *
 * TASKS threads are tasks beside the first, each in turn; the first enrols before them and is their
 * parent, enrols after them, or never enrols. Each task tells the watcher that it is there: its
 * number, 0 for the first, and its parent. Then it obeys.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <pvm3.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "tasks.h"

enum { HERE = 1, ANSWER = 2, OVER = 3, ORDER = 4, FORKED = 5, MOST = 64 };
enum order { TELL, END, AWAIT_SIGNAL, KILL_SELF, LEAVE, CRASH, PRINT, FORK };

static int watcher, first;
static sem_t signals, born;

static void take_signal(int number)
{
    (void)number;
    sem_post(&signals);
}

static void say(int tag, int number, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    pvm_pkint(&value, 1, 1);
    expect("pvm_send", pvm_send(watcher, tag), 0);
}

/* A child that knows nothing of PVM, and so closes nothing. */
static void fork_child(int number)
{
    pid_t child = _Fork();
    while (child == 0)
        pause();
    say(FORKED, number, child);
}

static void wait_for_signal(void)
{
    while (sem_wait(&signals) < 0)
        continue;
}

/* Until the task is to end, or has been ended. */
static void obey(int number)
{
    int order = END;
    while (pvm_recv(watcher, ORDER) > 0) {
        pvm_upkint(&order, 1, 1);
        switch ((enum order)order) {
        case TELL:
            break;
        case END:
            return;
        case AWAIT_SIGNAL:
            wait_for_signal();
            break;
        case KILL_SELF:
            pvm_kill(pvm_mytid());
            continue;
        case LEAVE:
            _exit(3);
        case CRASH:
            raise(SIGKILL);
            break;
        case FORK:
            fork_child(number);
            break;
        case PRINT:
            printf("this is %d\n", number);
            fflush(stdout);
            break;
        }
        say(ANSWER, number, pvm_mytid());
    }
    expect("pvm_send of an ended task", pvm_send(watcher, ANSWER), PvmSysErr);
}

/* The thread of a task that is over belongs to the first one. */
static void *live(void *own)
{
    int number = *(int *)own;
    expect("tasks_begin_under", tasks_begin_under(first), 0);
    say(HERE, number, pvm_parent());
    sem_post(&born);
    obey(number);
    int result = tasks_end();
    if (first)
        say(OVER, number, result);
    return NULL;
}

static void enrol_first(void)
{
    int tid = pvm_mytid();
    say(HERE, 0, pvm_parent());
    first = tid;
}

int main(int argc, char **argv)
{
    static pthread_t thread;
    static int numbers[MOST];
    if (argc < 4 || atoi(argv[1]) >= MOST)
        fail("usage: several TASKS first|late|none WATCHER");
    watcher = atoi(argv[3]);
    sem_init(&signals, 0, 0);
    sem_init(&born, 0, 0);
    signal(SIGUSR1, take_signal);
    if (strcmp(argv[2], "first") == 0)
        enrol_first();
    for (int i = 1; i <= atoi(argv[1]); i++) {
        numbers[i] = i;
        expect("pthread_create", pthread_create(&thread, NULL, live, &numbers[i]), 0);
        while (sem_wait(&born) < 0)
            continue;
    }
    if (strcmp(argv[2], "late") == 0)
        enrol_first();
    if (first)
        obey(0);
    for (;;)
        pause();
}
