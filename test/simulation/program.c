/* program.c - enrolment, requests and numbered messages. */
#include "program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "calls.h"
#include "core/environment.h"
#include "core/frame.h"
#include "core/tid.h"
#include "machine.h"

#define TAG_NUMBERED   1000
#define TAG_WISHES     100000 /* and more, one for each wish */
#define FRAGMENT_BYTES 4000
#define FLUSH_AFTER    MILLISECOND

struct programs programs;

static void program_take(struct descriptor *end);

uint32_t *number_of(struct numbers *numbers, const struct program *other)
{
    if (other->index >= numbers->room) {
        size_t room = 2 * other->index + 16;
        numbers->list = realloc(numbers->list, room * sizeof *numbers->list);
        if (!numbers->list)
            exit(2);
        memset(numbers->list + numbers->room, 0, (room - numbers->room) * sizeof *numbers->list);
        numbers->room = room;
    }
    return &numbers->list[other->index];
}

/* Writing. ------------------------------------------------------------------------------------- */

struct flush {
    struct event event;
    struct program *program;
};

static void program_flush(struct event *event);

static void program_write_rest(struct program *program)
{
    if (program->state == PROGRAM_OVER)
        return;
    ptrdiff_t size = stream_write(program->end, program->unsent, program->unsent_size);
    if (size > 0) {
        program->unsent_size -= (size_t)size;
        memmove(program->unsent, program->unsent + size, program->unsent_size);
    }
    if (program->unsent_size == 0)
        return;
    struct flush *flush = world_allocate(sizeof *flush);
    flush->program = program;
    world_plan(&flush->event, FLUSH_AFTER, program_flush);
}

static void program_flush(struct event *event)
{
    struct program *program = ((struct flush *)event)->program;
    free(event);
    program_write_rest(program);
}

static void program_write(struct program *program, const struct message *message, uint32_t to)
{
    struct frame_writer writer;
    bool idle = program->unsent_size == 0;
    frame_writer_start(&writer, message, to, program->tid ? program->tid : TID_ANY);
    while (!frame_writer_is_done(&writer)) {
        struct frame_batch batch;
        size_t written = 0;
        int count = frame_writer_fill(&writer, &batch);
        for (int i = 0; i < count; i++) {
            size_t length = batch.vectors[i].iov_len, size = program->unsent_size;
            program->unsent = realloc(program->unsent, size + length + 1);
            if (!program->unsent)
                exit(2);
            if (length > 0)
                memcpy(program->unsent + size, batch.vectors[i].iov_base, length);
            program->unsent_size += length;
            written += length;
        }
        frame_writer_advance(&writer, written);
    }
    if (idle)
        program_write_rest(program);
}

void program_say(struct program *program, struct message *message)
{
    program_write(program, message, TID_OWN_DAEMON);
    message_free(message);
}

/* Beginning and end. --------------------------------------------------------------------------- */

static struct descriptor *program_find_port(const struct machine *machine)
{
    LIST_FOR_EACH(node, &machine->bound)
    {
        struct descriptor *port = LIST_OWNER(node, struct descriptor, bound);
        if (port->kind == DESCRIPTOR_PORT && *port->path)
            return port;
    }
    return NULL;
}

/* The new file that shows the daemon whose process this is. */
static void program_greet(struct program *program)
{
    char path[ENVIRONMENT_PATH_SIZE];
    environment_temporary_name(path, program->pid, 0);
    int file = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    __real_close(file);
    struct message *greeting = control_new(TM_CONNECT, CONTROL_CONTEXT_TM, 0);
    control_put_int(greeting, CONTROL_TASK_PROTOCOL);
    control_put_string(greeting, path);
    program_say(program, greeting);
}

static void program_prove(struct program *program, struct control_reader *body)
{
    char path[ENVIRONMENT_PATH_SIZE];
    environment_temporary_name(path, program->pid, 0);
    unlink(path);
    control_get_int(body);
    if (control_get_int(body) == 0) {
        world_violate("the daemon of %x refuses a task", program->machine->address);
        return;
    }
    char *theirs = control_get_string(body, 0);
    int file = theirs ? open(theirs, O_WRONLY | O_CLOEXEC) : -1;
    if (file >= 0 && __real_write(file, "", 1) == 1)
        program->state = PROGRAM_PROVING;
    __real_close(file);
    free(theirs);
    struct message *proof = control_new(TM_CONN2, CONTROL_CONTEXT_TM, 0);
    control_put_int(proof, program->pid);
    control_put_int(proof, 0);
    program_say(program, proof);
}

static void programs_append(struct program *program)
{
    if (programs.count == programs.room) {
        programs.room = 2 * programs.room + 64;
        programs.list = realloc(programs.list, programs.room * sizeof(struct program *));
        if (!programs.list)
            exit(2);
    }
    program->index = programs.count;
    programs.list[programs.count++] = program;
}

struct program *program_start(struct process *process, int pid)
{
    struct descriptor *port = program_find_port(process->machine);
    if (!port)
        return NULL;
    struct program *program = world_allocate(sizeof *program);
    programs_append(program);
    program->pid = pid;
    program->machine = process->machine;
    program->process = process;
    list_start(&program->questions);
    list_start(&program->wishes);
    frame_reader_start(&program->reader, FRAME_LENGTH_LIMIT);
    assembler_start(&program->assembler);
    program->end = descriptor_new(DESCRIPTOR_STREAM, NULL);
    program->end->machine = process->machine;
    program->end->pid = pid;
    program->end->take = program_take;
    program->end->owner = program;
    stream_connect(program->end, port);
    program_greet(program);
    return program;
}

static void list_free(struct list *list)
{
    while (!list_is_empty(list)) {
        struct list *first = list->next;
        list_remove(first);
        free(first);
    }
}

void program_end(struct program *program)
{
    if (program->state == PROGRAM_OVER)
        return;
    world_tell("%x: task t%x, process %d, is over", program->machine->address, program->tid,
               program->pid);
    char path[ENVIRONMENT_PATH_SIZE];
    if (program->state == PROGRAM_GREETING && environment_temporary_name(path, program->pid, 0))
        unlink(path);
    program->state = PROGRAM_OVER;
    descriptor_close(program->end);
    frame_reader_finish(&program->reader);
    assembler_finish(&program->assembler);
    free(program->unsent);
    program->unsent = NULL;
    list_free(&program->questions);
    struct child *child = process_child(program->process, program->pid);
    if (child && program->process->runs)
        process_end_child(program->process, child, 0);
}

void program_kill(struct machine *machine, int pid)
{
    for (size_t i = 0; i < programs.count; i++)
        if (programs.list[i]->pid == pid && programs.list[i]->machine == machine)
            program_end(programs.list[i]);
}

void programs_finish(void)
{
    while (programs.count > 0) {
        struct program *program = programs.list[--programs.count];
        program_end(program);
        list_free(&program->wishes);
        free(program->sent.list);
        free(program->got.list);
        free(program);
    }
    free(programs.list);
    programs = (struct programs){0};
}

void programs_end_on(const struct machine *machine)
{
    for (size_t i = 0; i < programs.count; i++)
        if (programs.list[i]->machine == machine)
            program_end(programs.list[i]);
}

/* Asking and sending. -------------------------------------------------------------------------- */

struct message *program_request(struct program *program, int32_t tag)
{
    return control_new(tag, CONTROL_CONTEXT_TM, ++program->waits);
}

struct question *program_ask(struct program *program, struct message *request)
{
    struct question *question = world_allocate(sizeof *question);
    *question = (struct question){
        .wait = request->header.wait, .tag = request->header.tag, .since = world.now};
    list_append(&program->questions, &question->node);
    world_tell("t%x asks 0x%x, %d", program->tid, (unsigned)question->tag, question->wait);
    program_say(program, request);
    return question;
}

/* Says to whom the next multicast goes. */
static void program_announce(struct program *program, struct program *const *others, int32_t count)
{
    struct message *request = control_new(TM_MCA, CONTROL_CONTEXT_TM, 0);
    control_put_int(request, count);
    for (int32_t i = 0; i < count; i++)
        control_put_tid(request, others[i]->tid);
    program_say(program, request);
}

/*
 * Counts the message to each of the others, and puts its numbers: the one that all have, or those of
 * each.
 */
static void program_put_numbers(struct program *program, struct message *message,
                                struct program *const *others, int32_t count)
{
    bool alike = true;
    for (int32_t i = 0; i < count; i++) {
        uint32_t number = ++*number_of(&program->sent, others[i]);
        alike = alike && number == *number_of(&program->sent, others[0]);
    }
    control_put_int(message, alike ? 0 : count);
    if (alike)
        control_put_tid(message, *number_of(&program->sent, others[0]));
    for (int32_t i = 0; i < count && !alike; i++) {
        control_put_int(message, (int32_t)others[i]->index);
        control_put_tid(message, *number_of(&program->sent, others[i]));
    }
}

void program_send(struct program *program, struct program *const *others, int32_t count,
                  size_t size)
{
    struct message *message = control_new(TAG_NUMBERED, 0, 0);
    unsigned char *more = world_allocate(size + 1);
    control_put_int(message, (int32_t)program->index);
    program_put_numbers(program, message, others, count);
    for (size_t done = 0; done < size; done += FRAGMENT_BYTES)
        control_put_bytes(message, more,
                          size - done < FRAGMENT_BYTES ? size - done : FRAGMENT_BYTES);
    free(more);
    if (count > 1)
        program_announce(program, others, count);
    program_write(program, message, count > 1 ? program->tid | TID_MULTICAST_BIT : others[0]->tid);
    message_free(message);
}

void program_watch(struct program *program, int kind, uint32_t subject)
{
    struct wish *wish = world_allocate(sizeof *wish);
    *wish = (struct wish){.tag = TAG_WISHES + ++program->waits, .subject = subject};
    list_append(&program->wishes, &wish->node);
    world_tell("t%x wants word of the end of t%x", program->tid, subject);
    struct message *request = control_new(TM_NOTIFY, CONTROL_CONTEXT_TM, 0);
    control_put_int(request, kind);
    control_put_int(request, 0);
    control_put_int(request, wish->tag);
    control_put_int(request, 1);
    control_put_tid(request, subject);
    program_say(program, request);
}

/* What comes. ---------------------------------------------------------------------------------- */

/* The number in the message for this program; 0: there is none. */
static uint32_t program_get_number(const struct program *program, struct control_reader *body)
{
    int32_t left = control_get_count(body, 8);
    uint32_t found = left == 0 ? control_get_tid(body) : 0;
    for (; left > 0; left--) {
        size_t to = (size_t)control_get_int(body);
        uint32_t number = control_get_tid(body);
        if (to == program->index)
            found = number;
    }
    return body->failed ? 0 : found;
}

static void program_take_numbered(struct program *program, struct control_reader *body)
{
    size_t from = (size_t)control_get_int(body);
    uint32_t number = program_get_number(program, body);
    if (from >= programs.count || number == 0) {
        world_violate("t%x got a message that is not for it", program->tid);
        return;
    }
    programs.messages++;
    const struct program *sender = programs.list[from];
    uint32_t expected = ++*number_of(&program->got, sender);
    world_tell("t%x got message %u of t%x", program->tid, number, sender->tid);
    if (number != expected)
        world_violate("t%x got message %u of t%x, and expected %u", program->tid, number,
                      sender->tid, expected);
}

static void program_take_word(struct program *program, int32_t tag, struct control_reader *body)
{
    uint32_t subject = control_get_tid(body);
    LIST_FOR_EACH(node, &program->wishes)
    {
        struct wish *wish = LIST_OWNER(node, struct wish, node);
        if (wish->tag != tag)
            continue;
        world_tell("t%x has word of the end of t%x", program->tid, subject);
        programs.words++;
        if (subject != wish->subject || ++wish->told > 1)
            world_violate("t%x got word of the end of t%x %d times", program->tid, subject,
                          wish->told);
        return;
    }
    world_violate("t%x got word that it has not asked for", program->tid);
}

static void program_take_answer(struct program *program, const struct message *message,
                                struct control_reader *body)
{
    LIST_FOR_EACH(node, &program->questions)
    {
        struct question *question = LIST_OWNER(node, struct question, node);
        if (question->wait != message->header.wait || question->tag != message->header.tag)
            continue;
        world_tell("t%x has the answer %d", program->tid, question->wait);
        list_remove(&question->node);
        bool over = program->leaves && question->tag == TM_EXIT;
        if (question->puts && control_get_int(body) >= 0)
            program->entries++;
        free(question);
        if (over)
            program_end(program);
        return;
    }
    world_violate("t%x got an answer to nothing, with tag 0x%x and number %d", program->tid,
                  (unsigned)message->header.tag, message->header.wait);
}

static void program_take_message(struct program *program, const struct message *message)
{
    struct control_reader body;
    int32_t tag = message->header.tag;
    control_read(&body, message);
    if (tag == TM_CONNECT) {
        program_prove(program, &body);
    } else if (tag == TM_CONN2) {
        program->tid = message->header.destination;
        program->state = PROGRAM_RUNS;
        world_tell("t%x is process %d", program->tid, program->pid);
    } else if (tag == TAG_NUMBERED) {
        program_take_numbered(program, &body);
    } else if (tag > TAG_WISHES && tag <= TAG_WISHES + program->waits) {
        program_take_word(program, tag, &body);
    } else if (message->header.wait != 0) {
        program_take_answer(program, message, &body);
    }
}

static void program_take_frames(struct program *program)
{
    struct received_frame frame;
    struct message *message;
    while (program->state != PROGRAM_OVER && !world.failed &&
           frame_reader_next(&program->reader, &frame) == FRAME_READER_FRAME)
        if (assembler_add(&program->assembler, &frame, &message) == ASSEMBLER_MESSAGE) {
            program_take_message(program, message);
            message_free(message);
        }
}

/* As a task of libpvm3 does, it ends when its daemon is gone. */
static void program_take(struct descriptor *end)
{
    struct program *program = end->owner;
    while (program->state != PROGRAM_OVER && !world.failed) {
        size_t room;
        unsigned char *space = frame_reader_space(&program->reader, &room);
        ptrdiff_t size = stream_read(end, space, room);
        if (size > 0) {
            frame_reader_filled(&program->reader, (size_t)size);
            program_take_frames(program);
            continue;
        }
        if (end->ended)
            program_end(program);
        return;
    }
}
