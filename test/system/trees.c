/*
 * trees.c - tasks that send each other messages of all lengths, straight and to many, and look
 * whether each comes once and in order.
 *
 * Prints the tid, and then obeys a line at a time; each is answered by a line.
 *   pour COUNT SEED TID...  sends COUNT messages, each to all of the tids, to some, or to one: "0"
 *   cast BYTES TID...       one multicast of so many bytes: "0"
 *   swallow COUNT           receives so many messages, whatever they are: "0"
 *   take TID...             takes what these tasks pour, until they have poured all, or are over: the
 *                           number of those that are over
 *   leave                   pvm_exit: "0"
 * A message says what its number is and, for each task that its sender pours to, which number the
 * message before had that went to this task.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, WATER = 1, OVER = 2, END = -1, BYTES_MOST = 400000 };

static char bytes[1 << 24];
static char *words[MOST + 2];
static int count_of_words;
static int tids[MOST];
static int tid_count;

static void fail(const char *what, int number)
{
    printf("FAILED: %s %d\n", what, number);
    exit(1);
}

static void check(const char *what, int result)
{
    if (result < 0)
        fail(what, result);
}

static void read_tids(int first)
{
    tid_count = 0;
    for (int i = first; i < count_of_words; i++)
        tids[tid_count++] = (int)strtol(words[i], NULL, 16);
}

static unsigned seed;

static int any(int most)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 8) % most;
}

static void pack(int number, int *before, int size)
{
    check("pvm_initsend", pvm_initsend(any(2) ? PvmDataRaw : PvmDataDefault));
    pvm_pkint(&number, 1, 1);
    pvm_pkint(&tid_count, 1, 1);
    pvm_pkint(tids, tid_count, 1);
    pvm_pkint(before, tid_count, 1);
    pvm_pkint(&size, 1, 1);
    memset(bytes, number, (size_t)size);
    check("pvm_pkbyte", pvm_pkbyte(bytes, size, 1));
}

/* To all of them, to some, or to one. */
static int choose(int chosen[MOST], int indices[MOST])
{
    int count = 0, kind = any(4), one = any(tid_count);
    for (int i = 0; i < tid_count; i++)
        if (kind < 2 || (kind == 2 && any(4) > 0) || (kind == 3 && i == one)) {
            indices[count] = i;
            chosen[count++] = tids[i];
        }
    return count;
}

static int size_of_next(void)
{
    static const int sizes[] = {0, 100, 5000, 63000, 66000, 200000, BYTES_MOST};
    return sizes[any((int)(sizeof sizes / sizeof sizes[0]))];
}

static void send_to(int *chosen, int count)
{
    if (count == 1)
        check("pvm_send", pvm_send(chosen[0], WATER));
    else
        check("pvm_mcast", pvm_mcast(chosen, count, WATER));
}

static void pour(void)
{
    static int before[MOST];
    int chosen[MOST], indices[MOST], count = atoi(words[1]);
    seed = (unsigned)atoi(words[2]);
    read_tids(3);
    memset(before, 0, sizeof before);
    for (int number = 1; number <= count; number++) {
        int receivers = choose(chosen, indices);
        pack(number, before, size_of_next());
        send_to(chosen, receivers);
        for (int i = 0; i < receivers; i++)
            before[indices[i]] = number;
    }
    pack(END, before, 0);
    send_to(tids, tid_count);
    printf("0\n");
}

static void cast(void)
{
    read_tids(2);
    check("pvm_initsend", pvm_initsend(PvmDataRaw));
    check("pvm_pkbyte", pvm_pkbyte(bytes, atoi(words[1]), 1));
    check("pvm_mcast", pvm_mcast(tids, tid_count, WATER));
    printf("0\n");
}

static void swallow(void)
{
    for (int i = 0; i < atoi(words[1]); i++)
        check("pvm_recv", pvm_recv(-1, WATER));
    printf("0\n");
}

/* The place of the task among those that pour. */
static int place_of(int tid)
{
    for (int i = 0; i < tid_count; i++)
        if (tids[i] == tid)
            return i;
    fail("a stranger sends", tid);
    return 0;
}

/* Returns the number of the message, and what the one before had. */
static int unpack(int *before)
{
    int number, count, to[MOST], numbers[MOST], size;
    pvm_upkint(&number, 1, 1);
    pvm_upkint(&count, 1, 1);
    pvm_upkint(to, count, 1);
    pvm_upkint(numbers, count, 1);
    pvm_upkint(&size, 1, 1);
    check("pvm_upkbyte", pvm_upkbyte(bytes, size, 1));
    for (int i = 0; i < size; i++)
        if (bytes[i] != (char)number)
            fail("a wrong byte at", i);
    for (int i = 0; i < count; i++)
        if (to[i] == pvm_mytid())
            *before = numbers[i];
    return number;
}

/* Whether that was the last one of its sender. */
static int take_one(int from, int last[MOST])
{
    int place = place_of(from), before = -1, number = unpack(&before);
    if (before != last[place]) {
        printf("from t%x came %d behind %d, and should behind %d\n", from, number, last[place],
               before);
        fail("order", number);
    }
    last[place] = number;
    return number == END;
}

static void take(void)
{
    int last[MOST] = {0}, ended = 0, over = 0, from, tag, gone;
    read_tids(1);
    check("pvm_notify", pvm_notify(PvmTaskExit, OVER, tid_count, tids));
    while (ended < tid_count) {
        int buffer = pvm_recv(-1, -1);
        pvm_bufinfo(buffer, NULL, &tag, &from);
        if (tag == WATER) {
            ended += take_one(from, last);
            continue;
        }
        pvm_upkint(&gone, 1, 1);
        if (last[place_of(gone)] == END)
            continue;
        ended++;
        over++;
    }
    printf("%d\n", over);
}

static void obey(void)
{
    if (strcmp(words[0], "pour") == 0)
        pour();
    else if (strcmp(words[0], "cast") == 0)
        cast();
    else if (strcmp(words[0], "swallow") == 0)
        swallow();
    else if (strcmp(words[0], "take") == 0)
        take();
    else if (strcmp(words[0], "leave") == 0)
        printf("%d\n", pvm_exit());
    else
        fail("no such word", 0);
}

int main(void)
{
    static char line[4096];
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%x\n", (unsigned)pvm_mytid());
    while (fgets(line, sizeof line, stdin)) {
        count_of_words = 0;
        for (char *next = strtok(line, " \n"); next && count_of_words < MOST;
             next = strtok(NULL, " \n"))
            words[count_of_words++] = next;
        if (count_of_words > 0)
            obey();
    }
    return 0;
}
