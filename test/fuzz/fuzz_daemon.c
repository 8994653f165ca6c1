/*
 * fuzz_daemon.c - any messages, frames and packets, of tasks, strangers and other hosts, to a whole
 * daemon with its real sockets.
 *
 * Input: a byte that chooses master or slave, then steps, each a byte that says what happens and
 * what that needs. The daemon is made anew for every input, and must leave nothing behind.
 *
 * Some functions are wrapped (see the Makefile), so that nothing happens outside: no process is
 * started or signalled, names have addresses at once, processes print what the input says,
 * and time passes when the input says so.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/rooms.h"
#include "daemon/hosts/lookup.h"
#include "daemon/hosts/membership.h"
#include "daemon/hosts/own_host.h"
#include "daemon/post/host_link.h"
#include "daemon/post/task_link.h"

#include "input.h"

#define HOSTS      2
#define TASKS      2
#define NO_PROCESS (1 << 30)
#define LONG_BODY  5000
#define ROUNDS     3

static struct daemon daemon_;
static struct rooms rooms;
static struct loop_timer round_end;
static bool halted;
static struct input rest; /* what the input still has */

static int tasks[TASKS]; /* the tasks' ends of their connections */
static int stranger;
static int host_sockets[HOSTS];
static struct sockaddr_in daemon_address;
static int host_listener; /* where daemons connect that one of the hosts has offered it */
static struct sockaddr_in listener_address;
static int connections[HOSTS]; /* of the hosts to the daemon's port, or from it; -1 */
static uint32_t host_parts[HOSTS];
static uint16_t numbers[HOSTS]; /* of the packets of each host */
static int64_t seconds_passed;

/* What is wrapped. ----------------------------------------------------------------------------- */

pid_t __wrap_fork(void);
int __wrap_kill(pid_t pid, int number);
int __wrap_chdir(const char *path);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_pipe2(int ends[2], int flags);
int __real_pipe2(int ends[2], int flags);
bool __wrap_lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names,
                         size_t count, void (*progress)(struct lookup *));

pid_t __wrap_fork(void)
{
    static pid_t last = NO_PROCESS;
    errno = EAGAIN;
    return input_byte(&rest) % 8 == 0 ? -1 : ++last;
}

int __wrap_kill(pid_t pid, int number)
{
    (void)pid;
    (void)number;
    return 0;
}

int __real_chdir(const char *path);

int __wrap_chdir(const char *path)
{
    return access(path, X_OK);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = __real_clock_gettime(clock, now);
    if (clock == CLOCK_MONOTONIC)
        now->tv_sec += seconds_passed;
    return result;
}

/* What a child would write to the pipe is there already. */
int __wrap_pipe2(int ends[2], int flags)
{
    struct input line = input_part(&rest, input_byte(&rest));
    if (__real_pipe2(ends, flags) < 0)
        return -1;
    MUST(write(ends[1], line.bytes, line.size) == (ssize_t)line.size);
    MUST(write(ends[1], "\n", 1) == 1);
    return 0;
}

static void lookup_found(struct loop_work *work)
{
    struct lookup *lookup = LIST_OWNER(work, struct lookup, news);
    lookup->progress(lookup);
}

bool __wrap_lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names,
                         size_t count, void (*progress)(struct lookup *))
{
    *lookup = (struct lookup){.count = count, .progress = progress};
    inquiry_prepare(&lookup->inquiry, loop, NULL, NULL);
    loop_work_start(&lookup->news, lookup_found);
    lookup->names = calloc(count, sizeof *lookup->names);
    MUST(lookup->names);
    for (size_t i = 0; i < count; i++)
        lookup->names[i] = (struct looked_up){true, *names[i] ? 0x7f000010u + (uint32_t)i : 0};
    loop_defer(loop, &lookup->news);
    return true;
}

/* The daemon. ---------------------------------------------------------------------------------- */

static void end_round(struct loop_timer *timer)
{
    (void)timer;
    halted |= daemon_.loop.ended;
    daemon_.loop.ended = true;
}

static void run(void)
{
    for (int i = 0; i < ROUNDS && !halted; i++) {
        daemon_.loop.ended = false;
        loop_timer_set(&daemon_.loop, &round_end, 0);
        MUST(loop_run(&daemon_.loop) == 0);
    }
}

/* The daemon's end of a new connection; ours is `*end`. */
static struct task_link *connect_to_daemon(int *end)
{
    int pair[2];
    MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) == 0);
    *end = pair[1];
    struct task_link *link = task_link_open(&daemon_, pair[0]);
    MUST(link);
    return link;
}

/* The second task is beside the first, and may lease tids. */
static void enrol(int *end)
{
    struct task_link *link = connect_to_daemon(end);
    struct task *task = task_new(&daemon_.post->tasks, "task");
    MUST(task);
    task->pid = task->process = link->process = NO_PROCESS;
    task->beside = end == &tasks[1];
    task->flags |= TASK_IS_CONNECTED;
    MUST(task_link_attach(link, task) == 0);
}

static void make_hosts(bool slave)
{
    static const struct host_facts facts = {"other", "LINUX64", INADDR_LOOPBACK, 0, HOST_MTU, 9, 1};
    struct hosts *hosts = &daemon_.post->hosts;
    uint32_t added[TID_HOST_MAX];
    MUST(hosts_start(hosts, &daemon_, slave ? 2 : 1, "own") == 0);
    MUST(own_host_open_at(hosts, INADDR_LOOPBACK) == 0);
    daemon_address.sin_port = htons(hosts_own(hosts)->port);
    for (uint32_t i = 0; i < HOSTS; i++) {
        struct sockaddr_in address;
        socklen_t size = sizeof address;
        struct host_facts own = facts;
        host_parts[i] = (slave && i == 0 ? 1 : 2 + i) << TID_HOST_SHIFT; /* slaves have 2 */
        struct host *host = membership_add(hosts, host_parts[i]);
        MUST(host && getsockname(host_sockets[i], (struct sockaddr *)&address, &size) == 0);
        own.port = ntohs(address.sin_port);
        hosts_describe(host, &own);
        if (slave && i == 0)
            hosts->master = host;
    }
    hosts_commit(hosts, added);
}

static void tell_nothing(const struct backlog *backlog)
{
    (void)backlog;
}

static void start(bool slave)
{
    memset(&daemon_, 0, sizeof daemon_);
    memset(&rooms, 0, sizeof rooms);
    rooms_open(&rooms, &daemon_);
    memset(numbers, 0, sizeof numbers);
    halted = false;
    seconds_passed = 0;
    daemon_prepare(&daemon_);
    list_start(&daemon_.post->listener.links);
    strangers_start(&daemon_.post->listener.strangers, &daemon_, &daemon_.post->listener.source);
    daemon_.post->listener.daemon = &daemon_;
    loop_timer_start(&round_end, end_round);
    MUST(loop_start(&daemon_.loop) == 0 && settings_start(&daemon_.settings) == 0);
    backlogs_start(&daemon_.backlogs, daemon_.settings.queue_limit, tell_nothing);
    make_hosts(slave);
    MUST(tasks_start(&daemon_.post->tasks, &daemon_, 100) == 0);
    for (int i = 0; i < TASKS; i++)
        enrol(&tasks[i]);
    connect_to_daemon(&stranger);
    connections[0] = connections[1] = -1;
    int late;
    while ((late = accept(host_listener, NULL, NULL)) >= 0) /* from the input before */
        close(late);
}

static void finish(void)
{
    LIST_FOR_EACH(node, &daemon_.post->listener.links)
    task_link_close(LIST_OWNER(node, struct task_link, node));
    loop_timer_cancel(&round_end);
    daemon_.loop.ended = true;
    daemon_finish(&daemon_);
    MUST(list_is_empty(&daemon_.post->tasks.list) && list_is_empty(&daemon_.post->pendings));
    for (int i = 0; i < TASKS; i++)
        close(tasks[i]);
    for (int i = 0; i < HOSTS; i++)
        if (connections[i] >= 0)
            close(connections[i]);
    close(stranger);
}

/* What happens. -------------------------------------------------------------------------------- */

static struct input take_body(void)
{
    size_t size = input_byte(&rest);
    return input_part(&rest, size == UINT8_MAX ? LONG_BODY : size);
}

/* Someone or something that a tid may name. */
static uint32_t take_tid(void)
{
    uint32_t own = hosts_own(&daemon_.post->hosts)->part;
    const uint32_t tids[] = {TID_OWN_DAEMON,
                             own | 1,
                             own | 2,
                             own | 3,
                             host_parts[0] | TID_DAEMON_BIT,
                             host_parts[0] | 1,
                             host_parts[1] | TID_DAEMON_BIT,
                             host_parts[1] | 1,
                             own | TID_DAEMON_BIT,
                             own | 1 | TID_MULTICAST_BIT,
                             host_parts[0] | 1 | TID_MULTICAST_BIT,
                             own,
                             0,
                             TID_ANY,
                             0x3ffc0001,
                             0xbffc0000};
    return tids[input_byte(&rest) % (sizeof tids / sizeof tids[0])];
}

/* Puts a message, with or without its header, behind the first `size` bytes; the bytes in all. */
static size_t put_message(unsigned char *bytes, size_t size, const struct message_header *header,
                          struct input body)
{
    if (header) {
        frame_encode_message(header, 0, bytes + size);
        size += FRAME_MESSAGE_HEADER_SIZE;
    }
    memcpy(bytes + size, body.bytes, body.size);
    return size + body.size;
}

static void write_frame(int end, const struct frame *frame, const struct message_header *header,
                        struct input body)
{
    unsigned char bytes[FRAME_HEADERS_SIZE + LONG_BODY];
    frame_encode(frame, bytes);
    send(end, bytes, put_message(bytes, FRAME_HEADER_SIZE, header, body), MSG_NOSIGNAL);
}

/* Over one of the connections of tasks: of the task that made it, or of one of its lease. */
static uint32_t source_of(int which, unsigned number)
{
    return hosts_own(&daemon_.post->hosts)->part | (1 + (uint32_t)which + number);
}

/* A message from a task to its daemon. */
static void task_says(int end, uint32_t source, int tag)
{
    const struct message_header header = {.encoding = MESSAGE_XDR, .wait = 1, .tag = tag};
    struct input body = take_body();
    const struct frame frame = {.destination = TID_OWN_DAEMON,
                                .source = source,
                                .length = (uint32_t)(FRAME_MESSAGE_HEADER_SIZE + body.size),
                                .flags = FRAME_FIRST | FRAME_LAST};
    write_frame(end, &frame, &header, body);
}

/* Requests of 3.4.6, and behind them our own. */
static void task_asks(int which)
{
    unsigned what = input_byte(&rest), tag = what % 32;
    if (tag == 31) /* of moves */
        tag += input_byte(&rest) % 6;
    task_says(tasks[which], source_of(which, what / 32),
              tag < 26 ? TM_CONNECT + (int)tag : CONTROL_LEASE + (int)tag - 26);
}

static void task_sends(int which)
{
    struct message_header header = {.encoding = MESSAGE_XDR, .tag = 1};
    struct frame frame = {.destination = take_tid(), .flags = (uint8_t)input_byte(&rest)};
    frame.source = source_of(which, frame.flags / 32);
    struct input body = take_body();
    bool headed = frame.flags & FRAME_FIRST;
    frame.length = (uint32_t)((headed ? FRAME_MESSAGE_HEADER_SIZE : 0) + body.size);
    if (input_byte(&rest) % 16 == 1)
        frame.length += input_byte(&rest);
    write_frame(tasks[which], &frame, headed ? &header : NULL, body);
}

static struct host_link *link_of(int host)
{
    return hosts_link(&daemon_.post->hosts, host_parts[host]);
}

/* With a tag, once there is a key. */
static void write_packet(int host, const struct packet *packet, const struct message_header *header,
                         struct input body)
{
    unsigned char bytes[FRAME_HEADERS_SIZE + LONG_BODY + HOST_KEY_SIGN_MOST];
    const struct host_link *link = link_of(host);
    struct host_key key = {.known = false};
    if (link)
        key = link->host->key;
    key.used = key.known;
    size_t size = put_message(bytes, PACKET_HEADER_SIZE, header, body);
    size += host_key_sign(&key, packet, bytes + PACKET_HEADER_SIZE, size - PACKET_HEADER_SIZE,
                          bytes, bytes + size);
    sendto(host_sockets[host], bytes, size, 0, (struct sockaddr *)&daemon_address,
           sizeof daemon_address);
}

/* What daemons say: that of 3.4.6, and behind it our own. */
static int take_tag(void)
{
    int number = (int)(input_byte(&rest) % 66);
    return number < 30 ? DM_ADD + number : CONTROL_BLOCK + number - 30;
}

/* A message from another daemon; it may answer one of the first questions. */
static void host_says(int host)
{
    uint32_t own = hosts_own(&daemon_.post->hosts)->part;
    struct message_header header = {.encoding = MESSAGE_XDR};
    header.tag = take_tag();
    header.wait = (int32_t)(own | input_byte(&rest));
    struct input body = take_body();
    const struct packet packet = {.destination = own | TID_DAEMON_BIT,
                                  .source = host_parts[host] | TID_DAEMON_BIT,
                                  .sequence = ++numbers[host],
                                  .flags = PACKET_DATA | PACKET_FIRST | PACKET_LAST};
    write_packet(host, &packet, &header, body);
}

static void host_sends(int host)
{
    struct message_header header = {.encoding = MESSAGE_XDR, .tag = 1};
    struct packet packet = {.destination = take_tid(), .source = take_tid()};
    packet.flags = (uint8_t)input_byte(&rest);
    unsigned ahead = input_byte(&rest);
    packet.sequence = ahead == 1 ? ++numbers[host] : (uint16_t)(numbers[host] + ahead * ahead);
    packet.acknowledgement = (uint16_t)ahead;
    struct input body = take_body();
    write_packet(host, &packet, (packet.flags & PACKET_FIRST) && ahead % 4 ? &header : NULL, body);
}

/* Connections between daemons. */

/* Any word, which may well be right: its number and its secret are, if the input wants. */
static struct link_word take_word(int host)
{
    const struct host_link *link = link_of(host);
    unsigned how = input_byte(&rest);
    struct link_word word = {.kind = (enum link_word_kind)(LINK_OFFER + how % 9)};
    word.number = link && (how & 64) == 0 ? link->upgrade.number : input_byte(&rest);
    if (word.kind == LINK_WAIT || word.kind == LINK_GO_ON)
        word.number = take_tid();
    word.taken = input_byte(&rest) * (how & 32 ? (uint64_t)1 << 33 : 16);
    word.port = ntohs(listener_address.sin_port);
    if (link && (how & 128) == 0)
        (word.kind == LINK_WELCOME ? host_key_welcome : host_key_hello)(
            &link->host->key, link->upgrade.number, word.secret);
    return word;
}

static void host_says_word(int host)
{
    struct link_word word = take_word(host);
    unsigned char bytes[LINK_WORD_SIZE];
    struct message_header header = {.encoding = MESSAGE_XDR, .tag = LINK_TAG};
    link_word_encode(&word, bytes);
    const struct packet packet = {.destination = daemon_.post->hosts.own->part | TID_DAEMON_BIT,
                                  .source = host_parts[host] | TID_DAEMON_BIT,
                                  .sequence = ++numbers[host],
                                  .flags = PACKET_DATA | PACKET_FIRST | PACKET_LAST};
    write_packet(host, &packet, &header, (struct input){bytes, sizeof bytes});
}

static void host_connects(int host)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons(daemon_.post->doorman.port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connections[host] >= 0)
        close(connections[host]);
    connections[host] = accept4(host_listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connections[host] >= 0 || daemon_.post->doorman.port == 0)
        return;
    connections[host] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const struct linger abrupt = {1, 0}; /* leaves no port in use behind */
    setsockopt(connections[host], SOL_SOCKET, SO_LINGER, &abrupt, sizeof abrupt);
    connect(connections[host], (const struct sockaddr *)&to, sizeof to);
}

/* A word, or a frame, over the connection. */
static void host_writes(int host)
{
    unsigned char bytes[LINK_WORD_SIZE];
    struct message_header header = {.encoding = MESSAGE_XDR, .tag = 1};
    struct frame frame = {.source = host_parts[host] | TID_DAEMON_BIT};
    struct input body = {bytes, sizeof bytes};
    if (connections[host] < 0)
        return;
    frame.flags = (uint8_t)input_byte(&rest);
    if (frame.flags == LINK_FLAG) {
        struct link_word word = take_word(host);
        link_word_encode(&word, bytes);
    } else {
        frame.destination = take_tid();
        frame.source = frame.flags & 32 ? take_tid() : host_parts[host] | 1;
        header.tag = take_tag();
        body = take_body();
    }
    bool headed = frame.flags & FRAME_FIRST;
    frame.length = (uint32_t)((headed ? FRAME_MESSAGE_HEADER_SIZE : 0) + body.size);
    if (input_byte(&rest) % 16 == 1)
        frame.length += input_byte(&rest);
    write_frame(connections[host], &frame, headed ? &header : NULL, body);
}

/* The host takes what came, and acknowledges it. */
static void host_takes(int host)
{
    unsigned char bytes[HOST_MTU + PACKET_TAG_SIZE];
    struct packet packet;
    const struct input nothing = {bytes, 0};
    while (recv(host_sockets[host], bytes, sizeof bytes, MSG_DONTWAIT) >= PACKET_HEADER_SIZE) {
        packet_decode(&packet, bytes);
        const struct packet answer = {.destination = packet.source,
                                      .source = host_parts[host] | TID_DAEMON_BIT,
                                      .acknowledgement = packet.sequence,
                                      .flags = PACKET_ACK};
        if (packet.flags & (PACKET_DATA | PACKET_FIN))
            write_packet(host, &answer, NULL, nothing);
    }
}

static void task_takes(int end)
{
    unsigned char bytes[LONG_BODY];
    while (end >= 0 && recv(end, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
        continue;
}

static void connect_again(int *end, bool as_task)
{
    close(*end);
    run();
    if (as_task && daemon_.post->tasks.count < 100)
        enrol(end);
    else
        connect_to_daemon(end);
}

/* What a process does that may write the files of our user. */
static void strangers_prove(void)
{
    LIST_FOR_EACH(node, &daemon_.post->listener.strangers.list)
    {
        struct task_link *link = LIST_OWNER(node, struct task_link, stranger);
        char path[32];
        snprintf(path, sizeof path, "/proc/self/fd/%d", link->proof);
        int file = link->proof < 0 ? -1 : open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        MUST(write(file, "x", 1) == 1);
        close(file);
    }
}

static void step(void)
{
    unsigned what = input_byte(&rest);
    int which = what >= 128;
    struct input bytes;
    switch (what % 15) {
    case 0:
        task_asks(which);
        break;
    case 1:
        task_says(tasks[which], source_of(which, 0), SM_SPAWN + (int)(input_byte(&rest) % 20));
        break;
    case 2:
        task_sends(which);
        break;
    case 3:
        host_says(which);
        break;
    case 4:
        host_sends(which);
        break;
    case 5:
        bytes = take_body();
        send(stranger, bytes.bytes, bytes.size, MSG_NOSIGNAL);
        break;
    case 6:
        task_says(stranger, 0, TM_CONNECT + (int)(input_byte(&rest) % 26));
        break;
    case 7:
        seconds_passed += input_byte(&rest);
        break;
    case 8:
        host_takes(which);
        task_takes(connections[which]);
        break;
    case 9:
        task_takes(tasks[which]);
        break;
    case 10:
        strangers_prove();
        break;
    case 11:
        host_says_word(which);
        break;
    case 12:
        host_connects(which);
        break;
    case 13:
        host_writes(which);
        break;
    default:
        connect_again(which ? &stranger : &tasks[1], !which);
    }
    run();
}

static char folder[] = "/tmp/fuzz_daemon.XXXXXX";

static void remove_folder(void)
{
    unlink("a");
    rmdir(folder);
}

/* A new file, by which a stranger can be told from a task of another user. */
static void make_file(void)
{
    unlink("a");
    close(open("a", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

/* Once: a folder for what the daemon writes, and sockets for the hosts. */
static void prepare(void)
{
    MUST(mkdtemp(folder) && __real_chdir(folder) == 0 && atexit(remove_folder) == 0);
    MUST(setenv("PVM_TMP", folder, 1) == 0 && setenv("PVM_PATH", "/bin", 1) == 0);
    signal(SIGPIPE, SIG_IGN);
    log_open("log", 1); /* lines are made, and not written */
    unlink("log");
    log_set_ready();
    daemon_address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < HOSTS; i++) {
        struct sockaddr_in address = daemon_address;
        host_sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
        MUST(bind(host_sockets[i], (struct sockaddr *)&address, sizeof address) == 0);
    }
    socklen_t size = sizeof listener_address;
    listener_address = daemon_address;
    host_listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    MUST(bind(host_listener, (struct sockaddr *)&listener_address, size) == 0 &&
         listen(host_listener, 100) == 0 &&
         getsockname(host_listener, (struct sockaddr *)&listener_address, &size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool prepared;
    if (!prepared)
        prepare();
    prepared = true;
    rest = (struct input){data, size};
    make_file();
    start(input_byte(&rest) & 1);
    run();
    while (rest.size > 0 && !halted)
        step();
    finish();
    return 0;
}
