/*
 * order.h - what an origin asks of a target's process (service.h): the header of a message, with the
 * layout of the target's memory and the data behind it.
 *
 * The target carries out the orders of one origin in the order in which they were sent. An answer
 * is a message in the window's communicator with the tag that the order names.
 */
#ifndef MPI_WINDOWS_ORDER_H
#define MPI_WINDOWS_ORDER_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct items;
struct layout;

enum order_kind {
    ORDER_PUT,        /* with data */
    ORDER_GET,        /* answer: the data */
    ORDER_ACCUMULATE, /* with data */
    ORDER_FETCH,      /* with data; answer: what was there before */
    ORDER_SWAP,       /* with the value and what to compare to; answer: what was there before */
    ORDER_FLUSH,      /* answer: an error code, when all before it is done */
    ORDER_LOCK,       /* answer: nothing, when the origin has the lock */
    ORDER_UNLOCK,     /* answer: as of a flush, when the lock is given back */
};

struct order {
    int32_t kind;
    uint32_t window; /* the context in which the target receives */
    int32_t origin;  /* its rank */
    int32_t tag;     /* of the answer */
    int32_t element; /* the handle of the elements, of an operation */
    int32_t how;     /* the handle of the operation; or which lock */
    int64_t at;      /* bytes from the beginning of the memory; of a dynamic window the address */
    uint64_t layout_size; /* bytes; 0: there is none */
    uint64_t size;        /* bytes of the data */
};

/* The layout begins here, and the data where order_data says. */
#define ORDER_ALIGNMENT 16
size_t order_data(const struct order *order);

/* Most orders have so many bytes at most before their data, or with them. */
#define ORDER_SHORT 256

/*
 * Sends an order, with a layout unless that is NULL, and with data unless that is NULL; the sizes
 * are filled in. Returns when the data may change: MPI_SUCCESS or an error class.
 */
int order_send(uint32_t tid, struct order *order, const struct layout *layout,
               const struct items *data);

#endif
