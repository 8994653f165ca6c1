/*
 * places.c - prints where what it has lies, a name and an address in each line.
 *
 * It ends when all that were spawned with it have printed.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>

static int global = 1, zero;
static const int constant = 2;
static _Thread_local int in_thread = 3;

static void tell(const char *name, const void *address)
{
    printf("%s %p\n", name, address);
}

static void await_siblings(void)
{
    int *tids, count = pvm_siblings(&tids);
    pvm_initsend(PvmDataDefault);
    pvm_mcast(tids, count, 1);
    for (int i = 1; i < count; i++)
        pvm_recv(-1, 1);
}

int main(void)
{
    int local;
    pvm_mytid();
    tell("stack", &local);
    tell("thread", (void *)pthread_self());
    tell("thread-local", &in_thread);
    tell("global", &global);
    tell("zero", &zero);
    tell("constant", &constant);
    tell("text", (void *)(size_t)main);
    fflush(stdout);
    await_siblings();
    return 0;
}
