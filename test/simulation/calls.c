/*
 * calls.c - the system that the daemons call: each function here stands in for one of the C library
 * (ld --wrap), for code of a virtual process and for virtual descriptors. Files are real.
 */
#include "calls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "daemon/members/starter.h"
#include "children.h"
#include "machine.h"

/* What a daemon that was killed, and that only frees its memory now, is told of everything. */
static bool calls_are_over(void)
{
    return world.running && world.running->over;
}

static bool calls_is_virtual(int number)
{
    return number >= DESCRIPTOR_FIRST ||
           (world.running && number >= 0 && number < STANDARD_DESCRIPTORS);
}

/* Time and numbers. ---------------------------------------------------------------------------- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t time = world.now + (world.running ? world.running->late : 0);
    (void)clock;
    *now = (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND * 1000};
    return 0;
}

void __wrap_randombytes_buf(void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)world_draw(256);
}

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    __wrap_randombytes_buf(bytes, size);
    return (ssize_t)size;
}

pid_t __wrap_getpid(void)
{
    return world.running ? world.running->pid : __real_getpid();
}

/* Waiting. ------------------------------------------------------------------------------------- */

int __wrap_epoll_create1(int flags)
{
    (void)flags;
    return descriptor_new(DESCRIPTOR_SET, world.running)->number;
}

int __wrap_epoll_ctl(int set, int operation, int number, struct epoll_event *event)
{
    struct descriptor *of = descriptor_find(set), *watched = descriptor_find(number);
    if (!of || !watched)
        return -1;
    list_remove(&watched->ready);
    watched->set = operation == EPOLL_CTL_DEL ? NULL : of;
    watched->interest = event->events;
    watched->data = event->data.ptr;
    descriptor_changed(watched);
    return 0;
}

int __wrap_epoll_wait(int number, struct epoll_event *events, int room, int timeout)
{
    struct descriptor *set = descriptor_find(number);
    struct list taken;
    int count = 0;
    (void)timeout;
    list_start(&taken);
    while (count < room && !list_is_empty(&set->ready)) {
        struct descriptor *first = LIST_OWNER(set->ready.next, struct descriptor, ready);
        uint32_t now = descriptor_events(first) & (first->interest | EPOLLERR | EPOLLHUP);
        list_remove(&first->ready);
        if (now == 0)
            continue;
        events[count++] = (struct epoll_event){.events = now, .data.ptr = first->data};
        list_append(&taken, &first->ready);
    }
    while (!list_is_empty(&taken)) {
        struct list *first = taken.next;
        list_remove(first);
        list_append(&set->ready, first);
    }
    return count;
}

/* Descriptors. --------------------------------------------------------------------------------- */

int __wrap_close(int number)
{
    if (!calls_is_virtual(number))
        return __real_close(number);
    struct descriptor *descriptor = descriptor_find(number);
    if (!descriptor)
        return -1;
    descriptor_close(descriptor);
    return 0;
}

int __wrap_fcntl(int number, int operation, ...)
{
    va_list arguments;
    va_start(arguments, operation);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return calls_is_virtual(number) ? 0 : __real_fcntl(number, operation, argument);
}

int __wrap_ioctl(int number, unsigned long operation, void *argument)
{
    const struct descriptor *descriptor = descriptor_find(number);
    if (!descriptor || operation != FIONREAD)
        return -1;
    *(int *)argument = (int)descriptor->size;
    return 0;
}

ssize_t __wrap_read(int number, void *bytes, size_t size)
{
    if (!calls_is_virtual(number))
        return __real_read(number, bytes, size);
    struct descriptor *descriptor = descriptor_find(number);
    return descriptor ? stream_read(descriptor, bytes, size) : -1;
}

ssize_t __wrap_recv(int number, void *bytes, size_t size, int flags)
{
    (void)flags;
    return __wrap_read(number, bytes, size);
}

ssize_t __wrap_write(int number, const void *bytes, size_t size)
{
    if (!calls_is_virtual(number))
        return __real_write(number, bytes, size);
    struct descriptor *descriptor = descriptor_find(number);
    return descriptor ? stream_write(descriptor, bytes, size) : -1;
}

ssize_t __wrap_writev(int number, const struct iovec *vectors, int count)
{
    ssize_t sum = 0;
    for (int i = 0; i < count; i++) {
        ssize_t size = __wrap_write(number, vectors[i].iov_base, vectors[i].iov_len);
        if (size < 0)
            return sum > 0 ? sum : -1;
        sum += size;
        if ((size_t)size < vectors[i].iov_len)
            break;
    }
    return sum;
}

static int __attribute__((format(printf, 2, 0)))
calls_print(int number, const char *format, va_list arguments)
{
    char text[1024];
    int size = vsnprintf(text, sizeof text, format, arguments);
    return (int)__wrap_write(number, text, (size_t)size);
}

int __wrap_dprintf(int number, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = calls_print(number, format, arguments);
    va_end(arguments);
    return result;
}

/* What a compiler that fortifies makes of dprintf. */
int __wrap___dprintf_chk(int number, int flag, const char *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int result = calls_print(number, format, arguments);
    va_end(arguments);
    return result;
}

int __wrap_pipe2(int ends[2], int flags)
{
    struct process *process = world.running;
    (void)flags;
    if (process->made_count == sizeof process->made / sizeof process->made[0])
        process->made_count = 0;
    for (int i = 0; i < 2; i++) {
        struct descriptor *end = descriptor_new(DESCRIPTOR_STREAM, process);
        process->made[process->made_count++] = end;
        ends[i] = end->number;
    }
    stream_pair(descriptor_find(ends[0]), descriptor_find(ends[1]));
    return 0;
}

/* Sockets. ------------------------------------------------------------------------------------- */

int __wrap_socket(int domain, int type, int protocol)
{
    (void)domain;
    (void)protocol;
    if (calls_are_over())
        return -1;
    bool packets = (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_DGRAM;
    return descriptor_new(packets ? DESCRIPTOR_PACKETS : DESCRIPTOR_STREAM, world.running)->number;
}

int __wrap_bind(int number, const struct sockaddr *address, socklen_t size)
{
    struct descriptor *descriptor = descriptor_find(number);
    (void)size;
    if (address->sa_family == AF_UNIX) {
        const struct sockaddr_un *at = (const void *)address;
        snprintf(descriptor->path, sizeof descriptor->path, "%s", at->sun_path);
        return 0;
    }
    const struct sockaddr_in *at = (const void *)address;
    if (ntohl(at->sin_addr.s_addr) != descriptor->machine->address) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    descriptor->address = descriptor->machine->address;
    descriptor->port = at->sin_port ? ntohs(at->sin_port) : ++descriptor->machine->port;
    if (descriptor->kind == DESCRIPTOR_PACKETS)
        list_append(&descriptor->machine->bound, &descriptor->bound);
    return 0;
}

int __wrap_listen(int number, int most)
{
    struct descriptor *descriptor = descriptor_find(number);
    (void)most;
    descriptor->kind = DESCRIPTOR_PORT;
    list_append(&descriptor->machine->bound, &descriptor->bound);
    return 0;
}

int __wrap_getsockname(int number, struct sockaddr *address, socklen_t *size)
{
    const struct descriptor *descriptor = descriptor_find(number);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(descriptor->port),
                             .sin_addr.s_addr = htonl(descriptor->address)};
    memcpy(address, &at, sizeof at);
    *size = sizeof at;
    return 0;
}

int __wrap_connect(int number, const struct sockaddr *address, socklen_t size)
{
    const struct sockaddr_in *to = (const void *)address;
    (void)size;
    stream_call(descriptor_find(number), ntohl(to->sin_addr.s_addr), ntohs(to->sin_port));
    errno = EINPROGRESS;
    return -1;
}

int __wrap_accept4(int number, struct sockaddr *address, socklen_t *size, int flags)
{
    struct descriptor *port = descriptor_find(number);
    (void)flags;
    if (list_is_empty(&port->arrived)) {
        errno = EAGAIN;
        return -1;
    }
    struct descriptor *end = LIST_OWNER(port->arrived.next, struct descriptor, node);
    list_remove(&end->node);
    list_append(&port->process->descriptors, &end->node);
    if (address) {
        struct sockaddr_in from = {.sin_family = AF_INET,
                                   .sin_port = htons(end->port),
                                   .sin_addr.s_addr = htonl(end->address)};
        memcpy(address, &from, sizeof from);
        *size = sizeof from;
    }
    return end->number;
}

int __wrap_shutdown(int number, int how)
{
    struct descriptor *end = descriptor_find(number);
    (void)how;
    if (end)
        stream_shut(end);
    return 0;
}

int __wrap_setsockopt(int number, int level, int name, const void *value, socklen_t size)
{
    (void)number, (void)level, (void)name, (void)value, (void)size;
    return 0;
}

int __wrap_getsockopt(int number, int level, int name, void *value, socklen_t *size)
{
    struct descriptor *descriptor = descriptor_find(number);
    struct ucred peer = {.pid = descriptor->pid, .uid = getuid(), .gid = getgid()};
    if (level == SOL_SOCKET && name == SO_PEERCRED) {
        memcpy(value, &peer, sizeof peer);
    } else if (level == SOL_SOCKET && name == SO_ERROR) {
        memcpy(value, &descriptor->error, sizeof descriptor->error);
    } else if (level != SOL_SOCKET || name != SO_RCVBUF) {
        errno = ENOPROTOOPT;
        return -1;
    }
    (void)size;
    return 0;
}

static size_t calls_gather(const struct msghdr *message, unsigned char *bytes, size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        const struct iovec *vector = &message->msg_iov[i];
        size_t part = vector->iov_len < room - size ? vector->iov_len : room - size;
        if (part > 0)
            memcpy(bytes + size, vector->iov_base, part);
        size += part;
    }
    return size;
}

ssize_t __wrap_sendmsg(int number, const struct msghdr *message, int flags)
{
    unsigned char bytes[1 << 16];
    struct descriptor *descriptor = descriptor_find(number);
    (void)flags;
    if (!descriptor)
        return -1;
    if (descriptor->kind == DESCRIPTOR_STREAM)
        return __wrap_writev(number, message->msg_iov, (int)message->msg_iovlen);
    size_t size = calls_gather(message, bytes, sizeof bytes);
    packets_send(descriptor, message->msg_name, bytes, size);
    return (ssize_t)size;
}

ssize_t __wrap_recvfrom(int number, void *bytes, size_t size, int flags, struct sockaddr *from,
                        socklen_t *from_size)
{
    struct descriptor *descriptor = descriptor_find(number);
    struct parcel *parcel = descriptor ? packets_take(descriptor, false) : NULL;
    (void)flags;
    if (!parcel) {
        errno = EAGAIN;
        return -1;
    }
    size_t taken = parcel->size < size ? parcel->size : size;
    memcpy(bytes, parcel->bytes, taken);
    memcpy(from, &parcel->from, sizeof parcel->from);
    *from_size = sizeof parcel->from;
    free(parcel);
    return (ssize_t)taken;
}

/* Of the queue of errors: a packet that was refused. */
ssize_t __wrap_recvmsg(int number, struct msghdr *message, int flags)
{
    struct parcel *parcel = packets_take(descriptor_find(number), true);
    const struct sock_extended_err error = {.ee_errno = ECONNREFUSED};
    (void)flags;
    if (!parcel) {
        errno = EAGAIN;
        return -1;
    }
    memcpy(message->msg_name, &parcel->to, sizeof parcel->to);
    struct cmsghdr *part = message->msg_control;
    *part = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof error), .cmsg_level = IPPROTO_IP, .cmsg_type = IP_RECVERR};
    memcpy(CMSG_DATA(part), &error, sizeof error);
    free(parcel);
    return 0;
}

/* Processes. ----------------------------------------------------------------------------------- */

/* The next pipes of the process are those of its next child. */
static void calls_begin_child(void)
{
    world.running->made_count = 0;
}

/*
 * The daemon goes on as the parent. The child is a part of the simulation, and has the ends of the
 * pipes that the parent is about to close.
 */
pid_t __wrap_fork(void)
{
    struct process *process = world.running;
    int pid = process_fork(process);
    children_begin(process, process_child(process, pid));
    calls_begin_child();
    return pid;
}

/* The command of the remote shell that is about to be forked. */
bool __wrap_remote_shell_start(struct remote_shell *shell, struct loop *loop,
                               const struct starter_order *order,
                               void (*told)(struct remote_shell *, const char *))
{
    calls_begin_child();
    children_note_order(order->address, order->command);
    bool started = __real_remote_shell_start(shell, loop, order, told);
    children_note_order(NULL, NULL);
    return started;
}

/* What a child would find out is found out at once. */
bool __wrap_inquiry_start(struct inquiry *inquiry, int seconds,
                          void (*answer)(int output, void *argument), void *argument)
{
    int ends[2];
    calls_begin_child();
    __wrap_pipe2(ends, 0);
    calls_begin_child();
    if (loop_watch(inquiry->loop, &inquiry->source, ends[0], EPOLLIN) < 0)
        return false;
    answer(ends[1], argument);
    __wrap_close(ends[1]);
    loop_timer_set(inquiry->loop, &inquiry->deadline, seconds * 1000);
    return true;
}

long __wrap_syscall(long call, long first, long second, long third, long fourth)
{
    if (call == SYS_pidfd_open) {
        struct descriptor *descriptor = descriptor_new(DESCRIPTOR_CHILD, world.running);
        descriptor->pid = (int)first;
        return descriptor->number;
    }
    if (call != SYS_pidfd_send_signal)
        return __real_syscall(call, first, second, third, fourth);
    const struct descriptor *descriptor = descriptor_find((int)first);
    const struct child *child = descriptor ? process_child(world.running, descriptor->pid) : NULL;
    if (!child || child->ended) {
        errno = ESRCH;
        return -1;
    }
    return second == 0 ? 0 : __wrap_kill(descriptor->pid, (int)second);
}

int __wrap_kill(pid_t pid, int number)
{
    if (!calls_are_over())
        children_signal(world.running, pid < 0 ? -pid : pid, number);
    return 0;
}

/* A process that is over is the next one to be collected. */
static struct child *calls_ended(void)
{
    LIST_FOR_EACH(node, &world.running->children)
    {
        struct child *child = LIST_OWNER(node, struct child, node);
        if (child->ended)
            return child;
    }
    return NULL;
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *ended, int options)
{
    const struct child *child = calls_ended();
    (void)type, (void)id, (void)options;
    ended->si_pid = child ? child->pid : 0;
    return 0;
}

pid_t __wrap_wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct child *child = process_child(world.running, pid);
    (void)options;
    *status = child->status;
    memset(usage, 0, sizeof *usage);
    list_remove(&child->node);
    free(child);
    return pid;
}

/* The process sleeps within its last round: its children that were told to end are over then. */
int __wrap_sigtimedwait(const sigset_t *signals, siginfo_t *information,
                        const struct timespec *limit)
{
    (void)signals, (void)information;
    world.running->late += limit->tv_sec * SECOND + limit->tv_nsec / 1000 + MILLISECOND;
    errno = EAGAIN;
    return calls_ended() ? SIGCHLD : -1;
}
