/* port.c - entries of the mailbox, and calls at ports. */
#include "mpi/messages/port.h"

#include <mpi.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calls/kernel.h"
#include "mpi/messages/probe.h"
#include "mpi/messages/transfer.h"
#include "mpi/objects/communicator.h"

/* The tag of a call at a port. */
#define PORT_CALL 0

/* Entries. ------------------------------------------------------------------------------------- */

/* The name of an entry, to be freed; NULL without memory. */
static char *entry_name(const char *kind, const char *name)
{
    size_t size = strlen(kind) + strlen(name) + 6;
    char *whole = malloc(size);
    if (whole)
        snprintf(whole, size, "mpi.%s.%s", kind, name);
    return whole;
}

/* False when the entry is there already, or the virtual machine is gone. */
static bool entry_put(const char *kind, const char *name, const char *text)
{
    char *entry = entry_name(kind, name);
    int before = pvm_setsbuf(0), buffer = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(buffer);
    bool put =
        entry && pvm_pkstr((char *)text) == 0 && pvm_putinfo(entry, buffer, PvmMboxDefault) >= 0;
    pvm_setsbuf(before);
    pvm_freebuf(buffer);
    free(entry);
    return put;
}

/* The text of an entry, of less than MPI_MAX_PORT_NAME bytes. False when there is none. */
static bool entry_get(const char *kind, const char *name, char *text)
{
    char *entry = entry_name(kind, name);
    int before = pvm_setrbuf(0), length, tag, source;
    bool found = entry && pvm_recvinfo(entry, 0, PvmMboxDefault) > 0 &&
                 pvm_bufinfo(pvm_getrbuf(), &length, &tag, &source) == 0 &&
                 length < MPI_MAX_PORT_NAME && pvm_upkstr(text) == 0;
    pvm_freebuf(pvm_setrbuf(before));
    free(entry);
    return found;
}

static bool entry_remove(const char *kind, const char *name)
{
    char *entry = entry_name(kind, name);
    bool removed = entry && pvm_delinfo(entry, 0, PvmMboxDefault) >= 0;
    free(entry);
    return removed;
}

/* Ports. --------------------------------------------------------------------------------------- */

/* Where calls at a port come to: a task, and a context of its own. */
static bool port_read(const char *name, uint32_t *owner, uint32_t *context)
{
    return sscanf(name, "pvm:%x:%x", owner, context) == 2;
}

int port_open(char *name)
{
    snprintf(name, MPI_MAX_PORT_NAME, "pvm:%x:%x", (unsigned)kernel_address(),
             (unsigned)communicator_new_context());
    return kernel_is_enrolled() && entry_put("port", name, "") ? MPI_SUCCESS : MPI_ERR_PORT;
}

int port_close(const char *name)
{
    uint32_t owner, context;
    bool own = port_read(name, &owner, &context) && owner == kernel_address();
    return own && entry_remove("port", name) ? MPI_SUCCESS : MPI_ERR_PORT;
}

/* Whether it is open. */
static bool port_find(const char *name, uint32_t *owner, uint32_t *context)
{
    char nothing[MPI_MAX_PORT_NAME];
    return port_read(name, owner, context) && kernel_is_enrolled() &&
           entry_get("port", name, nothing);
}

int port_owner(const char *name, uint32_t *owner)
{
    uint32_t context;
    return port_find(name, owner, &context) ? MPI_SUCCESS : MPI_ERR_PORT;
}

int port_await(const char *name, uint32_t *caller)
{
    uint32_t owner, context;
    if (!port_find(name, &owner, &context) || owner != kernel_address())
        return MPI_ERR_PORT;
    const struct kernel_match match = {KERNEL_ANY_SOURCE, PORT_CALL, (int32_t)context};
    const struct kernel_room nothing = {0};
    struct kernel_arrival arrival;
    struct message *message;
    int result = probe_await(&match, &message, &arrival);
    if (result < 0)
        return transfer_error(result);
    kernel_accept(message, &nothing);
    *caller = arrival.source;
    return MPI_SUCCESS;
}

int port_call(const char *name, uint32_t *owner)
{
    uint32_t context;
    if (!port_find(name, owner, &context))
        return MPI_ERR_PORT;
    const struct kernel_letter letter = {
        .destination = *owner, .tag = PORT_CALL, .context = (int32_t)context};
    return transfer_error(kernel_send(&letter));
}

/* Services. ------------------------------------------------------------------------------------ */

int service_publish(const char *service, const char *port)
{
    char published[MPI_MAX_PORT_NAME];
    bool known = kernel_is_enrolled() && entry_get("service", service, published);
    return kernel_is_enrolled() && !known && entry_put("service", service, port) ? MPI_SUCCESS
                                                                                 : MPI_ERR_SERVICE;
}

int service_withdraw(const char *service)
{
    return kernel_is_enrolled() && entry_remove("service", service) ? MPI_SUCCESS : MPI_ERR_SERVICE;
}

int service_find(const char *service, char *port)
{
    return kernel_is_enrolled() && entry_get("service", service, port) ? MPI_SUCCESS : MPI_ERR_NAME;
}
