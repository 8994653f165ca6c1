/* Steps that choose messages: message handlers and matchers of receives. */
#include "steps.h"
#include <stdio.h>

extern int pvm_errno;

enum { HANDLERS = 4, OTHER_TAG = 5 };

static int handlers[HANDLERS]; /* ids, one more each; 0: none */
static const struct steps *of_handlers;

/* Tells of a message that a handler or matcher has. */
static void tell(const char *what, int buffer)
{
    printf(" (%s", what);
    show(of_handlers, buffer);
    printf(" %d)", pvm_getcontext());
}

static int note(int buffer)
{
    tell("handled", buffer);
    return 0;
}

static int note_and_unpack(int buffer)
{
    int value = 0, error = pvm_errno;

    tell("unpacked", buffer);
    printf(" %d %d", pvm_getrbuf() == buffer, pvm_upkint(&value, 1, 1));
    pvm_errno = error; /* it does not matter in which call the handler runs */
    return 0;
}

static int note_and_answer(int buffer)
{
    int source = 0;

    tell("answered", buffer);
    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&source, 1, 1);
    printf(" %d", source > 0 && source != pvm_mytid() ? pvm_send(source, OTHER_TAG) : 0);
    return 0;
}

static int note_and_look(int buffer)
{
    tell("looked", buffer);
    printf(" %d", pvm_nrecv(-1, OTHER_TAG) > 0);
    return 0;
}

/* A handler of kind a[4] in slot a[0] for the source a[1], the tag a[2] and the context a[3]. */
static int add_handler(struct steps *steps, const int *a)
{
    static int (*const kinds[])(int) = {note, note_and_unpack, note_and_answer, note_and_look};

    of_handlers = steps;
    if (handlers[a[0]])
        return 0;
    int id = pvm_addmhf(tid_of(steps, a[1]), a[2], a[3], kinds[a[4]]);
    if (id >= 0)
        handlers[a[0]] = id + 1;
    return id < 0 ? id : 1;
}

static int delete_handler(struct steps *steps, const int *a)
{
    (void)steps;
    int result = handlers[a[0]] ? pvm_delmhf(handlers[a[0]] - 1) : 0;

    handlers[a[0]] = 0;
    return result;
}

static int tag_of(int buffer)
{
    int tag = -9;

    pvm_bufinfo(buffer, NULL, &tag, NULL);
    return tag;
}

static int second(int buffer, int tid, int tag)
{
    (void)tid, (void)tag;
    return tag_of(buffer) == 2;
}

static int rather_second(int buffer, int tid, int tag)
{
    (void)tid, (void)tag;
    return tag_of(buffer) == 2 ? 3 : 2;
}

static int no_second(int buffer, int tid, int tag)
{
    (void)tid, (void)tag;
    return tag_of(buffer) == 2 ? PvmBadParam : 1;
}

static int set_matcher(struct steps *steps, const int *a)
{
    static int (*const kinds[])(int, int, int) = {NULL, second, rather_second, no_second};

    (void)steps;
    pvm_recvf(kinds[a[0]]);
    return 0;
}

const struct step choice_steps[] = {
    {"addmhf", add_handler}, {"delmhf", delete_handler}, {"recvf", set_matcher}, {NULL, NULL}};
