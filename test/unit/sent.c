/* sent.c - a queue in place of the router. */
#include "sent.h"

#include "daemon/post/router.h"
#include "unit.h"

#define MOST 32

static struct {
    struct message *messages[MOST];
    uint32_t destinations[MOST];
    int count;
    struct message *read; /* the one that was expected last */
    struct control_reader body;
} sent;

void router_send(struct daemon *daemon, uint32_t destination, struct message *message)
{
    assert_non_null(daemon);
    assert_true(control_is_whole(message));
    assert_in_range(sent.count, 0, MOST - 1);
    sent.destinations[sent.count] = destination;
    sent.messages[sent.count++] = message;
}

int sent_count(void)
{
    return sent.count;
}

int32_t sent_wait(void)
{
    assert_true(sent.count > 0);
    return sent.messages[0]->header.wait;
}

struct control_reader *sent_expect(uint32_t destination, int32_t tag, int32_t context, int32_t wait)
{
    assert_true(sent.count > 0);
    uint32_t went_to = sent.destinations[0];
    message_free(sent.read);
    sent.read = sent.messages[0];
    sent.count--;
    memmove(sent.messages, sent.messages + 1, (size_t)sent.count * sizeof *sent.messages);
    memmove(sent.destinations, sent.destinations + 1,
            (size_t)sent.count * sizeof *sent.destinations);
    assert_int_equal(went_to, destination);
    assert_int_equal(sent.read->header.tag, tag);
    assert_int_equal(sent.read->header.context, context);
    assert_int_equal(sent.read->header.wait, wait);
    control_read(&sent.body, sent.read);
    return &sent.body;
}

void sent_forget(void)
{
    message_free(sent.read);
    sent.read = NULL;
    while (sent.count > 0)
        message_free(sent.messages[--sent.count]);
}
