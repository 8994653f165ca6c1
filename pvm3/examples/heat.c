/*
 * heat.c - heat spreads over a plate, which is cut into bands of rows, one for each task.
 *
 * usage: heat [SIZE [STEPS [TASKS]]]    200 by 200 points, 100 steps, 4 tasks
 *
 * In each step a point becomes the mean of its four neighbours. A task needs the rows next to its
 * band, and so gets them from its neighbours before each step. In the end the first task puts the
 * bands together and compares them with what it computes alone: every bit must be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

enum { PLAN = 1, ROW = 2, BAND = 3, MOST_TASKS = 100, NOBODY = -1 };

struct plan {
    int size;
    int steps;
    int tasks;
    int tids[MOST_TASKS]; /* from the top to the bottom */
};

/* Rows of the plate, between two more that belong to the neighbours, or are its edge. */
struct band {
    int rows;
    int width;      /* with the edges on the left and right */
    double *now;    /* (rows + 2) * width points */
    double *before; /* the same, a step earlier */
};

static int first_row(const struct plan *plan, int place)
{
    return plan->size * place / plan->tasks;
}

static double *band_row(const struct band *band, int row)
{
    return band->now + (size_t)row * (size_t)band->width;
}

/* All points are cold but those of the plate's upper edge. */
static void band_create(struct band *band, int rows, int size, int top)
{
    size_t points = (size_t)(rows + 2) * (size_t)(size + 2);

    *band = (struct band){.rows = rows, .width = size + 2};
    band->now = calloc(points, sizeof *band->now);
    band->before = calloc(points, sizeof *band->before);
    if (!band->now || !band->before) {
        fprintf(stderr, "heat: not enough memory for %zu points\n", 2 * points);
        pvm_exit();
        exit(EXIT_FAILURE);
    }
    for (int i = 0; top && i < band->width; i++)
        band->now[i] = band->before[i] = 100;
}

static void band_destroy(struct band *band)
{
    free(band->now);
    free(band->before);
}

static void band_step(struct band *band)
{
    size_t width = (size_t)band->width;
    double *new = band->before, *old = band->now;

    for (size_t row = 1; row <= (size_t)band->rows; row++)
        for (size_t i = row * width + 1; i < (row + 1) * width - 1; i++)
            new[i] = (old[i - width] + old[i + width] + old[i - 1] + old[i + 1]) / 4;
    band->now = new;
    band->before = old;
}

static void row_send(const struct band *band, int row, int to)
{
    if (to == NOBODY)
        return;
    pvm_initsend(PvmDataDefault);
    pvm_pkdouble(band_row(band, row), band->width, 1);
    pvm_send(to, ROW);
}

/* The rows of the neighbours may be edges of the plate, which stay as they are in both arrays. */
static void row_receive(const struct band *band, int row, int from)
{
    if (from == NOBODY)
        return;
    pvm_recv(from, ROW);
    pvm_upkdouble(band_row(band, row), band->width, 1);
}

/* The part of one task. First both sends, then both receives: pvm_send does not wait for those. */
static void band_compute(struct band *band, const struct plan *plan, int place)
{
    int above = place > 0 ? plan->tids[place - 1] : NOBODY;
    int below = place < plan->tasks - 1 ? plan->tids[place + 1] : NOBODY;

    for (int step = 0; step < plan->steps; step++) {
        row_send(band, 1, above);
        row_send(band, band->rows, below);
        row_receive(band, 0, above);
        row_receive(band, band->rows + 1, below);
        band_step(band);
    }
}

static void be_part(int parent)
{
    struct plan plan;
    struct band band;
    int place = 0;

    pvm_recv(parent, PLAN);
    pvm_upkint(&plan.size, 1, 1);
    pvm_upkint(&plan.steps, 1, 1);
    pvm_upkint(&plan.tasks, 1, 1);
    pvm_upkint(plan.tids, plan.tasks, 1);
    while (plan.tids[place] != pvm_mytid())
        place++;
    band_create(&band, first_row(&plan, place + 1) - first_row(&plan, place), plan.size, 0);
    band_compute(&band, &plan, place);
    pvm_initsend(PvmDataDefault);
    pvm_pkdouble(band_row(&band, 1), band.rows * band.width, 1);
    pvm_send(parent, BAND);
    band_destroy(&band);
}

/* Returns 0 if all went well. */
static int start_others(struct plan *plan)
{
    int others = plan->tasks - 1, parameters[3] = {plan->size, plan->steps, plan->tasks};

    plan->tids[0] = pvm_mytid();
    if (others == 0)
        return 0;
    int started = pvm_spawn("heat", NULL, PvmTaskDefault, NULL, others, plan->tids + 1);
    if (started != others) {
        fprintf(stderr, "heat: not all of %d tasks could be started\n", others);
        for (int i = 1; i <= started; i++)
            pvm_kill(plan->tids[i]);
        return -1;
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(parameters, 3, 1);
    pvm_pkint(plan->tids, plan->tasks, 1);
    return pvm_mcast(plan->tids + 1, others, PLAN);
}

/* The whole plate, computed by all tasks. */
static void compute_together(struct band *plate, const struct plan *plan)
{
    struct band own;

    band_create(&own, first_row(plan, 1), plan->size, 1);
    band_compute(&own, plan, 0);
    band_create(plate, plan->size, plan->size, 1);
    memcpy(band_row(plate, 1), band_row(&own, 1),
           (size_t)own.rows * (size_t)own.width * sizeof(double));
    band_destroy(&own);
    for (int place = 1; place < plan->tasks; place++) {
        int first = first_row(plan, place), rows = first_row(plan, place + 1) - first;
        pvm_recv(plan->tids[place], BAND);
        pvm_upkdouble(band_row(plate, first + 1), rows * plate->width, 1);
    }
}

static void compute_alone(struct band *plate, const struct plan *plan)
{
    band_create(plate, plan->size, plan->size, 1);
    for (int step = 0; step < plan->steps; step++)
        band_step(plate);
}

int main(int argc, char **argv)
{
    struct plan plan = {.size = argc > 1 ? atoi(argv[1]) : 200,
                        .steps = argc > 2 ? atoi(argv[2]) : 100,
                        .tasks = argc > 3 ? atoi(argv[3]) : 4};
    struct band together, alone;
    int parent = pvm_parent();

    if (parent > 0) {
        be_part(parent);
        pvm_exit();
        return EXIT_SUCCESS;
    }
    if (plan.tasks < 1 || plan.tasks > MOST_TASKS || plan.size < plan.tasks || plan.size > 20000 ||
        plan.steps < 0) {
        fprintf(stderr,
                "usage: heat [SIZE [STEPS [TASKS]]], at most %d tasks and no more than rows\n",
                MOST_TASKS);
        return EXIT_FAILURE;
    }
    if (start_others(&plan) < 0) {
        pvm_exit();
        return EXIT_FAILURE;
    }
    compute_together(&together, &plan);
    compute_alone(&alone, &plan);
    int equal = memcmp(together.now, alone.now,
                       (size_t)(plan.size + 2) * (size_t)together.width * sizeof(double)) == 0;
    printf("%d by %d points, %d steps, %d tasks: %s to the computation of one task, %.3f degrees "
           "below the middle of the hot edge\n",
           plan.size, plan.size, plan.steps, plan.tasks, equal ? "equal" : "NOT EQUAL",
           band_row(&together, 1)[plan.size / 2]);
    band_destroy(&together);
    band_destroy(&alone);
    pvm_exit();
    return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
