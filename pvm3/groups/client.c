/* client.c - finding the server, labels, and one question at a time for each label. */
#include "groups/client.h"

#include <pvm3.h>

/*
 * Labels of our own lie where no application has its tags: answers are awaited from anyone. The
 * tags of questions are the labels of a 3.4.6 server.
 */
#define LABEL_FIRST GROUPS_LABEL_FIRST

/* Of the ABI: how long to wait for an answer; NULL, the default, is for ever. */
struct timeval *pvmgs_tmout;

int gs_getgstid(void);

/* The label that stands for a place of known->used now. */
static int label_of(const struct known *known, int place)
{
    return LABEL_FIRST + place + KNOWN_LABELS * known->late[place];
}

/* Of libpvm3 of ours alone: where the program of the calling thread sees pvm_errno. */
int *own_program_error(void);
#pragma weak own_program_error

static int error_note(int code)
{
    int *error = own_program_error ? own_program_error() : &pvm_errno;
    /* Two threads may fail at once. Helgrind takes an exchange, not a store, for a meant race. */
    __atomic_exchange_n(error, code, __ATOMIC_RELAXED);
    return code;
}

/* Of libpvm3 of ours alone, where tasks can move (lib/calls/stand_in.h). */
bool stand_in_has_handler(int tag);
#pragma weak stand_in_has_handler

/*
 * If the task has moved to another process and back, the handlers are gone that this library had
 * added, and word that they were to have may be lost.
 */
static void known_check(struct known *known)
{
    known_lock();
    bool checks = known->found_again && stand_in_has_handler;
    bool watching = known->watching, noticing = known->noticing;
    known->found_again = false;
    known_unlock();
    if (checks && ((watching && !stand_in_has_handler(TAG_SERVER_GONE)) ||
                   (noticing && !stand_in_has_handler(TAG_MEMBER_GONE))))
        known_begin_anew(known);
}

/*
 * For libpvm3 of ours the thread is inside one call from the first pvm_setcontext to the last one:
 * what it makes active there is told to no other thread (lib/task/turns.h).
 */
int groups_call_begin(struct groups_call *call, const char *group)
{
    *call = (struct groups_call){0};
    if (!group || !*group)
        return PvmNullGroup;
    int tid = pvm_mytid();
    if (tid < 0)
        return tid;
    call->thread = known_begin(tid);
    if (!call->thread)
        return PvmNoMem;
    call->known = call->thread->known;
    call->mark = call->thread->rooms;
    call->begun = true;
    call->tid = tid;
    call->context = pvm_setcontext(GROUPS_CONTEXT);
    call->send_buffer = pvm_setsbuf(0);
    call->receive_buffer = pvm_setrbuf(0);
    known_check(call->known);
    return 0;
}

void groups_call_restore(struct groups_call *call)
{
    if (!call->begun)
        return;
    call->begun = false;
    pvm_freebuf(pvm_setsbuf(call->send_buffer));
    pvm_freebuf(pvm_setrbuf(call->receive_buffer));
    pvm_setcontext(call->context);
}

void *groups_call_room(struct groups_call *call, size_t size)
{
    return known_room(call->thread, size);
}

int groups_call_end(struct groups_call *call, int result)
{
    groups_call_restore(call);
    if (call->thread)
        known_free_rooms(call->thread, call->mark);
    call->thread = NULL;
    return result < 0 ? error_note(result) : result;
}

/* The server's entry in the mailbox. Returns 0 or an error. */
static int server_look_up(struct known_server *server, int flags)
{
    int bytes, tag, tid, words[2 + CHANGES_WORDS] = {0};

    int buffer = pvm_recvinfo(GROUPS_MAILBOX, 0, flags);
    if (buffer < 0)
        return buffer;
    int result = pvm_bufinfo(buffer, &bytes, &tag, &tid);
    /* A server of 3.4.6 tells one word. */
    int count = bytes / (int)sizeof *words;
    int most = sizeof words / sizeof *words;
    if (result == 0)
        result = pvm_upkint(words, count < 1 ? 1 : count < most ? count : most, 1);
    *server = (struct known_server){.tid = words[0], .labels = words[1] == GROUPS_LABELS};
    if (result == 0 && server->labels && GROUPS_HOST_OF(server->tid) == GROUPS_HOST_OF(pvm_mytid()))
        server->changes = changes_open(words + 2);
    return result;
}

/*
 * Spawns a server that outlives us: what it prints goes to the pvmd's log and it is traced by
 * nobody. Another thread that spawns meanwhile may find its output there too; libpvm3 has no way to
 * say it for one task.
 */
static int server_start(void)
{
    static const int options[] = {PvmOutputTid, PvmTraceTid};
    int values[2], tid = PvmSysErr;

    for (int i = 0; i < 2; i++) {
        values[i] = pvm_getopt(options[i]);
        if (values[i] != 0)
            pvm_setopt(options[i], 0);
    }
    int started = pvm_spawn(GROUPS_PROGRAM, NULL, PvmMppFront, "", 1, &tid);
    for (int i = 0; i < 2; i++)
        if (values[i] != 0)
            pvm_setopt(options[i], values[i]);
    if (started == 1)
        return 0;
    error_note(started < 0 ? started : tid);
    pvm_perror("group server " GROUPS_PROGRAM
               " cannot be started, is it where pvmd looks for tasks (PVM_PATH, ep=)?");
    return PvmSysErr;
}

static int server_find(struct known_server *server)
{
    int result = server_look_up(server, PvmMboxDefault);
    if (result == PvmNotFound) {
        result = server_start();
        /* Whichever server comes first: another task may have started one too. */
        if (result == 0)
            result = server_look_up(server, PvmMboxWaitForInfo);
    }
    return result < 0 ? PvmSysErr : 0;
}

/*
 * The message handler for the end of a server: calls that wait for an answer of the server get
 * PvmSysErr, and the next question looks for a new server.
 */
static int server_gone(int buffer)
{
    bool waiting[KNOWN_LABELS] = {false};
    int labels[KNOWN_LABELS], tid = 0, error = PvmSysErr, self = pvm_mytid();

    (void)buffer;
    if (pvm_upkint(&tid, 1, 1) < 0)
        return 0;
    known_lock();
    struct known *known = known_find(self);
    bool current = known && known->server.tid == tid;
    for (int i = 0; current && i < KNOWN_LABELS; i++) {
        waiting[i] = known->used[i];
        labels[i] = label_of(known, i);
        /*
         * The answer may have come before: then this one stays behind, and must not meet another.
         */
        known->late[i] += waiting[i];
    }
    if (current) {
        known_drop_server(known);
        pthread_cond_broadcast(&known->changed);
    }
    known_unlock();
    if (!current || pvm_initsend(PvmDataDefault) < 0)
        return 0;
    pvm_pkint(&error, 1, 1);
    for (int i = 0; i < KNOWN_LABELS; i++)
        if (waiting[i])
            pvm_send(self, labels[i]);
    return 0;
}

/*
 * Has the pvmd tell when the server is gone. The answers of a server without labels cannot be
 * replaced, since they must come from it.
 */
static void server_watch(const struct groups_call *call, struct known_server *server)
{
    if (!server->labels)
        return;
    known_lock();
    bool watching = call->known->watching;
    call->known->watching = true;
    known_unlock();
    if (!watching)
        pvm_addmhf(-1, TAG_SERVER_GONE, GROUPS_CONTEXT, server_gone);
    pvm_notify(PvmTaskExit, TAG_SERVER_GONE, 1, &server->tid);
}

/*
 * The server, from what is known or by looking for it. One thread looks, the others wait for what
 * it finds.
 */
static int server_get(const struct groups_call *call, struct known_server *server)
{
    struct known *known = call->known;
    int result = 0;

    known_lock();
    while (known->finding)
        known_wait_for_change(known);
    if (known->server.tid == 0) {
        known->finding = true;
        known_unlock();
        result = server_find(server);
        known_lock();
        known->finding = false;
        if (result == 0)
            known->server = *server;
        pthread_cond_broadcast(&known->changed);
        known_unlock();
        if (result == 0)
            server_watch(call, server);
        return result;
    }
    *server = known->server;
    known_unlock();
    return 0;
}

/*
 * The place of a label in use: an index of known->asked for a server without labels, else of
 * known->used.
 */
static int label_place(const struct known *known, const struct known_server *server,
                       enum groups_question question)
{
    if (!server->labels)
        return known->asked[question] ? -1 : (int)question;
    for (int i = 0; i < KNOWN_LABELS; i++)
        if (!known->used[i])
            return i;
    return -1;
}

/*
 * Waits for a label that no other thread uses. The lowest is taken, so that all tasks with one
 * thread use one label. -1: `server` has gone meanwhile.
 */
static int label_take(const struct groups_call *call, const struct known_server *server,
                      enum groups_question question, int *place)
{
    struct known *known = call->known;
    int label = -1;

    known_lock();
    while (known->server.tid == server->tid && (*place = label_place(known, server, question)) < 0)
        known_wait_for_change(known);
    if (known->server.tid == server->tid) {
        *(server->labels ? &known->used[*place] : &known->asked[*place]) = true;
        label = server->labels ? label_of(known, *place) : *place;
    }
    known_unlock();
    return label;
}

static void label_give(const struct groups_call *call, const struct known_server *server, int place,
                       bool answered)
{
    struct known *known = call->known;
    known_lock();
    *(server->labels ? &known->used[place] : &known->asked[place]) = false;
    if (!answered && server->labels)
        known->late[place]++;
    pthread_cond_broadcast(&known->changed);
    known_unlock();
}

static int question_send(const struct known_server *server, enum groups_question question,
                         const char *group, const int *argument, int label)
{
    int word = argument ? *argument : 0;
    int result = pvm_initsend(PvmDataDefault);
    if (result >= 0)
        result = pvm_pkstr(group);
    if (result >= 0 && argument)
        result = pvm_pkint(&word, 1, 1);
    if (result >= 0 && server->labels)
        result = pvm_pkint(&label, 1, 1);
    return result < 0 ? result : pvm_send(server->tid, (int)question);
}

int groups_ask(const struct groups_call *call, enum groups_question question, const char *group,
               const int *argument)
{
    struct known_server server;
    int place, word = PvmSysErr, label = -1, result = 0;

    while (label < 0) {
        result = server_get(call, &server);
        if (result < 0)
            return result;
        label = label_take(call, &server, question, &place);
    }
    result = question_send(&server, question, group, argument, label);
    int source = server.labels ? -1 : server.tid;
    int buffer = result < 0 ? 0 : pvm_trecv(source, label, pvmgs_tmout);
    label_give(call, &server, place, buffer > 0);
    if (buffer > 0)
        result = pvm_upkint(&word, 1, 1);
    else
        result = result < 0 ? result : PvmSysErr;
    return result < 0 ? result : word;
}

int gs_getgstid(void)
{
    struct groups_call call;
    struct known_server server = {0};

    int result = groups_call_begin(&call, GROUPS_MAILBOX);
    if (result == 0)
        result = server_get(&call, &server);
    return groups_call_end(&call, result < 0 ? result : server.tid);
}

void groups_look(void)
{
    pvm_probe(-1, TAG_SERVER_GONE);
}

int groups_count(const struct groups_call *call, const char *group, struct groups_count *count)
{
    struct known_server server;
    *count = (struct groups_count){0};
    int result = server_get(call, &server);
    known_lock();
    if (result == 0 && call->known->server.changes) {
        count->server = call->known->server.tid;
        count->changes = changes_of(call->known->server.changes, group);
    }
    known_unlock();
    return result;
}
