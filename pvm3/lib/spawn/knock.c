/* knock.c - the order for a thread on another host, and the connection to it (own_program_knock). */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "core/environment.h"
#include "core/tid.h"
#include "lib/link/host_list.h"
#include "lib/spawn/guest.h"
#include "lib/spawn/hold.h"
#include "lib/spawn/program.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"

/* Characters of a secret. */
#define SECRET_LENGTH 32

struct knock {
    int listening;
    char address[ENVIRONMENT_ADDRESS_SIZE];
    char secret[SECRET_LENGTH + 1];
};

static bool knock_make_secret(struct knock *knock)
{
    unsigned char bytes[SECRET_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, GRND_NONBLOCK) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(knock->secret + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* At the address by which other hosts know this one. False if the system does not allow it. */
static bool knock_listen(struct knock *knock, uint32_t host)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
    socklen_t size = sizeof name;
    knock->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (knock->listening < 0)
        return false;
    if (bind(knock->listening, (struct sockaddr *)&name, sizeof name) < 0 ||
        listen(knock->listening, 1) < 0 ||
        getsockname(knock->listening, (struct sockaddr *)&name, &size) < 0) {
        close(knock->listening);
        return false;
    }
    environment_format_address(knock->address, host, ntohs(name.sin_port));
    return true;
}

static bool connection_knows(int connection, const char *secret)
{
    char said[SECRET_LENGTH];
    return recv(connection, said, sizeof said, MSG_WAITALL) == sizeof said &&
           memcmp(said, secret, sizeof said) == 0;
}

/* The connection of who knows the secret; or -1 if nobody comes in time. Blocks. */
static int knock_answered(const struct knock *knock)
{
    struct pollfd set = {.fd = knock->listening, .events = POLLIN};
    while (poll(&set, 1, GUEST_PATIENCE) > 0) {
        int connection = accept4(knock->listening, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0)
            return -1;
        guest_be_patient(connection);
        if (connection_knows(connection, knock->secret))
            return connection;
        close(connection);
    }
    return -1;
}

/* Has a thread started on the host. The tid of the holder there, or an error. */
static int knock_order(const struct knock *knock, const struct pvmhostinfo *host,
                       const struct guest *guest)
{
    static const char *const programs[] = {"pvmulp", NULL};
    char *words[] = {(char *)knock->address, (char *)knock->secret, NULL};
    const struct program_order order = {.words = words};
    int result = PvmSysErr;
    struct hold hold = {
        .caller = caller_self(),
        .order = &order,
        .programs = programs,
        .function = "",
        .guest = *guest,
        .host = host,
        .count = 1,
        .results = &result,
    };
    hold_begin(&hold);
    hold_end(&hold);
    return result;
}

/* A connection, or an error. */
static int knock_at(const struct pvmhostinfo *host, const struct guest *guest, uint32_t *holder)
{
    struct knock knock;
    if (!knock_make_secret(&knock) || !knock_listen(&knock, caller_self()->task->endpoint.host))
        return PvmOutOfRes;
    int result = knock_order(&knock, host, guest);
    if (result >= 0) {
        *holder = (uint32_t)result;
        own_program_go_home();
        result = knock_answered(&knock);
        own_program_come_back();
        result = result < 0 ? PvmDSysErr : result;
    }
    close(knock.listening);
    return result;
}

int own_program_knock(uint32_t host, unsigned place, size_t stack, uint32_t *holder)
{
    const struct guest guest = {(int)place, stack};
    struct pvmhostinfo *hosts;
    int formats, result = PvmNoHost;
    int count = host_list_ask(caller_self()->task, &hosts, &formats);
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++)
        if (tid_host_part((uint32_t)hosts[i].hi_tid) == tid_host_part(host))
            result = knock_at(&hosts[i], &guest, holder);
    host_list_free(hosts, count);
    return result;
}
