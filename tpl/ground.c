/* ground.c - three ways to receive in one thread and send in others. */
#include "ground.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <pvm3.h>

/* Only a thread-safe libpvm3 has pvm_threadsafe. */
#pragma weak pvm_threadsafe

/* The tag of all that TPL sends, and its first number: no task has such a tid. */
#define TAG   0x54504c
#define MAGIC 0x54504c31

/*
 * The context of all that TPL sends: a receive of the program's never takes it, whatever senders
 * and tags it asks for. A constant, as a node and a client that finds it by a name have to agree.
 * pvm_newcontext gives smaller numbers only: those of a pvmd, which end below 0x40000000.
 */
#define CONTEXT 0x4054504c

#define HEADER_INTS 8

static const char *const ground_names[] = {"best", "safe", "interrupt", "getfds"};

/* The dynamic linker would warn of references to these where the library is that of 3.4.6. */
static void ground_find_interrupt(struct ground *ground)
{
    if (ground_link_interrupt)
        ground_link_interrupt(ground);
    if (ground->interrupt)
        return;
    void *interrupt = dlsym(RTLD_DEFAULT, "pvm_interrupt_recv");
    void *resume = dlsym(RTLD_DEFAULT, "pvm_resume_recv");
    if (!interrupt || !resume)
        return;
    memcpy(&ground->interrupt, &interrupt, sizeof interrupt);
    memcpy(&ground->resume, &resume, sizeof resume);
}

static bool ground_has(const struct ground *ground, enum tpl_ground kind)
{
    switch (kind) {
    case TPL_GROUND_SAFE:
        return pvm_threadsafe && pvm_threadsafe();
    case TPL_GROUND_INTERRUPT:
        return ground->interrupt;
    case TPL_GROUND_GETFDS:
        return true;
    case TPL_GROUND_BEST:
        break;
    }
    return false;
}

/* The ground that is wanted, or TPL_GROUND_BEST if it is not available. */
static enum tpl_ground ground_choose(const struct ground *ground, enum tpl_ground wanted)
{
    const char *name = getenv("TPL_GROUND");
    for (int i = 0; name && wanted == TPL_GROUND_BEST && i <= TPL_GROUND_GETFDS; i++)
        if (strcmp(name, ground_names[i]) == 0)
            wanted = (enum tpl_ground)i;
    if (wanted != TPL_GROUND_BEST)
        return ground_has(ground, wanted) ? wanted : TPL_GROUND_BEST;
    wanted = TPL_GROUND_SAFE;
    while (!ground_has(ground, wanted))
        wanted++;
    return wanted;
}

int ground_start(struct ground *ground, enum tpl_ground wanted)
{
    *ground = (struct ground){.bell = -1};
    ground_find_interrupt(ground);
    ground->kind = ground_choose(ground, wanted);
    if (ground->kind == TPL_GROUND_BEST)
        return TPL_BAD;
    ground->tid = pvm_mytid();
    if (ground->tid < 0)
        return TPL_NO_PVM;
    ground->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ground->bell < 0)
        return TPL_NO_MEMORY;
    if (pthread_key_create(&ground->receives, NULL) != 0) {
        close(ground->bell);
        return TPL_NO_MEMORY;
    }
    pthread_mutex_init(&ground->lock, NULL);
    return TPL_OK;
}

void ground_finish(struct ground *ground)
{
    close(ground->bell);
    pthread_key_delete(ground->receives);
    pthread_mutex_destroy(&ground->lock);
}

static bool ground_is_receiver(const struct ground *ground)
{
    return pthread_getspecific(ground->receives);
}

/*
 * On the ground of interrupts the receiving thread is in no receive when it gets here, and nobody
 * interrupts it before it is.
 */
static bool ground_is_free(const struct ground *ground)
{
    return ground->kind == TPL_GROUND_SAFE ||
           (ground->kind == TPL_GROUND_INTERRUPT && ground_is_receiver(ground));
}

void ground_enter(struct ground *ground)
{
    if (ground_is_free(ground))
        return;
    pthread_mutex_lock(&ground->lock);
    if (ground->kind == TPL_GROUND_INTERRUPT && ground->receiving)
        ground->interrupt();
}

static void ground_ring(struct ground *ground)
{
    const uint64_t one = 1;
    while (write(ground->bell, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* Any call may have taken in messages, of which the descriptors say nothing any more. */
void ground_leave(struct ground *ground)
{
    if (ground_is_free(ground))
        return;
    if (ground->kind == TPL_GROUND_INTERRUPT && ground->receiving)
        ground->resume();
    if (ground->kind == TPL_GROUND_GETFDS && ground->asleep)
        ground_ring(ground);
    pthread_mutex_unlock(&ground->lock);
}

int ground_begin_receiving(struct ground *ground)
{
    if (pthread_setspecific(ground->receives, ground) != 0)
        return TPL_NO_MEMORY;
    pthread_mutex_lock(&ground->lock);
    ground->receiving = true;
    pthread_mutex_unlock(&ground->lock);
    return TPL_OK;
}

void ground_end_receiving(struct ground *ground)
{
    ground->receiving = false;
}

/* Receiving. ----------------------------------------------------------------------------------- */

/* Within the section; outside of it while there is nothing. */
static int ground_wait_for_descriptors(struct ground *ground)
{
    int *descriptors;
    int count = pvm_getfds(&descriptors);
    if (count < 0)
        return TPL_NO_PVM;
    struct pollfd *polled = calloc((size_t)count + 1, sizeof *polled);
    if (!polled)
        return TPL_NO_MEMORY;
    polled[0] = (struct pollfd){.fd = ground->bell, .events = POLLIN};
    for (int i = 0; i < count; i++)
        polled[i + 1] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
    ground->asleep = true;
    pthread_mutex_unlock(&ground->lock);
    int ready;
    while ((ready = poll(polled, (nfds_t)count + 1, -1)) < 0 && errno == EINTR)
        ;
    uint64_t rung;
    if (polled[0].revents)
        ready -= read(ground->bell, &rung, sizeof rung) < 0;
    free(polled);
    pthread_mutex_lock(&ground->lock);
    ground->asleep = false;
    return ready < 0 ? TPL_NO_PVM : TPL_OK;
}

/* The context of the program is there again when this returns: handlers and others find it. */
static int ground_receive_with(int (*receive)(int tid, int tag))
{
    int before = pvm_setcontext(CONTEXT);
    int buffer = receive(-1, TAG);
    pvm_setcontext(before);
    return buffer;
}

/* A buffer with a message, or what is wrong. */
static int ground_receive(struct ground *ground)
{
    if (ground->kind != TPL_GROUND_GETFDS) {
        int buffer = ground_receive_with(pvm_recv);
        return buffer > 0 ? buffer : TPL_NO_PVM;
    }
    int buffer;
    int result = TPL_OK;
    while ((buffer = ground_receive_with(pvm_nrecv)) == 0 && result == TPL_OK)
        result = ground_wait_for_descriptors(ground);
    if (result < 0)
        return result;
    return buffer > 0 ? buffer : TPL_NO_PVM;
}

/* The letter in the active receive buffer. False when the buffer has no letter of ours. */
static bool ground_unpack(int buffer, struct letter *letter, int *result)
{
    int header[HEADER_INTS];
    int bytes, tag, sender;
    if (pvm_bufinfo(buffer, &bytes, &tag, &sender) < 0 || pvm_upkint(header, 1, 1) < 0)
        return false;
    if (sender < 0) { /* a pvmd, which tells of a death */
        *letter = (struct letter){.type = LETTER_DEATH, .peer = header[0]};
        return true;
    }
    if (header[0] != MAGIC || pvm_upkint(header + 1, HEADER_INTS - 1, 1) < 0 || header[1] < 0 ||
        header[1] >= LETTER_DEATH || header[7] < 0 || header[7] > bytes)
        return false;
    *letter = (struct letter){.type = (enum letter_type)header[1],
                              .peer = sender,
                              .from = header[2],
                              .to = header[3],
                              .id = header[4],
                              .kind = header[5],
                              .result = header[6] >> 16,
                              .window = header[6] & 0xffff,
                              .size = (size_t)header[7]};
    if (letter->type == LETTER_PACKED)
        return (letter->buffer = pvm_upkmesg()) > 0;
    if (letter->size == 0)
        return true;
    letter->data = malloc(letter->size);
    if (!letter->data) {
        *result = TPL_NO_MEMORY;
        return true;
    }
    if (pvm_upkbyte(letter->data, header[7], 1) >= 0)
        return true;
    free(letter->data);
    return false;
}

int ground_take(struct ground *ground, struct letter *letter)
{
    int result = TPL_OK;
    bool known = false;
    if (ground->kind == TPL_GROUND_GETFDS)
        pthread_mutex_lock(&ground->lock);
    while (result == TPL_OK && !known) {
        int buffer = ground_receive(ground);
        if (buffer < 0)
            result = buffer;
        else
            known = ground_unpack(buffer, letter, &result);
    }
    if (ground->kind == TPL_GROUND_GETFDS)
        pthread_mutex_unlock(&ground->lock);
    return result;
}

/* Sending, and all else. ----------------------------------------------------------------------- */

static int ground_pack_buffer(int buffer)
{
    int result = pvm_pkmesg(buffer);
    if (result >= 0)
        return TPL_OK;
    return result == PvmNoMem ? TPL_NO_MEMORY : TPL_BAD;
}

static int ground_pack(const struct letter *letter, const void *data)
{
    int header[HEADER_INTS] = {MAGIC,
                               (int)letter->type,
                               letter->from,
                               letter->to,
                               letter->id,
                               letter->kind,
                               (int)((unsigned)letter->result << 16) | (letter->window & 0xffff),
                               (int)letter->size};
    if (pvm_initsend(PvmDataDefault) < 0 || pvm_pkint(header, HEADER_INTS, 1) < 0)
        return TPL_NO_MEMORY;
    if (letter->size > 0 && pvm_pkbyte((char *)(uintptr_t)data, (int)letter->size, 1) < 0)
        return TPL_NO_MEMORY;
    return letter->buffer ? ground_pack_buffer(letter->buffer) : TPL_OK;
}

/* Sends what is packed. */
static int ground_send_off(int *tids, int count)
{
    int before = pvm_setcontext(CONTEXT);
    int sent = count == 1 ? pvm_send(tids[0], TAG) : pvm_mcast(tids, count, TAG);
    pvm_setcontext(before);
    if (sent >= 0)
        return TPL_OK;
    return sent == PvmBadParam ? TPL_BAD : TPL_NO_PVM;
}

int ground_send_to(struct ground *ground, const struct letter *letter, int *tids, int count,
                   const void *data)
{
    if (letter->size > INT_MAX)
        return TPL_BAD;
    ground_enter(ground);
    /* The letter's buffer may be the active one, which pvm_initsend would empty. */
    int active = letter->buffer ? pvm_setsbuf(0) : 0;
    int result = ground_pack(letter, data);
    if (result == TPL_OK)
        result = ground_send_off(tids, count);
    if (letter->buffer)
        pvm_freebuf(pvm_setsbuf(active));
    ground_leave(ground);
    return result;
}

int ground_send(struct ground *ground, const struct letter *letter, const void *data)
{
    return ground_send_to(ground, letter, &(int){letter->peer}, 1, data);
}

/* Packed and unpacked again, without a way between. */
int ground_copy(struct ground *ground, int buffer)
{
    ground_enter(ground);
    int active = pvm_setsbuf(0);
    int whole = pvm_initsend(PvmDataDefault);
    int result = whole < 0 ? TPL_NO_MEMORY : ground_pack_buffer(buffer);
    pvm_setsbuf(active);
    if (result == TPL_OK) {
        int received = pvm_setrbuf(whole);
        int copy = pvm_upkmesg();
        result = copy > 0 ? copy : TPL_NO_MEMORY;
        pvm_setrbuf(received);
    }
    pvm_freebuf(whole);
    ground_leave(ground);
    return result;
}

void ground_free(struct ground *ground, int buffer)
{
    ground_enter(ground);
    pvm_freebuf(buffer);
    ground_leave(ground);
}

int ground_watch(struct ground *ground, int tid)
{
    ground_enter(ground);
    int before = pvm_setcontext(CONTEXT);
    int result = pvm_notify(PvmTaskExit, TAG, 1, &tid);
    pvm_setcontext(before);
    ground_leave(ground);
    return result < 0 ? TPL_NO_PVM : TPL_OK;
}

int ground_parent(struct ground *ground)
{
    ground_enter(ground);
    int parent = pvm_parent();
    ground_leave(ground);
    return parent > 0 ? parent : 0;
}

int ground_spawn(struct ground *ground, const struct tpl_options *options, int *tids)
{
    int count = options->nodes - 1;
    ground_enter(ground);
    int started = pvm_spawn((char *)(uintptr_t)options->program, options->arguments, options->flags,
                            (char *)(uintptr_t)options->where, count, tids);
    ground_leave(ground);
    return started;
}

void ground_kill(struct ground *ground, int tid)
{
    ground_enter(ground);
    pvm_kill(tid);
    ground_leave(ground);
}

int ground_publish(struct ground *ground, const char *name)
{
    ground_enter(ground);
    int before = pvm_setsbuf(0);
    int buffer = pvm_initsend(PvmDataDefault);
    int result = pvm_pkint(&ground->tid, 1, 1);
    if (result >= 0)
        result = pvm_putinfo((char *)(uintptr_t)name, buffer, PvmMboxDefault);
    pvm_freebuf(pvm_setsbuf(before));
    ground_leave(ground);
    if (result == PvmDenied)
        return TPL_REFUSED;
    return result < 0 ? TPL_NO_PVM : TPL_OK;
}

void ground_withdraw(struct ground *ground, const char *name)
{
    ground_enter(ground);
    pvm_delinfo((char *)(uintptr_t)name, 0, PvmMboxDefault);
    ground_leave(ground);
}

int ground_find(struct ground *ground, const char *name)
{
    int tid;
    ground_enter(ground);
    int before = pvm_setrbuf(0);
    int buffer = pvm_recvinfo((char *)(uintptr_t)name, 0, PvmMboxDefault);
    int result = buffer < 0 ? buffer : pvm_upkint(&tid, 1, 1);
    pvm_freebuf(pvm_setrbuf(before));
    ground_leave(ground);
    if (result < 0)
        return result == PvmNotFound ? TPL_NOT_FOUND : TPL_NO_PVM;
    return tid > 0 ? tid : TPL_NOT_FOUND; /* somebody else's entry of that name */
}
