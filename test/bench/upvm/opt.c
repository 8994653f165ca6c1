/* Trains a small net to tell classes of vectors apart, by conjugate gradients.
 *
 * usage: opt TASKS HOW BYTES PASSES        see crew.h
 *
 * The examples have BYTES in all, and each task has a part of them. In each of PASSES the master
 * sends a net to all tasks, and gets from each how wrong the net is for its examples and in which
 * direction it is less so. Prints a line with the time of one pass:
 *     @time seconds=SECONDS
 *
 * The directions are those of E. Polak and G. Ribiere. How far to go is tried: less far where that
 * was no good, and further next time where it was.
 */
#include "../crew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    INPUTS = 24,
    HIDDEN = 10,
    CLASSES = 4,
    UPPER = HIDDEN * (INPUTS + 1), /* where the weights of the outputs begin */
    WEIGHTS = UPPER + CLASSES * (HIDDEN + 1)
};

/* Tags. */
enum { READY, TRY, TRIED, END };

struct example {
    float inputs[INPUTS];
    int class;
};

/* Of a net and some examples: the sum of the squares of what is wrong, and its gradient. */
struct verdict {
    double error;
    double gradient[WEIGHTS];
};

/* What becomes of the net in the master. */
struct training {
    double first, last; /* errors */
    double net[WEIGHTS];
};

typedef void judge(const struct crew *crew, const double *net, struct verdict *sum);

static struct training trained; /* that of the master */

/* ---- examples ---- */

static int count_of(const struct crew *crew)
{
    return crew_number(crew, 0) / (int)sizeof(struct example);
}

static double part_of_one(uint64_t *state)
{
    return crew_random(state) / 4294967296.0;
}

/* The same for the same number, whoever has it. */
static void make_example(struct example *example, int number)
{
    uint64_t state = 88172645463325252u + (uint64_t)number;
    for (int i = 0; i < 4; i++)
        crew_random(&state);
    example->class = (int)(crew_random(&state) % CLASSES);
    for (int i = 0; i < INPUTS; i++)
        example->inputs[i] = (float)((example->class * 7 + i * 3) % 5 - 2) / 2 +
                             (float)(part_of_one(&state) - 0.5) * 3;
}

/* Those of a task, and how many. */
static struct example *make_examples(const struct crew *crew, int task, int *count)
{
    int first = crew_part(crew, count_of(crew), task);
    *count = crew_part(crew, count_of(crew), task + 1) - first;
    struct example *examples = crew_memory(sizeof *examples * (size_t)*count + 1);
    for (int i = 0; i < *count; i++)
        make_example(&examples[i], first + i);
    return examples;
}

/* ---- nets ---- */

/* What some units give for some inputs; each has a weight for each input, and one more. */
static void apply(const double *weights, int units, const double *inputs, int count,
                  double *outputs)
{
    for (int unit = 0; unit < units; unit++, weights += count + 1) {
        double sum = weights[count];
        for (int i = 0; i < count; i++)
            sum += weights[i] * inputs[i];
        outputs[unit] = tanh(sum);
    }
}

/* Adds what units' weights have to do with errors of what the units give; `blame`, if there is one,
 * gets what the inputs have to do with them. */
static void trace(const double *weights, int units, const double *inputs, int count,
                  const double *errors, double *gradient, double *blame)
{
    for (int unit = 0; unit < units; unit++, weights += count + 1, gradient += count + 1) {
        gradient[count] += errors[unit];
        for (int i = 0; i < count; i++) {
            gradient[i] += errors[unit] * inputs[i];
            if (blame)
                blame[i] += errors[unit] * weights[i];
        }
    }
}

static void judge_example(const double *net, const struct example *example, struct verdict *sum)
{
    double inputs[INPUTS], hidden[HIDDEN], outputs[CLASSES];
    double errors[CLASSES], blame[HIDDEN] = {0};
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = example->inputs[i];
    apply(net, HIDDEN, inputs, INPUTS, hidden);
    apply(net + UPPER, CLASSES, hidden, HIDDEN, outputs);
    for (int i = 0; i < CLASSES; i++) {
        double wrong = outputs[i] - (example->class == i ? 0.9 : -0.9);
        sum->error += wrong * wrong;
        errors[i] = 2 * wrong * (1 - outputs[i] * outputs[i]);
    }
    trace(net + UPPER, CLASSES, hidden, HIDDEN, errors, sum->gradient + UPPER, blame);
    for (int i = 0; i < HIDDEN; i++)
        blame[i] *= 1 - hidden[i] * hidden[i];
    trace(net, HIDDEN, inputs, INPUTS, blame, sum->gradient, NULL);
}

static void judge_examples(const double *net, const struct example *examples, int count,
                           struct verdict *sum)
{
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < count; i++)
        judge_example(net, &examples[i], sum);
}

static void add(struct verdict *sum, const struct verdict *more)
{
    sum->error += more->error;
    for (int i = 0; i < WEIGHTS; i++)
        sum->gradient[i] += more->gradient[i];
}

/* ---- training ---- */

static double product(const double *first, const double *second)
{
    double sum = 0;
    for (int i = 0; i < WEIGHTS; i++)
        sum += first[i] * second[i];
    return sum;
}

/* The next direction, at a net that is `new`, after `old`. Starts anew where it would lead up. */
static void turn(double *direction, const struct verdict *old, const struct verdict *new)
{
    double keep = (product(new->gradient, new->gradient) - product(new->gradient, old->gradient)) /
                  product(old->gradient, old->gradient);
    if (keep < 0)
        keep = 0;
    for (int i = 0; i < WEIGHTS; i++)
        direction[i] = keep * direction[i] - new->gradient[i];
    for (int i = 0; i < WEIGHTS && product(direction, new->gradient) >= 0; i++)
        direction[i] = -new->gradient[i];
}

static void start_net(double *net)
{
    uint64_t state = 1;
    for (int i = 0; i < WEIGHTS; i++)
        net[i] = (part_of_one(&state) - 0.5) / 4;
}

static void train(const struct crew *crew, judge *judge_all)
{
    struct training *training = &trained;
    struct verdict here, there;
    double direction[WEIGHTS] = {0}, net[WEIGHTS], step = 0.5 / count_of(crew);
    start_net(training->net);
    judge_all(crew, training->net, &here);
    training->first = here.error;
    turn(direction, &here, &here);
    for (int pass = 1; pass < crew_number(crew, 1); pass++) {
        for (int i = 0; i < WEIGHTS; i++)
            net[i] = training->net[i] + step * direction[i];
        judge_all(crew, net, &there);
        step *= there.error < here.error ? 1.5 : 0.4;
        if (there.error < here.error) {
            turn(direction, &here, &there);
            memcpy(training->net, net, sizeof net);
            here = there;
        }
    }
    training->last = here.error;
}

/* ---- alone ---- */

static struct {
    struct example *examples;
    int count;
} parts[CREW_MOST_TASKS];

static int parts_of(const struct crew *crew)
{
    return crew->tasks > 0 ? crew->tasks : 1;
}

/* As tasks do, part by part, so that sums are rounded alike. */
static void judge_parts(const struct crew *crew, const double *net, struct verdict *sum)
{
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < parts_of(crew); i++) {
        struct verdict one;
        judge_examples(net, parts[i].examples, parts[i].count, &one);
        add(sum, &one);
    }
}

void prepare(const struct crew *crew)
{
    (void)crew;
}

void solve_alone(const struct crew *crew)
{
    for (int i = 0; i < parts_of(crew); i++)
        parts[i].examples = make_examples(crew, i, &parts[i].count);
    train(crew, judge_parts);
    for (int i = 0; i < parts_of(crew); i++)
        free(parts[i].examples);
}

/* ---- with tasks ---- */

static void let_judge(const struct crew *crew, const double *net, struct verdict *sum)
{
    crew_begin();
    CHECK(pvm_pkdouble((double *)net, WEIGHTS, 1));
    CHECK(pvm_mcast((int *)crew->tids, crew->tasks, TRY));
    memset(sum, 0, sizeof *sum);
    for (int i = 0; i < crew->tasks; i++) {
        struct verdict one;
        crew_receive(crew->tids[i], TRIED);
        CHECK(pvm_upkdouble(&one.error, 1, 1));
        CHECK(pvm_upkdouble(one.gradient, WEIGHTS, 1));
        add(sum, &one);
    }
}

void lead(const struct crew *crew)
{
    for (int i = 0; i < crew->tasks; i++)
        crew_receive(crew->tids[i], READY);
    double begin = crew_now();
    train(crew, let_judge);
    printf("@time seconds=%.9f\n", (crew_now() - begin) / crew_number(crew, 1));
    crew_begin();
    CHECK(pvm_mcast((int *)crew->tids, crew->tasks, END));
}

static void send_verdict(const struct crew *crew, struct verdict *verdict)
{
    crew_begin();
    CHECK(pvm_pkdouble(&verdict->error, 1, 1));
    CHECK(pvm_pkdouble(verdict->gradient, WEIGHTS, 1));
    CHECK(pvm_send(crew->master, TRIED));
}

/* The tag of the message that has come from the master. */
static int next_order(const struct crew *crew)
{
    int tag;
    CHECK(pvm_bufinfo(CHECK(pvm_recv(crew->master, -1)), NULL, &tag, NULL));
    return tag;
}

void assist(const struct crew *crew)
{
    int count;
    struct example *examples = make_examples(crew, crew->me, &count);
    crew_begin();
    CHECK(pvm_send(crew->master, READY));
    while (next_order(crew) == TRY) {
        double net[WEIGHTS];
        struct verdict verdict;
        CHECK(pvm_upkdouble(net, WEIGHTS, 1));
        judge_examples(net, examples, count, &verdict);
        send_verdict(crew, &verdict);
    }
    free(examples);
}

/* The net has learnt, and is the same. */
int is_right(const struct crew *crew)
{
    struct training found = trained;
    solve_alone(crew);
    return found.last < found.first && found.last == trained.last &&
           memcmp(found.net, trained.net, sizeof found.net) == 0;
}
