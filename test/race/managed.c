/* Threads that ask a resource manager, which refuses some requests and ends: no thread may wait for
 * ever, and every one must find the pvmd afterwards.
 *
 * managed ROUNDS
 * managed manager COUNT      a resource manager that answers as often
 */
#include <pthread.h>
#include <pvm3.h>
#include <pvmproto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, READY = 1 };

static char own[] = "managed", nowhere[] = "";

/* What a thread was told. */
struct asker {
    pthread_t thread;
    int number;
    int refused; /* by the resource manager */
    int lost;    /* it ended */
    int strange;
};

static int ask(int what)
{
    switch (what % 3) {
    case 0:
        return pvm_tasks(0, NULL, NULL);
    case 1:
        return pvm_config(NULL, NULL, NULL);
    default:
        return pvm_delhosts((char *[]){nowhere}, 1, NULL);
    }
}

/* Asks until the pvmd answers. */
static void *ask_all(void *argument)
{
    struct asker *asker = argument;
    int result;

    for (int what = asker->number; (result = ask(what)) != 0; what++)
        if (result == PvmDenied)
            asker->refused++;
        else if (result == PvmDSysErr)
            asker->lost++;
        else
            asker->strange++;
    return NULL;
}

/* Refuses `count` requests, and ends with the rest unanswered. */
static void manage(int count)
{
    int leaves = count % 2, parent = pvm_parent(), denied = PvmDenied;

    pvm_reg_rm(NULL);
    pvm_setopt(PvmResvTids, 1);
    pvm_initsend(PvmDataDefault);
    pvm_send(parent, READY);
    while (count > 0) {
        struct pvmminfo info;
        int buffer = pvm_recv(-1, -1), source, tag;

        pvm_bufinfo(buffer, NULL, &tag, &source);
        pvm_getminfo(buffer, &info);
        if (tag == SM_EXECACK) /* the pvmd tells of a task that came by itself */
            continue;
        info = (struct pvmminfo){.wid = info.wid};
        pvm_initsend(PvmDataDefault);
        pvm_setminfo(pvm_getsbuf(), &info);
        pvm_pkint(&denied, 1, 1);
        pvm_send(source, tag);
        count--;
    }
    if (leaves)
        pvm_exit();
    _exit(0);
}

/* 0 when all is as it should be. */
static int round_run(int number)
{
    struct asker askers[THREADS] = {{.number = 0}};
    char count[16], *words[] = {"manager", count, NULL};
    int manager, refused = 0, wrong = 0;

    snprintf(count, sizeof count, "%d", number);
    if (pvm_spawn(own, words, PvmTaskDefault, nowhere, 1, &manager) != 1)
        return 1;
    pvm_recv(manager, READY);
    pvm_exit(); /* only who comes after it asks it */
    pvm_setopt(PvmAutoErr, 0);
    pvm_mytid();
    for (int i = 0; i < THREADS; i++) {
        askers[i].number = number + i;
        pthread_create(&askers[i].thread, NULL, ask_all, &askers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(askers[i].thread, NULL);
        refused += askers[i].refused;
        wrong += askers[i].lost > 1 || askers[i].strange > 0;
    }
    return wrong != 0 || refused != number;
}

int main(int count, char **words)
{
    int rounds = count > 1 ? atoi(words[1]) : 1, wrong = 0;

    if (count > 2 && strcmp(words[1], "manager") == 0)
        manage(atoi(words[2]));
    for (int i = 0; i < rounds; i++)
        wrong += round_run(i % 30);
    pvm_exit();
    printf("%d rounds, %d wrong\n", rounds, wrong);
    return wrong != 0;
}
