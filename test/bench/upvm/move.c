/*
 * move.c - how long a user-level process takes to move to another host and back.
 *
 * usage: move TASKS WHAT@HOST,HOST BYTES ROUNDS
 * It has so many bytes, all of which it has written to. Prints a line for each of so many moves:
 *     @time seconds=SECONDS
 * WHAT says what of a move takes so long:
 *     still   the process stands still
 *     cost    pvm_migrate
 *     tcp     nothing moves; as many bytes go from one host to the other by TCP, and one comes back
 * It is the process that moves, too, and the one at the other end of TCP.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ASK = 1, TELL, END, ADDRESS };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
    fprintf(stderr, "move: %s\n", what);
    exit(1);
}

/* Moving. -------------------------------------------------------------------------------------- */

/* Notes for how long it has not come here. */
static void note(double *last, double *longest)
{
    double time = now();
    if (time - *last > *longest)
        *longest = time - *last;
    *last = time;
}

/* Tells, when it is asked, for how long it has stood still at most since it was asked last. */
static int be_moved(size_t bytes)
{
    char *memory = malloc(bytes);
    memset(memory, 1, bytes);
    double last = now(), longest = 0;
    pvm_initsend(PvmDataDefault);
    pvm_send(pvm_parent(), TELL);
    while (pvm_nrecv(pvm_parent(), END) == 0) {
        int asked = pvm_nrecv(pvm_parent(), ASK) > 0;
        note(&last, &longest); /* the question may have come while it moved */
        if (!asked)
            continue;
        pvm_initsend(PvmDataDefault);
        pvm_pkdouble(&longest, 1, 1);
        pvm_send(pvm_parent(), TELL);
        longest = 0;
    }
    return memory[bytes - 1] == 1 ? 0 : 1;
}

static double ask(int tid)
{
    double longest;
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, ASK);
    pvm_recv(tid, TELL);
    pvm_upkdouble(&longest, 1, 1);
    return longest;
}

/* TCP. ----------------------------------------------------------------------------------------- */

/* Takes in bytes, and gives one back each time that it has all of a round. */
static int be_sent_to(size_t bytes)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t length = sizeof name;
    int listening = socket(AF_INET, SOCK_STREAM, 0), port;
    static char room[1 << 18];
    if (bind(listening, (struct sockaddr *)&name, sizeof name) < 0 || listen(listening, 1) < 0 ||
        getsockname(listening, (struct sockaddr *)&name, &length) < 0)
        fail("no socket");
    port = ntohs(name.sin_port);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&port, 1, 1);
    pvm_send(pvm_parent(), ADDRESS);
    for (;;) {
        int connection = accept(listening, NULL, NULL);
        size_t left = bytes;
        ssize_t came = 0;
        while (left > 0 && (came = recv(connection, room, sizeof room, 0)) > 0)
            left -= (size_t)came < left ? (size_t)came : left;
        if (came <= 0)
            return 0;
        send(connection, room, 1, MSG_NOSIGNAL);
        close(connection);
    }
}

static double send_all(const struct sockaddr_in *name, const char *memory, size_t bytes)
{
    char answer;
    double begin = now();
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection, (const struct sockaddr *)name, sizeof *name) < 0)
        fail("no connection");
    for (size_t done = 0; done < bytes;) {
        ssize_t sent = send(connection, memory + done, bytes - done, MSG_NOSIGNAL);
        if (sent <= 0)
            fail("the connection has ended");
        done += (size_t)sent;
    }
    recv(connection, &answer, 1, 0);
    close(connection);
    return now() - begin;
}

/* Measuring. ------------------------------------------------------------------------------------ */

static int host_named(const char *name)
{
    struct pvmhostinfo *hosts;
    int count;
    pvm_config(&count, NULL, &hosts);
    for (int i = 0; i < count; i++)
        if (strcmp(hosts[i].hi_name, name) == 0)
            return hosts[i].hi_tid;
    fail("no such host");
    return 0;
}

static int spawn(const char *program, const char *role, const char *bytes, int flags,
                 const char *host)
{
    char *words[] = {(char *)role, (char *)bytes, NULL};
    int tid;
    if (pvm_spawn((char *)program, words, flags | PvmTaskHost, (char *)host, 1, &tid) != 1)
        fail("cannot start a task");
    return tid;
}

/* Where the other end of TCP listens, on the host `host`. */
static struct sockaddr_in find_receiver(int tid, const char *host)
{
    int port;
    struct sockaddr_in name = {.sin_family = AF_INET};
    struct addrinfo hints = {.ai_family = AF_INET}, *found;
    if (getaddrinfo(host, NULL, &hints, &found) != 0)
        fail("the host has no address");
    name.sin_addr = ((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr;
    freeaddrinfo(found);
    pvm_recv(tid, ADDRESS);
    pvm_upkint(&port, 1, 1);
    name.sin_port = htons((uint16_t)port);
    return name;
}

static void measure_tcp(const char *program, const char *words, const char *host, size_t bytes,
                        int rounds)
{
    int receiver = spawn(program, "sent", words, 0, host);
    const struct sockaddr_in name = find_receiver(receiver, host);
    char *memory = malloc(bytes);
    memset(memory, 1, bytes);
    for (int i = 0; i < rounds; i++)
        printf("@time seconds=%.9f\n", send_all(&name, memory, bytes));
    pvm_kill(receiver);
}

static void measure_moves(const char *program, const char *words, char *hosts[2], int still,
                          int rounds)
{
    int tids[] = {host_named(hosts[0]), host_named(hosts[1])};
    int moved = spawn(program, "moved", words, PvmTaskUlp, hosts[0]);
    pvm_recv(moved, TELL);
    for (int i = 0; i < rounds; i++) {
        ask(moved);
        double begin = now();
        if (pvm_migrate(moved, tids[(i + 1) % 2]) != 0)
            fail("it does not move");
        double cost = now() - begin, longest = ask(moved);
        printf("@time seconds=%.9f\n", still ? longest : cost);
    }
    pvm_initsend(PvmDataDefault);
    pvm_send(moved, END);
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "moved") == 0)
        return be_moved(strtoul(words[2], NULL, 10));
    if (count == 3)
        return be_sent_to(strtoul(words[2], NULL, 10));
    char *what = count == 5 ? strtok(words[2], "@") : NULL;
    char *hosts[] = {NULL, NULL};
    for (int i = 0; what && i < 2; i++)
        hosts[i] = strtok(NULL, ",");
    if (!what || !hosts[0] || !hosts[1])
        fail("usage: move TASKS WHAT@HOST,HOST BYTES ROUNDS");
    size_t bytes = strtoul(words[3], NULL, 10);
    if (strcmp(what, "tcp") == 0)
        measure_tcp(words[0], words[3], hosts[1], bytes, atoi(words[4]));
    else
        measure_moves(words[0], words[3], hosts, strcmp(what, "still") == 0, atoi(words[4]));
    pvm_exit();
    return 0;
}
