/*
 * tpl_edges.c - what does TPL do at its edges: wrong arguments, strangers, ends at a bad moment?
 *
 * usage: tpl_edges CASE      prints "good" at its end
 *
 * A node of one process, or two for the cases in which one is to die; then node 0 serves or calls.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>
#include <tpl.h>

#include "tpl_check.h"

/* What strangers send is made here by hand, from the library's own bytes. */
#define LETTER_TAG     0x54504c
#define LETTER_CONTEXT 0x4054504c
#define THREADS 6
#define ROUNDS  100

enum { ECHO = 1, KEEP, LISTEN, DIE };

static struct tpl *node;
static struct tpl_request *kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;
static atomic_int sent; /* to the main thread, which receives nothing */

static void echo(struct tpl_request *request, void *argument)
{
    (void)argument;
    GIVES(tpl_answer(request, request->kind, NULL, 1), TPL_BAD); /* and is still to be answered */
    int result = tpl_answer(request, request->kind, request->data, request->size);
    CHECK(result == TPL_OK || result == TPL_DEAD); /* a stranger does not wait for the answer */
}

static void keep(struct tpl_request *request, void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    kept = request;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Takes an address in a thread of the pool, and forgets it. */
static void listen_once(struct tpl_request *request, void *argument)
{
    struct tpl_message *message;
    (void)argument;
    struct tpl_address own = tpl_here(node);
    GIVES(tpl_send(node, own, ECHO, "x", 1), TPL_OK);
    GIVES(tpl_receive(node, ECHO, NULL, &message), TPL_OK);
    tpl_free(message);
    GIVES(tpl_answer(request, 0, &own, sizeof own), TPL_OK);
}

static void die(struct tpl_request *request, void *argument)
{
    (void)request, (void)argument;
    kill(getpid(), SIGKILL);
}

static const struct tpl_service services[] = {{.kind = ECHO, .handler = echo, .in_order = true},
                                              {.kind = KEEP, .handler = keep},
                                              {.kind = LISTEN, .handler = listen_once},
                                              {.kind = DIE, .handler = die},
                                              {.handler = NULL}};

static struct tpl_address self(int thread)
{
    return tpl_address(node, tpl_number(node), thread);
}

static void check_echo(void)
{
    struct tpl_message *answer;
    GIVES(tpl_call(node, self(TPL_POOL), ECHO, "still", 6, NULL, &answer), TPL_OK);
    CHECK(answer->size == 6 && strcmp(answer->data, "still") == 0);
    tpl_free(answer);
}

/* Where a program may call PVM at any time, its active buffers stay what they are. */
static void check_active_buffers(void)
{
    struct tpl_address found;
    if (tpl_ground(node) != TPL_GROUND_SAFE)
        return;
    int sent = pvm_initsend(PvmDataDefault), received = pvm_mkbuf(PvmDataDefault);
    pvm_setrbuf(received);
    GIVES(tpl_publish(node, "own"), TPL_OK);
    GIVES(tpl_find(node, "own", &found), TPL_OK);
    GIVES(tpl_find(node, "nothing", &found), TPL_NOT_FOUND);
    CHECK(pvm_getsbuf() == sent && pvm_getrbuf() == received);
    pvm_freebuf(sent);
    pvm_freebuf(received);
}

static void case_arguments(void)
{
    struct tpl_message *message;
    struct tpl_address nobody = {pvm_mytid() + 1000, TPL_POOL}, found;
    const struct timespec past = {0, 0}, senseless = {1, 2000000000};
    GIVES(tpl_send(node, self(TPL_POOL), ECHO, NULL, 0), TPL_BAD);
    GIVES(tpl_send(node, self(TPL_MAIN), ECHO, NULL, 1), TPL_BAD);
    GIVES(tpl_send(node, self(TPL_MAIN), ECHO, "", (size_t)1 << 31), TPL_BAD);
    GIVES(tpl_call(node, self(TPL_POOL), ECHO, "", (size_t)1 << 31, NULL, NULL), TPL_BAD);
    GIVES(tpl_call(node, tpl_address(node, 1, TPL_POOL), ECHO, NULL, 0, NULL, NULL), TPL_BAD);
    GIVES(tpl_call(node, nobody, ECHO, NULL, 0, NULL, NULL), TPL_DEAD);
    nobody.tid = 0x7ffc0001; /* no host has it */
    CHECK(tpl_call(node, nobody, ECHO, NULL, 0, NULL, NULL) < 0);
    GIVES(tpl_receive(node, TPL_ANY, &past, &message), TPL_LATE);
    GIVES(tpl_receive(node, TPL_ANY, &senseless, &message), TPL_LATE);
    int late = tpl_call(node, self(TPL_POOL), ECHO, NULL, 0, &past, NULL);
    CHECK(late == TPL_LATE || late == TPL_OK); /* if the answer was there already */
    GIVES(tpl_find(node, "", &found), TPL_BAD);
    GIVES(tpl_publish(node, NULL), TPL_BAD);
    GIVES(tpl_publish(node, "own"), TPL_OK);
    GIVES(tpl_publish(node, "own"), TPL_OK);
    tpl_enter(node);
    int buffer = pvm_initsend(PvmDataDefault);
    pvm_pkint(&(int){-7}, 1, 1);
    pvm_putinfo("strange", buffer, PvmMboxDefault);
    pvm_putinfo("empty", pvm_initsend(PvmDataDefault), PvmMboxDefault);
    tpl_leave(node);
    GIVES(tpl_find(node, "strange", &found), TPL_NOT_FOUND);
    CHECK(tpl_find(node, "empty", &found) < 0);
    check_active_buffers();
    check_echo();
}

/* Window 1: each message or call must be taken before the next. */
static void case_self(void)
{
    struct tpl_message *message;
    for (int i = 0; i < 100; i++) {
        GIVES(tpl_send(node, self(TPL_MAIN), i, &i, sizeof i), TPL_OK);
        GIVES(tpl_receive(node, i, NULL, &message), TPL_OK);
        CHECK(message->from.thread == TPL_MAIN && memcmp(message->data, &i, sizeof i) == 0);
        tpl_free(message);
        check_echo();
    }
    for (int i = 0; i < 20; i++)
        GIVES(tpl_send(node, self(99), i, NULL, 0), TPL_OK); /* nobody's */
}

static void *send_to_main(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(argument);
        GIVES(tpl_send(node, self(TPL_MAIN), i, NULL, 0), TPL_OK);
    }
    return NULL;
}

/* The program is not over while its main thread waits for what one without an address will send. */
static void case_unseen(void)
{
    pthread_t thread;
    sem_t wanted;
    struct tpl_message *message;
    CHECK(sem_init(&wanted, 0, 0) == 0);
    CHECK(pthread_create(&thread, NULL, send_to_main, &wanted) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        sem_post(&wanted);
        GIVES(tpl_receive(node, i, NULL, &message), TPL_OK);
        tpl_free(message);
    }
    pthread_join(thread, NULL);
    sem_destroy(&wanted);
}

static void *retire_with_mail(void *argument)
{
    *(struct tpl_address *)argument = tpl_here(node);
    GIVES(tpl_send(node, tpl_here(node), 1, NULL, 0), TPL_OK);
    tpl_retire(node);
    tpl_retire(node);
    return NULL;
}

/* Who has retired is neither waited for nor does he hold up who sends to him. */
static void case_retire(void)
{
    struct tpl_address address;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, retire_with_mail, &address) == 0);
    pthread_join(thread, NULL);
    for (int i = 0; i < 20; i++)
        GIVES(tpl_send(node, address, 1, NULL, 0), TPL_OK);
    for (int i = 0; i < 20; i++)
        GIVES(tpl_call(node, self(TPL_POOL), LISTEN, NULL, 0, NULL, NULL), TPL_OK);
}

static void send_letter(int tid, const int *words, int count)
{
    tpl_enter(node);
    pvm_initsend(PvmDataDefault);
    pvm_pkint((int *)words, count, 1);
    int before = pvm_setcontext(LETTER_CONTEXT);
    CHECK(pvm_send(tid, LETTER_TAG) == 0);
    pvm_setcontext(before);
    tpl_leave(node);
}

/* Of all kinds and lengths, from a process that is no node. */
static void case_stranger(void)
{
    const int hostile[] = {-0x7fffffff - 1, -1, 0, 1, 64, 0x7fffffff};
    const int count = (int)(sizeof hostile / sizeof hostile[0]);
    struct tpl_address found;
    GIVES(tpl_find(node, "victim", &found), TPL_OK);
    for (int length = 0; length <= 12; length++)
        for (int type = -1; type <= 16; type++)
            for (int i = 0; i < count; i++) {
                int words[12] = {0x54504c31, type};
                for (int j = 2; j < 12; j++)
                    words[j] = hostile[(i + j * (length + 1)) % count];
                send_letter(found.tid, words, length);
            }
    for (int i = 0; i < 100; i++) /* deaths that nobody has died */
        send_letter(found.tid, &(int){i % 2 ? found.tid : i}, 1);
    for (int i = 0; i < 100; i++) { /* answers to calls of others, with results that are none */
        const int words[8] = {0x54504c31, 3, 0, 0, i, 0, (int)((unsigned)(i - 50) << 16), 0};
        send_letter(found.tid, words, 8);
    }
}

/* Of the one that got those letters: not by who sent them, as answers to them may look like his. */
static void case_customer(void)
{
    struct tpl_address found;
    GIVES(tpl_find(node, "victim", &found), TPL_OK);
    struct tpl_message *answer;
    GIVES(tpl_call(node, found, ECHO, "alive", 6, NULL, &answer), TPL_OK);
    CHECK(strcmp(answer->data, "alive") == 0);
    tpl_free(answer);
}

/* Threads that block in each call when the program stops. */
static void *block(void *argument)
{
    struct tpl_message *message;
    int number = *(int *)argument, result;
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    do {
        result = number % 3 == 0   ? tpl_receive(node, TPL_ANY, NULL, &message)
                 : number % 3 == 1 ? tpl_send(node, self(TPL_MAIN), ECHO, NULL, 0)
                                   : tpl_call(node, self(TPL_POOL), KEEP, NULL, 0, NULL, NULL);
        sent += number % 3 == 1 && result == TPL_OK;
    } while (result == TPL_OK);
    GIVES(result, TPL_STOPPED);
    return NULL;
}

static void case_stop(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, block, &numbers[i]) == 0);
    }
    pthread_mutex_lock(&lock);
    while (waiting < THREADS || !kept)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    tpl_stop(node);
    tpl_stop(node);
    GIVES(tpl_run(node), TPL_STOPPED);
    GIVES(tpl_answer(kept, 0, NULL, 0), TPL_STOPPED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(sent <= 1); /* the window */
}

/* A node serves under the name until it is stopped, or its pvmd is lost. */
static void case_victim(void)
{
    GIVES(tpl_publish(node, "victim"), TPL_OK);
    puts("victim");
    fflush(stdout);
    int result = tpl_run(node);
    puts(tpl_strerror(result));
}

/* Nobody is left when not all nodes can be started. */
static void check_start(void)
{
    struct tpl_options options = {.nodes = 3, .program = "no_such_program", .services = services};
    GIVES(tpl_start(&node, &options), TPL_NOT_SPAWNED);
    CHECK(!node);
    options.nodes = 0;
    GIVES(tpl_start(&node, &options), TPL_BAD);
    options.nodes = 2;
    options.program = NULL;
    GIVES(tpl_start(&node, &options), TPL_BAD);
    options.nodes = 1;
    options.workers = -1;
    GIVES(tpl_start(&node, &options), TPL_BAD);
    options.workers = 0;
    options.patience = -1;
    GIVES(tpl_start(&node, &options), TPL_BAD);
    GIVES(tpl_start(&node, NULL), TPL_BAD);
    GIVES(tpl_start(NULL, &options), TPL_BAD);
}

/* Null pointers where there has to be something. */
static void case_null(void)
{
    struct tpl_message *message = (struct tpl_message *)(void *)&message;
    GIVES(tpl_receive(node, TPL_ANY, NULL, NULL), TPL_BAD);
    GIVES(tpl_receive(NULL, TPL_ANY, NULL, &message), TPL_BAD);
    GIVES(tpl_find(node, "own", NULL), TPL_BAD);
    GIVES(tpl_await(NULL, NULL, &message), TPL_BAD);
    CHECK(!message);
    GIVES(tpl_answer(NULL, 0, NULL, 0), TPL_BAD);
    GIVES(tpl_refuse(NULL), TPL_BAD);
    GIVES(tpl_send(NULL, self(TPL_MAIN), 0, NULL, 0), TPL_BAD);
    GIVES(tpl_multicast(node, NULL, 1, 0, NULL, 0), TPL_BAD);
    GIVES(tpl_send_packed(node, NULL, 1, 0, 1), TPL_BAD);
    GIVES(tpl_call(NULL, self(TPL_POOL), ECHO, NULL, 0, NULL, NULL), TPL_BAD);
    GIVES(tpl_ask(NULL, self(TPL_POOL), ECHO, NULL, 0, NULL), TPL_BAD);
    GIVES(tpl_publish(NULL, "own"), TPL_BAD);
    GIVES(tpl_run(NULL), TPL_BAD);
    GIVES(tpl_finish(NULL), TPL_BAD);
    check_echo();
}

/* A process is one node at a time. */
static void case_second(void)
{
    const struct tpl_options options = {.nodes = 1};
    struct tpl *second;
    GIVES(tpl_start(&second, &options), TPL_EXISTS);
    CHECK(!second);
    check_echo();
    GIVES(tpl_finish(node), TPL_OK);
    GIVES(tpl_start(&node, &options), TPL_OK);
}

/* The spawned processes end, or wait, but are no nodes: they are killed. */
static void check_nodes(char *role)
{
    struct tpl_options options = {.nodes = 3,
                                  .program = "tpl_edges",
                                  .arguments = (char *[]){role, NULL},
                                  .patience = strcmp(role, "ends") == 0 ? 0 : 1};
    GIVES(tpl_start(&node, &options), TPL_NOT_NODES);
    CHECK(!node && strstr(tpl_strerror(TPL_NOT_NODES), "tpl_start"));
}

/* A spawned process that does not call tpl_start. */
static int be_no_node(const char *role)
{
    pvm_mytid();
    if (strcmp(role, "waits") == 0)
        pvm_recv(-1, LETTER_TAG + 1);
    pvm_exit();
    return 0;
}

/* Prints those that can be had. */
static void check_grounds(void)
{
    struct tpl_options options = {.nodes = 1};
    for (int ground = TPL_GROUND_SAFE; ground <= TPL_GROUND_GETFDS; ground++) {
        options.ground = (enum tpl_ground)ground;
        int result = tpl_start(&node, &options);
        if (result == TPL_OK) {
            CHECK(tpl_ground(node) == options.ground);
            GIVES(tpl_finish(node), TPL_OK);
            printf("%d ", ground);
        } else {
            GIVES(result, TPL_BAD);
        }
    }
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    const char *name = argv[1];
    const bool ends = strcmp(name, "death0") == 0;
    if (strcmp(name, "ends") == 0 || strcmp(name, "waits") == 0) {
        if (pvm_parent() > 0)
            return be_no_node(name);
        check_nodes(argv[1]);
    }
    if (strcmp(name, "start") == 0)
        check_start();
    if (strcmp(name, "grounds") == 0)
        check_grounds();
    const struct tpl_options options = {.nodes = ends ? 3 : 1,
                                        .program = "tpl_edges",
                                        .arguments = argv + 1,
                                        .services = services,
                                        .window = 1,
                                        .signals = true};
    GIVES(tpl_start(&node, &options), TPL_OK);
    int wanted = TPL_OK;
    if (strcmp(name, "arguments") == 0)
        case_arguments();
    else if (strcmp(name, "self") == 0)
        case_self();
    else if (strcmp(name, "null") == 0)
        case_null();
    else if (strcmp(name, "second") == 0)
        case_second();
    else if (strcmp(name, "unseen") == 0)
        case_unseen();
    else if (strcmp(name, "retire") == 0)
        case_retire();
    else if (strcmp(name, "stranger") == 0)
        case_stranger();
    else if (strcmp(name, "customer") == 0)
        case_customer();
    else if (strcmp(name, "stop") == 0)
        case_stop(), wanted = TPL_STOPPED;
    else if (strcmp(name, "victim") == 0)
        case_victim(), wanted = 1;
    else if (strcmp(name, "death0") == 0 && tpl_number(node) == 1)
        GIVES(tpl_call(node, tpl_address(node, 0, TPL_POOL), DIE, NULL, 0, NULL, NULL), TPL_DEAD);
    int result = tpl_finish(node);
    CHECK(wanted == 1 || result == wanted);
    puts("good");
    fflush(stdout);
    pvm_exit();
    return 0;
}
