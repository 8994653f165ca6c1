/* buffer.c - what buffered sends take of an attached buffer. */
#include "mpi/messages/buffer.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/messages/transfer.h"
#include "mpi/messages/work.h"

struct send_buffer {
    pthread_mutex_t lock;
    bool attached;
    void *memory;
    MPI_Count size;
    MPI_Count used; /* by what is not out yet */
};

/* A message that is not out yet. */
struct buffered {
    struct work work;
    struct posted posted;
    struct send_buffer *buffer;
    MPI_Count size;
};

struct send_buffer *send_buffer_of_process(void)
{
    static struct send_buffer buffer = {.lock = PTHREAD_MUTEX_INITIALIZER};
    return &buffer;
}

static struct send_buffer *send_buffer_new(void)
{
    struct send_buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer)
        pthread_mutex_init(&buffer->lock, NULL);
    return buffer;
}

void send_buffer_free(struct send_buffer *buffer)
{
    pthread_mutex_destroy(&buffer->lock);
    free(buffer);
}

static int buffer_check(const void *memory, MPI_Count size)
{
    if (memory == MPI_BUFFER_AUTOMATIC)
        return MPI_SUCCESS;
    if (size < 0)
        return MPI_ERR_ARG;
    return !memory && size > 0 ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int send_buffer_attach(struct send_buffer *buffer, void *memory, MPI_Count size)
{
    int error = buffer_check(memory, size);
    if (error != MPI_SUCCESS)
        return error;
    pthread_mutex_lock(&buffer->lock);
    bool attached = buffer->attached;
    if (!attached) {
        buffer->attached = true;
        buffer->memory = memory;
        buffer->size = size;
    }
    pthread_mutex_unlock(&buffer->lock);
    return attached ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static bool buffer_is_empty(void *owner)
{
    struct send_buffer *buffer = owner;
    pthread_mutex_lock(&buffer->lock);
    bool empty = buffer->used == 0;
    pthread_mutex_unlock(&buffer->lock);
    return empty;
}

bool send_buffer_has_sent(struct send_buffer *buffer)
{
    return buffer_is_empty(buffer);
}

int send_buffer_flush(struct send_buffer *buffer)
{
    const struct wanted wanted = {buffer_is_empty, NULL, buffer};
    return buffer_is_empty(buffer) || work_wait_until(&wanted) ? MPI_SUCCESS : MPI_ERR_INTERN;
}

int send_buffer_detach(struct send_buffer *buffer, void *address, MPI_Count *size)
{
    if (!address)
        return MPI_ERR_ARG;
    int error = send_buffer_flush(buffer);
    if (error != MPI_SUCCESS)
        return error;
    pthread_mutex_lock(&buffer->lock);
    bool attached = buffer->attached;
    void *memory = attached ? buffer->memory : NULL;
    *size = attached ? buffer->size : 0;
    buffer->attached = false;
    pthread_mutex_unlock(&buffer->lock);
    memcpy(address, &memory, sizeof memory);
    return attached ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

int send_buffer_place(struct send_buffer **place, void *memory, MPI_Count size)
{
    if (*place)
        return MPI_ERR_BUFFER;
    struct send_buffer *buffer = send_buffer_new();
    if (!buffer)
        return MPI_ERR_NO_MEM;
    int error = send_buffer_attach(buffer, memory, size);
    if (error == MPI_SUCCESS)
        *place = buffer;
    else
        send_buffer_free(buffer);
    return error;
}

int send_buffer_remove(struct send_buffer **place, void *address, MPI_Count *size)
{
    if (!*place)
        return MPI_ERR_BUFFER;
    int error = send_buffer_detach(*place, address, size);
    if (error != MPI_SUCCESS)
        return error;
    send_buffer_free(*place);
    *place = NULL;
    return MPI_SUCCESS;
}

/* What is left stays positive: the sizes of two messages may not fit a count. */
static bool buffer_take(struct send_buffer *buffer, MPI_Count size)
{
    pthread_mutex_lock(&buffer->lock);
    bool taken = buffer->attached &&
                 (buffer->memory == MPI_BUFFER_AUTOMATIC || size <= buffer->size - buffer->used);
    if (taken)
        buffer->used += size;
    pthread_mutex_unlock(&buffer->lock);
    return taken;
}

static void buffer_give_back(struct send_buffer *buffer, MPI_Count size)
{
    pthread_mutex_lock(&buffer->lock);
    buffer->used -= size;
    pthread_mutex_unlock(&buffer->lock);
}

static bool buffered_advance(struct work *work)
{
    struct buffered *buffered = (struct buffered *)(void *)work;
    if (!posted_test(&buffered->posted))
        return false;
    buffer_give_back(buffered->buffer, buffered->size);
    return true;
}

static void buffered_pending(struct work *work, struct awaited *awaited)
{
    awaited_add(awaited, &((struct buffered *)(void *)work)->posted);
}

static void buffered_over(struct work *work)
{
    free(work);
}

/* Posts a copy. What is not out at once goes on as work, which is freed by whom it ends. */
static int buffered_begin(struct buffered *buffered, const struct channel *channel,
                          const struct items *items)
{
    static const struct work_steps steps = {buffered_advance, buffered_pending};
    int error = posted_send_copied(&buffered->posted, channel, items);
    if (buffered->posted.post) {
        work_begin(&buffered->work, &steps);
        if (work_orphan(&buffered->work, buffered_over))
            return error;
    } else {
        buffer_give_back(buffered->buffer, buffered->size);
    }
    free(buffered);
    return error;
}

int send_buffer_send(struct send_buffer *buffer, const struct channel *channel,
                     const struct items *items)
{
    if (channel->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    MPI_Count size = (MPI_Count)transfer_letter(channel, items).size + MPI_BSEND_OVERHEAD;
    if (!buffer_take(buffer, size))
        return MPI_ERR_BUFFER;
    struct buffered *buffered = malloc(sizeof *buffered);
    if (!buffered) {
        buffer_give_back(buffer, size);
        return MPI_ERR_NO_MEM;
    }
    buffered->buffer = buffer;
    buffered->size = size;
    return buffered_begin(buffered, channel, items);
}
