#include "mpi/windows/order.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/datatypes/layout_message.h"
#include "mpi/messages/transfer.h"
#include "mpi/objects/communicator.h"
#include "mpi/schedules/items.h"

/* An order that is on its way out. */
struct order_out {
    const char *head;
    size_t head_size;
    const struct items *data;
};

size_t order_data(const struct order *order)
{
    size_t size = sizeof *order + order->layout_size;
    return (size + ORDER_ALIGNMENT - 1) / ORDER_ALIGNMENT * ORDER_ALIGNMENT;
}

static void order_pack_data(const struct items *data, size_t offset, void *to, size_t size)
{
    if (data->datatype)
        datatype_pack(data->datatype, data->buffer, data->count, offset, to, size);
    else
        memcpy(to, (const char *)data->buffer + offset, size);
}

static void order_pack(const void *from, size_t offset, void *to, size_t size)
{
    const struct order_out *out = from;
    size_t head = 0;
    if (offset < out->head_size) {
        head = out->head_size - offset < size ? out->head_size - offset : size;
        memcpy(to, out->head + offset, head);
    }
    if (size > head)
        order_pack_data(out->data, offset + head - out->head_size, (char *)to + head, size - head);
}

/* With room for the head, which is written there. */
static int order_send_by(uint32_t tid, const struct order *order, char *head,
                         const struct layout *layout, const struct items *data)
{
    const struct order_out out = {head, order_data(order), data};
    memset(head, 0, out.head_size);
    memcpy(head, order, sizeof *order);
    if (layout)
        layout_write(layout, head + sizeof *order);
    const struct kernel_letter letter = {.destination = tid,
                                         .context = KERNEL_ORDERS,
                                         .size = out.head_size + order->size,
                                         .pack = order_pack,
                                         .from = &out};
    return transfer_error(kernel_send(&letter));
}

int order_send(uint32_t tid, struct order *order, const struct layout *layout,
               const struct items *data)
{
    _Alignas(ORDER_ALIGNMENT) char few[ORDER_SHORT];
    order->layout_size = layout ? layout_write_size(layout) : 0;
    order->size = data ? items_bytes(data) : 0;
    if (order_data(order) <= sizeof few)
        return order_send_by(tid, order, few, layout, data);
    char *head = malloc(order_data(order));
    if (!head)
        return MPI_ERR_NO_MEM;
    int error = order_send_by(tid, order, head, layout, data);
    free(head);
    return error;
}
