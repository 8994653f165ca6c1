/*
 * communicator.h - what a communicator is: who its members are, and in which context they speak.
 *
 * Contexts. Each member chooses the contexts in which it receives, three numbers in a row that are
 * unique within its process, and tells the other members when the communicator is made. So nothing
 * has to be agreed on, and any number of threads may make communicators at once. A sender uses the
 * context of the receiver (communicator_context). Contexts are not used again.
 *
 * An inter-communicator has two groups. `local` is the communicator of its own group, for the
 * collectives and for MPI_Intercomm_merge; no program sees it.
 *
 * A communicator lives until MPI_Comm_free and all that was begun on it are over: each such
 * operation keeps a reference.
 */
#ifndef MPI_OBJECTS_COMMUNICATOR_H
#define MPI_OBJECTS_COMMUNICATOR_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/objects/attributes.h"
#include "mpi/objects/group.h"
#include "mpi/objects/object.h"

struct error_handler;
struct info;
struct send_buffer;
struct topology;

/* What is added to a communicator's context. */
enum {
    CONTEXT_MESSAGES = 0,    /* what the program sends */
    CONTEXT_COLLECTIVES = 1, /* collectives, and communicators that are made */
    CONTEXT_LOCAL = 2,       /* messages of `local` of an inter-communicator */
    CONTEXTS_EACH = 4
};

/* Contexts of MPI have this bit, those of PVM do not. */
#define CONTEXT_MPI    UINT32_C(0x40000000)
#define CONTEXT_WORLD  (CONTEXT_MPI)
#define CONTEXT_SELF   (CONTEXT_MPI + CONTEXTS_EACH)
/* Tasks that have no communicator in common make one in this context. */
#define CONTEXT_GROUPS (CONTEXT_MPI + 2 * CONTEXTS_EACH)

struct communicator {
    struct object object;
    struct group *group;           /* the own group */
    struct group *remote;          /* of an inter-communicator; otherwise NULL */
    int rank;                      /* in the own group */
    uint32_t context;              /* in which this task receives */
    uint32_t *contexts;            /* of those who are sent to, by rank; NULL: `context` for all */
    struct communicator *local;    /* of an inter-communicator; otherwise NULL */
    atomic_uint collectives;       /* how many were begun; gives each a tag */
    struct topology *topology;     /* one block of memory; NULL: none */
    struct error_handler *handler; /* NULL: MPI_ERRORS_ARE_FATAL */
    struct attributes attributes;
    struct info *info;               /* hints; NULL: none */
    struct send_buffer *send_buffer; /* attached by the program; NULL: none */
    atomic_bool deaths;              /* some member is dead (deaths.h) */
    int number;                      /* by which the kernel is told of them */
    struct communicator *next;       /* of all in the process, */
    struct communicator *previous;   /* in both directions */
    char name[MPI_MAX_OBJECT_NAME];
};

/*
 * An intra-communicator of `group` (remote NULL) or an inter-communicator, with one reference. Takes
 * over the references to both groups and the array of contexts, also when it fails: NULL without
 * memory.
 */
struct communicator *communicator_new(struct group *group, struct group *remote, uint32_t context,
                                      uint32_t *contexts);

/* Makes `local`, for members of the own group that receive in those contexts. Takes them over. */
int communicator_set_local(struct communicator *inter, uint32_t *contexts);

/* Contexts that this process has not used yet. */
uint32_t communicator_new_context(void);

/* The communicator of a handle; NULL for MPI_COMM_NULL and whatever is no communicator. */
struct communicator *communicator_of(MPI_Comm handle);
MPI_Comm communicator_handle(struct communicator *communicator);

/*
 * MPI_COMM_WORLD and MPI_COMM_SELF, from MPI_Init on. Takes over the references. NULL twice after
 * MPI_Finalize, which drops them.
 */
void communicator_set_predefined(struct communicator *world, struct communicator *self);

struct communicator *communicator_keep(struct communicator *communicator);
void communicator_drop(struct communicator *communicator);

/* The group that is sent to, and received from. */
static inline struct group *communicator_peers(const struct communicator *communicator)
{
    return communicator->remote ? communicator->remote : communicator->group;
}

/* The context in which the peer of that rank receives; plus CONTEXT_COLLECTIVES for collectives. */
static inline uint32_t communicator_context(const struct communicator *communicator, int rank)
{
    return communicator->contexts ? communicator->contexts[rank] : communicator->context;
}

#endif
