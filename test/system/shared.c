/* Tasks of one host that send to each other while ways change, peers stop, and peers are killed.
 *
 * usage: shared spawn TASKS MESSAGES   starts tasks and sends to them at once, before they can have
 *                                      enrolled; each checks order and contents, and says so
 *        shared stall MESSAGES         sends to a task that is stopped, and lets it go on then
 *        shared soak SECONDS           all tasks send to all, while some of them are killed at any
 *                                      moment, and others started in their place; before and after
 *                                      it says "at rest" with the process ids of those that live
 *                                      on, and waits for a line, for others to look at them
 * Prints "checked N" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include "children.h"
#include <malloc.h>
#include <pvm3.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16, WORK = 1, DONE = 2, HELLO = 3, LONGEST = 60000 };

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

/* The soak: workers that live on, and victims that are killed while everybody sends to all. ---- */

enum { GO = 5, REPORT = 6, ENDED = 7, FINISH = 8, LAST = 9, ACCOUNT = 10, NONE = 11 };
enum { SURVIVORS = 2, VICTIMS = 4, WORKERS = SURVIVORS + VICTIMS, LOCAL = 1 << 18, CALM = 50 };

/* More than the library keeps for later, in bytes, and less than it would lose in a minute. */
#define KEPT (4L << 20)

/* A sleep that is long, in seconds. */
#define LONG_SLEEP 2

static int lasts; /* tasks that have said LAST */

/* Of the messages to and from each task, by the part of its tid that differs on one host. */
static int sent[LOCAL], seen[LOCAL];

/*
 * What this process has got from malloc, in bytes; what that keeps for later goes to the system. The
 * answer of the pvmd comes behind its word of the tasks that were killed, whose memory goes then.
 */
static long allocated(void)
{
    expect("state of this task", pvm_pstat(pvm_mytid()), PvmOk);
    malloc_trim(0);
    return (long)mallinfo2().uordblks;
}

/* Sends a message to some tasks, whom it tells their numbers of it. */
static void send_numbered(const int *to, int count)
{
    int tids[WORKERS], numbers[WORKERS], fill = rand() % 128, size = size_of(rand());
    pvm_initsend(rand() % 2 ? PvmDataDefault : PvmDataRaw);
    for (int i = 0; i < count; i++) {
        tids[i] = to[i];
        numbers[i] = sent[to[i] % LOCAL]++;
    }
    memset(bytes, fill, (size_t)size);
    pvm_pkint(&count, 1, 1);
    pvm_pkint(tids, count, 1);
    pvm_pkint(numbers, count, 1);
    pvm_pkint(&fill, 1, 1);
    pvm_pkint(&size, 1, 1);
    pvm_pkbyte(bytes, size, 1);
    expect("sending", count > 1 ? pvm_mcast(tids, count, WORK) : pvm_send(*tids, WORK), 0);
}

static void check_numbered(int from)
{
    static char contents[LONGEST];
    int count = 0, tids[WORKERS], numbers[WORKERS], fill, size = 0, me = 0;
    pvm_upkint(&count, 1, 1);
    if (count < 1 || count > WORKERS)
        fail("%d receivers", count);
    pvm_upkint(tids, count, 1);
    pvm_upkint(numbers, count, 1);
    pvm_upkint(&fill, 1, 1);
    pvm_upkint(&size, 1, 1);
    while (me < count && tids[me] != pvm_mytid())
        me++;
    expect("whether it is for this task", me < count, 1);
    expect("number of a message", numbers[me], seen[from % LOCAL]++);
    if (size < 0 || size > LONGEST || pvm_upkbyte(contents, size, 1) < 0)
        fail("%d bytes", size);
    for (int i = 0; i < size; i++)
        if (contents[i] != (char)fill)
            fail("byte %d of %d is %d, not %d", i, size, contents[i], fill);
    checked++;
}

static void send_some(const int *tids, int count, int messages)
{
    while (messages-- > 0) {
        if (rand() % 4 == 0)
            send_numbered(tids, count);
        else
            send_numbered(&tids[rand() % count], 1);
    }
}

/* A list of tids, and which of them is not the receiver. */
static int unpack_others(int *tids)
{
    int all[WORKERS], count = 0, others = 0;
    pvm_upkint(&count, 1, 1);
    pvm_upkint(all, count, 1);
    for (int i = 0; i < count; i++)
        if (all[i] != pvm_mytid())
            tids[others++] = all[i];
    tids[others++] = pvm_parent();
    return others;
}

/* Takes in what workers send to each other, and the word by which each says how much that was. */
static void take_work(int tag, int from)
{
    int number;
    if (tag == WORK) {
        check_numbered(from);
        return;
    }
    expect("tag", tag, LAST);
    pvm_upkint(&number, 1, 1);
    expect("messages of a survivor", seen[from % LOCAL], number);
    lasts++;
}

static int receive(int *from)
{
    int tag, size;
    if (pvm_bufinfo(pvm_recv(-1, -1), &size, &tag, from) < 0)
        fail("receive fails");
    return tag;
}

static void say_last(const int *tids, int count)
{
    for (int i = 0; i < count; i++)
        say(tids[i], LAST, sent[tids[i] % LOCAL]);
}

/* Sends when the parent says so, and tells it when all that the others sent has come. */
static void worker(void)
{
    int tids[WORKERS], from, count = 0;
    bool finishing = false;
    srand((unsigned)pvm_mytid());
    say(pvm_parent(), HELLO, (int)getpid());
    for (;;) {
        int tag = receive(&from);
        switch (tag) {
        case GO:
            count = unpack_others(tids);
            send_some(tids, count, 24);
            say(pvm_parent(), REPORT, 0);
            break;
        case FINISH:
            count = unpack_others(tids);
            say_last(tids, count);
            finishing = true;
            break;
        case ACCOUNT:
            say(pvm_parent(), ACCOUNT, (int)(allocated() / 1024));
            break;
        case DONE:
            say(pvm_parent(), DONE, checked);
            return;
        default:
            take_work(tag, from);
        }
        if (finishing && lasts == count) {
            finishing = false;
            lasts = 0;
            say(pvm_parent(), FINISH, 0);
        }
    }
}

/* What the parent knows of the workers; the survivors come first. */
static struct {
    int tids[WORKERS];
    pid_t pids[WORKERS]; /* 0: not known yet, or killed */
    int count;           /* who is there just now, and to be sent to */
    int kills;
} team;

static void tell_team(int to, int tag)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&team.count, 1, 1);
    pvm_pkint(team.tids, team.count, 1);
    expect("telling", pvm_send(to, tag), 0);
}

static int place_of(int tid)
{
    int i = 0;
    while (i < WORKERS && team.tids[i] != tid)
        i++;
    return i;
}

static void start_victim(int i)
{
    start("worker", 1, 0, &team.tids[i]);
    expect("notify", pvm_notify(PvmTaskExit, ENDED, 1, &team.tids[i]), 0);
}

static void kill_victim(int i)
{
    if (!team.pids[i])
        return;
    expect("kill", kill(team.pids[i], SIGKILL), 0);
    team.pids[i] = 0;
    team.kills++;
}

/* Takes in a message, and sends some when a worker that is to go on has reported. */
static int take_one(int *from)
{
    int tag = receive(from);
    if (tag == WORK) {
        check_numbered(*from);
    } else if (tag == REPORT && place_of(*from) < team.count) {
        tell_team(*from, GO);
        send_some(team.tids, team.count, 2);
    }
    return tag;
}

/* Only survivors are there: they send for a while, and rest when all has come. */
static void calm(void)
{
    int from, reports = 0;
    while (reports < CALM * SURVIVORS)
        reports += take_one(&from) == REPORT;
    team.count = 0; /* so nobody goes on */
    for (int i = 0; i < SURVIVORS; i++)
        while (take_one(&from) != REPORT)
            continue;
    team.count = SURVIVORS;
    for (int i = 0; i < SURVIVORS; i++)
        tell_team(team.tids[i], FINISH);
    say_last(team.tids, SURVIVORS);
    for (int finished = 0; finished < SURVIVORS || lasts < SURVIVORS;) {
        int tag = receive(&from);
        if (tag == FINISH)
            finished++;
        else
            take_work(tag, from);
    }
    lasts = 0;
}

/*
 * Tells who rests, for whoever looks at them, and waits until that has been done. Before, this task
 * waits for a message that nobody sends, as the others do: in a long sleep memory goes back.
 */
static void rest(void)
{
    struct timeval sleep = {.tv_sec = LONG_SLEEP};
    expect("a message of nobody", pvm_trecv(-1, NONE, &sleep), 0);
    printf("at rest %d", (int)getpid());
    for (int i = 0; i < SURVIVORS; i++)
        printf(" %d", (int)team.pids[i]);
    printf("\n");
    fflush(stdout);
    while (getchar() != '\n')
        continue;
}

static long account_of(int i)
{
    if (i == SURVIVORS)
        return allocated();
    say(team.tids[i], ACCOUNT, 0);
    return 1024L * hear(team.tids[i], ACCOUNT);
}

/* Victims are killed, and others started, at any moment of the exchange. */
static void storm(int seconds)
{
    int from, value;
    time_t end = time(NULL) + seconds;
    team.count = WORKERS;
    for (int i = SURVIVORS; i < WORKERS; i++)
        start_victim(i);
    for (int left = VICTIMS; left > 0;) {
        int tag = take_one(&from);
        if (tag == HELLO || tag == ENDED)
            pvm_upkint(&value, 1, 1);
        if (tag == HELLO) {
            team.pids[place_of(from)] = (pid_t)value;
            tell_team(from, GO);
        }
        bool over = time(NULL) >= end;
        if (tag == ENDED && over)
            left--;
        else if (tag == ENDED)
            start_victim(place_of(value));
        for (int i = SURVIVORS; i < WORKERS; i++)
            if (over || rand() % 128 == 0)
                kill_victim(i);
    }
    team.count = SURVIVORS;
}

static void soak(int seconds)
{
    long before[SURVIVORS + 1];
    team.count = SURVIVORS;
    for (int i = 0; i < SURVIVORS; i++)
        start("worker", 1, 0, &team.tids[i]);
    for (int i = 0; i < SURVIVORS; i++)
        team.pids[i] = (pid_t)hear(team.tids[i], HELLO);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < SURVIVORS; i++)
            tell_team(team.tids[i], GO);
        if (turn)
            storm(seconds);
        calm();
        for (int i = 0; i <= SURVIVORS; i++) {
            long now = account_of(i);
            if (turn && now > before[i] + KEPT)
                fail("%d were killed, and survivor %d has %ld bytes, where it had %ld", team.kills,
                     i, now, before[i]);
            before[i] = now;
        }
        rest();
    }
    for (int i = 0; i < SURVIVORS; i++) {
        say(team.tids[i], DONE, 0);
        checked += hear(team.tids[i], DONE);
    }
    printf("killed %d\n", team.kills);
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
    else if (argc > 1 && strcmp(argv[1], "soak") == 0)
        soak(number);
    else if (argc > 1 && strcmp(argv[1], "worker") == 0)
        worker();
    else
        fail("no such area");
    pvm_exit();
    printf("checked %d\n", checked);
    return 0;
}
