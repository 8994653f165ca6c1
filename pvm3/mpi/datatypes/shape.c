#include "mpi/datatypes/shape.h"

/* One bound of the new type: a marked one of its parts wins over all that are not. */
static void join(MPI_Count *bound, bool *marked, bool begun, MPI_Count other, bool other_marked,
                 bool lower)
{
    bool better = lower ? other < *bound : other > *bound;

    if (!begun || (other_marked && !*marked) || (other_marked == *marked && better))
        *bound = other;
    *marked = *marked || other_marked;
}

void shape_add_row(struct shape *shape, const struct datatype *type, MPI_Count at, MPI_Count count)
{
    MPI_Count last = (count - 1) * type->extent;
    MPI_Count lb = at + type->lb + (last < 0 ? last : 0);
    MPI_Count ub = at + type->lb + type->extent + (last > 0 ? last : 0);

    if (count == 0)
        return;
    join(&shape->lb, &shape->lb_marked, shape->begun, lb, type->lb_marked, true);
    join(&shape->ub, &shape->ub_marked, shape->begun, ub, type->ub_marked, false);
    if (type->alignment > shape->alignment)
        shape->alignment = type->alignment;
    shape->begun = true;
}
