/* post.c - one loop over the sockets of all tasks. */
#include "post.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pvm3.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/assemble.h"
#include "core/control.h"
#include "core/tid.h"

#include "body.h"
#include "check.h"
#include "unit.h"

enum { CLIENTS = 16, WATCHES = 4096, LISTED = CLIENTS };

/* Bytes for one task, beyond which nothing more is read from who sends to it. */
#define QUEUE_MOST ((size_t)256 << 10)

struct queue {
    unsigned char *bytes;
    size_t start, end, room;
};

/* A task, or one that was. */
struct client {
    uint32_t tid;
    int socket; /* -1: it is over */
    struct frame_reader frames;
    struct assembler assembler; /* of messages to the daemon */
    struct queue out;
    struct client *last; /* to whom the last frame from there went, or NULL */
    uint32_t list[LISTED];
    int listed;
};

struct watch {
    struct client *watcher;
    uint32_t peer;
    int32_t context;
    int32_t tag;
};

static struct client clients[CLIENTS];
static size_t client_count;
static struct watch watches[WATCHES];
static size_t watch_count;
static atomic_ulong *carried;

static struct client *client_find(uint32_t tid)
{
    for (size_t i = 0; i < client_count; i++)
        if (clients[i].tid == tid && clients[i].socket >= 0)
            return &clients[i];
    return NULL;
}

/* Out. ----------------------------------------------------------------------------------------- */

static void queue_add(struct queue *queue, const void *bytes, size_t size)
{
    if (queue->room - queue->end < size && queue->start > 0) {
        memmove(queue->bytes, queue->bytes + queue->start, queue->end - queue->start);
        queue->end -= queue->start;
        queue->start = 0;
    }
    if (queue->room - queue->end < size) {
        queue->room = 2 * (queue->end + size);
        queue->bytes = realloc(queue->bytes, queue->room);
        CHECK(queue->bytes);
    }
    if (size > 0)
        memcpy(queue->bytes + queue->end, bytes, size);
    queue->end += size;
}

static size_t queue_size(const struct queue *queue)
{
    return queue->end - queue->start;
}

/* Who does not take it any more is over, which is found when its socket is read. */
static void client_write(struct client *client)
{
    struct queue *out = &client->out;
    while (queue_size(out) > 0) {
        ssize_t written = send(client->socket, out->bytes + out->start, queue_size(out),
                               MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written < 0 && errno == EAGAIN)
            return;
        out->start = written < 0 ? out->end : out->start + (size_t)written;
    }
    out->start = out->end = 0;
}

static void client_send_frame(struct client *client, const struct frame *frame, const void *body)
{
    unsigned char header[FRAME_HEADER_SIZE];
    frame_encode(frame, header);
    queue_add(&client->out, header, sizeof header);
    queue_add(&client->out, body, frame->length);
}

static void tell_end(const struct watch *watch)
{
    size_t size;
    struct message *message = control_new(watch->tag, watch->context, 0);
    control_put_tid(message, watch->peer);
    unsigned char *stream = body_stream(message, watch->watcher->tid, TID_OWN_DAEMON, &size);
    queue_add(&watch->watcher->out, stream, size);
    free(stream);
    message_free(message);
}

/* In. ------------------------------------------------------------------------------------------ */

static void client_end(struct client *client)
{
    close(client->socket);
    client->socket = -1;
    frame_reader_finish(&client->frames);
    assembler_finish(&client->assembler);
    free(client->out.bytes);
    memset(&client->out, 0, sizeof client->out);
    for (size_t i = 0; i < watch_count; i++)
        if (watches[i].peer == client->tid && watches[i].watcher->socket >= 0)
            tell_end(&watches[i]);
}

static void take_notify(struct client *client, struct control_reader *reader)
{
    CHECK(control_get_int(reader) == PvmTaskExit && watch_count < WATCHES);
    struct watch *watch = &watches[watch_count++];
    watch->watcher = client;
    watch->context = control_get_int(reader);
    watch->tag = control_get_int(reader);
    CHECK(control_get_int(reader) == 1);
    watch->peer = control_get_tid(reader);
    CHECK(!reader->failed);
    if (!client_find(watch->peer))
        tell_end(watch);
}

static void take_list(struct client *client, struct control_reader *reader)
{
    client->listed = control_get_int(reader);
    CHECK(client->listed >= 0 && client->listed <= LISTED);
    for (int i = 0; i < client->listed; i++)
        client->list[i] = control_get_tid(reader);
    CHECK(!reader->failed);
}

/* What a task says to its daemon. */
static void take_message(struct client *client, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    if (message->header.tag == TM_NOTIFY) {
        take_notify(client, &reader);
    } else if (message->header.tag == TM_MCA) {
        take_list(client, &reader);
    } else {
        CHECK(message->header.tag == POST_CUT); /* endpoints say nothing else to a daemon */
        shutdown(client->socket, SHUT_RDWR);
    }
}

static void carry(struct client *from, const struct received_frame *received, uint32_t to)
{
    struct frame frame = received->frame;
    struct client *client = client_find(to);
    frame.destination = to;
    from->last = client;
    if (frame.flags & FRAME_FIRST)
        atomic_fetch_add(carried, 1);
    if (client)
        client_send_frame(client, &frame, received->body);
}

static void take_frame(struct client *client, const struct received_frame *received)
{
    struct message *message;
    uint32_t to = received->frame.destination;
    CHECK(received->frame.source == client->tid);
    if (tid_is_task(to)) {
        carry(client, received, to);
    } else if (tid_is_multicast(to)) {
        for (int i = 0; i < client->listed; i++)
            carry(client, received, client->list[i]);
    } else if (assembler_add(&client->assembler, received, &message) == ASSEMBLER_MESSAGE) {
        take_message(client, message);
        message_free(message);
    }
}

static void client_read(struct client *client)
{
    size_t room;
    struct received_frame received;
    unsigned char *space = frame_reader_space(&client->frames, &room);
    CHECK(space);
    ssize_t got = recv(client->socket, space, room, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got <= 0) {
        client_end(client);
        return;
    }
    frame_reader_filled(&client->frames, (size_t)got);
    while (frame_reader_next(&client->frames, &received) == FRAME_READER_FRAME)
        take_frame(client, &received);
}

/* A task says its tid, and is told that it is known. */
static void client_accept(int listener)
{
    CHECK(client_count < CLIENTS);
    struct client *client = &clients[client_count];
    client->socket = accept(listener, NULL, NULL);
    CHECK(client->socket >= 0);
    CHECK(recv(client->socket, &client->tid, sizeof client->tid, MSG_WAITALL) ==
          sizeof client->tid);
    CHECK(send(client->socket, "", 1, MSG_NOSIGNAL) == 1);
    frame_reader_start(&client->frames, FRAME_LENGTH_LIMIT);
    assembler_start(&client->assembler);
    client_count++;
}

/* The loop. ------------------------------------------------------------------------------------ */

static struct pollfd client_wish(const struct client *client)
{
    bool hears = !client->last || queue_size(&client->last->out) < QUEUE_MOST;
    bool says = queue_size(&client->out) > 0;
    return (struct pollfd){.fd = hears || says ? client->socket : -1,
                           .events = (short)((hears ? POLLIN : 0) | (says ? POLLOUT : 0))};
}

static void serve(int listener, int life)
{
    struct pollfd wishes[CLIENTS + 2];
    for (;;) {
        size_t count = client_count;
        for (size_t i = 0; i < count; i++)
            wishes[i] = client_wish(&clients[i]);
        wishes[count] = (struct pollfd){.fd = listener, .events = POLLIN};
        wishes[count + 1] = (struct pollfd){.fd = life, .events = POLLIN};
        CHECK(poll(wishes, count + 2, -1) > 0);
        for (size_t i = 0; i < count; i++) {
            if (wishes[i].revents & POLLOUT)
                client_write(&clients[i]);
            if (wishes[i].revents & ~POLLOUT)
                client_read(&clients[i]);
        }
        if (wishes[count].revents)
            client_accept(listener);
        if (wishes[count + 1].revents)
            break;
    }
    for (size_t i = 0; i < client_count; i++)
        if (clients[i].socket >= 0)
            client_end(&clients[i]);
}

static struct sockaddr_un post_address(const struct post *post)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, post->path);
    return address;
}

void post_start(struct post *post)
{
    int life[2];
    strcpy(post->folder, "/tmp/pvm-post.XXXXXX");
    assert_non_null(mkdtemp(post->folder));
    snprintf(post->path, sizeof post->path, "%s/post", post->folder);
    post->carried = mmap(NULL, sizeof *post->carried, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(post->carried, MAP_FAILED);
    const struct sockaddr_un address = post_address(post);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, CLIENTS), 0);
    assert_int_equal(pipe(life), 0);
    post->life = life[1];
    fflush(NULL);
    post->process = fork();
    assert_true(post->process >= 0);
    if (post->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(life[1]);
        carried = post->carried;
        serve(listener, life[0]);
        exit(0);
    }
    close(listener);
    close(life[0]);
}

/* Removes what is left in the folder; how many names that were. */
static int post_clear(const struct post *post)
{
    int count = 0;
    DIR *folder = opendir(post->folder);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += unlinkat(dirfd(folder), entry->d_name, 0) == 0;
    closedir(folder);
    return count;
}

void post_stop(struct post *post, bool well)
{
    int status = -1;
    close(post->life);
    waitpid(post->process, &status, 0);
    munmap(post->carried, sizeof *post->carried);
    unlink(post->path);
    int left = post_clear(post);
    assert_int_equal(rmdir(post->folder), 0);
    assert_true(!well || left == 0);
    assert_int_equal(status, 0);
}

void post_leave_to_parent(const struct post *post)
{
    close(post->life);
}

int post_connect(const struct post *post, uint32_t tid)
{
    char known;
    const struct sockaddr_un address = post_address(post);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0);
    CHECK(send(descriptor, &tid, sizeof tid, MSG_NOSIGNAL) == sizeof tid);
    CHECK(recv(descriptor, &known, 1, MSG_WAITALL) == 1);
    return descriptor;
}
