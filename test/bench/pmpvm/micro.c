/* What does a task cost, an empty message, one of many ints, and packing?
 *
 * usage: micro TASKS HOW MESSAGES INTS PACKS        see crew.h
 *
 * The master packs INTS ints once and sends them MESSAGES times to the first task, which sleeps
 * meanwhile; then the task receives the messages. This is done in some rounds. The master also packs
 * PACKS single ints into a message that it does not send. Prints a line
 *     @micro send=SECONDS receive=SECONDS packs=SECONDS
 * with the times of one message, and of all packs. With many TASKS and no MESSAGES, spawn and start
 * in the line of crew.h are what the tasks cost.
 */
#include "../crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GO, DATA, RECEIVED, PAUSE_US = 50000, ROUNDS = 10 };

static double correct; /* messages of all rounds, by the word of the task that received them */

static int messages_of(const struct crew *crew)
{
    return crew_number(crew, 0);
}

static size_t bytes_of(const struct crew *crew)
{
    return sizeof(int) * (size_t)crew_number(crew, 1);
}

void prepare(const struct crew *crew)
{
    (void)crew;
}

void solve_alone(const struct crew *crew)
{
    correct = ROUNDS * messages_of(crew);
}

/* Gives the time of all. */
static double send_messages(const struct crew *crew)
{
    int *ints = crew_memory(bytes_of(crew) + 1);
    crew_begin();
    CHECK(pvm_pkint(ints, crew_number(crew, 1), 1));
    double start = crew_now();
    for (int i = 0; i < messages_of(crew); i++)
        CHECK(pvm_send(crew->tids[0], DATA));
    double end = crew_now();
    free(ints);
    return end - start;
}

static double pack(int packs)
{
    crew_begin();
    double start = crew_now();
    for (int i = 0; i < packs; i++)
        CHECK(pvm_pkint(&i, 1, 1));
    double end = crew_now();
    crew_begin();
    return end - start;
}

/* One round; adds to the times of sending and receiving. */
static void lead_round(const struct crew *crew, double *send, double *receive)
{
    double report[2];
    crew_receive(crew->tids[0], GO);
    *send += send_messages(crew);
    crew_receive(crew->tids[0], RECEIVED);
    CHECK(pvm_upkdouble(report, 2, 1));
    *receive += report[0];
    correct += report[1];
}

void lead(const struct crew *crew)
{
    double send = 0, receive = 0, messages = ROUNDS * messages_of(crew);
    for (int i = 0; i < ROUNDS && messages > 0; i++)
        lead_round(crew, &send, &receive);
    if (messages > 0)
        printf("@micro send=%.9f receive=%.9f packs=%.9f\n", send / messages, receive / messages,
               pack(crew_number(crew, 2)));
}

static void assist_round(const struct crew *crew)
{
    double report[2] = {0};
    crew_begin();
    CHECK(pvm_send(crew->master, GO));
    usleep(PAUSE_US);
    double start = crew_now();
    for (int i = 0; i < messages_of(crew); i++) {
        int bytes = -1, buffer = CHECK(pvm_recv(crew->master, DATA));
        CHECK(pvm_bufinfo(buffer, &bytes, NULL, NULL));
        report[1] += (size_t)bytes == bytes_of(crew);
    }
    report[0] = crew_now() - start;
    crew_begin();
    CHECK(pvm_pkdouble(report, 2, 1));
    CHECK(pvm_send(crew->master, RECEIVED));
}

void assist(const struct crew *crew)
{
    for (int i = 0; i < ROUNDS && crew->me == 0 && messages_of(crew) > 0; i++)
        assist_round(crew);
}

int is_right(const struct crew *crew)
{
    return (int)correct == ROUNDS * messages_of(crew);
}
