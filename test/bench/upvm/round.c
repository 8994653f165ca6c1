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

static int bytes_of(const struct crew *crew)
{
    return crew_number(crew, 0);
}

static int rounds_of(const struct crew *crew)
{
    return crew_number(crew, 1);
}

static int batches_of(const struct crew *crew)
{
    int batches = crew_number(crew, 2);
    return batches < MOST_BATCHES ? batches : MOST_BATCHES;
}

static void send_on(const struct crew *crew, char *bytes, int tag)
{
    crew_begin();
    CHECK(pvm_pkbyte(bytes, bytes_of(crew), 1));
    CHECK(pvm_send(crew->tids[(crew->me + 1) % crew->tasks], tag));
}

static void receive(const struct crew *crew, char *bytes, int tag)
{
    crew_receive(crew->tids[(crew->me + crew->tasks - 1) % crew->tasks], tag);
    CHECK(pvm_upkbyte(bytes, bytes_of(crew), 1));
}

/* A byte depends on its place, and on how many tasks have had it. */
static void set_bytes(char *bytes, int count, int hops)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (char)(i * 7 + hops);
}

static int count_wrong(const char *bytes, int count, int hops)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += bytes[i] != (char)(i * 7 + hops);
    return found;
}

static void check_round(const struct crew *crew, char *bytes, struct part *part)
{
    int count = bytes_of(crew), last = crew->me == 0 ? crew->tasks : crew->me;
    if (crew->me == 0) {
        set_bytes(bytes, count, 1);
        send_on(crew, bytes, PASS_CHECKED);
    }
    receive(crew, bytes, PASS_CHECKED);
    part->messages++;
    part->wrong += count_wrong(bytes, count, last);
    if (crew->me != 0) {
        set_bytes(bytes, count, last + 1);
        send_on(crew, bytes, PASS_CHECKED);
    }
}

/* The first task sends what the others wait for. */
static void go_round(const struct crew *crew, char *bytes, struct part *part)
{
    for (int i = 0; i < rounds_of(crew); i++) {
        if (crew->me == 0)
            send_on(crew, bytes, PASS);
        receive(crew, bytes, PASS);
        part->messages++;
        if (crew->me != 0)
            send_on(crew, bytes, PASS);
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
    char *bytes = crew_memory((size_t)bytes_of(crew) + 1);
    for (int batch = 0; batch < batches_of(crew); batch++) {
        check_round(crew, bytes, &part);
        double begin = crew_now();
        go_round(crew, bytes, &part);
        part.seconds[batch] = (crew_now() - begin) / rounds_of(crew);
    }
    free(bytes);
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
