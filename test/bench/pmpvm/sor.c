/* How does heat spread over a surface?
 *
 * usage: sor TASKS HOW SIZE ITERATIONS        see crew.h
 *
 * The surface has SIZE x SIZE places. Its border stays cold, and its centre is hot at the
 * beginning. In each iteration a place gets the average of its 8 neighbours. The master sends each
 * task its rows with the rows on both sides, and gets the new rows back.
 */
#include "../crew.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS, RESULT };

/* Those of the master: the one that is read, and the one that is written, by turns. */
static double *surfaces[2];

static int size_of(const struct crew *crew)
{
    return crew_number(crew, 0);
}

static int iterations_of(const struct crew *crew)
{
    return crew_number(crew, 1);
}

/* The first row of a task; the border belongs to nobody. */
static int first_row(const struct crew *crew, int task)
{
    return 1 + crew_part(crew, size_of(crew) - 2, task);
}

/* New values of some rows, behind the first one, which is the row before them. */
static void relax(const double *old, double *new, int rows, int size)
{
    for (int row = 1; row <= rows; row++)
        for (int i = row * size + 1; i < (row + 1) * size - 1; i++)
            new[i] = (old[i - size - 1] + old[i - size] + old[i - size + 1] + old[i - 1] +
                      old[i + 1] + old[i + size - 1] + old[i + size] + old[i + size + 1]) /
                     8;
}

static void set_surfaces(int size)
{
    for (int i = 0; i < 2; i++)
        surfaces[i] = crew_memory(sizeof(double) * (size_t)(size * size));
    surfaces[0][size / 2 * size + size / 2] = 100;
}

void prepare(const struct crew *crew)
{
    set_surfaces(size_of(crew));
}

void solve_alone(const struct crew *crew)
{
    int size = size_of(crew);
    for (int i = 0; i < iterations_of(crew); i++)
        relax(surfaces[i % 2], surfaces[(i + 1) % 2], size - 2, size);
}

void lead(const struct crew *crew)
{
    int size = size_of(crew);
    for (int i = 0; i < iterations_of(crew); i++) {
        for (int task = 0; task < crew->tasks; task++) {
            int first = first_row(crew, task), rows = first_row(crew, task + 1) - first;
            crew_begin();
            crew_pack_doubles(crew, surfaces[i % 2] + (first - 1) * size, (rows + 2) * size);
            CHECK(pvm_send(crew->tids[task], ROWS));
        }
        for (int task = 0; task < crew->tasks; task++) {
            int first = first_row(crew, task), rows = first_row(crew, task + 1) - first;
            crew_receive(crew->tids[task], RESULT);
            crew_unpack_doubles(crew, surfaces[(i + 1) % 2] + first * size, rows * size);
        }
    }
}

/* The memory of a task for its rows and the two beside them. */
static void set_own(const struct crew *crew, double *own[2], int first, int rows)
{
    int size = size_of(crew);
    for (int i = 0; i < 2; i++)
        own[i] = crew->hybrid ? surfaces[i] + (first - 1) * size
                              : crew_memory(sizeof(double) * (size_t)((rows + 2) * size));
}

void assist(const struct crew *crew)
{
    int size = size_of(crew), first = first_row(crew, crew->me);
    int rows = first_row(crew, crew->me + 1) - first;
    double *own[2];
    set_own(crew, own, first, rows);
    for (int i = 0; i < iterations_of(crew); i++) {
        double *old = own[i % 2], *new = own[(i + 1) % 2];
        crew_receive(crew->master, ROWS);
        crew_unpack_doubles(crew, old, (rows + 2) * size);
        relax(old, new, rows, size);
        crew_begin();
        crew_pack_doubles(crew, new + size, rows * size);
        CHECK(pvm_send(crew->master, RESULT));
    }
    for (int i = 0; i < 2 && !crew->hybrid; i++)
        free(own[i]);
}

int is_right(const struct crew *crew)
{
    int size = size_of(crew), last = iterations_of(crew) % 2;
    double *result = surfaces[last];
    set_surfaces(size);
    solve_alone(crew);
    return memcmp(result, surfaces[last], sizeof(double) * (size_t)(size * size)) == 0;
}
