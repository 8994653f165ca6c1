/* departure.c - what is asked, and what is sent. */
#include "ulp/departure.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "ulp/arrival.h"
#include "ulp/cargo.h"
#include "ulp/file_moves.h"
#include "ulp/heap.h"
#include "ulp/machine.h"
#include "ulp/room.h"
#include "ulp/traits.h"
#include "ulp/ulp.h"

/* Hindrances. ---------------------------------------------------------------------------------- */

static const struct {
    const char *name; /* of a symbol */
    const char *why;
} hindrances[] = {
    {"sbrk", "it asks the system for memory of its own"},
    {"brk", "it asks the system for memory of its own"},
    {"dlopen", "it opens libraries"},
    {"dlmopen", "it opens libraries"},
    {"pthread_key_create", "it keeps data of its threads in the C library"},
    {"tss_create", "it keeps data of its threads in the C library"},
    {"timer_create", "it has a timer"},
    {"flockfile", "it locks streams"},
    {"iconv_open", "it converts text in the C library"},
    {"newlocale", "it makes a locale"},
    {"regcomp", "it has the C library keep expressions"},
    {"glob", "it has the C library keep names of files"},
    {"wordexp", "it has the C library keep words"},
    {"tsearch", "it has the C library keep a tree"},
    {"hcreate", "it has the C library keep a table"},
    {"getaddrinfo", "it has the C library keep addresses"},
    {"getifaddrs", "it has the C library keep addresses"},
};

const char *departure_hindrance(const char *name)
{
    for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++)
        if (strcmp(name, hindrances[i].name) == 0)
            return hindrances[i].why;
    return NULL;
}

/* The C++ library keeps what was thrown in memory of its own. */
static bool departure_is_amid_exception(void)
{
    void *(*find)(void);
    *(void **)&find = dlsym(RTLD_DEFAULT, "__cxa_get_globals");
    void *const *exceptions = find ? find() : NULL;
    return exceptions && *exceptions;
}

const char *departure_hinders(struct ulp *ulp)
{
    if (!ulp->region || !ulp->heap)
        return "it has no region of addresses";
    if (atomic_load(&ulp->others) > 0 || !ulp->fiber)
        return "it has started a thread, or changed its working folder";
    if (heap_is_full(ulp->heap))
        return "its region is full, and it has memory elsewhere";
    if (departure_is_amid_exception())
        return "it is handling an exception of C++";
    const char *why = ulp->source->stays;
    if (!why)
        files_can_go(&ulp->files, &why);
    return why;
}

/* Sending. ------------------------------------------------------------------------------------- */

/* A move that is underway. */
struct departure {
    struct ulp *ulp;
    void *context;
    int error; /* errno of the program */
    int connection;
    uint32_t holder; /* on the other host */
    void *files;     /* as files_pack has written them */
    size_t files_size;
    const char *why; /* it does not move */
    char text[512];
};

static const char ended[] = "the connection to the other host has ended";

/* The other side's word: whether it is content. */
static bool departure_is_welcome(struct departure *departure)
{
    struct arrival_word word;
    if (!cargo_get(departure->connection, &word, sizeof word)) {
        departure->why = ended;
        return false;
    }
    word.why[sizeof word.why - 1] = '\0';
    if (word.content)
        return true;
    snprintf(departure->text, sizeof departure->text, "%s", word.why);
    departure->why = departure->text;
    return false;
}

static bool departure_introduce(struct departure *departure)
{
    char *traits = traits_write(departure->ulp);
    bool told = traits && cargo_put_block(departure->connection, traits, strlen(traits));
    free(traits);
    if (!told)
        departure->why = ended;
    return told && departure_is_welcome(departure);
}

bool departure_put_memory(int connection, const struct ulp *ulp, const struct written *written,
                          void *context)
{
    size_t size;
    unsigned char *room = room_variables(&size), *from, *end;
    bool put = cargo_put_memory(connection, written, ulp, ulp + 1) &&
               cargo_put_memory(connection, written, room, room + size) &&
               cargo_put_memory(connection, written, machine_context_begin(context),
                                region_program_stack(ulp->region)) &&
               cargo_put_memory(connection, written, ulp->region->rest, heap_end(ulp->heap));
    for (int at = 0; put && image_next_variables(&ulp->image, &at, &from, &end);)
        put = cargo_put_memory(connection, written, from, end);
    return put && cargo_put_end(connection);
}

static bool departure_put_all(const struct departure *departure, const void *state, size_t size)
{
    struct arrival_head head = {
        .context = departure->context,
        .heap_end = heap_end(departure->ulp->heap),
        .error = departure->error,
    };
    const struct pre_copy *copy = departure->ulp->pre_copy;
    return cargo_put_round(departure->connection, NULL) &&
           cargo_put(departure->connection, &head, sizeof head) &&
           cargo_put_block(departure->connection, state, size) &&
           cargo_put_block(departure->connection, departure->files, departure->files_size) &&
           departure_put_memory(departure->connection, departure->ulp,
                                copy ? pre_copy_written(copy) : NULL, departure->context);
}

/* False if it stays. */
static bool departure_send(struct departure *departure, const void *state, size_t size)
{
    struct files *files = &departure->ulp->files;
    bool folder = false;
    const char *why;
    departure->why = ended;
    files_let_go(files);
    own_program_go_home();
    bool sent = departure_put_all(departure, state, size) && departure_is_welcome(departure);
    own_program_come_back();
    if (sent || own_program_stay() == 1)
        return true;
    if (!files_unpack(files, departure->files, departure->files_size, &folder, &why))
        fprintf(stderr, "pvmulp: t%x has lost its files, as it did not move: %s\n",
                (unsigned)pvm_mytid(), why);
    return false;
}

/* Leaving. ------------------------------------------------------------------------------------- */

/* 0: it lives on the other host. Or an error. */
static int departure_leave(struct departure *departure)
{
    void *state;
    size_t size;
    int number = (int)region_number(departure->ulp->region);
    int error = own_program_leave(departure->holder, number, &state, &size, &departure->why);
    if (error < 0)
        return error;
    bool gone = departure_send(departure, state, size);
    free(state);
    return gone ? PvmOk : PvmSysErr;
}

/* The same, with its files. */
static int departure_leave_whole(struct departure *departure)
{
    struct files *files = &departure->ulp->files;
    departure->why = departure_hinders(departure->ulp);
    if (!departure->why)
        departure->files = files_pack(files, false, &departure->files_size, &departure->why);
    if (!departure->files)
        return PvmDenied;
    int error = departure_leave(departure);
    free(departure->files);
    return error;
}

static const char *departure_why_nobody(int error)
{
    switch (error) {
    case PvmOutOfRes:
        return "its addresses are taken on that host";
    case PvmDSysErr:
        return "that host does not reach this one by TCP";
    case PvmNoFile:
        return "pvmulp is not there";
    case PvmNotImpl:
        return "pvmulp is of an older version there";
    default:
        return "no thread could be started there";
    }
}

/* 0: there is a connection to a thread that can become it. Or an error. */
static int departure_find_thread(struct departure *departure, uint32_t host)
{
    const struct region *region = departure->ulp->region;
    departure->why = departure_hinders(departure->ulp);
    if (departure->why)
        return PvmDenied;
    departure->connection =
        own_program_knock(host, region_number(region), (size_t)(region->stack_end - region->stack),
                          &departure->holder);
    if (departure->connection < 0) {
        departure->why = departure_why_nobody(departure->connection);
        return departure->connection;
    }
    own_program_go_home();
    bool welcome = departure_introduce(departure);
    own_program_come_back();
    if (welcome)
        return PvmOk;
    close(departure->connection);
    return PvmDenied;
}

/* Whether the memory goes ahead from now on. */
static bool departure_sends_ahead(const struct departure *departure)
{
    struct ulp *ulp = departure->ulp;
    const struct pre_copy_way way = {
        .connection = departure->connection,
        .holder = departure->holder,
        .image = &ulp->image,
        .region = ulp->region,
        .stack = machine_context_begin(departure->context),
    };
    if (!ulp->source->drops)
        ulp->pre_copy = pre_copy_begin(&way);
    return ulp->pre_copy;
}

/* The memory has gone ahead. */
static int departure_take_up(struct departure *departure)
{
    struct pre_copy_way way;
    own_program_go_home();
    bool gone = pre_copy_take_up(departure->ulp->pre_copy, &way);
    own_program_come_back();
    departure->connection = way.connection;
    departure->holder = way.holder;
    departure->why = ended;
    return gone ? PvmOk : PvmDSysErr;
}

/* 0: it lives on the other host. Or an error, and departure->why. */
static int departure_go(struct departure *departure)
{
    struct ulp *ulp = departure->ulp;
    int error = ulp->pre_copy ? departure_take_up(departure) : PvmOk;
    if (error == PvmOk)
        error = departure_leave_whole(departure);
    close(departure->connection);
    if (ulp->pre_copy)
        pre_copy_finish(ulp->pre_copy);
    ulp->pre_copy = NULL;
    return error;
}

/* It lives elsewhere: this thread ends, and what is left of the program with it. */
__attribute__((noreturn)) static void departure_end(struct ulp *ulp)
{
    own_program_part();
    ulp->region->gone = true;
    longjmp(ulp->place, 1);
}

/* Whether it is to go on here: it stays, or its memory goes ahead. */
static bool departure_stays(struct departure *departure, uint32_t host)
{
    int error = PvmOk;
    if (!departure->ulp->pre_copy) {
        error = departure_find_thread(departure, host);
        if (error == PvmOk && departure_sends_ahead(departure))
            return true;
    }
    if (error == PvmOk)
        error = departure_go(departure);
    if (error != PvmOk)
        own_program_stays(error, departure->why);
    return error != PvmOk;
}

void departure_heed(void *context)
{
    struct departure departure = {.ulp = room_owner(), .context = context, .error = errno};
    uint32_t host = departure.ulp ? own_program_destination() : 0;
    if (host == 0 || host == OWN_PROGRAM_PARKS)
        return;
    if (!departure_stays(&departure, host))
        departure_end(departure.ulp);
    errno = departure.error;
}

void departure_point(void)
{
    if (own_program_destination() != 0)
        own_program_interrupt();
}
