/*
 * A member of groups that does what it is told, line by line on standard input, and answers each
 * with one line. Tids are hexadecimal, -1 for any. The end of input ends the task without leaving.
 *
 * tid                            own tid
 * join GROUP, leave GROUP, size GROUP, instance GROUP TID, gettid GROUP INSTANCE: result
 * barrier GROUP COUNT, freeze GROUP SIZE: result
 * bcast GROUP TAG VALUE          initsend, pack the int, broadcast: result
 * stream GROUP TAG FROM TO       bcast of each value from FROM to below TO: the last result
 * recv TAG                       blocking receive from anyone: "SOURCE INT"
 * poll TAG                       "SOURCE INT" or "nothing"
 * take TAG                       the ints of all that comes until one is -1
 * raw TAG TEXT [INT...]          what goes to the group server as it is: result. TEXT - is left out
 * answer TAG                     blocking receive in the context of groups: the first int
 * reduce GROUP OPERATION TYPE ROOT VALUE...   result and the items
 * gather GROUP TYPE ROOT VALUE...             result and, at root, the items of all
 * scatter GROUP TYPE ROOT VALUE...            result and the items; VALUEs are root's
 * allreduce GROUP VALUE...       the sums of all members' ints: result and the sums
 * allgather GROUP VALUE...       result and the ints of all
 * alltoall GROUP VALUE...        one for each member: result and the ints for this one
 * count N                        how many items scatter gives each member: N
 * errno                          pvm_errno
 * quiet                          no error lines from now on: 0
 * state                          active buffers and context: "SEND RECEIVE CONTEXT"
 * twice BARRIER COUNT BARRIER COUNT   waits in two groups, each in a thread: both results
 */
#include <pvm3.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 40, MOST_BYTES = 4096, GROUP_CONTEXT = 0x7fffc };

extern int pvm_errno;

static char *word[MOST_WORDS + 1];
static int words, block = 1;

static int number(int place)
{
    return place < words ? (int)strtol(word[place], NULL, 0) : 0;
}

static int tid(int place)
{
    return place < words && word[place][0] != '-' ? (int)strtoul(word[place], NULL, 16) : -1;
}

static char *group(int place)
{
    static char none[] = "";
    return place < words && strcmp(word[place], "-") != 0 ? word[place] : none;
}

static void show_received(int buffer)
{
    int source, tag, bytes, value = 0;

    if (buffer <= 0) {
        printf("%s\n", buffer < 0 ? pvm_strerror() : "nothing");
        return;
    }
    pvm_bufinfo(buffer, &bytes, &tag, &source);
    pvm_upkint(&value, 1, 1);
    printf("%x %d\n", (unsigned)source, value);
}

static int send_raw(void)
{
    int value, bytes, source, tag, server, old = pvm_setcontext(GROUP_CONTEXT);

    pvm_recvinfo("pvmgs", 0, PvmMboxWaitForInfo);
    pvm_bufinfo(pvm_getrbuf(), &bytes, &tag, &source);
    pvm_upkint(&server, 1, 1);
    pvm_initsend(PvmDataDefault);
    if (words > 2 && strcmp(word[2], "-") != 0)
        pvm_pkstr(word[2]);
    for (int i = 3; i < words; i++) {
        value = number(i);
        pvm_pkint(&value, 1, 1);
    }
    int result = pvm_send(server, number(1));
    pvm_setcontext(old);
    return result;
}

static void show_answer(void)
{
    int value = 0, old = pvm_setcontext(GROUP_CONTEXT);

    pvm_recv(-1, number(1));
    pvm_upkint(&value, 1, 1);
    pvm_setcontext(old);
    printf("%d\n", value);
}

static int type_of(const char *name)
{
    static const char *const names[] = {"str",  "byte",   "short", "int",  "float",
                                        "cplx", "double", "dcplx", "long", "ushort"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* Numbers in one item of the type. */
static int parts(int type)
{
    return type == PVM_CPLX || type == PVM_DCPLX ? 2 : 1;
}

static void put(void *data, int type, int place, const char *text)
{
    double value = strtod(text, NULL);
    if (type == PVM_BYTE)
        ((char *)data)[place] = (char)value;
    else if (type == PVM_SHORT || type == PVM_USHORT)
        ((short *)data)[place] = (short)value;
    else if (type == PVM_INT)
        ((int *)data)[place] = (int)value;
    else if (type == PVM_LONG)
        ((long *)data)[place] = (long)value;
    else if (type == PVM_FLOAT || type == PVM_CPLX)
        ((float *)data)[place] = (float)value;
    else
        ((double *)data)[place] = value;
}

static double get(const void *data, int type, int place)
{
    if (type == PVM_BYTE)
        return ((const char *)data)[place];
    if (type == PVM_SHORT || type == PVM_USHORT)
        return ((const short *)data)[place];
    if (type == PVM_INT)
        return ((const int *)data)[place];
    if (type == PVM_LONG)
        return (double)((const long *)data)[place];
    if (type == PVM_FLOAT || type == PVM_CPLX)
        return ((const float *)data)[place];
    return ((const double *)data)[place];
}

/* The VALUEs from word `first` on; text is the one word. Gives the number of items. */
static int put_all(void *data, int type, int first)
{
    if (type == PVM_STR) {
        snprintf(data, MOST_BYTES, "%s", first < words ? word[first] : "");
        return (int)strlen(data) + 1;
    }
    for (int i = first; i < words; i++)
        put(data, type, i - first, word[i]);
    return (words - first) / parts(type);
}

static void show(int result, const char *data, int type, int items)
{
    printf("%d", result);
    if (type == PVM_STR) {
        for (int i = 0; i < items; i += (int)strlen(data + i) + 1)
            printf(" %s", data + i);
    } else {
        for (int i = 0; i < items * parts(type); i++)
            printf(" %g", get(data, type, i));
    }
    printf("\n");
}

/* A function of the user, for integers alone. */
static void bits(int *type, void *x, void *y, int *count, int *info)
{
    int *left = x, *right = y;

    *info = *type == PVM_INT ? 0 : PvmNotImpl;
    for (int i = 0; *info == 0 && i < *count; i++)
        left[i] |= right[i];
}

static void reduce(void)
{
    static _Alignas(16) char data[MOST_BYTES];
    void (*operations[])(int *, void *, void *, int *, int *) = {PvmMax, PvmMin, PvmSum, PvmProduct,
                                                                 bits};
    static const char *const names[] = {"max", "min", "sum", "product", "bits"};
    int operation = 0, type = type_of(word[3]);

    while (operation < 4 && strcmp(names[operation], word[2]) != 0)
        operation++;
    int count = put_all(data, type, 5);
    int result = pvm_reduce(operations[operation], data, count, type, 41, group(1), number(4));
    show(result, data, type, count);
}

static void gather(void)
{
    static _Alignas(16) char data[MOST_BYTES], all[16 * MOST_BYTES];
    int type = type_of(word[2]), count = put_all(data, type, 4), size = pvm_gsize(group(1));

    memset(all, 0, sizeof all);
    int result = pvm_gather(all, data, count, type, 42, group(1), number(3));
    show(result, all, type, pvm_getinst(group(1), pvm_mytid()) == number(3) ? size * count : 0);
}

static void scatter(void)
{
    static _Alignas(16) char data[MOST_BYTES], all[MOST_BYTES];
    int type = type_of(word[2]);

    memset(data, 0, sizeof data);
    put_all(all, type, 4);
    int result = pvm_scatter(data, all, block, type, 43, group(1), number(3));
    show(result, data, type, block);
}

#ifdef PVM_THREADSAFE
/* What gives each member a result: calls that 3.4.6 does not have. */
static void everybody(void)
{
    static int data[MOST_WORDS], all[16 * MOST_WORDS];
    int size = pvm_gsize(group(1)), count = put_all(data, PVM_INT, 2), shown = count, result;

    if (strcmp(word[0], "allreduce") == 0) {
        result = pvm_allreduce(PvmSum, data, count, PVM_INT, 44, group(1));
        memcpy(all, data, sizeof data);
    } else if (strcmp(word[0], "allgather") == 0) {
        result = pvm_allgather(all, data, count, PVM_INT, 45, group(1));
        shown = size * count;
    } else {
        result = pvm_alltoall(all, data, count / size, PVM_INT, 46, group(1));
    }
    show(result, (const char *)all, PVM_INT, result == 0 ? shown : 0);
}
#endif

struct waiting {
    pthread_t thread;
    char *group;
    int count;
    int result;
};

static void *wait_in(void *data)
{
    struct waiting *waiting = data;
    waiting->result = pvm_barrier(waiting->group, waiting->count);
    return NULL;
}

static void twice(void)
{
    struct waiting waiting[2];

    for (int i = 0; i < 2; i++) {
        waiting[i] = (struct waiting){.group = word[2 * i + 1], .count = number(2 * i + 2)};
        pthread_create(&waiting[i].thread, NULL, wait_in, &waiting[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(waiting[i].thread, NULL);
    printf("%d %d\n", waiting[0].result, waiting[1].result);
}

static int broadcast(int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    return pvm_bcast(group(1), number(2));
}

static int stream(void)
{
    int result = 0;
    for (int value = number(3); value < number(4); value++)
        result = broadcast(value);
    return result;
}

static void take(void)
{
    int value = 0;
    while (pvm_recv(-1, number(1)) > 0 && pvm_upkint(&value, 1, 1) == 0 && value != -1)
        printf("%d ", value);
    printf("\n");
}

/* Commands whose answer is one number; 0 when it is none of them. */
static int obey_simple(int *result)
{
    const char *name = word[0];
    if (strcmp(name, "join") == 0)
        *result = pvm_joingroup(group(1));
    else if (strcmp(name, "leave") == 0)
        *result = pvm_lvgroup(group(1));
    else if (strcmp(name, "size") == 0)
        *result = pvm_gsize(group(1));
    else if (strcmp(name, "instance") == 0)
        *result = pvm_getinst(group(1), tid(2));
    else if (strcmp(name, "gettid") == 0)
        *result = pvm_gettid(group(1), number(2));
    else if (strcmp(name, "barrier") == 0)
        *result = pvm_barrier(group(1), number(2));
    else if (strcmp(name, "freeze") == 0)
        *result = pvm_freezegroup(group(1), number(2));
    else if (strcmp(name, "bcast") == 0)
        *result = broadcast(number(3));
    else if (strcmp(name, "stream") == 0)
        *result = stream();
    else if (strcmp(name, "raw") == 0)
        *result = send_raw();
    else if (strcmp(name, "count") == 0)
        *result = block = number(1);
    else if (strcmp(name, "errno") == 0)
        *result = pvm_errno;
    else if (strcmp(name, "quiet") == 0)
        *result = pvm_setopt(PvmAutoErr, 0) < 0;
    else
        return 0;
    return 1;
}

static void obey(void)
{
    int result;
    if (obey_simple(&result))
        printf("%d\n", result);
    else if (strcmp(word[0], "tid") == 0)
        printf("%x\n", (unsigned)pvm_mytid());
    else if (strcmp(word[0], "recv") == 0)
        show_received(pvm_recv(-1, number(1)));
    else if (strcmp(word[0], "poll") == 0)
        show_received(pvm_nrecv(-1, number(1)));
    else if (strcmp(word[0], "take") == 0)
        take();
    else if (strcmp(word[0], "answer") == 0)
        show_answer();
    else if (strcmp(word[0], "reduce") == 0)
        reduce();
    else if (strcmp(word[0], "gather") == 0)
        gather();
    else if (strcmp(word[0], "scatter") == 0)
        scatter();
#ifdef PVM_THREADSAFE
    else if (strncmp(word[0], "all", 3) == 0)
        everybody();
#endif
    else if (strcmp(word[0], "state") == 0)
        printf("%d %d %d\n", pvm_getsbuf(), pvm_getrbuf(), pvm_getcontext());
    else if (strcmp(word[0], "twice") == 0)
        twice();
    else
        printf("what is %s?\n", word[0]);
}

int main(void)
{
    static char line[MOST_BYTES];

    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        words = 0;
        for (char *text = strtok(line, " \n"); text && words < MOST_WORDS;
             text = strtok(NULL, " \n"))
            word[words++] = text;
        if (words > 0)
            obey();
    }
    return 0;
}
