/* flush.c - flushing a buffer as work. */
#include "mpi/messages/flush.h"

#include <stddef.h>

#include "mpi/messages/buffer.h"
#include "mpi/messages/request.h"

static bool flush_advance(struct work *work)
{
    const struct mpi_request *request =
        (const struct mpi_request *)(const void *)((const char *)work -
                                                   offsetof(struct mpi_request, work));
    return send_buffer_has_sent(request->owner);
}

/* What is not out yet is work itself. */
static void flush_pending(struct work *work, struct awaited *awaited)
{
    (void)work;
    (void)awaited;
}

int flush_begin(struct send_buffer *buffer, struct communicator *communicator, MPI_Request *handle)
{
    static const struct work_steps steps = {flush_advance, flush_pending};
    static const struct mpi_request_calls calls = {0};
    struct mpi_request *request = mpi_request_new(REQUEST_WORK, &calls, communicator);
    if (!request)
        return MPI_ERR_NO_MEM;
    request->owner = buffer;
    work_begin(&request->work, &steps);
    *handle = mpi_request_handle(request);
    return MPI_SUCCESS;
}
