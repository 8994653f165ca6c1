/* cast.c - forks, and what all scenes are made of. */
#include "cast.h"

#include <dirent.h>
#include <pvm3.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/control.h"
#include "core/environment.h"
#include "core/tid.h"

#include "body.h"
#include "quiet_owner.h"
#include "talk.h"
#include "unit.h"

#define LOOPBACK 0x7f000001u /* the address of every host */

/* Seconds after which an actor is taken to hang. */
#define PATIENCE 200

/* Tags by which actors meet. */
enum { PING = 800000, PONG, FINE };

static struct post post;
static pthread_barrier_t *rise; /* all endpoints are open */
static int cues[CUES];
static struct actor selves[CAST_MOST];

void cue_give(enum cue cue)
{
    const uint64_t one = 1;
    CHECK(write(cues[cue], &one, sizeof one) == sizeof one);
}

void cue_await(enum cue cue)
{
    uint64_t one;
    CHECK(read(cues[cue], &one, sizeof one) == sizeof one);
}

unsigned long cast_carried(void)
{
    return atomic_load(post.carried);
}

/* The owner of an endpoint. -------------------------------------------------------------------- */

static bool wants(void *owner, const struct message_header *header)
{
    (void)owner;
    return header->context == CONTROL_CONTEXT_TC;
}

static bool intercept(void *owner, struct message *message)
{
    (void)owner;
    message_free(message); /* word of an end, of which the endpoint knows already */
    return true;
}

static void lost(void *owner, const char *reason)
{
    (void)reason;
    atomic_fetch_add(&((struct actor *)owner)->losses, 1);
}

static void dropped(void *owner, const char *reason)
{
    fprintf(stderr, "dropped: %s\n", reason);
    atomic_fetch_add(&((struct actor *)owner)->drops, 1);
}

static bool name(void *owner, char *path)
{
    struct actor *actor = owner;
    snprintf(path, ENVIRONMENT_PATH_SIZE, "%s/%x.%d", post.folder, actor->tid,
             atomic_fetch_add(&actor->names, 1));
    return true;
}

/* A life. -------------------------------------------------------------------------------------- */

static int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    CHECK(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void actor_begin(struct actor *actor, struct engine *engine)
{
    struct endpoint_owner owner = quiet_owner(actor);
    owner.wants = wants;
    owner.intercept = intercept;
    owner.lost = lost;
    owner.dropped = dropped;
    owner.name = name;
    actor->daemon = post_connect(&post, actor->tid);
    if (actor->setting->losses)
        lossy_wrap(&actor->lossy, engine, actor->setting->losses, actor->tid);
    CHECK(endpoint_init(&actor->endpoint, engine, &owner) == 0);
    atomic_store(&actor->endpoint.routing, actor->setting->routing);
    engine_share(engine, actor->setting->memory, 0);
    CHECK(engine_use_network(engine, actor->setting->network));
    CHECK(endpoint_attach(&actor->endpoint, actor->daemon) == 0);
    endpoint_open(&actor->endpoint, actor->tid, LOOPBACK);
}

/* Whether the ports have done what they were to do: it cannot be chance that nothing was. */
static bool actor_has_lost(const struct lossy *lossy)
{
    unsigned long done = 0;
    for (int act = 0; act < LOSSY_ACTS; act++)
        done += lossy->done[act];
    return done > 0 || lossy->draws < 1000;
}

static struct actor *actor_make(const struct scene *scene, const struct setting *setting, int role)
{
    struct actor *actor = &selves[role];
    int peer = scene->count == 1 || role > 0 ? 0 : 1;
    actor->scene = scene;
    actor->setting = setting;
    actor->role = role;
    actor->tid = setting->tids[role];
    actor->peer = setting->tids[peer];
    return actor;
}

static void *actor_live(void *argument)
{
    struct actor *actor = argument;
    pthread_barrier_wait(rise);
    actor->scene->act(actor);
    return NULL;
}

static void actor_end(struct actor *actor, bool last)
{
    if (last) {
        talk_end(&actor->endpoint);
    } else {
        endpoint_detach(&actor->endpoint);
        endpoint_destroy(&actor->endpoint);
    }
    CHECK(actor->drops == 0);
    CHECK(actor_has_lost(&actor->lossy));
}

/* The process of `count` roles, of which the first is its first thread's. */
static void process_live(const struct scene *scene, const struct setting *setting, int role,
                         int count)
{
    pthread_t threads[CAST_MOST];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(PATIENCE);
    post_leave_to_parent(&post);
    int before = open_descriptors();
    struct engine *engine = talk_engine();
    CHECK(engine);
    for (int i = role; i < role + count; i++)
        actor_begin(actor_make(scene, setting, i), engine);
    for (int i = 1; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, actor_live, &selves[role + i]) == 0);
    actor_live(&selves[role]);
    for (int i = 1; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < count; i++)
        actor_end(&selves[role + i], i == count - 1);
    CHECK(open_descriptors() == before);
    CHECK(scene->count > count || cast_carried() == 0);
    exit(0);
}

/* Whether the process of `role`, behind the last that of the post, ended as it should. */
static bool ended_well(const struct scene *scene, int count, int role, int status)
{
    if (role == count)
        return false;
    if (scene->dying & 1u << role)
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return status == 0;
}

/*
 * Until all have ended. When one ends otherwise than it should, or the post does, the others need
 * not go on. Returns how that process ended, or 0.
 */
static int cast_await(const struct scene *scene, const pid_t *actors, int count)
{
    int failure = 0;
    for (int left = count; left > 0;) {
        int status, role = 0;
        pid_t ended = waitpid(-1, &status, 0);
        while (role < count && actors[role] != ended)
            role++;
        left -= role < count;
        if (WIFSIGNALED(status))
            cue_give(CUE_DEAD);
        if (failure != 0 || ended_well(scene, count, role, status))
            continue;
        print_error("role %d ended with the status %#x\n", role, (unsigned)status);
        failure = status;
        for (int i = 0; i < count; i++)
            kill(actors[i], SIGKILL);
    }
    return failure;
}

void cast_play(const struct scene *scene, const struct setting *setting)
{
    pid_t actors[CAST_MOST];
    pthread_barrierattr_t shared;
    post_start(&post);
    rise = mmap(NULL, sizeof *rise, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(rise, MAP_FAILED);
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(rise, &shared, (unsigned)scene->count);
    pthread_barrierattr_destroy(&shared);
    for (int i = 0; i < CUES; i++)
        cues[i] = eventfd(0, 0);
    fflush(NULL);
    const int each = setting->together ? scene->count : 1, count = scene->count / each;
    for (int i = 0; i < count; i++) {
        actors[i] = fork();
        assert_true(actors[i] >= 0);
        if (actors[i] == 0)
            process_live(scene, setting, i, each);
    }
    int failure = cast_await(scene, actors, count);
    for (int i = 0; i < CUES; i++)
        close(cues[i]);
    munmap(rise, sizeof *rise); /* whoever died may still count in it */
    post_stop(&post, failure == 0 && scene->dying == 0);
    assert_int_equal(failure, 0);
}

/* Messages. ------------------------------------------------------------------------------------ */

size_t letter_size(int32_t tag)
{
    if (tag % 31 == 30)
        return 40000;
    return tag % 8 == 7 ? 5000 : (size_t)(tag % 5 * 8);
}

int actor_try(struct actor *actor, uint32_t to, int32_t tag, size_t size)
{
    return talk_send(&actor->endpoint, to, tag, size);
}

void actor_send(struct actor *actor, uint32_t to, int32_t tag, size_t size)
{
    CHECK(actor_try(actor, to, tag, size) == 0);
}

struct message *actor_hears(struct actor *actor)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    struct message *message;
    CHECK(endpoint_receive(&actor->endpoint, &any, NULL, &message) == 0);
    CHECK(message);
    return message;
}

bool letter_is(const struct message *message, uint32_t source, int32_t tag, size_t size)
{
    bool same = message->header.source == source && message->header.tag == tag;
    struct message *expected = talk_make(tag, 0, size);
    unsigned char *wanted = body_bytes(expected), *found = body_bytes(message);
    same =
        same && message->length == expected->length && memcmp(wanted, found, message->length) == 0;
    if (!same)
        fprintf(stderr, "%zu bytes with the tag %d of %x in place of %zu with %d of %x\n",
                message->length, message->header.tag, message->header.source, expected->length, tag,
                source);
    free(wanted);
    free(found);
    message_free(expected);
    return same;
}

void actor_expect(struct actor *actor, uint32_t source, int32_t tag, size_t size)
{
    struct message *message = actor_hears(actor);
    CHECK(letter_is(message, source, tag, size));
    message_free(message);
}

void actor_watches_peer(struct actor *actor)
{
    struct message *request = control_new(TM_NOTIFY, CONTROL_CONTEXT_TM, 0);
    const struct parcel parcel = {request, TID_OWN_DAEMON};
    control_put_int(request, PvmTaskExit);
    control_put_int(request, 0);
    control_put_int(request, GONE);
    control_put_int(request, 1);
    control_put_tid(request, actor->peer);
    CHECK(control_is_whole(request));
    CHECK(endpoint_send(&actor->endpoint, &parcel, false) == 0);
    message_free(request);
}

void actor_expect_gone(struct actor *actor)
{
    struct control_reader reader;
    struct message *message = actor_hears(actor);
    CHECK(message->header.source == TID_OWN_DAEMON && message->header.tag == GONE);
    control_read(&reader, message);
    CHECK(control_get_tid(&reader) == actor->peer);
    message_free(message);
}

void actor_sends_some(struct actor *actor, int32_t first, int count)
{
    for (int32_t tag = first; tag < first + count; tag++)
        actor_send(actor, actor->peer, tag, letter_size(tag));
}

void actor_receives_some(struct actor *actor, int32_t first, int count)
{
    for (int32_t tag = first; tag < first + count; tag++)
        actor_expect(actor, actor->peer, tag, letter_size(tag));
}

void actor_exchanges(struct actor *actor, int32_t first, int count)
{
    actor_sends_some(actor, first, count);
    actor_receives_some(actor, first, count);
}

static void actor_answers(struct actor *actor)
{
    bool fine = false;
    while (!fine) {
        struct message *message = actor_hears(actor);
        fine = message->header.tag == FINE;
        CHECK(letter_is(message, actor->peer, fine ? FINE : PING, 8));
        message_free(message);
        if (!fine)
            actor_send(actor, actor->peer, PONG, 8);
    }
}

void actor_meets(struct actor *actor)
{
    enum routing routing = actor->setting->routing;
    bool elsewhere = routing == ROUTING_REQUESTED || actor->setting->network != NETWORK_TCP ||
                     (routing == ROUTING_GRANTED && actor->setting->memory > 0);
    bool fine = actor->peer == actor->tid;
    if (fine)
        return;
    if (actor->role > 0) {
        actor_answers(actor);
        return;
    }
    for (int round = 0; !fine; round++) {
        unsigned long before = cast_carried();
        CHECK(round < 1000);
        actor_send(actor, actor->peer, PING, 8);
        actor_expect(actor, actor->peer, PONG, 8);
        fine = !elsewhere || cast_carried() == before;
        CHECK(elsewhere || cast_carried() == before + 2);
    }
    actor_send(actor, actor->peer, FINE, 8);
}

/* Threads. ------------------------------------------------------------------------------------- */

static void *writer_run(void *argument)
{
    struct writer *writer = argument;
    if (writer->gate)
        pthread_barrier_wait(writer->gate);
    for (; writer->sent < writer->count && !writer->enough; writer->sent++) {
        int32_t tag = writer->first + writer->sent;
        actor_send(writer->actor, writer->actor->peer, tag,
                   writer->size ? writer->size : letter_size(tag));
    }
    writer->done = true;
    return NULL;
}

void writer_begin(struct writer *writer)
{
    CHECK(pthread_create(&writer->thread, NULL, writer_run, writer) == 0);
}

void writer_join(struct writer *writer)
{
    CHECK(pthread_join(writer->thread, NULL) == 0);
}

void writer_await_rest(struct writer *writer)
{
    struct waiting *waiting = writer->actor->endpoint.waiting;
    for (bool rests = false; !rests; sched_yield()) {
        lock_acquire(&waiting->lock);
        rests = waiting->first && waiting->leader && waiting->asleep;
        lock_release(&waiting->lock);
        rests |= writer->done;
    }
}
