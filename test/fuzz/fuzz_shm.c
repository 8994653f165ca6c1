/*
 * fuzz_shm.c - a task of the same user and host that says and writes anything, to a task that
 * shares memory with it: letters and files (ck/ports/shm/shm_socket.h), slots
 * (ck/ports/shm/ring.h), and what a reader says that it has read and gives back.
 *
 * Input: steps, each a byte that chooses what the other task does, and what it takes for that.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "ck/endpoint/endpoint.h"
#include "ck/ports/shm/shm.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/control.h"
#include "core/tid.h"

#include "../unit/quiet_owner.h"
#include "input.h"

#define OWN   0x40001u
#define OTHER 0x40002u
#define LONG  10000
#define LIMIT ((size_t)4 << 20)

/* Of the other task's arena, by its ring. */
#define ARENA_USED (2 * RING_RUN_SIZE)

static char folder[] = "/tmp/fuzz_shm.XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int pvmd;
static struct engine engine;
static struct endpoint own;
static int daemon_end;

/* What the other task may send: files as they should be, and others. */
enum file { FILE_RING, FILE_ARENA, FILE_PAGE, FILE_OPEN, FILE_SOCKET, FILE_BELL, FILES };
static int files[FILES];

/*
 * The other task: its link to us, with the ring in files[FILE_RING] and further runs of it at the
 * begin of files[FILE_ARENA], and ours to it.
 */
static struct ring_area *ring;
static unsigned char *arena;
static struct ring_slot *slots; /* the current run */
static uint32_t tail;
static int caller = -1;
static int listener = -1;
static int called = -1;
static struct ring_area *our_ring;

/* The task. ------------------------------------------------------------------------------------ */

static void complain(void *owner, const char *reason)
{
    (void)owner;
    MUST(reason);
}

static void begin(void)
{
    struct endpoint_owner owner = quiet_owner(NULL);
    owner.lost = owner.dropped = complain;
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0);
    daemon_end = accept4(pvmd, NULL, NULL, SOCK_CLOEXEC);
    MUST(daemon_end >= 0 && engine_init(&engine) == 0 &&
         endpoint_init(&own, &engine, &owner) == 0 && endpoint_attach(&own, descriptor) == 0);
    engine_share(&engine, LIMIT, 0);
    endpoint_open(&own, OWN, 0);
    listener = shm_socket_listen(descriptor, OTHER);
    MUST(shm_of(&own)->listening && listener >= 0);
}

/* What goes through the pvmd is not looked at; it must not fill the way. */
static void empty_daemon(void)
{
    static char bytes[65536];
    while (recv(daemon_end, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        continue;
}

/* Takes in what has come, and reads the first and the last byte of each of its segments. */
static void receive(void)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    struct message *message;
    static volatile uint8_t seen;
    do {
        own.waiting->roused = &engine.ports; /* the sockets have their turn in each look */
        MUST(endpoint_poll(&own, &any, &message) == 0);
        if (!message)
            break;
        size_t length = 0;
        for (size_t i = 0; i < message->segment_count; i++) {
            const struct segment *segment = &message->segments[i];
            length += segment->length;
            seen = segment->data[0];
            seen = segment->data[segment->length - 1];
        }
        MUST(length == message->length);
        message_free(message);
    } while (true);
    empty_daemon();
}

static void send_to_other(size_t size)
{
    static uint8_t body[LONG];
    struct message *message = input_message((struct input){body, size}, MESSAGE_XDR, LONG);
    const struct parcel parcel = {message, OTHER};
    MUST(endpoint_send(&own, &parcel, false) == 0);
    message_free(message);
    empty_daemon();
}

/* The other one. ------------------------------------------------------------------------------- */

static void close_one(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static void forget_ring(void)
{
    if (our_ring)
        munmap(our_ring, sizeof *our_ring);
    our_ring = NULL;
}

/* A letter, in parts as it should be, with up to three descriptors. */
static void write_letter(int to, struct input *input)
{
    struct shm_letter letter = {.version = SHM_VERSION};
    int descriptors[SHM_DESCRIPTORS];
    unsigned what = input_byte(input);
    letter.kind = what % 8;
    letter.value = input_byte(input);
    if (what & 8)
        letter.value += OWN - 1;
    letter.size = (uint64_t)input_byte(input) << 16;
    if (what & 16)
        letter.version += input_byte(input);
    int count = what >> 6;
    for (int i = 0; i < count && i < SHM_DESCRIPTORS; i++)
        descriptors[i] = files[input_byte(input) % FILES];
    if (count > SHM_DESCRIPTORS || (what & 32)) { /* not the whole, or other bytes behind it */
        struct input part = input_part(input, 64);
        if (send(to, part.bytes, part.size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return;
    } else {
        shm_socket_send(to, &letter, descriptors, count);
    }
}

/* What was read of the ring before is there no more: it is a new one. */
static void call(struct input *input)
{
    close_one(&caller);
    caller = shm_socket_connect(own.descriptor, OWN);
    memset(ring, 0, sizeof *ring);
    memset(arena, 0, ARENA_USED);
    slots = ring->slots;
    tail = OTHER % RING_SLOTS; /* where both sides begin */
    if (caller >= 0)
        write_letter(caller, input);
}

/* Accepts what we call there, and takes our ring. */
static void answer(struct input *input)
{
    struct shm_letter letter;
    int descriptors[SHM_DESCRIPTORS], count;
    bool more;
    int descriptor = shm_socket_accept(listener, &more);
    if (descriptor >= 0) {
        close_one(&called);
        forget_ring();
        called = descriptor;
        if (shm_socket_receive(called, &letter, descriptors, &count) == SHM_SOCKET_LETTER) {
            MUST(count == 1 && letter.kind == SHM_INTRODUCTION);
            our_ring = arena_map(descriptors[0], sizeof *our_ring, true);
            close(descriptors[0]);
        }
    }
    if (called >= 0)
        write_letter(called, input);
}

/*
 * Writes a slot: behind the last one, or some further; one that is told of, and takes some more, or
 * one of those.
 */
static void write_slot(struct input *input)
{
    unsigned what = input_byte(input);
    uint32_t position = tail + what % 16;
    struct ring_slot *slot = &slots[position % RING_SLOTS];
    struct input content = input_part(input, input_byte(input));
    size_t room = sizeof *slot - sizeof slot->position;
    memcpy((char *)slot + sizeof slot->position, content.bytes,
           content.size < room ? content.size : room);
    if (what & 128)
        return;
    tail += 1 + (what >> 4);
    atomic_store(&slot->position, position + 1);
}

/* Writes a jump, to home, to a place in the file of the arena, or to where it says. */
static void write_jump(struct input *input)
{
    unsigned what = input_byte(input), file = input_byte(input), place = input_byte(input);
    struct ring_slot *slot = &slots[tail % RING_SLOTS];
    uint32_t offset = place * RING_SLOT_SIZE + (what & 16 ? file : 0);
    slot->kind = RING_JUMP;
    slot->count = (uint16_t)(what % 8);
    slot->extents[0] = (struct ring_extent){
        .file = what & 8    ? RING_HOME
                : what & 32 ? file
                            : 0,
        .offset = what & 64 ? 0u - offset : offset,
    };
    slots = what & 8 ? ring->slots : (struct ring_slot *)(arena + place * RING_SLOT_SIZE);
    atomic_store(&slot->position, ++tail);
}

/* What a reader may write: where it is, whether it reads, and what it gives back. */
static void write_reader(struct input *input)
{
    if (!our_ring)
        return;
    unsigned what = input_byte(input), value = input_byte(input);
    if (what % 4 == 0)
        atomic_store(&our_ring->use, value);
    else if (what % 4 == 1)
        atomic_store(&our_ring->head, what & 128 ? 0u - value : value);
    else
        atomic_store(&our_ring->released[value % (RING_COOKIES / 64)],
                     0x0101010101010101u * input_byte(input));
}

/* The fence, or the word that the other task is over, or another message of it. */
static void say_through_daemon(unsigned what)
{
    struct message *message = control_new(what % 4 == 0   ? CONTROL_FENCE
                                          : what % 4 == 1 ? TC_TASKEXIT
                                                          : 7,
                                          what % 4 < 2 ? CONTROL_CONTEXT_TC : 0, 0);
    if (what % 4 == 0)
        control_put_int(message, what % 16 == 12); /* not of this call */
    else
        control_put_tid(message, OTHER);
    struct frame_writer writer;
    struct frame_batch batch;
    frame_writer_start(&writer, message, OWN, what % 4 == 1 ? TID_OWN_DAEMON : OTHER);
    while (!frame_writer_is_done(&writer)) {
        int used = frame_writer_fill(&writer, &batch);
        ssize_t size = writev(daemon_end, batch.vectors, used);
        MUST(size > 0);
        frame_writer_advance(&writer, (size_t)size);
    }
    message_free(message);
}

static void step(unsigned what, struct input *input)
{
    switch (what % 10) {
    case 0:
        call(input);
        break;
    case 1:
        if (caller >= 0)
            write_letter(caller, input);
        break;
    case 2:
        write_slot(input);
        break;
    case 3:
        write_jump(input);
        break;
    case 4:
        say_through_daemon(what >> 4);
        break;
    case 5:
        receive();
        break;
    case 6:
        for (unsigned i = what & 32 ? RING_SLOTS : 1; i > 0;
             i--) /* more than the ring has at home */
            send_to_other(what & 128 ? LONG : what & 64 ? 300 : 8);
        break;
    case 7:
        answer(input);
        break;
    case 8:
        write_reader(input);
        break;
    default:
        close_one(what & 128 ? &called : &caller);
    }
}

static void remove_folder(void)
{
    unlink(address.sun_path);
    rmdir(folder);
}

static void prepare(void)
{
    MUST(mkdtemp(folder) && atexit(remove_folder) == 0);
    signal(SIGPIPE, SIG_IGN);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/pvmd", folder);
    pvmd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(bind(pvmd, (struct sockaddr *)&address, sizeof address) == 0 && listen(pvmd, 8) == 0);
    files[FILE_RING] = arena_make_file("ring", sizeof *ring);
    files[FILE_ARENA] = arena_make_file("arena", ARENA_FILE_LEAST);
    files[FILE_PAGE] = arena_make_file("page", SHM_PAGE_SIZE);
    files[FILE_OPEN] = memfd_create("open", MFD_CLOEXEC);
    MUST(ftruncate(files[FILE_OPEN], ARENA_FILE_LEAST) == 0);
    files[FILE_SOCKET] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    files[FILE_BELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    for (int i = 0; i < FILES; i++)
        MUST(files[i] >= 0);
    ring = arena_map(files[FILE_RING], sizeof *ring, true);
    arena = arena_map(files[FILE_ARENA], ARENA_FILE_LEAST, true);
    MUST(ring && arena);
    slots = ring->slots;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool prepared;
    struct input input = {data, size};
    if (!prepared)
        prepare();
    prepared = true;
    begin();
    while (input.size > 0)
        step(input_byte(&input), &input);
    receive();
    close_one(&caller);
    close_one(&called);
    close_one(&listener);
    receive();
    endpoint_detach(&own);
    endpoint_destroy(&own);
    engine_destroy(&engine);
    forget_ring();
    close(daemon_end);
    return 0;
}
