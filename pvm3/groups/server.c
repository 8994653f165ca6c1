/*
 * server.c - pvmgs, the group server: one task that keeps the table of groups for a virtual
 * machine.
 *
 * It registers in the mailbox, so that there is one server, and then answers requests until the
 * virtual machine ends. A request that cannot be read is answered with PvmBadParam; nobody waits
 * for an answer that never comes.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "groups/arguments.h"
#include "groups/changes.h"
#include "groups/protocol.h"
#include "groups/reply.h"
#include "groups/table.h"

struct server {
    int tid;
    struct groups_table *table;
    struct changes *changes; /* NULL: the system gives no memory to share */
};

struct request {
    enum groups_question question;
    struct group_waiter from;
    char *name;
    int argument;
};

/* Which words a request carries, and what answers it. */
struct question_form {
    bool named;    /* the group's name comes first */
    bool argument; /* an int comes next */
    void (*answer)(struct server *server, const struct request *request);
};

static void send_to(const struct group_waiter *to)
{
    pvm_send(to->tid, to->label);
}

/* An answer of one number, without a state. */
static void answer_value(const struct request *request, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    send_to(&request->from);
}

/* An answer of one number and the state of the group. */
static void answer_state(struct server *server, const struct request *request, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    int result = groups_pack_state(groups_table_find(server->table, request->name));
    if (result < 0)
        answer_value(request, result);
    else
        send_to(&request->from);
}

/*
 * The active send buffer goes to all who were set free. Tasks that want it under one tag are told
 * together, so that the pvmds spread the message: all tasks with one thread use one tag.
 */
static void release_all(const struct group_release *release)
{
    int *tids = malloc((size_t)release->count * sizeof *tids);
    for (int i = 0; i < release->count; i++) {
        int label = release->waiters[i].label, count = 0;
        bool told = false;
        for (int k = 0; k < i; k++)
            told = told || release->waiters[k].label == label;
        for (int k = i; tids && !told && k < release->count; k++)
            if (release->waiters[k].label == label)
                tids[count++] = release->waiters[k].tid;
        if (!tids || count == 1)
            send_to(&release->waiters[i]);
        else if (count > 1)
            pvm_mcast(tids, count, label);
    }
    free(tids);
}

static void release_value(struct group_release *release)
{
    if (release->count > 0) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&release->value, 1, 1);
        release_all(release);
    }
    group_release_free(release);
}

static void release_static(struct group_release *release)
{
    if (release->count > 0) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&release->value, 1, 1);
        int result = groups_pack_state(release->group);
        if (result < 0) {
            pvm_initsend(PvmDataDefault);
            pvm_pkint(&result, 1, 1);
        }
        release_all(release);
    }
    group_release_free(release);
}

static void answer_die(struct server *server, const struct request *request)
{
    (void)request;
    groups_print_table(server->table, server->tid);
    pvm_exit();
    exit(EXIT_SUCCESS);
}

static void answer_join(struct server *server, const struct request *request)
{
    int tid = request->from.tid;
    int instance = groups_table_join(server->table, request->name, tid);
    if (instance >= 0)
        changes_count(server->changes, request->name);
    if (instance >= 0 && groups_table_watch(server->table, tid))
        pvm_notify(PvmTaskExit, GROUPS_DEAD_TASK, 1, &tid);
    answer_value(request, instance);
}

/* Takes a member out, and tells the tasks that were waiting for it. */
static int member_leave(struct server *server, const char *name, int tid)
{
    struct group_release barrier, freeze;
    changes_count(server->changes, name); /* the name may be the group's, and go with it */
    int result = groups_table_leave(server->table, name, tid, &barrier, &freeze);
    release_value(&barrier);
    release_static(&freeze);
    return result;
}

static void answer_leave(struct server *server, const struct request *request)
{
    answer_value(request, member_leave(server, request->name, request->from.tid));
}

static void answer_barrier(struct server *server, const struct request *request)
{
    struct group_release release;
    bool whole_host = request->question == GROUPS_BARRIER_HOST;
    int result = groups_table_barrier(server->table, request->name, request->from,
                                      request->argument, whole_host, &release);
    if (result < 0)
        answer_value(request, result);
    else if (result > 0)
        release_value(&release);
}

static void answer_freeze(struct server *server, const struct request *request)
{
    struct group_release release;
    int result = groups_table_freeze(server->table, request->name, request->from, request->argument,
                                     &release);
    if (result < 0)
        answer_value(request, result);
    else if (result > 0)
        release_static(&release);
}

/* An answer that `pack` makes of a living group, followed by the state. */
static void answer_packed(struct server *server, const struct request *request,
                          int (*pack)(const struct group *group, int argument))
{
    const struct group *group = groups_table_find(server->table, request->name);
    int result = !group || group->state == GROUPS_DEAD ? PvmNoGroup : 0;
    pvm_initsend(PvmDataDefault);
    if (result == 0)
        result = pack(group, request->argument);
    if (result == 0)
        result = groups_pack_state(group);
    if (result < 0)
        answer_value(request, result);
    else
        send_to(&request->from);
}

static int pack_members(const struct group *group, int argument)
{
    (void)argument;
    return groups_pack_members(group);
}

static int pack_members_contiguous(const struct group *group, int argument)
{
    (void)argument;
    return group_is_contiguous(group) ? groups_pack_members(group) : PvmNoInst;
}

static int pack_hosts(const struct group *group, int argument)
{
    (void)argument;
    return groups_pack_hosts(group);
}

static void answer_bcast(struct server *server, const struct request *request)
{
    answer_packed(server, request, pack_members);
}

static void answer_members(struct server *server, const struct request *request)
{
    answer_packed(server, request, pack_members_contiguous);
}

static void answer_host(struct server *server, const struct request *request)
{
    answer_packed(server, request, groups_pack_host);
}

static void answer_hosts(struct server *server, const struct request *request)
{
    answer_packed(server, request, pack_hosts);
}

static void answer_instance(struct server *server, const struct request *request)
{
    int instance = groups_table_instance(server->table, request->name, request->argument);
    answer_state(server, request, instance);
}

static void answer_tid(struct server *server, const struct request *request)
{
    int tid = groups_table_tid(server->table, request->name, request->argument);
    answer_state(server, request, tid);
}

static void answer_size(struct server *server, const struct request *request)
{
    answer_state(server, request, groups_table_size(server->table, request->name));
}

static void answer_dump(struct server *server, const struct request *request)
{
    (void)request;
    groups_print_table(server->table, server->tid);
}

static void answer_list(struct server *server, const struct request *request)
{
    pvm_initsend(PvmDataDefault);
    int result = groups_pack_table(server->table);
    if (result < 0)
        answer_value(request, result);
    else
        send_to(&request->from);
}

static void answer_dead_task(struct server *server, const struct request *request)
{
    int tid = request->argument;
    /* Only a pvmd knows who is dead; its tids have the highest bit set. */
    if (request->from.tid >= 0)
        return;
    groups_table_forget(server->table, tid);
    struct group *group = groups_table_of_task(server->table, tid);
    while (group) {
        member_leave(server, group->name, tid);
        group = groups_table_of_task(server->table, tid);
    }
}

static const struct question_form forms[GROUPS_QUESTIONS] = {
    [GROUPS_DIE] = {.answer = answer_die},
    [GROUPS_JOIN] = {.named = true, .answer = answer_join},
    [GROUPS_LEAVE] = {.named = true, .answer = answer_leave},
    [GROUPS_BARRIER] = {.named = true, .argument = true, .answer = answer_barrier},
    [GROUPS_BCAST] = {.named = true, .answer = answer_bcast},
    [GROUPS_INSTANCE] = {.named = true, .argument = true, .answer = answer_instance},
    [GROUPS_TID] = {.named = true, .argument = true, .answer = answer_tid},
    [GROUPS_SIZE] = {.named = true, .answer = answer_size},
    [GROUPS_DUMP] = {.answer = answer_dump},
    [GROUPS_LIST] = {.answer = answer_list},
    [GROUPS_DEAD_TASK] = {.argument = true, .answer = answer_dead_task},
    [GROUPS_MEMBERS] = {.named = true, .answer = answer_members},
    [GROUPS_FREEZE] = {.named = true, .argument = true, .answer = answer_freeze},
    [GROUPS_HOST] = {.named = true, .argument = true, .answer = answer_host},
    [GROUPS_HOSTS] = {.named = true, .answer = answer_hosts},
    [GROUPS_BARRIER_HOST] = {.named = true, .argument = true, .answer = answer_barrier},
};

/* The words of the active receive buffer. `name` has room for any string in it. */
static int request_read(struct request *request, const struct question_form *form)
{
    int label;

    if (form->named && pvm_upkstr(request->name) < 0)
        return PvmBadParam;
    if (form->named && request->name[0] == '\0')
        return PvmNullGroup;
    if (form->argument && pvm_upkint(&request->argument, 1, 1) < 0)
        return PvmBadParam;
    if (pvm_upkint(&label, 1, 1) == 0)
        request->from.label = label;
    return 0;
}

static void serve_message(struct server *server, int buffer)
{
    int bytes, tag, tid;

    if (pvm_bufinfo(buffer, &bytes, &tag, &tid) < 0 || tag < 0 || tag >= GROUPS_QUESTIONS ||
        !forms[tag].answer)
        return;
    /* A client of 3.4.6 waits for tag GROUPS_BARRIER also when it came for its whole host. */
    struct request request = {
        .question = (enum groups_question)tag,
        .from = {.tid = tid, .label = tag == GROUPS_BARRIER_HOST ? GROUPS_BARRIER : tag},
        .name = calloc((size_t)bytes + 1, 1),
    };
    int result = request.name ? request_read(&request, &forms[tag]) : PvmNoMem;
    if (result == 0)
        forms[tag].answer(server, &request);
    else if (tid >= 0)
        answer_value(&request, result);
    free(request.name);
}

/*
 * A user-level process may move to another host or be put away, and the page would not go along.
 * The libpvm3 of 3.4.6 has none, and so not this function of ours (lib/task/own_program.h).
 */
static bool is_user_level(void)
{
    void *found = dlsym(RTLD_DEFAULT, "own_program_fiber");
    const void *(*own_fiber)(void);
    memcpy(&own_fiber, &found, sizeof own_fiber);
    return own_fiber && own_fiber();
}

/*
 * Makes the server known. An error means that another one serves already, or that there is no
 * virtual machine.
 */
static int server_register(struct server *server)
{
    int words[2 + CHANGES_WORDS] = {server->tid, GROUPS_LABELS};
    int buffer = pvm_initsend(PvmDataDefault);
    if (buffer < 0)
        return buffer;
    if (!is_user_level())
        server->changes = changes_make(words + 2);
    pvm_pkint(words, sizeof words / sizeof *words, 1);
    return pvm_putinfo(GROUPS_MAILBOX, buffer, PvmMboxDefault);
}

int main(int argc, char **argv)
{
    arguments_answer(argc, argv, "pvmgs",
                     "The group server of PVM: a task that serves the group calls of a virtual\n"
                     "machine until that ends. The first such call starts it; there is no need to\n"
                     "start it by hand.");
    struct server server = {.tid = pvm_mytid(), .table = groups_table_create()};
    if (server.tid < 0 || !server.table)
        return EXIT_FAILURE;
    pvm_setcontext(GROUPS_CONTEXT);
    if (server_register(&server) != 0) {
        pvm_perror("Group Server already running?");
        pvm_exit();
        groups_table_destroy(server.table);
        return EXIT_SUCCESS;
    }
    /* What a task sends that cannot be read is answered, not reported. */
    pvm_setopt(PvmAutoErr, 0);
    for (;;) {
        int buffer = pvm_recv(-1, -1);
        if (buffer < 0)
            break;
        serve_message(&server, buffer);
    }
    groups_table_destroy(server.table);
    return EXIT_SUCCESS;
}
