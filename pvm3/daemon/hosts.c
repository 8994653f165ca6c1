/* hosts.c - the own host. */
#include "daemon/hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <pvm3.h>

#include "core/signature.h"
#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/lookup.h"

#define OWN_INDEX         1u
#define LAST_INDEX        4095u
#define REQUEST_HOSTS_MAX 4095

/* The first free port from `port` on; 0 leaves the choice to the system. */
static int hosts_bind(int fd, uint32_t address, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    for (; port <= UINT16_MAX; port++) {
        to.sin_port = htons((uint16_t)port);
        if (bind(fd, (struct sockaddr *)&to, sizeof to) == 0)
            return 0;
        if (port == 0 || errno != EADDRINUSE)
            return -1;
    }
    return -1;
}

static int hosts_bind_datagram(struct hosts *hosts, unsigned port)
{
    struct host *own = &hosts->own;
    if (hosts_bind(hosts->datagram, own->address, port) == 0)
        return 0;
    struct in_addr shown = {htonl(own->address)};
    log_note("no socket at the address %s of %s (%s): using 127.0.0.1", inet_ntoa(shown), own->name,
             strerror(errno));
    own->address = INADDR_LOOPBACK;
    return hosts_bind(hosts->datagram, own->address, port);
}

static int hosts_open_datagram(struct hosts *hosts, unsigned port)
{
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    hosts->datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (hosts->datagram < 0 || hosts_bind_datagram(hosts, port) < 0 ||
        getsockname(hosts->datagram, (struct sockaddr *)&bound, &size) < 0) {
        log_write("cannot open a datagram socket: %s", strerror(errno));
        return -1;
    }
    hosts->own.port = ntohs(bound.sin_port);
    return 0;
}

static int hosts_set_name(struct host *own, const char *name)
{
    if (!name) {
        if (gethostname(own->name, sizeof own->name) == 0 &&
            memchr(own->name, '\0', sizeof own->name))
            return 0;
        log_write("cannot tell the name of this host: give one with -n");
        return -1;
    }
    if (strlen(name) >= sizeof own->name) {
        log_write("the host name given with -n is longer than %zu bytes", sizeof own->name - 1);
        return -1;
    }
    strcpy(own->name, name);
    return 0;
}

int hosts_set_own(struct hosts *hosts, const char *name)
{
    struct host *own = &hosts->own;
    own->part = OWN_INDEX << TID_HOST_SHIFT;
    hosts->cursor = OWN_INDEX;
    own->architecture = SETTINGS_ARCHITECTURE;
    own->signature = signature_native();
    return hosts_set_name(own, name);
}

int hosts_open(struct hosts *hosts, const char *address, int speed, unsigned first_port)
{
    struct host *own = &hosts->own;
    own->speed = speed;
    const char *name = address ? address : own->name;
    own->address = lookup_address(name);
    if (own->address == 0) {
        log_note("the name %s of this host has no address: using 127.0.0.1", name);
        own->address = INADDR_LOOPBACK;
    }
    return hosts_open_datagram(hosts, first_port);
}

void hosts_finish(struct hosts *hosts)
{
    if (hosts->datagram >= 0)
        close(hosts->datagram);
}

/* "." is the own host. NULL when no host has the name. */
static const struct host *hosts_find_name(const struct hosts *hosts, const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, hosts->own.name) == 0 ? &hosts->own : NULL;
}

const struct host *hosts_find(const struct hosts *hosts, uint32_t tid)
{
    return tid_host_part(tid) == hosts->own.part ? &hosts->own : NULL;
}

uint32_t hosts_next_part(struct hosts *hosts)
{
    hosts->cursor = hosts->cursor < LAST_INDEX ? hosts->cursor + 1 : OWN_INDEX + 1;
    return hosts->cursor << TID_HOST_SHIFT;
}

enum request_result hosts_tell(struct request *request)
{
    const struct host *host = hosts_own(&request->daemon->hosts);
    struct message *answer = request_answer(request);
    control_put_int(answer, 1);
    control_put_int(answer, 1);
    control_put_tid(answer, host->part);
    control_put_string(answer, host->name);
    control_put_string(answer, host->architecture);
    control_put_int(answer, host->speed);
    control_put_tid(answer, host->signature);
    request_reply(request, answer);
    return REQUEST_DONE;
}

enum request_result hosts_tell_state(struct request *request)
{
    char *name = control_get_string(&request->body, 0);
    if (!name)
        return REQUEST_MALFORMED;
    int32_t state = hosts_find_name(&request->daemon->hosts, name) ? PvmOk : PvmNoHost;
    free(name);
    return request_reply_int(request, state);
}

enum request_result hosts_tell_clock(struct request *request)
{
    uint32_t where = control_get_tid(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!hosts_find(&request->daemon->hosts, where))
        return request_reply_int(request, PvmNoHost);
    struct timeval now;
    gettimeofday(&now, NULL);
    struct message *answer = request_answer(request);
    control_put_int(answer, PvmOk);
    control_put_int(answer, (int32_t)now.tv_sec);
    control_put_int(answer, (int32_t)now.tv_usec);
    request_reply(request, answer);
    return REQUEST_DONE;
}

/* Reads the count of hosts that a request names; -1 when it makes no sense. */
static int32_t hosts_get_count(struct request *request)
{
    int32_t count = control_get_count(&request->body, 8);
    return request->body.failed || count < 1 || count > REQUEST_HOSTS_MAX ? -1 : count;
}

/* The own host cannot be deleted, and there are no others. */
enum request_result hosts_delete(struct request *request)
{
    int32_t count = hosts_get_count(request);
    if (count < 0)
        return REQUEST_MALFORMED;
    struct message *answer = request_answer(request);
    control_put_int(answer, count);
    for (int32_t i = 0; i < count; i++) {
        char *name = control_get_string(&request->body, 0);
        if (name)
            control_put_int(answer, hosts_find_name(&request->daemon->hosts, name) ? PvmBadParam
                                                                                   : PvmNoHost);
        free(name);
    }
    if (!request->body.failed) {
        request_reply(request, answer);
        return REQUEST_DONE;
    }
    message_free(answer);
    return REQUEST_MALFORMED;
}
