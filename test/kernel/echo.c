/*
 * echo.c - an owner of the Communication Kernel that is not PVM: a server that sends back what it
 * gets, a client, and a post that carries bytes between them as their daemon.
 *
 * usage: echo [BYTES MESSAGES BATCHES]     8 1000 3
 *
 * Prints for each batch a line "@echo ns=N", the nanoseconds of a message and its answer. Both are
 * written by the sender and read by the receiver; the server sends the very message that it got.
 * Exits 1 with a line when an answer is not what was asked.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ck/endpoint/endpoint.h"
#include "core/spin.h"

#define SHARED ((size_t)64 << 20)

enum { MOST_BYTES = 1 << 20 };

/* Addresses, which say whose they are and no more. Client and server are on one host. */
enum { POST = 1, NEWCOMER, CLIENT, SERVER };
enum { ECHO_WORDS = 1, ECHO_DATA }; /* contexts */

static int bytes = 8, messages = 1000, batches = 3;

static void fail(const char *what)
{
    fprintf(stderr, "echo: %s\n", what);
    exit(1);
}

/*
 * Its own dialect: a word is the tag of a message. There are no direct routes, and no daemon that
 * knows who is over.
 */

static enum word echo_word(const struct message_header *header)
{
    return (enum word)header->tag;
}

static struct message *echo_fence(uint32_t number)
{
    struct message *fence = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    if (!fence)
        return NULL;
    fence->header.tag = WORD_FENCE;
    fence->header.context = ECHO_WORDS;
    if (message_append_copy(fence, &number, sizeof number) == 0)
        return fence;
    message_free(fence);
    return NULL;
}

static uint32_t echo_take_fence(const struct message *fence)
{
    struct cursor cursor = {0, 0};
    unsigned char *data;
    size_t length;
    uint32_t number = 0;
    if (message_next_fragment(fence, &cursor, &data, &length) && length == sizeof number)
        memcpy(&number, data, sizeof number);
    return number;
}

static struct message *echo_watch(uint32_t peer)
{
    (void)peer;
    return NULL;
}

static uint32_t echo_take_over(const struct message *message)
{
    (void)message;
    return 0;
}

static bool echo_is_endpoint(uint32_t address)
{
    return address == CLIENT || address == SERVER;
}

static bool echo_on_one_host(uint32_t one, uint32_t other)
{
    return echo_is_endpoint(one) && echo_is_endpoint(other);
}

static const struct dialect echo_dialect = {.addressing = {.daemon = POST,
                                                           .newcomer = NEWCOMER,
                                                           .is_endpoint = echo_is_endpoint,
                                                           .on_one_host = echo_on_one_host},
                                            .context = ECHO_WORDS,
                                            .word = echo_word,
                                            .fence = echo_fence,
                                            .watch = echo_watch,
                                            .take_fence = echo_take_fence,
                                            .take_over = echo_take_over};

/* The owner. ----------------------------------------------------------------------------------- */

static bool echo_wants(void *owner, const struct message_header *header)
{
    (void)owner, (void)header;
    return false;
}

static void echo_report(void *owner, const char *reason)
{
    (void)owner, (void)reason;
}

static void echo_discard(void *owner, struct message *message)
{
    (void)owner;
    message_free(message);
}

static void echo_routed(void *owner, uint32_t peer, int descriptor)
{
    (void)owner, (void)peer, (void)descriptor;
}

static void echo_begin(struct engine *engine, struct endpoint *endpoint,
                       const struct sockaddr_un *post, uint32_t own)
{
    const struct endpoint_owner owner = {.wants = echo_wants,
                                         .lost = echo_report,
                                         .dropped = echo_report,
                                         .discard = echo_discard,
                                         .routed = echo_routed,
                                         .dialect = &echo_dialect};
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(descriptor, (const struct sockaddr *)post, sizeof *post) < 0 ||
        engine_init(engine) < 0 || endpoint_init(endpoint, engine, &owner) < 0 ||
        endpoint_attach(endpoint, descriptor) < 0)
        fail("there is no endpoint");
    engine_share(engine, SHARED, 0);
    engine_set_spin(engine, SPIN_AUTO, (int)sysconf(_SC_NPROCESSORS_ONLN)); /* as PVM does */
    endpoint_open(endpoint, own, 0);
}

static struct message *echo_receive(struct endpoint *endpoint, uint32_t from)
{
    const struct pattern pattern = {.source = from, .tag = PATTERN_ANY, .context = ECHO_DATA};
    struct message *message = NULL;
    if (endpoint_receive(endpoint, &pattern, NULL, &message) < 0)
        fail("nothing comes any more");
    return message;
}

static void echo_send(struct endpoint *endpoint, struct message *message, uint32_t to)
{
    const struct parcel parcel = {message, to};
    if (endpoint_send(endpoint, &parcel, false) < 0)
        fail("cannot send");
}

/* The three processes. ------------------------------------------------------------------------- */

static void serve(struct endpoint *endpoint)
{
    for (int i = 0; i < messages * batches; i++) {
        struct message *message = echo_receive(endpoint, CLIENT);
        echo_send(endpoint, message, CLIENT);
        message_free(message);
    }
}

/* One round; `sent` is used again. */
static void ask(struct endpoint *endpoint, struct message *sent, int number)
{
    static char text[MOST_BYTES], answer[MOST_BYTES];
    memcpy(text, &number, sizeof number);
    message_renew(sent, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    sent->header.context = ECHO_DATA;
    if (message_append_copy(sent, text, (size_t)bytes) < 0)
        fail("no memory");
    echo_send(endpoint, sent, SERVER);
    struct message *message = echo_receive(endpoint, SERVER);
    struct cursor cursor = {0, 0};
    unsigned char *data;
    size_t length, got = 0;
    while (got < (size_t)bytes && message_next_fragment(message, &cursor, &data, &length)) {
        memcpy(answer + got, data, length);
        got += length;
    }
    if (message->length != (size_t)bytes || memcmp(answer, text, (size_t)bytes) != 0)
        fail("the answer is another message");
    message_free(message);
}

static void measure(struct endpoint *endpoint)
{
    struct message *sent = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    for (int batch = 0; batch < batches; batch++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int i = 0; i < messages; i++)
            ask(endpoint, sent, batch * messages + i);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double taken =
            (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
        printf("@echo ns=%.1f\n", taken / messages);
    }
    message_free(sent);
}

static void take_part(const struct sockaddr_un *post, uint32_t own)
{
    static struct engine engine;
    static struct endpoint endpoint;
    echo_begin(&engine, &endpoint, post, own);
    if (own == SERVER)
        serve(&endpoint);
    else
        measure(&endpoint);
    endpoint_detach(&endpoint);
    endpoint_destroy(&endpoint);
    engine_destroy(&engine);
    fflush(stdout);
    _exit(0);
}

static bool carry(int from, int to)
{
    char buffer[1 << 16];
    ssize_t got = read(from, buffer, sizeof buffer);
    for (ssize_t done = 0; done < got;) {
        ssize_t written = send(to, buffer + done, (size_t)(got - done), MSG_NOSIGNAL);
        if (written < 0)
            return false;
        done += written;
    }
    return got > 0;
}

static void post(int listener)
{
    struct pollfd sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
    while (poll(sides, 2, -1) > 0)
        for (int i = 0; i < 2; i++)
            if (sides[i].revents && !carry(sides[i].fd, sides[1 - i].fd))
                return;
}

int main(int count, char **words)
{
    if (count == 4) {
        bytes = atoi(words[1]);
        messages = atoi(words[2]);
        batches = atoi(words[3]);
    }
    if ((count != 1 && count != 4) || bytes < (int)sizeof(int) || bytes > MOST_BYTES)
        fail("usage: echo [BYTES MESSAGES BATCHES]");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path, sizeof name.sun_path, "/tmp/echo.%d", (int)getpid());
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) < 0 || listen(listener, 2) < 0)
        fail("cannot listen");
    int failed = 0, status;
    const uint32_t sides[] = {SERVER, CLIENT};
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            take_part(&name, sides[i]);
    post(listener);
    unlink(name.sun_path);
    while (wait(&status) > 0)
        failed |= status != 0;
    return failed;
}
