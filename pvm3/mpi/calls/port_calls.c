/*
 * port_calls.c - worlds that meet: at a port, by the name of a service, or by a socket.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "lib/calls/kernel.h"
#include "mpi/calls/calls.h"
#include "mpi/communicators/exchange.h"
#include "mpi/communicators/inter.h"
#include "mpi/messages/port.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* By this text the leaders of two worlds find each other. */
#define MEETING "meeting"

static int check_info(MPI_Info info)
{
    return info == MPI_INFO_NULL || info_of(info) ? MPI_SUCCESS : MPI_ERR_INFO;
}

/* Ports and services. -------------------------------------------------------------------------- */

static int port_end(const char *function, int code)
{
    return code == MPI_SUCCESS ? code : call_error(function, code);
}

MPI_CALL(int, Open_port)(MPI_Info info, char *port_name)
{
    int code = port_name ? check_info(info) : MPI_ERR_ARG;
    return port_end("MPI_Open_port", code == MPI_SUCCESS ? port_open(port_name) : code);
}

MPI_CALL(int, Close_port)(const char *port_name)
{
    return port_end("MPI_Close_port", port_name ? port_close(port_name) : MPI_ERR_ARG);
}

/* Names of services, and ports, as all three calls take them. */
static int check_service(const char *service, MPI_Info info, const char *port)
{
    return service && *service && port ? check_info(info) : MPI_ERR_ARG;
}

MPI_CALL(int, Publish_name)(const char *service_name, MPI_Info info, const char *port_name)
{
    int code = check_service(service_name, info, port_name);
    if (code == MPI_SUCCESS)
        code = service_publish(service_name, port_name);
    return port_end("MPI_Publish_name", code);
}

MPI_CALL(int, Unpublish_name)(const char *service_name, MPI_Info info, const char *port_name)
{
    int code = check_service(service_name, info, port_name);
    if (code == MPI_SUCCESS)
        code = service_withdraw(service_name);
    return port_end("MPI_Unpublish_name", code);
}

MPI_CALL(int, Lookup_name)(const char *service_name, MPI_Info info, char *port_name)
{
    int code = check_service(service_name, info, port_name);
    if (code == MPI_SUCCESS)
        code = service_find(service_name, port_name);
    return port_end("MPI_Lookup_name", code);
}

/* Meeting. ------------------------------------------------------------------------------------- */

/* Finds the other leader. port_await or port_call. */
typedef int finding(const char *port, uint32_t *other);

/* All are told by the root how it went. */
static int meet_at(struct communicator *local, int root, finding *find, const char *port,
                   struct communicator **made)
{
    uint32_t other = 0;
    int code = MPI_SUCCESS;
    if (local->rank == root)
        code = port ? find(port, &other) : MPI_ERR_ARG;
    int told = exchange_bcast(local, root, &code, sizeof code);
    if (told != MPI_SUCCESS || code != MPI_SUCCESS)
        return code == MPI_SUCCESS ? told : code;
    return intercomm_of_leaders(local, root, other, MEETING, made);
}

static int meet(const char *function, finding *find, const char *port, MPI_Info info, int root,
                MPI_Comm comm, MPI_Comm *newcomm)
{
    struct communicator *local = communicator_of(comm);
    struct communicator *made = NULL;
    int code = local && !local->remote ? MPI_SUCCESS : MPI_ERR_COMM;
    if (code == MPI_SUCCESS && !newcomm)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS && (root < 0 || root >= local->group->size))
        code = MPI_ERR_ROOT;
    if (code == MPI_SUCCESS)
        code = check_info(info);
    if (code == MPI_SUCCESS)
        code = meet_at(local, root, find, port, &made);
    if (code != MPI_SUCCESS)
        return communicator_error(local, function, code);
    *newcomm = communicator_handle(made);
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_accept)
(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
    return meet("MPI_Comm_accept", port_await, port_name, info, root, comm, newcomm);
}

MPI_CALL(int, Comm_connect)
(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm)
{
    return meet("MPI_Comm_connect", port_call, port_name, info, root, comm, newcomm);
}

/* All bytes; false when the other side has gone. */
static bool write_all(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, (const char *)bytes + done, size - done);
        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool read_all(int fd, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(fd, (char *)bytes + done, size - done);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Sends the bytes, and gets as many of the other side. */
static bool swap(int fd, const void *sent, void *received, size_t size)
{
    return write_all(fd, sent, size) && read_all(fd, received, size);
}

/*
 * Each side opens a port, and looks for that of the other one. *other is 0 if they are not of one
 * virtual machine, or one task.
 */
static int find_by_socket(int fd, uint32_t *other)
{
    char own[MPI_MAX_PORT_NAME] = "", others[MPI_MAX_PORT_NAME];
    char found = port_open(own) == MPI_SUCCESS, both = 0;
    int code = swap(fd, own, others, sizeof own) ? MPI_SUCCESS : MPI_ERR_OTHER;
    others[sizeof others - 1] = '\0';
    found = code == MPI_SUCCESS && found && port_owner(others, other) == MPI_SUCCESS &&
            *other != kernel_address();
    if (code == MPI_SUCCESS && !swap(fd, &found, &both, sizeof found))
        code = MPI_ERR_OTHER;
    if (!found || !both)
        *other = 0;
    port_close(own);
    return code;
}

MPI_CALL(int, Comm_join)(int fd, MPI_Comm *intercomm)
{
    uint32_t other = 0;
    struct communicator *made = NULL;
    int code = intercomm ? find_by_socket(fd, &other) : MPI_ERR_ARG;
    if (code == MPI_SUCCESS && other != 0)
        code = intercomm_of_leaders(communicator_of(MPI_COMM_SELF), 0, other, MEETING, &made);
    if (code != MPI_SUCCESS)
        return call_error("MPI_Comm_join", code);
    *intercomm = made ? communicator_handle(made) : MPI_COMM_NULL;
    return MPI_SUCCESS;
}
