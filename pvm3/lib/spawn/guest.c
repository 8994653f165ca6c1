/* guest.c - the thread for a task that comes, and how it finds the task. */
#include "lib/spawn/guest.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "core/environment.h"
#include "lib/link/lease.h"
#include "lib/spawn/thread_start.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

void guest_be_patient(int connection)
{
    const struct timeval limit = {.tv_sec = GUEST_PATIENCE / 1000};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    /* Each side waits for short words of the other: none waits for more to send. */
    const int at_once = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

void own_program_welcome(void (*welcome)(int connection))
{
    caller_self()->task->process->welcome = welcome;
}

/* The connection, or -1. Blocks. */
static int guest_connect(const char *address, const char *secret)
{
    uint32_t host;
    uint16_t port;
    if (!environment_parse_address(address, &host, &port))
        return -1;
    const struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(host), .sin_port = htons(port)};
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -1;
    guest_be_patient(connection);
    if (connect(connection, (const struct sockaddr *)&name, sizeof name) < 0 ||
        send(connection, secret, strlen(secret), MSG_NOSIGNAL) != (ssize_t)strlen(secret)) {
        close(connection);
        return -1;
    }
    return connection;
}

/* The function of the thread. */
static int guest_run(int count, char **words)
{
    (void)count;
    own_program_go_home();
    int connection = guest_connect(words[1], words[2]);
    own_program_come_back();
    if (connection >= 0)
        caller_self()->task->process->welcome(connection);
    return 0;
}

int guest_start(struct caller *caller, const struct guest *guest, char *const *words)
{
    const struct thread_order order = {.function = guest_run, .name = "guest", .words = words};
    struct process *process = caller->task->process;
    if (!process->welcome || !words[0] || !words[1])
        return PvmNotImpl;
    lease_begin(process);
    bool shared = lease_is_there(caller->task);
    lease_end(process);
    if (!shared)
        return PvmNotImpl;
    return thread_start_guest(caller, &order, guest);
}
