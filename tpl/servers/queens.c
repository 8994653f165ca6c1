/* queens.c - each row has one queen; sets of columns are bits. */
#include "queens.h"

/* The ways for this row and those below, with what is threatened in this row. */
static double solve(int queens, int row, unsigned columns, unsigned left, unsigned right)
{
    double ways = row == queens;
    unsigned places = ((1U << queens) - 1) & ~(columns | left | right);
    for (; places; places &= places - 1) {
        unsigned place = places & -places;
        ways += solve(queens, row + 1, columns | place, (left | place) << 1, (right | place) >> 1);
    }
    return ways;
}

/* The parts share the places of the first two queens. */
double queens_part(int queens, int part, int parts)
{
    double ways = 0;
    for (int places = part; places < queens * queens; places += parts) {
        unsigned first = 1U << places / queens, second = 1U << places % queens;
        if ((second & (first | first << 1 | first >> 1)) == 0)
            ways += solve(queens, 2, first | second, (first << 1 | second) << 1,
                          (first >> 1 | second) >> 1);
    }
    return ways;
}
