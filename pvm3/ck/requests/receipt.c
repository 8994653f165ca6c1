/* receipt.c - tells the sender of a message that a receive has it, if the sender waits for that. */
#include "ck/base/cancel.h"
#include "ck/endpoint/endpoint.h"

void endpoint_accept(struct endpoint *endpoint, const struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (!dialect->receipt || !message || message->header.wait == 0)
        return;
    HOLD_OFF_CANCELLATION; /* a receive of what has come does not */
    struct message *receipt = dialect->receipt(message);
    if (!receipt)
        return;
    receipt->header.wait = message->header.wait;
    const struct parcel parcel = {receipt, message->header.source};
    endpoint_send(endpoint, &parcel, false); /* if the endpoint is lost, the sender knows */
    message_free(receipt);
}

void endpoint_send_receipts(struct endpoint *endpoint)
{
    struct message *receipt;
    do {
        lock_acquire(&endpoint->waiting->lock);
        receipt = endpoint->receipts;
        if (receipt)
            endpoint->receipts = receipt->next;
        lock_release(&endpoint->waiting->lock);
        if (receipt) {
            const struct parcel parcel = {receipt, receipt->header.destination};
            receipt->next = NULL;
            endpoint_send(endpoint, &parcel, false);
            message_free(receipt);
        }
    } while (receipt);
}
