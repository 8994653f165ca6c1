/*
 * fuzz_library.c - any answers of a pvmd, and any messages between them, to the library of a task.
 *
 * Input: steps, each a byte that chooses a call of pvm3.h; a thread of this program plays the pvmd,
 * takes the task in as it should, and says to every request what the input says next: messages that
 * nobody asked for, and then the body of the answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <pvm3.h>

#include "core/assemble.h"
#include "core/control.h"
#include "core/tid.h"

#include "input.h"

#define OWN       0x40001
#define BODY_MOST 4000
#define NAMES     3

static char folder[] = "/tmp/fuzz_library.XXXXXX";
static struct input rest;
static pthread_mutex_t rest_lock = PTHREAD_MUTEX_INITIALIZER;

/* The pvmd. ------------------------------------------------------------------------------------ */

struct player {
    int fd;
    struct frame_reader reader;
    struct assembler assembler;
};

static void player_send(int fd, const struct message *message, uint32_t source)
{
    struct frame_writer writer;
    struct frame_batch batch;
    frame_writer_start(&writer, message, OWN, source);
    while (!frame_writer_is_done(&writer)) {
        int used = frame_writer_fill(&writer, &batch);
        ssize_t size = writev(fd, batch.vectors, used);
        if (size <= 0)
            return;
        frame_writer_advance(&writer, (size_t)size);
    }
}

static struct input take_body(void)
{
    size_t size = input_byte(&rest);
    return input_part(&rest, size == UINT8_MAX ? BODY_MOST : size);
}

static struct message *message_of(struct input body, int32_t tag, int32_t context, int32_t wait)
{
    struct message *message = input_message(body, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->header.tag = tag;
    message->header.context = context;
    message->header.wait = wait;
    return message;
}

/* What one library says to another, or a task, or bytes that are no frames at all. */
static void player_interrupt(int fd)
{
    static const uint32_t sources[] = {0x40002, 0x80001, OWN, TID_OWN_DAEMON, 0, TID_ANY};
    unsigned kind = input_byte(&rest);
    uint32_t source = sources[input_byte(&rest) % (sizeof sources / sizeof sources[0])];
    struct input body = take_body();
    if (kind % 16 == 15) {
        ssize_t written = write(fd, body.bytes, body.size);
        shutdown(fd, SHUT_RDWR); /* else the task would wait for the rest of a frame */
        (void)written;
        return;
    }
    bool control = kind % 16 < 13;
    struct message *message = message_of(body, control ? TC_CONREQ + (int)(kind % 16) : 7,
                                         control ? CONTROL_CONTEXT_TC : 0, 0);
    if (kind & 128)
        message->header.encoding = kind;
    player_send(fd, message, source);
    message_free(message);
}

static void player_answer(int fd, const struct message_header *request, struct message *answer)
{
    answer->header.tag = request->tag;
    answer->header.context = request->context;
    answer->header.wait = request->wait;
    player_send(fd, answer, TID_OWN_DAEMON);
    message_free(answer);
}

static void player_touch(const char *path, int flags)
{
    int file = path ? open(path, O_WRONLY | O_CLOEXEC | flags, 0600) : -1;
    if (file < 0)
        return;
    ssize_t written = flags ? 0 : write(file, "x", 1);
    (void)written;
    close(file);
}

static void player_greet(int fd, const struct message *request)
{
    struct control_reader body;
    control_read(&body, request);
    control_get_int(&body);
    char *path = control_get_string(&body, 0);
    player_touch(path, 0);
    player_touch("proof", O_CREAT);
    struct message *answer = control_new(0, 0, 0);
    control_put_int(answer, CONTROL_TASK_PROTOCOL);
    control_put_int(answer, 1);
    control_put_string(answer, "proof");
    player_answer(fd, &request->header, answer);
    free(path);
}

static void player_welcome(int fd, const struct message *request)
{
    const int before[] = {1, OWN, 0, 0, 0, 0, 0, 0, 0, 4080, 0};
    struct message *answer = control_new(0, 0, 0);
    control_put_items(answer, PVM_INT, before, sizeof before / sizeof before[0]);
    control_put_string(answer, "7f000001:0001");
    control_put_int(answer, 0);
    player_answer(fd, &request->header, answer);
}

static void player_handle(int fd, const struct message *request)
{
    if (request->header.destination != TID_OWN_DAEMON || request->header.wait == 0)
        return;
    if (request->header.tag == TM_CONNECT) {
        player_greet(fd, request);
        return;
    }
    if (request->header.tag == TM_CONN2) {
        player_welcome(fd, request);
        return;
    }
    for (unsigned count = input_byte(&rest) % 4; count > 0; count--)
        player_interrupt(fd);
    player_answer(fd, &request->header, message_of(take_body(), 0, 0, 0));
}

/* A request that the task does not wait for may come when the next input has begun. */
static void player_take(int fd, const struct message *request)
{
    pthread_mutex_lock(&rest_lock);
    player_handle(fd, request);
    pthread_mutex_unlock(&rest_lock);
}

static bool player_read(struct player *player)
{
    size_t room;
    struct received_frame frame;
    struct message *request;
    unsigned char *space = frame_reader_space(&player->reader, &room);
    ssize_t size = read(player->fd, space, room);
    if (size <= 0)
        return false;
    frame_reader_filled(&player->reader, (size_t)size);
    while (frame_reader_next(&player->reader, &frame) == FRAME_READER_FRAME)
        if (assembler_add(&player->assembler, &frame, &request) == ASSEMBLER_MESSAGE) {
            player_take(player->fd, request);
            message_free(request);
        }
    return true;
}

static void *play(void *argument)
{
    int listener = *(const int *)argument;
    for (;;) {
        struct player player = {.fd = accept(listener, NULL, NULL)};
        MUST(player.fd >= 0);
        frame_reader_start(&player.reader, 1u << 20);
        assembler_start(&player.assembler);
        while (player_read(&player))
            continue;
        frame_reader_finish(&player.reader);
        assembler_finish(&player.assembler);
        close(player.fd);
    }
    return NULL;
}

/* The task. ------------------------------------------------------------------------------------ */

static char *names[NAMES] = {(char[]){"one"}, (char[]){"two"}, NULL};

static void look_at_hosts(void)
{
    struct pvmhostinfo *hosts;
    int count, formats;
    if (pvm_config(&count, &formats, &hosts) < 0)
        return;
    MUST(count >= 0);
    for (int i = 0; i < count; i++)
        MUST(strlen(hosts[i].hi_name) + strlen(hosts[i].hi_arch) < BODY_MOST);
    pvm_archcode("LINUX64");
}

static void look_at_tasks(void)
{
    struct pvmtaskinfo *list;
    int count;
    if (pvm_tasks(0, &count, &list) < 0)
        return;
    for (int i = 0; i < count; i++)
        MUST(strlen(list[i].ti_a_out) < BODY_MOST);
}

static void look_at_mailboxes(void)
{
    struct pvmmboxinfo *list;
    int count, total = 0;
    if (pvm_getmboxinfo("", &count, &list) < 0)
        return;
    for (int i = 0; i < count; i++)
        for (int entry = 0; entry < list[i].mi_nentries; entry++)
            total += list[i].mi_indices[entry] != list[i].mi_owners[entry];
    MUST(total >= 0);
}

static void unpack(int buffer)
{
    char *text = calloc(1, BODY_MOST + 1);
    int number, bytes, tag, source;
    MUST(text && pvm_bufinfo(buffer, &bytes, &tag, &source) == 0 && bytes <= BODY_MOST);
    pvm_upkint(&number, 1, 1);
    pvm_upkstr(text);
    free(text);
    pvm_freebuf(pvm_setrbuf(0));
}

static void receive(void)
{
    int buffer;
    while ((buffer = pvm_nrecv(-1, -1)) > 0)
        unpack(buffer);
}

static void spawn(void)
{
    int tids[5];
    int started = pvm_spawn("program", NULL, PvmTaskDefault, "", 5, tids);
    MUST(started <= 5);
    pvm_siblings(&(int *){NULL});
}

static void change_hosts(bool add)
{
    int results[2];
    if (add)
        pvm_addhosts(names, 2, results);
    else
        pvm_delhosts(names, 2, results);
}

static void look_up(void)
{
    int buffer = pvm_recvinfo("class", 0, PvmMboxDefault);
    if (buffer > 0)
        unpack(buffer);
    pvm_initsend(PvmDataDefault);
    pvm_putinfo("class", pvm_getsbuf(), PvmMboxDefault);
    pvm_delinfo("class", 0, PvmMboxDefault);
}

static void ask_numbers(unsigned which)
{
    struct timeval clock, difference;
    int told[1] = {0x40002};
    switch (which % 8) {
    case 0:
        pvm_mstat("one");
        break;
    case 1:
        pvm_pstat(0x40002);
        break;
    case 2:
        pvm_hostsync(0x40000, &clock, &difference);
        break;
    case 3:
        pvm_freecontext(pvm_newcontext());
        break;
    case 4:
        pvm_notify(PvmTaskExit, 5, 1, told);
        break;
    case 5:
        pvm_tidtohost(0x40002);
        break;
    case 6:
        pvm_sendsig(0x40002, 0);
        break;
    default:
        pvm_reg_hoster();
    }
}

static void send_something(void)
{
    int number = 1;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    pvm_send(0x40009, 3); /* to tasks that never ask for a route: to those who do it would wait */
    pvm_mcast((int[]){0x40009, 0x80009}, 2, 3);
}

/* False at the end of the input. */
static bool take_step(unsigned *what)
{
    pthread_mutex_lock(&rest_lock);
    bool more = rest.size > 0;
    *what = input_byte(&rest);
    pthread_mutex_unlock(&rest_lock);
    return more;
}

static void set_input(struct input input)
{
    pthread_mutex_lock(&rest_lock);
    rest = input;
    pthread_mutex_unlock(&rest_lock);
}

static void step(unsigned what)
{
    switch (what % 9) {
    case 0:
        look_at_hosts();
        break;
    case 1:
        look_at_tasks();
        break;
    case 2:
        look_at_mailboxes();
        break;
    case 3:
        spawn();
        break;
    case 4:
        change_hosts(what & 128);
        break;
    case 5:
        look_up();
        break;
    case 6:
        send_something();
        break;
    case 7:
        receive();
        break;
    default:
        ask_numbers(what >> 4);
    }
}

static void remove_folder(void)
{
    unlink("socket");
    unlink("proof");
    if (chdir("/") == 0)
        rmdir(folder);
}

/* Once: the pvmd's socket and its thread. */
static void prepare(void)
{
    static int listener;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    pthread_t thread;
    MUST(mkdtemp(folder) && chdir(folder) == 0 && atexit(remove_folder) == 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
    MUST(setenv("PVM_TMP", folder, 1) == 0 && setenv("PVMSOCK", address.sun_path, 1) == 0 &&
         setenv("PVM_ALLOW_ROOT", "1", 1) == 0);
    signal(SIGPIPE, SIG_IGN);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen(listener, 100) == 0);
    MUST(pthread_create(&thread, NULL, play, &listener) == 0 && pthread_detach(thread) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool prepared;
    if (!prepared)
        prepare();
    prepared = true;
    unsigned what;
    set_input((struct input){data, size});
    pvm_setopt(PvmAutoErr, 0);
    while (take_step(&what))
        step(what);
    receive();
    pvm_exit();
    set_input((struct input){NULL, 0});
    return 0;
}
