/* acts.c - requests. */
#include "acts.h"

#include <arpa/inet.h>

#include <pvm3.h>

#include "core/packed.h"
#include "machine.h"
#include "program.h"

/* Any program will do that exists: the processes are simulated. */
#define PROGRAM_FILE "/bin/sh"

#define ENTRY_NAME "entry"

static void act_put_name(struct message *request, const struct machine *machine)
{
    struct in_addr number = {htonl(machine->address)};
    char name[INET_ADDRSTRLEN];
    control_put_string(request, inet_ntop(AF_INET, &number, name, sizeof name));
}

void act_add(struct program *program, const struct machine *first, size_t count)
{
    struct message *request = program_request(program, TM_ADDHOST);
    control_put_int(request, (int32_t)count);
    for (size_t i = 0; i < count; i++)
        act_put_name(request, first + i);
    program_ask(program, request);
}

void act_delete(struct program *program, const struct machine *machine)
{
    struct message *request = program_request(program, TM_DELHOST);
    control_put_int(request, 1);
    act_put_name(request, machine);
    program_ask(program, request);
}

static void act_put_integers(struct message *request, int count)
{
    for (int i = 0; i < count; i++)
        control_put_int(request, 0);
}

void act_spawn(struct program *program, int32_t count)
{
    struct message *request = program_request(program, TM_SPAWN);
    control_put_string(request, PROGRAM_FILE);
    control_put_int(request, PvmTaskDefault);
    control_put_string(request, "");
    control_put_int(request, count);
    act_put_integers(request, 1);     /* arguments */
    act_put_integers(request, 3 + 3); /* where output and events go */
    act_put_integers(request, 1);     /* variables */
    program_ask(program, request);
}

static struct message *act_new_call(struct program *program, int32_t operation, int32_t flags)
{
    struct message *request = program_request(program, TM_DB);
    control_put_int(request, operation);
    control_put_tid(request, program->tid);
    control_put_string(request, ENTRY_NAME);
    control_put_int(request, operation == MAILBOX_PUT ? -1 : 0);
    control_put_int(request, flags);
    return request;
}

void act_put(struct program *program)
{
    struct message *request = act_new_call(program, MAILBOX_PUT, PvmMboxMultiInstance);
    struct message *entry = control_new(1, 0, 0);
    control_put_tid(entry, program->tid);
    packed_put(request, entry);
    message_free(entry);
    program_ask(program, request)->puts = true;
}

void act_get(struct program *program)
{
    program_ask(program, act_new_call(program, MAILBOX_GET, PvmMboxFirstAvail));
}

void act_list_hosts(struct program *program)
{
    program_ask(program, program_request(program, TM_CONFIG));
}

void act_list_tasks(struct program *program)
{
    struct message *request = program_request(program, TM_TASK);
    control_put_int(request, 0);
    program_ask(program, request);
}

void act_leave(struct program *program)
{
    program_ask(program, program_request(program, TM_EXIT));
    program->leaves = true;
}

void act_halt(struct program *program)
{
    program_say(program, control_new(TM_HALT, CONTROL_CONTEXT_TM, 0));
}
