/* How long does a message need that goes from each task to the next one, and so around?
 *
 * usage: round TASKS HOW BYTES ROUNDS BATCHES        see crew.h
 *
 * The message has BYTES, which each task packs and unpacks. Prints a line for each batch, with the
 * time of one round:
 *     @time seconds=SECONDS
 * Each batch begins with a round in which all bytes change at each task, and are checked.
 */
#include "../crew.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BATCHES = 1000 };

/* Tags. */
enum { PASS, PASS_CHECKED, REPORT };

/* What a task tells of its part: how often the message came, and, from the first one, the times. */
struct part {
    double messages, wrong, seconds[MOST_BATCHES];
};

static double messages, wrong; /* of all tasks */

/* What is in a message. Its numbers are read once, so that no time goes for that. */
struct load {
    char *bytes;
    int count;
};

static int rounds_of(const struct crew *crew)
{
    return crew_number(crew, 1);
}

static int batches_of(const struct crew *crew)
{
    int batches = crew_number(crew, 2);
    return batches < MOST_BATCHES ? batches : MOST_BATCHES;
}

static void send_on(const struct crew *crew, const struct load *load, int tag)
{
    crew_begin();
    CHECK(pvm_pkbyte(load->bytes, load->count, 1));
    CHECK(pvm_send(crew->tids[(crew->me + 1) % crew->tasks], tag));
}

static void receive(const struct crew *crew, const struct load *load, int tag)
{
    crew_receive(crew->tids[(crew->me + crew->tasks - 1) % crew->tasks], tag);
    CHECK(pvm_upkbyte(load->bytes, load->count, 1));
}

/* A byte depends on its place, and on how many tasks have had it. */
static void set_bytes(const struct load *load, int hops)
{
    for (int i = 0; i < load->count; i++)
        load->bytes[i] = (char)(i * 7 + hops);
}

static int count_wrong(const struct load *load, int hops)
{
    int found = 0;
    for (int i = 0; i < load->count; i++)
        found += load->bytes[i] != (char)(i * 7 + hops);
    return found;
}

static void check_round(const struct crew *crew, const struct load *load, struct part *part)
{
    int last = crew->me == 0 ? crew->tasks : crew->me;
    if (crew->me == 0) {
        set_bytes(load, 1);
        send_on(crew, load, PASS_CHECKED);
    }
    receive(crew, load, PASS_CHECKED);
    part->messages++;
    part->wrong += count_wrong(load, last);
    if (crew->me != 0) {
        set_bytes(load, last + 1);
        send_on(crew, load, PASS_CHECKED);
    }
}

/* The first task sends what the others wait for. */
static void go_rounds(const struct crew *crew, const struct load *load, int rounds,
                      struct part *part)
{
    for (int i = 0; i < rounds; i++) {
        if (crew->me == 0)
            send_on(crew, load, PASS);
        receive(crew, load, PASS);
        part->messages++;
        if (crew->me != 0)
            send_on(crew, load, PASS);
    }
}

void prepare(const struct crew *crew)
{
    (void)crew;
}

void solve_alone(const struct crew *crew)
{
    (void)crew;
}

void lead(const struct crew *crew)
{
    double seconds[MOST_BATCHES];
    for (int task = 0; task < crew->tasks; task++) {
        double report[2];
        crew_receive(crew->tids[task], REPORT);
        CHECK(pvm_upkdouble(report, 2, 1));
        messages += report[0];
        wrong += report[1];
        if (task == 0)
            CHECK(pvm_upkdouble(seconds, batches_of(crew), 1));
    }
    for (int i = 0; i < batches_of(crew); i++)
        printf("@time seconds=%.9f\n", seconds[i]);
}

void assist(const struct crew *crew)
{
    struct part part = {0};
    const int rounds = rounds_of(crew), count = crew_number(crew, 0);
    const struct load load = {crew_memory((size_t)count + 1), count};
    for (int batch = 0; batch < batches_of(crew); batch++) {
        check_round(crew, &load, &part);
        double begin = crew_now();
        go_rounds(crew, &load, rounds, &part);
        part.seconds[batch] = (crew_now() - begin) / rounds;
    }
    free(load.bytes);
    crew_begin();
    CHECK(pvm_pkdouble(&part.messages, 1, 1));
    CHECK(pvm_pkdouble(&part.wrong, 1, 1));
    CHECK(pvm_pkdouble(part.seconds, batches_of(crew), 1));
    CHECK(pvm_send(crew->master, REPORT));
}

/* Each task has each round's message once, without a byte that is not its own. */
int is_right(const struct crew *crew)
{
    return wrong == 0 && messages == (double)crew->tasks * batches_of(crew) * (rounds_of(crew) + 1);
}
