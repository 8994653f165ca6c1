/* layout.h - what a datatype has in memory, as a tree.
 *
 * A leaf is a block of basic elements of one kind. A loop repeats what is below it at equal
 * distances, a list has parts at any places. Datatypes and layouts that are made of a layout
 * share it: it never changes. All displacements are in bytes, from the address of the element.
 */
#ifndef MPI_DATATYPES_LAYOUT_H
#define MPI_DATATYPES_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/datatypes/basic.h"

enum layout_kind { LAYOUT_BLOCK, LAYOUT_LOOP, LAYOUT_LIST };

struct layout_part {
    MPI_Count at;
    MPI_Count packed; /* bytes of the parts before it in the packed stream */
    const struct layout *layout;
};

struct layout {
    _Atomic uint32_t users;
    enum layout_kind kind;
    MPI_Count size;            /* bytes in the packed stream */
    MPI_Count low, high;       /* from the lowest to behind the highest byte in memory */
    MPI_Count elements;        /* basic elements */
    const struct basic *basic; /* of all elements; NULL: they differ */
    bool run;                  /* in memory it lies as in the packed stream, from low on */
    MPI_Count at, stride;      /* of a loop */
    MPI_Count count;           /* of a loop: how often; of a list: how many parts */
    const struct layout *body; /* of a loop */
    struct layout_part parts[];
};

/* They return NULL without memory, and never keep what they are given: all of it gets one more
 * user. */
const struct layout *layout_block(const struct basic *basic, MPI_Count count);
const struct layout *layout_loop(const struct layout *body, MPI_Count count, MPI_Count at,
                                 MPI_Count stride);

/* Of an element after the other: room for so many parts, to which layout_add adds one. */
struct layout *layout_list(MPI_Count parts);
bool layout_add(struct layout *list, const struct layout *part, MPI_Count at);
/* What the parts make: a list, or less. Takes the list over. */
const struct layout *layout_of_list(struct layout *list);

const struct layout *layout_keep(const struct layout *layout);
void layout_drop(const struct layout *layout);

/* Copies bytes offset to offset + size of the packed stream, which has as many, to or from a
 * stream. */
void layout_pack(const struct layout *layout, const char *memory, MPI_Count offset, MPI_Count size,
                 char *stream);
void layout_unpack(const struct layout *layout, char *memory, MPI_Count offset, MPI_Count size,
                   const char *stream);

/* How many basic elements the first bytes of the packed stream are; -1: one is not whole. */
MPI_Count layout_elements(const struct layout *layout, MPI_Count bytes);
/* How many bytes of the packed stream its first basic elements are, of which it has as many. */
MPI_Count layout_bytes(const struct layout *layout, MPI_Count elements);

/* Calls a function for each block, in the order of the packed stream. */
typedef void layout_visitor(void *state, char *memory, const struct basic *basic, MPI_Count count);
void layout_visit(const struct layout *layout, char *memory, layout_visitor *visit, void *state);

#endif
