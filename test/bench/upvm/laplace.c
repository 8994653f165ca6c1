/* Solves the equation of Laplace on a square, whose first side is warm, by Gauss-Jacobi.
 *
 * usage: laplace TASKS HOW SIZE SWEEPS        see crew.h
 *
 * The square has SIZE x SIZE points, each of which gets the average of its 4 neighbours in a sweep.
 * Each task has some of the lines of points, and exchanges those at its borders with the tasks
 * beside it once in 10 sweeps. So the result depends on how many tasks there are, and the
 * sequential program that it is compared with has as many parts.
 */
#include "../crew.h"

#include <stdlib.h>
#include <string.h>

enum { SWEEPS_BETWEEN = 10 };

/* Tags: the first ones are of the line that comes from the task before, or behind. */
enum { FROM_BEFORE, FROM_BEHIND, GO, RESULT };

/* Some lines, with one more on either side, and each line with one more point at either end. */
struct part {
    float *now, *next; /* what a sweep reads, and what it writes */
    int lines, width;
};

static float *square; /* that of the master: SIZE lines of SIZE points */

static int size_of(const struct crew *crew)
{
    return crew_number(crew, 0);
}

static int first_line(const struct crew *crew, int task)
{
    return crew_part(crew, size_of(crew), task);
}

/* The points of a line that change; line 0 is that before the first one of the part. */
static float *line_of(const struct part *part, int line)
{
    return part->now + line * part->width + 1;
}

/* What a point begins with. Those around the square keep it. */
static float start_of(int line, int point, int size)
{
    if (line == 0 || line == size + 1)
        return line == 0 ? 100 : 0;
    return (float)((line * 7 + point * 13) % 100);
}

static struct part make_part(const struct crew *crew, int task)
{
    int first = first_line(crew, task);
    struct part part = {.lines = first_line(crew, task + 1) - first, .width = size_of(crew) + 2};
    size_t points = (size_t)((part.lines + 2) * part.width);
    part.now = crew_memory(sizeof(float) * points);
    part.next = crew_memory(sizeof(float) * points);
    for (int line = 0; line <= part.lines + 1; line++)
        for (int i = 1; i < part.width - 1; i++)
            part.now[line * part.width + i] = start_of(first + line, i, size_of(crew));
    memcpy(part.next, part.now, sizeof(float) * points);
    return part;
}

static void free_part(struct part *part)
{
    free(part->now);
    free(part->next);
}

static void sweep(struct part *part)
{
    int width = part->width;
    float *now = part->now, *next = part->next;
    for (int line = 1; line <= part->lines; line++)
        for (int i = line * width + 1; i < (line + 1) * width - 1; i++)
            next[i] = (now[i - width] + now[i + width] + now[i - 1] + now[i + 1]) * 0.25f;
    part->now = next;
    part->next = now;
}

/* Sweeps until lines are to be exchanged. Gives how many are done then, of those in all. */
static int sweep_on(struct part *part, int done, int sweeps)
{
    for (int i = 0; i < SWEEPS_BETWEEN && done < sweeps; i++, done++)
        sweep(part);
    return done;
}

/* Both copies of a line beside the part get what the part there has in its own. */
static void set_line(struct part *part, int line, const float *points)
{
    size_t bytes = sizeof(float) * (size_t)(part->width - 2);
    memcpy(part->now + line * part->width + 1, points, bytes);
    memcpy(part->next + line * part->width + 1, points, bytes);
}

/* ---- alone ---- */

static void copy_lines(struct part *parts, int count)
{
    for (int i = 1; i < count; i++) {
        set_line(&parts[i], 0, line_of(&parts[i - 1], parts[i - 1].lines));
        set_line(&parts[i - 1], parts[i - 1].lines + 1, line_of(&parts[i], 1));
    }
}

static void take_part(const struct crew *crew, const struct part *part, int task)
{
    int size = size_of(crew);
    for (int line = 1; line <= part->lines; line++)
        memcpy(square + (first_line(crew, task) + line - 1) * size, line_of(part, line),
               sizeof(float) * (size_t)size);
}

void prepare(const struct crew *crew)
{
    size_t size = (size_t)size_of(crew);
    square = crew_memory(sizeof *square * size * size);
}

void solve_alone(const struct crew *crew)
{
    int count = crew->tasks > 0 ? crew->tasks : 1, sweeps = crew_number(crew, 1);
    struct part *parts = crew_memory(sizeof *parts * (size_t)count);
    for (int i = 0; i < count; i++)
        parts[i] = make_part(crew, i);
    for (int done = 0, next = 0; done < sweeps; done = next) {
        for (int i = 0; i < count; i++)
            next = sweep_on(&parts[i], done, sweeps);
        copy_lines(parts, count);
    }
    for (int i = 0; i < count; i++) {
        take_part(crew, &parts[i], i);
        free_part(&parts[i]);
    }
    free(parts);
}

/* ---- with tasks ---- */

void lead(const struct crew *crew)
{
    int size = size_of(crew);
    crew_begin();
    CHECK(pvm_mcast((int *)crew->tids, crew->tasks, GO));
    for (int task = 0; task < crew->tasks; task++) {
        int first = first_line(crew, task), points = (first_line(crew, task + 1) - first) * size;
        crew_receive(crew->tids[task], RESULT);
        CHECK(pvm_upkfloat(square + first * size, points, 1));
    }
}

static void send_line(const struct crew *crew, const struct part *part, int line, int to, int tag)
{
    crew_begin();
    CHECK(pvm_pkfloat(line_of(part, line), part->width - 2, 1));
    CHECK(pvm_send(crew->tids[to], tag));
}

static void receive_line(const struct crew *crew, struct part *part, int line, int from, int tag)
{
    crew_receive(crew->tids[from], tag);
    CHECK(pvm_upkfloat(line_of(part, line), part->width - 2, 1));
    memcpy(part->next + line * part->width, part->now + line * part->width,
           sizeof(float) * (size_t)part->width);
}

static void exchange(const struct crew *crew, struct part *part)
{
    int before = crew->me - 1, behind = crew->me + 1;
    if (before >= 0)
        send_line(crew, part, 1, before, FROM_BEHIND);
    if (behind < crew->tasks)
        send_line(crew, part, part->lines, behind, FROM_BEFORE);
    if (before >= 0)
        receive_line(crew, part, 0, before, FROM_BEFORE);
    if (behind < crew->tasks)
        receive_line(crew, part, part->lines + 1, behind, FROM_BEHIND);
}

static void send_result(const struct crew *crew, const struct part *part)
{
    crew_begin();
    for (int line = 1; line <= part->lines; line++)
        CHECK(pvm_pkfloat(line_of(part, line), part->width - 2, 1));
    CHECK(pvm_send(crew->master, RESULT));
}

void assist(const struct crew *crew)
{
    int sweeps = crew_number(crew, 1);
    struct part part = make_part(crew, crew->me);
    crew_receive(crew->master, GO);
    for (int done = 0; done < sweeps;) {
        done = sweep_on(&part, done, sweeps);
        exchange(crew, &part);
    }
    send_result(crew, &part);
    free_part(&part);
}

int is_right(const struct crew *crew)
{
    size_t size = (size_t)size_of(crew);
    float *found = square;
    prepare(crew);
    solve_alone(crew);
    return memcmp(found, square, sizeof *square * size * size) == 0;
}
