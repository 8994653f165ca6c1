/* server.c - one thread: it waits for requests and for the virtual machine at once. */
#include "top/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/clock.h"
#include "top/metrics.h"

/* Prometheus gives up after ten seconds unless it is told otherwise. */
static const double patience = 5;
/* Seconds for which a connection may be silent, and for which the server waits at most. */
enum { SILENCE = 30, LONG = 3600 };

struct server {
    struct survey *survey;
    struct MHD_Daemon *http;
    bool gone; /* the virtual machine */
};

static enum MHD_Result text_send(struct MHD_Connection *connection, unsigned status, char *text,
                                 size_t size, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(size, text, mode);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                            "text/plain; version=0.0.4; charset=utf-8");
    enum MHD_Result sent = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return text_send(connection, status, (char *)text, strlen(text), MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result metrics_send(struct server *server, struct MHD_Connection *connection)
{
    char *text;
    size_t size;
    if (!survey_take(server->survey, patience)) {
        server->gone = true;
        return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "the virtual machine is gone\n");
    }
    picture_arrange(&server->survey->picture, ORDER_TID, "");
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return MHD_NO;
    metrics_write(file, &server->survey->picture);
    fclose(file);
    return text_send(connection, MHD_HTTP_OK, text, size, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result request_take(void *closure, struct MHD_Connection *connection,
                                    const char *path, const char *method, const char *version,
                                    const char *body, size_t *body_size, void **state)
{
    (void)version;
    (void)body;
    (void)body_size;
    (void)state;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET alone is known here\n");
    if (strcmp(path, "/metrics") != 0)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "the metrics are at /metrics\n");
    return metrics_send(closure, connection);
}

static bool server_start(struct server *server, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    server->http = MHD_start_daemon(MHD_USE_EPOLL, port, NULL, NULL, request_take, server,
                                    MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_TIMEOUT,
                                    (unsigned)SILENCE, MHD_OPTION_END);
    if (!server->http)
        return false;
    port = MHD_get_daemon_info(server->http, MHD_DAEMON_INFO_BIND_PORT)->port;
    printf("http://127.0.0.1:%d/metrics\n", port);
    fflush(stdout);
    return true;
}

/* Seconds after which the library has to look at its connections, whatever happens. */
static double server_due(const struct server *server)
{
    MHD_UNSIGNED_LONG_LONG milliseconds;
    return MHD_get_timeout(server->http, &milliseconds) == MHD_YES ? (double)milliseconds / 1000
                                                                   : LONG;
}

int server_run(struct survey *survey, uint16_t port)
{
    struct server server = {.survey = survey};
    if (!server_start(&server, port)) {
        fprintf(stderr, "pvmtop: cannot serve at port %d of 127.0.0.1\n", port);
        return EXIT_FAILURE;
    }
    int descriptor = MHD_get_daemon_info(server.http, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    do {
        MHD_run(server.http);
        double until = clock_now() + server_due(&server);
        server.gone = server.gone || !survey_wait(survey, descriptor, until);
    } while (!server.gone);
    MHD_run(server.http); /* what is still to be said */
    MHD_stop_daemon(server.http);
    fprintf(stderr, "pvmtop: the virtual machine is gone\n");
    return EXIT_FAILURE;
}
