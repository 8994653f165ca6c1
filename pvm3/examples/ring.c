/*
 * ring.c - a token goes around a ring of tasks, each of which adds one to it.
 *
 * usage: ring [TASKS [ROUNDS]]    4 tasks, 100 rounds
 */
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

enum { PLAN = 1, TOKEN = 2, MOST_TASKS = 1000 };

struct ring {
    int tasks;
    int rounds;
    int tids[MOST_TASKS]; /* in the order of the ring */
};

/* Starts the others and tells them who they all are. Returns 0 if all went well. */
static int ring_start(struct ring *ring)
{
    int others = ring->tasks - 1, parameters[2] = {ring->tasks, ring->rounds};

    ring->tids[0] = pvm_mytid();
    if (others == 0)
        return 0;
    int started = pvm_spawn("ring", NULL, PvmTaskDefault, NULL, others, ring->tids + 1);
    if (started != others) {
        fprintf(stderr, "ring: %d of %d tasks were started, the next one gave error %d\n",
                started > 0 ? started : 0, others, started < 0 ? started : ring->tids[1 + started]);
        for (int i = 1; i <= started; i++)
            pvm_kill(ring->tids[i]);
        return -1;
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(parameters, 2, 1);
    pvm_pkint(ring->tids, ring->tasks, 1);
    return pvm_mcast(ring->tids + 1, others, PLAN);
}

static void ring_join(struct ring *ring, int parent)
{
    pvm_recv(parent, PLAN);
    pvm_upkint(&ring->tasks, 1, 1);
    pvm_upkint(&ring->rounds, 1, 1);
    pvm_upkint(ring->tids, ring->tasks, 1);
}

static void token_send(int to, int token)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&token, 1, 1);
    pvm_send(to, TOKEN);
}

static int token_receive(int from)
{
    int token = 0;

    pvm_recv(from, TOKEN);
    pvm_upkint(&token, 1, 1);
    return token;
}

/* Plays the part of this task; returns the token as it saw it last. */
static int ring_pass(const struct ring *ring)
{
    int place = 0, token = 0, self = pvm_mytid();

    while (ring->tids[place] != self)
        place++;
    int next = ring->tids[(place + 1) % ring->tasks];
    int previous = ring->tids[(place + ring->tasks - 1) % ring->tasks];
    for (int round = 0; round < ring->rounds; round++) {
        if (place > 0)
            token = token_receive(previous);
        token_send(next, token + 1);
        if (place == 0)
            token = token_receive(previous);
    }
    return token;
}

int main(int argc, char **argv)
{
    struct ring ring;
    int parent = pvm_parent();

    if (parent > 0) {
        ring_join(&ring, parent);
        ring_pass(&ring);
        pvm_exit();
        return EXIT_SUCCESS;
    }
    ring.tasks = argc > 1 ? atoi(argv[1]) : 4;
    ring.rounds = argc > 2 ? atoi(argv[2]) : 100;
    if (ring.tasks < 1 || ring.tasks > MOST_TASKS || ring.rounds < 1) {
        fprintf(stderr, "usage: ring [TASKS [ROUNDS]], with 1 to %d tasks\n", MOST_TASKS);
        return EXIT_FAILURE;
    }
    if (ring_start(&ring) < 0) {
        pvm_exit();
        return EXIT_FAILURE;
    }
    int token = ring_pass(&ring);
    printf("%d rounds through %d tasks: the token is %d\n", ring.rounds, ring.tasks, token);
    pvm_exit();
    return token == ring.rounds * ring.tasks ? EXIT_SUCCESS : EXIT_FAILURE;
}
