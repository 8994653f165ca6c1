/* A task that makes one step after the other, as standard input tells, and answers each with one
 * line.
 *
 * A line is a step: its name, and numbers. An answer has the result, pvm_errno, and what the step
 * showed. The first line gives the tids of all tasks of the program. From then on a task is a
 * number from 0, in answers too. "-1" is any task or tag.
 *
 * The ids of buffers are other numbers than with 3.4.6, and 3.4.6 uses the id of a freed buffer
 * again. So no step shows an id: a buffer is told by what pvm_bufinfo says of it. A step names a
 * buffer by the slot in which a step has put it. A buffer is in one slot, or it is the send or the
 * receive buffer, so that no step uses the id of a freed one.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int pvm_errno;

enum { TASKS = 4, ITEMS = 64, BUFFERS = 4 };

struct steps {
    int tids[TASKS];
    int task_count;
    int buffers[BUFFERS]; /* ids that steps have put into slots, or 0; the first is 0 */
};

static int tid_of(const struct steps *steps, int role)
{
    return role < 0 || role >= steps->task_count ? -1 : steps->tids[role];
}

static int role_of(const struct steps *steps, int tid)
{
    for (int i = 0; i < steps->task_count; i++)
        if (steps->tids[i] == tid)
            return i;
    return tid;
}

static void tell_buffer(const struct steps *steps, int buffer)
{
    int bytes = -9, tag = -9, source = -9;
    int result = pvm_bufinfo(buffer, &bytes, &tag, &source);

    printf(" info %d %d %d %d", result, bytes, tag, role_of(steps, source));
}

/* Packs count items, whose values begin with first; type is a letter. */
static int pack(int type, int first, int count, int stride)
{
    int ints[ITEMS];
    short shorts[ITEMS];
    double doubles[ITEMS];
    char bytes[ITEMS], text[ITEMS];

    for (int i = 0; i < ITEMS; i++) {
        ints[i] = first + i;
        shorts[i] = (short)(first + i);
        doubles[i] = first + i / 2.0;
        bytes[i] = (char)(first + i);
    }
    snprintf(text, sizeof text, "text: %d", first);
    switch (type) {
    case 0: return pvm_pkint(ints, count, stride);
    case 1: return pvm_pkshort(shorts, count, stride);
    case 2: return pvm_pkdouble(doubles, count, stride);
    case 3: return pvm_pkbyte(bytes, count, stride);
    default: return pvm_pkstr(text);
    }
}

static int unpack(const struct steps *steps, int type, int count, int stride, char *told,
                  size_t room)
{
    int ints[ITEMS] = {0}, result;
    short shorts[ITEMS] = {0};
    double doubles[ITEMS] = {0};
    char bytes[ITEMS] = {0};
    size_t length = 0;

    switch (type) {
    case 0: result = pvm_upkint(ints, count, stride); break;
    case 1: result = pvm_upkshort(shorts, count, stride); break;
    case 2: result = pvm_upkdouble(doubles, count, stride); break;
    default: result = pvm_upkbyte(bytes, count, stride); break;
    }
    if (result < 0)
        return result;
    for (int i = 0; i < count * stride && length < room; i++)
        length += (size_t)snprintf(told + length, room - length, " %g",
                                   type == 0   ? role_of(steps, ints[i])
                                   : type == 1 ? shorts[i]
                                   : type == 2 ? doubles[i]
                                               : bytes[i]);
    return result;
}

/* What is told of a result that is a buffer id, or an error. */
static int some(int result)
{
    return result > 0 ? 1 : result;
}

static int send_all(const struct steps *steps, int tag)
{
    int tids[TASKS];

    memcpy(tids, steps->tids, sizeof tids);
    return pvm_mcast(tids, steps->task_count, tag);
}

static int send_at_once(const struct steps *steps, int role, int tag, int first)
{
    int values[] = {first, first + 1};

    return pvm_psend(tid_of(steps, role), tag, values, 2, PVM_INT);
}

/* Receives what is there. pvm_precv waits, so it is only called after pvm_probe found a message. */
static int receive_at_once(const struct steps *steps, int role, int tag, int room)
{
    int values[4] = {0}, source = -9, got = -9, length = -9;

    if (pvm_probe(tid_of(steps, role), tag) <= 0)
        return 0;
    int result = pvm_precv(tid_of(steps, role), tag, values, room, PVM_INT, &source, &got, &length);
    printf("precv %d %d %d: %d %d %d, ", role_of(steps, source), got, length, values[0], values[1],
           values[2]);
    return result;
}

static int receive(const struct steps *steps, const char *name, int role, int tag)
{
    struct timeval none = {0, 0};
    int tid = tid_of(steps, role);

    if (strcmp(name, "nrecv") == 0)
        return pvm_nrecv(tid, tag);
    if (strcmp(name, "trecv") == 0)
        return pvm_trecv(tid, tag, &none);
    if (strcmp(name, "probe") == 0)
        return pvm_probe(tid, tag);
    return pvm_probe(tid, tag) > 0 ? pvm_recv(tid, tag) : 0;
}

/* Makes the buffer of a slot the current one, and puts the former one into another slot. */
static int exchange(struct steps *steps, int (*set)(int), int from, int to)
{
    int old = set(steps->buffers[from]);

    if (old >= 0) {
        steps->buffers[from] = 0;
        steps->buffers[to] = old;
    }
    return some(old);
}

static int release(struct steps *steps, int slot)
{
    int result = pvm_freebuf(steps->buffers[slot]);

    steps->buffers[slot] = 0;
    return result;
}

static int show(const struct steps *steps, int buffer)
{
    if (buffer > 0)
        tell_buffer(steps, buffer);
    return some(buffer);
}

/* Makes a step on buffers; 0 if the name is none of them. */
static int on_buffers(struct steps *steps, const char *name, const int *a, int *result)
{
    if (strcmp(name, "initsend") == 0)
        *result = some(pvm_initsend(a[0]));
    else if (strcmp(name, "mkbuf") == 0)
        *result = some(steps->buffers[a[0]] = pvm_mkbuf(a[1]));
    else if (strcmp(name, "freebuf") == 0)
        *result = release(steps, a[0]);
    else if (strcmp(name, "setsbuf") == 0)
        *result = exchange(steps, pvm_setsbuf, a[0], a[1]);
    else if (strcmp(name, "setrbuf") == 0)
        *result = exchange(steps, pvm_setrbuf, a[0], a[1]);
    else if (strcmp(name, "getsbuf") == 0)
        *result = show(steps, pvm_getsbuf());
    else if (strcmp(name, "getrbuf") == 0)
        *result = show(steps, pvm_getrbuf());
    else if (strcmp(name, "pkmesg") == 0)
        *result = pvm_pkmesg(steps->buffers[a[0]]);
    else
        return 0;
    return 1;
}

static int on_messages(struct steps *steps, const char *name, const int *a, int *result, char *told,
                       size_t room)
{
    if (strcmp(name, "pack") == 0)
        *result = pack(a[0], a[1], a[2], a[3]);
    else if (strcmp(name, "unpack") == 0)
        *result = unpack(steps, a[0], a[1], a[2], told, room);
    else if (strcmp(name, "send") == 0)
        *result = pvm_send(tid_of(steps, a[0]), a[1]);
    else if (strcmp(name, "mcast") == 0)
        *result = send_all(steps, a[0]);
    else if (strcmp(name, "psend") == 0)
        *result = send_at_once(steps, a[0], a[1], a[2]);
    else if (strcmp(name, "precv") == 0)
        *result = receive_at_once(steps, a[0], a[1], a[2]);
    else
        return 0;
    return 1;
}

static int on_surroundings(struct steps *steps, const char *name, const int *a, int *result)
{
    int tid = tid_of(steps, a[0]);

    if (strcmp(name, "notify") == 0)
        *result = pvm_notify(PvmTaskExit | (a[2] ? PvmNotifyCancel : 0), a[1], 1, &tid);
    else if (strcmp(name, "setcontext") == 0)
        *result = pvm_setcontext(a[0]);
    else if (strcmp(name, "getcontext") == 0)
        *result = pvm_getcontext();
    else if (strcmp(name, "setopt") == 0)
        *result = pvm_setopt(a[0], a[1]);
    else if (strcmp(name, "getopt") == 0)
        *result = pvm_getopt(a[0]);
    else if (strcmp(name, "pstat") == 0)
        *result = pvm_pstat(tid);
    else if (strcmp(name, "leave") == 0)
        *result = pvm_exit();
    else
        return 0;
    return 1;
}

static void step(struct steps *steps, const char *name, const int *arguments)
{
    char told[ITEMS * 16] = "";
    int result;

    pvm_errno = 0;
    if (!on_buffers(steps, name, arguments, &result) &&
        !on_messages(steps, name, arguments, &result, told, sizeof told) &&
        !on_surroundings(steps, name, arguments, &result)) {
        result = show(steps, receive(steps, name, arguments[0], arguments[1]));
    }
    printf(" = %d, errno %d%s\n", result, pvm_errno, told);
}

int main(void)
{
    struct steps steps = {0};
    char line[200], name[20];

    setvbuf(stdout, NULL, _IOLBF, 0);
    pvm_setopt(PvmAutoErr, 0);
    printf("%d\n", pvm_mytid());
    if (!fgets(line, sizeof line, stdin))
        return 1;
    steps.task_count = sscanf(line, "%d %d %d %d", steps.tids, steps.tids + 1, steps.tids + 2,
                              steps.tids + 3);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) {
        int a[4] = {0};
        if (sscanf(line, "%19s %d %d %d %d", name, a, a + 1, a + 2, a + 3) > 0)
            step(&steps, name, a);
    }
    return 0;
}
