/* Tasks of one host that send to each other while ways change, peers stop, and peers are killed.
 *
 * usage: shared spawn TASKS MESSAGES   starts tasks and sends to them at once, before they can have
 *                                      enrolled; each checks order and contents, and says so
 *        shared stall MESSAGES         sends to a task that is stopped, and lets it go on then
 *        shared kill ROUNDS            tasks send to each other and to the parent without end; in
 *                                      each round one of them is killed and a new one started
 * Prints "checked N" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include <dirent.h>
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"

enum { MOST = 16, WORK = 1, DONE = 2, HELLO = 3, PEERS = 4, LONGEST = 60000 };

static const int sizes[] = {0, 8, 200, 208, 209, 4032, 10000, LONGEST};
static char bytes[LONGEST];
static int checked;

static int size_of(int place)
{
    return sizes[place % (int)(sizeof sizes / sizeof *sizes)];
}

/* The message with that place in the order, by one call or another. */
static void send_work(int *to, int count, int place)
{
    int size = size_of(place);
    memset(bytes, place, (size_t)size);
    pvm_initsend(place % 3 ? PvmDataDefault : place % 2 ? PvmDataRaw : PvmDataInPlace);
    pvm_pkint(&place, 1, 1);
    pvm_pkbyte(bytes, size, 1);
    if (count > 1 || place % 5 == 0)
        expect("mcast", pvm_mcast(to, count, WORK), 0);
    else
        expect("send", pvm_send(*to, WORK), 0);
}

/* Checks the active receive buffer. Gives the place. */
static int check_work(void)
{
    static char seen[LONGEST];
    int place;
    expect("unpack of the place", pvm_upkint(&place, 1, 1), 0);
    int size = size_of(place);
    expect("unpack of the contents", pvm_upkbyte(seen, size, 1), 0);
    for (int i = 0; i < size; i++)
        if (seen[i] != (char)place)
            fail("byte %d of message %d is %d", i, place, seen[i]);
    checked++;
    return place;
}

static void receive_in_order(int from, int messages)
{
    for (int place = 0; place < messages; place++) {
        if (pvm_recv(from, WORK) < 0)
            fail("receive fails");
        expect("place in the order", check_work(), place);
    }
}

static void say(int to, int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    expect("send", pvm_send(to, tag), 0);
}

static int hear(int from, int tag)
{
    int value;
    if (pvm_recv(from, tag) < 0 || pvm_upkint(&value, 1, 1) < 0)
        fail("nothing is said");
    return value;
}

static void start(char *role, int count, int number, int *tids)
{
    static char path[4096];
    char text[16];
    char *words[] = {role, text, NULL};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    snprintf(text, sizeof text, "%d", number);
    expect("spawn", pvm_spawn(path, words, PvmTaskDefault, "", count, tids), count);
}

static void spawn(int tasks, int messages)
{
    int tids[MOST];
    start("child", tasks, messages, tids);
    for (int place = 0; place < messages; place++) {
        send_work(tids, tasks, 2 * place);
        for (int i = 0; i < tasks; i++)
            send_work(&tids[i], 1, 2 * place + 1);
    }
    for (int i = 0; i < tasks; i++)
        checked += hear(tids[i], DONE);
}

static void child(int messages)
{
    receive_in_order(pvm_parent(), 2 * messages);
    say(pvm_parent(), DONE, checked);
}

static void stall(int messages)
{
    int tid;
    start("stalled", 1, messages, &tid);
    pid_t pid = (pid_t)hear(tid, HELLO);
    for (int place = 0; place < messages; place++) {
        if (place == messages / 3)
            kill(pid, SIGSTOP);
        if (place == 2 * messages / 3)
            kill(pid, SIGCONT);
        send_work(&tid, 1, place);
    }
    checked = hear(tid, DONE);
}

static void stalled(int messages)
{
    say(pvm_parent(), HELLO, (int)getpid());
    receive_in_order(pvm_parent(), messages);
    say(pvm_parent(), DONE, checked);
}

/* Sends to all others that it knows, and to the parent, until it is killed. */
static void worker(void)
{
    int tids[MOST], count = 0, place = 0;
    say(pvm_parent(), HELLO, (int)getpid());
    for (;;) {
        while (pvm_nrecv(pvm_parent(), PEERS) > 0) {
            pvm_upkint(&count, 1, 1);
            pvm_upkint(tids, count, 1);
        }
        for (int i = 0; i < count; i++)
            if (tids[i] != pvm_mytid())
                send_work(&tids[i], 1, place);
        int parent = pvm_parent();
        send_work(&parent, 1, place++);
        while (pvm_nrecv(-1, WORK) > 0)
            check_work();
        if (place % 16 == 0) /* the parent says when to go on */
            hear(parent, DONE);
    }
}

static int descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void tell_peers(int *tids, int count)
{
    for (int i = 0; i < count; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&count, 1, 1);
        pvm_pkint(tids, count, 1);
        pvm_send(tids[i], PEERS);
    }
}

static void kill_workers(int rounds)
{
    enum { WORKERS = 4 };
    int tids[WORKERS], next[WORKERS] = {0}, before = 0, most = 0;
    pid_t pids[WORKERS];
    start("worker", WORKERS, 0, tids);
    for (int i = 0; i < WORKERS; i++)
        pids[i] = (pid_t)hear(tids[i], HELLO);
    srand(1);
    for (int round = 0; round < rounds; round++) {
        tell_peers(tids, WORKERS);
        for (int i = 0; i < WORKERS; i++) {
            for (int k = 0; k < 16; k++) {
                pvm_recv(tids[i], WORK);
                expect("place of a worker", check_work(), next[i]++);
            }
            say(tids[i], DONE, 0);
        }
        int victim = rand() % WORKERS;
        expect("notify", pvm_notify(PvmTaskExit, 5, 1, &tids[victim]), 0);
        kill(pids[victim], SIGKILL);
        expect("the end", pvm_recv(-1, 5) > 0, 1);
        while (pvm_nrecv(tids[victim], WORK) > 0) /* all that it sent is there, in order */
            expect("place of a victim", check_work(), next[victim]++);
        start("worker", 1, 0, &tids[victim]);
        pids[victim] = (pid_t)hear(tids[victim], HELLO);
        next[victim] = 0;
        int now = descriptors();
        if (round == rounds / 2)
            before = now;
        most = now > most ? now : most;
    }
    if (most > before + 8)
        fail("there were %d descriptors, and are %d", before, most);
    for (int i = 0; i < WORKERS; i++)
        kill(pids[i], SIGKILL);
}

int main(int argc, char **argv)
{
    int number = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 3 && strcmp(argv[1], "spawn") == 0)
        spawn(number, atoi(argv[3]));
    else if (argc > 1 && strcmp(argv[1], "child") == 0)
        child(number);
    else if (argc > 1 && strcmp(argv[1], "stall") == 0)
        stall(number);
    else if (argc > 1 && strcmp(argv[1], "stalled") == 0)
        stalled(number);
    else if (argc > 1 && strcmp(argv[1], "kill") == 0)
        kill_workers(number);
    else if (argc > 1 && strcmp(argv[1], "worker") == 0)
        worker();
    else
        fail("no such area");
    pvm_exit();
    printf("checked %d\n", checked);
    return 0;
}
