/* A task that does what it is told, line by line on standard input, and answers each with one line.
 *
 * tid                      own tid, or the error
 * send TID TAG VALUE       initsend, pack the int, send: result
 * psend TID TAG VALUE      pvm_psend of the int: result
 * mcast TAG VALUE TID...   likewise to several: result
 * recv TID TAG             blocking receive: "SOURCE TAG BYTES INT", or the error and its text
 * text TID TAG             receives, and unpacks a string: result and the string
 * inner TID TAG            receives, and unpacks a packed message: result, negative or 1
 * poll TID TAG             the same as recv without blocking, 0 if there is nothing
 * flood TID TAG COUNT INTS sends COUNT messages of INTS ints, their number in the first: result
 * gather TID TAG COUNT     receives as many: how many came whole and in order
 * grow TAG TID COUNT       pack COUNT ints from one and send them: result of pack, of send
 * notify TAG TID           ask for the end of a task: result
 * hostend TAG TID          ask for the end of a host: result
 * spawn COUNT NAME ARG...  result and the tids or errors
 * spawnat HOST NAME ARG... spawn one on a host: result and the tid or error
 * pstat TID                pvm_pstat: result
 * mstat HOST               pvm_mstat: result
 * tasks TID                pvm_tasks of a host or task, 0 for all: result and number of tasks
 * put CLASS FLAGS VALUE    pvm_putinfo of the int: index
 * take CLASS FLAGS         pvm_recvinfo of the first entry: the error, or 0 and the int
 * option NUMBER VALUE      pvm_setopt: result
 * memory BYTES             limit the address space to what is used and BYTES more: result
 * leave                    pvm_exit: result
 * Tids and tags are hexadecimal and decimal, -1 for any; the end of input ends the task without
 * leaving.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_WORDS = 40 };

static char *word[MOST_WORDS + 1];
static int words;

static int number(int place)
{
    return place < words ? atoi(word[place]) : 0;
}

static int tid(int place)
{
    return place < words && word[place][0] != '-' ? (int)strtoul(word[place], NULL, 16) : -1;
}

static void pack_one(int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
}

static void received(int buffer)
{
    int source, tag, bytes, value = 0;

    if (buffer <= 0) {
        printf("%d %s\n", buffer, buffer < 0 ? pvm_strerror() : "nothing");
        return;
    }
    pvm_bufinfo(buffer, &bytes, &tag, &source);
    if (bytes >= 4)
        pvm_upkint(&value, 1, 1);
    printf("%x %d %d %d\n", (unsigned)source, tag, bytes, value);
}

/* The result of unpacking a string, and the string; a length of nonsense must not be believed. */
static void text_received(void)
{
    char text[4096] = "";

    pvm_recv(tid(1), number(2));
    int result = pvm_upkstr(text);
    printf("%d %s\n", result, text);
}

static void inner_received(void)
{
    pvm_recv(tid(1), number(2));
    int buffer = pvm_upkmesg();
    printf("%d\n", buffer > 0 ? 1 : buffer);
    if (buffer > 0)
        pvm_freebuf(buffer);
}

static void multicast(void)
{
    int tids[MOST_WORDS];

    for (int i = 3; i < words; i++)
        tids[i - 3] = tid(i);
    pack_one(number(2));
    printf("%d\n", pvm_mcast(tids, words - 3, number(1)));
}

static void grow(void)
{
    int one = 1;

    pvm_initsend(PvmDataDefault);
    int packed = pvm_pkint(&one, number(3), 0);
    printf("%d %d %s\n", packed, packed == 0 ? pvm_send(tid(2), number(1)) : 0, pvm_strerror());
}

static int flood_data[1 << 16];

static void flood(void)
{
    int result = 0, size = number(4);

    for (int i = 0; i < number(3) && result >= 0; i++) {
        flood_data[0] = flood_data[size - 1] = i;
        pvm_initsend(PvmDataRaw);
        pvm_pkint(flood_data, size, 1);
        result = pvm_send(tid(1), number(2));
    }
    printf("%d\n", result);
}

static void gather(void)
{
    int bytes, good = 0;

    for (int i = 0; i < number(3); i++) {
        int buffer = pvm_recv(tid(1), number(2));
        pvm_bufinfo(buffer, &bytes, NULL, NULL);
        int size = bytes / (int)sizeof(int);
        pvm_upkint(flood_data, size, 1);
        good += flood_data[0] == i && flood_data[size - 1] == i;
    }
    printf("%d\n", good);
}

static void notify(void)
{
    int watched = tid(2);
    printf("%d\n", pvm_notify(PvmTaskExit, number(1), 1, &watched));
}

static void notify_host(void)
{
    int watched = tid(2);
    printf("%d\n", pvm_notify(PvmHostDelete, number(1), 1, &watched));
}

static void spawn_where(int flags, char *where, int count)
{
    int tids[MOST_WORDS];

    int started = pvm_spawn(word[2], word + 3, flags, where, count, tids);
    printf("%d", started);
    for (int i = 0; i < count; i++)
        printf(tids[i] < 0 ? " %d" : " %x", (unsigned)tids[i]);
    printf("\n");
}

static void spawn(void)
{
    spawn_where(PvmTaskDefault, "", number(1));
}

static void spawn_at(void)
{
    spawn_where(PvmTaskHost, word[1], 1);
}

static void ask_task(void)
{
    printf("%d\n", pvm_pstat(tid(1)));
}

static void ask_host(void)
{
    printf("%d\n", pvm_mstat(word[1]));
}

static void count_tasks(void)
{
    int count = 0;
    struct pvmtaskinfo *tasks;

    int result = pvm_tasks(tid(1), &count, &tasks);
    printf("%d %d\n", result, count);
}

static void limit_memory(void)
{
    struct rlimit limit = {0, 0};
    long pages = 0;
    FILE *used = fopen("/proc/self/statm", "r");

    if (used && fscanf(used, "%ld", &pages) == 1)
        limit.rlim_cur = limit.rlim_max = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + number(1));
    if (used)
        fclose(used);
    printf("%d\n", setrlimit(RLIMIT_AS, &limit));
}

static void tell_tid(void)
{
    int own = pvm_mytid();
    printf(own < 0 ? "%d\n" : "%x\n", (unsigned)own);
}

static void send_one(void)
{
    pack_one(number(3));
    printf("%d\n", pvm_send(tid(1), number(2)));
}

static void send_array(void)
{
    int value = number(3);
    printf("%d\n", pvm_psend(tid(1), number(2), &value, 1, PVM_INT));
}

static void receive(void)
{
    received(pvm_recv(tid(1), number(2)));
}

static void poll_once(void)
{
    received(pvm_nrecv(tid(1), number(2)));
}

static void put_entry(void)
{
    pack_one(number(3));
    printf("%d\n", pvm_putinfo(word[1], pvm_getsbuf(), number(2)));
}

static void take_entry(void)
{
    int value = 0, buffer = pvm_recvinfo(word[1], 0, number(2));

    if (buffer > 0)
        pvm_upkint(&value, 1, 1);
    printf("%d %d\n", buffer > 0 ? 0 : buffer, value);
}

static void set_option(void)
{
    printf("%d\n", pvm_setopt(number(1), number(2)));
}

/* How many direct routes there are. */
static void count_routes(void)
{
    int *descriptors;
    printf("%d\n", pvm_getfds(&descriptors) - 1);
}

/* Prints what children do, too. */
static void catch_output(void)
{
    printf("%d\n", pvm_catchout(stdout));
}

static void leave(void)
{
    printf("%d\n", pvm_exit());
}

static const struct {
    const char *name;
    void (*obey)(void);
} commands[] = {
    {"tid", tell_tid},        {"send", send_one},        {"mcast", multicast},
    {"recv", receive},        {"poll", poll_once},       {"text", text_received},
    {"grow", grow},           {"inner", inner_received}, {"notify", notify},
    {"spawn", spawn},         {"leave", leave},          {"option", set_option},
    {"memory", limit_memory}, {"routes", count_routes},  {"psend", send_array},
    {"flood", flood},         {"gather", gather},        {"hostend", notify_host},
    {"spawnat", spawn_at},    {"pstat", ask_task},       {"mstat", ask_host},
    {"tasks", count_tasks},   {"catch", catch_output},   {"put", put_entry},
    {"take", take_entry},
};

static void obey(void)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(word[0], commands[i].name) == 0) {
            commands[i].obey();
            return;
        }
    }
    printf("? %s\n", word[0]);
}

int main(void)
{
    static char line[1 << 16];

    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        words = 0;
        for (char *next = strtok(line, " \n"); next && words < MOST_WORDS;
             next = strtok(NULL, " \n"))
            word[words++] = next;
        word[words] = NULL;
        if (words > 0)
            obey();
    }
    return 0;
}
