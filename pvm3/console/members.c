/* members.c - asks the group server for all groups. */
#include "console/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <pvm3.h>

#include "groups/protocol.h"

/* A server that does not run must not stop the console. */
enum { SECONDS_TO_ANSWER = 10 };

static bool is_one(int tid, const int *tids, int count)
{
    while (count > 0 && tids[count - 1] != tid)
        count--;
    return count > 0;
}

/* The tid of the server; 0: there is none. */
static int find_server(void)
{
    static char name[] = GROUPS_MAILBOX;
    int server = 0, report = pvm_setopt(PvmAutoErr, 0);
    int buffer = pvm_recvinfo(name, 0, PvmMboxDefault);
    if (buffer > 0) {
        int before = pvm_setrbuf(buffer);
        pvm_upkint(&server, 1, 1);
        pvm_freebuf(pvm_setrbuf(before));
    }
    pvm_setopt(PvmAutoErr, report);
    return server;
}

static int read_word(void)
{
    int word = 0;
    pvm_upkint(&word, 1, 1);
    return word;
}

/* One of these in the next group of the answer; 0: none. `name` has room for any string there. */
static int read_group(char *name, const int *tids, int count)
{
    int found = 0;
    read_word(); /* the length of the name */
    pvm_upkstr(name);
    read_word(); /* the size */
    int places = read_word();
    read_word(); /* who is to come to a barrier */
    int waiting = read_word();
    for (int i = 0; i < places + waiting; i++) {
        int tid = read_word();
        found = is_one(tid, tids, count) ? tid : found;
    }
    return found;
}

static bool read_groups(int buffer, const int *tids, int count, struct checkpoint_result *result)
{
    int bytes = 0;
    pvm_bufinfo(buffer, &bytes, NULL, NULL);
    char *name = malloc((size_t)bytes + 1);
    for (int groups = name ? read_word() : 0; groups > 0 && result->tid == 0; groups--) {
        result->tid = read_group(name, tids, count);
        if (result->tid)
            snprintf(result->why, sizeof result->why,
                     "it is in the group %.200s, whose server is not put away with it", name);
    }
    free(name);
    return result->tid != 0;
}

static bool ask_server(int server, const int *tids, int count, struct checkpoint_result *result)
{
    struct timeval patience = {.tv_sec = SECONDS_TO_ANSWER};
    pvm_initsend(PvmDataDefault);
    pvm_send(server, GROUPS_LIST);
    int buffer = pvm_trecv(server, GROUPS_LIST, &patience);
    if (buffer > 0)
        return read_groups(buffer, tids, count, result);
    snprintf(result->why, sizeof result->why, "the group server does not answer");
    return true;
}

bool members_hinder(const int *tids, int count, struct checkpoint_result *result)
{
    int server = find_server();
    if (server == 0 || is_one(server, tids, count))
        return false;
    int context = pvm_setcontext(GROUPS_CONTEXT);
    bool hinders = ask_server(server, tids, count, result);
    pvm_setcontext(context);
    return hinders;
}
