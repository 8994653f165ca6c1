/* What does a message cost between two tasks of a host?
 *
 * usage: together WORK BYTES MESSAGES BATCHES [DIRECT]
 *
 * WORK is "ask": one task sends, the other answers with as many bytes; or "stream": one task sends,
 * and is told when each 64 messages have come. With DIRECT both ask for direct routes. Prints a line
 *     @batch ns=TIME
 * for each batch: of one way, as the sender sees it.
 */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 22, WINDOW = 64, DATA = 1, WORD = 2 };

static char data[MOST_BYTES];
static int asks, bytes, messages, batches;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void check(int result)
{
    if (result < 0)
        exit(1);
}

static void send_data(int to)
{
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte(data, bytes, 1);
    check(pvm_send(to, DATA));
}

static void receive_data(int from)
{
    check(pvm_recv(from, DATA));
    check(pvm_upkbyte(data, bytes, 1));
}

static void say(int to)
{
    pvm_initsend(PvmDataRaw);
    check(pvm_send(to, WORD));
}

static void run_parent(int child)
{
    for (int batch = 0; batch < batches; batch++) {
        int64_t begin = now();
        for (int i = 1; i <= messages; i++) {
            send_data(child);
            if (asks)
                receive_data(child);
            else if (i % WINDOW == 0 || i == messages)
                check(pvm_recv(child, WORD));
        }
        printf("@batch ns=%.1f\n", (double)(now() - begin) / messages / (asks ? 2 : 1));
    }
}

static void run_child(int parent)
{
    for (int batch = 0; batch < batches; batch++) {
        for (int i = 1; i <= messages; i++) {
            receive_data(parent);
            if (asks)
                send_data(parent);
            else if (i % WINDOW == 0 || i == messages)
                say(parent);
        }
    }
}

int main(int argc, char **argv)
{
    static char path[4096];
    int child;
    if (argc < 5)
        return 2;
    asks = strcmp(argv[1], "ask") == 0;
    bytes = atoi(argv[2]);
    messages = atoi(argv[3]);
    batches = atoi(argv[4]);
    if (bytes < 0 || bytes > MOST_BYTES || pvm_mytid() < 0)
        return 2;
    pvm_setopt(PvmRoute, argc > 5 ? PvmRouteDirect : PvmAllowDirect);
    if (pvm_parent() > 0) {
        run_child(pvm_parent());
    } else {
        if (readlink("/proc/self/exe", path, sizeof path - 1) < 0 ||
            pvm_spawn(path, argv + 1, PvmTaskDefault, "", 1, &child) != 1)
            return 1;
        run_parent(child);
    }
    pvm_exit();
    return 0;
}
