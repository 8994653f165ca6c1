/* A task that adds hosts, spawns tasks of itself over them, and waits for an answer of each.
 *
 * usage: many_hosts TASKS HOST...       adds the hosts and starts so many tasks
 *
 * It prints a line for each step, "@STEP SECONDS COUNT": add, spawn, answer. It halts the virtual
 * machine when its input ends. A task that it starts sends one message to it and stays.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void tell(const char *step, double start, int count)
{
    printf("@%s %.6f %d\n", step, now() - start, count);
    fflush(stdout);
}

static void child(int parent)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(parent, TAG);
    pvm_recv(-1, -1);
}

static int spawn_all(char *program, int count)
{
    int *tids = calloc((size_t)count + 1, sizeof *tids);
    double start = now();
    int started = tids ? pvm_spawn(program, NULL, PvmTaskDefault, "", count, tids) : 0;
    tell("spawn", start, started);
    int answers = 0;
    while (answers < started && pvm_recv(-1, TAG) > 0)
        answers++;
    tell("answer", start, answers);
    free(tids);
    return started;
}

int main(int argc, char **argv)
{
    int parent = pvm_parent();
    if (parent > 0) {
        child(parent);
        return 0;
    }
    if (argc < 2)
        return 1;
    int hosts = argc - 2;
    int *results = calloc((size_t)hosts + 1, sizeof *results);
    if (!results)
        return 1;
    double start = now();
    int added = hosts > 0 ? pvm_addhosts(argv + 2, hosts, results) : 0;
    tell("add", start, added);
    free(results);
    spawn_all(argv[0], atoi(argv[1]));
    while (getchar() != EOF)
        continue;
    pvm_halt();
    return 0;
}
