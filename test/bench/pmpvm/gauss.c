/* Gaussian elimination: what is the determinant of a matrix?
 *
 * usage: gauss TASKS HOW SIZE        see crew.h
 *
 * The matrix has SIZE x SIZE elements, which stand column by column. Each task makes the whole
 * matrix and works on a range of columns. The task that has the pivot's column computes the
 * multipliers and sends them to the tasks behind it, at once. The master multiplies the parts of
 * the determinant that it gets. The diagonal is large, so that rows need no exchange.
 */
#include "../crew.h"

#include <math.h>
#include <stdlib.h>

enum { BEGIN, MULTIPLIERS, PRODUCT };

static double *shared; /* that of the master */
static double determinant;

static int size_of(const struct crew *crew)
{
    return crew_number(crew, 0);
}

static double *make_matrix(int size)
{
    double *matrix = crew_memory(sizeof *matrix * (size_t)size * (size_t)size);
    double unit = 1 / ((double)UINT32_MAX * size);
    uint64_t state = 1;
    for (int i = 0; i < size * size; i++)
        matrix[i] = (crew_random(&state) - UINT32_MAX / 2.0) * unit;
    for (int i = 0; i < size; i++)
        matrix[i * size + i] = 0.75 + size * matrix[i * size + i] / 2;
    return matrix;
}

/* The multipliers take the place of the elements below the pivot; gives the pivot. */
static double divide(double *column, int pivot, int size)
{
    for (int i = pivot + 1; i < size; i++)
        column[i] /= column[pivot];
    return column[pivot];
}

static void eliminate(double *column, const double *multipliers, int pivot, int size)
{
    for (int i = pivot + 1; i < size; i++)
        column[i] -= multipliers[i] * column[pivot];
}

void prepare(const struct crew *crew)
{
    shared = make_matrix(size_of(crew));
}

void solve_alone(const struct crew *crew)
{
    int size = size_of(crew);
    determinant = 1;
    for (int pivot = 0; pivot < size; pivot++) {
        double *multipliers = shared + pivot * size;
        determinant *= divide(multipliers, pivot, size);
        for (int i = pivot + 1; i < size; i++)
            eliminate(shared + i * size, multipliers, pivot, size);
    }
}

void lead(const struct crew *crew)
{
    crew_begin();
    CHECK(pvm_mcast((int *)crew->tids, crew->tasks, BEGIN));
    determinant = 1;
    for (int task = 0; task < crew->tasks; task++) {
        double product;
        crew_receive(crew->tids[task], PRODUCT);
        CHECK(pvm_upkdouble(&product, 1, 1));
        determinant *= product;
    }
}

static void send_multipliers(const struct crew *crew, double *multipliers, int count)
{
    int behind = crew->tasks - 1 - crew->me;
    if (behind == 0)
        return;
    crew_begin();
    crew_pack_doubles(crew, multipliers, count);
    CHECK(pvm_mcast((int *)crew->tids + crew->me + 1, behind, MULTIPLIERS));
}

/* The multipliers of the columns that belong to the tasks before this one. */
static void use_others(const struct crew *crew, double *matrix, int first, int end)
{
    int size = size_of(crew);
    for (int pivot = 0, owner = 0; pivot < first; pivot++) {
        double *multipliers = matrix + pivot * size;
        while (crew_part(crew, size, owner + 1) <= pivot)
            owner++;
        crew_receive(crew->tids[owner], MULTIPLIERS);
        crew_unpack_doubles(crew, multipliers + pivot + 1, size - pivot - 1);
        for (int i = first; i < end; i++)
            eliminate(matrix + i * size, multipliers, pivot, size);
    }
}

/* Gives the product of the pivots of this task. */
static double use_own(const struct crew *crew, double *matrix, int first, int end)
{
    int size = size_of(crew);
    double product = 1;
    for (int pivot = first; pivot < end; pivot++) {
        double *multipliers = matrix + pivot * size;
        product *= divide(multipliers, pivot, size);
        send_multipliers(crew, multipliers + pivot + 1, size - pivot - 1);
        for (int i = pivot + 1; i < end; i++)
            eliminate(matrix + i * size, multipliers, pivot, size);
    }
    return product;
}

void assist(const struct crew *crew)
{
    int size = size_of(crew);
    int first = crew_part(crew, size, crew->me), end = crew_part(crew, size, crew->me + 1);
    crew_receive(crew->master, BEGIN);
    double *matrix = crew->hybrid ? shared : make_matrix(size);
    use_others(crew, matrix, first, end);
    double product = use_own(crew, matrix, first, end);
    crew_begin();
    CHECK(pvm_pkdouble(&product, 1, 1));
    CHECK(pvm_send(crew->master, PRODUCT));
    if (!crew->hybrid)
        free(matrix);
}

/* The parts of the determinant are multiplied in another order. */
int is_right(const struct crew *crew)
{
    double found = determinant;
    prepare(crew);
    solve_alone(crew);
    return fabs(found / determinant - 1) < 1e-9;
}
