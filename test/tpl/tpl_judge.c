/*
 * tpl_judge.c - node 0, which finds that all is over, dies while it says so: do the others agree?
 *
 * usage: tpl_judge some     it tells one node only
 *        tpl_judge leave    it tells all, and one that they may leave, whose process then stays
 *        tpl_judge stop     another node is stopped at that moment, and its process stays
 *
 * Letters are made by hand: node 0 in the first two cases, node 1 in the third one are no nodes of
 * the library but speak as if they were. The others print "good".
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "../../tpl/ground.h"
#include "tpl_check.h"

#define LETTER_TAG     0x54504c
#define LETTER_CONTEXT 0x4054504c
#define MAGIC          0x54504c31
#define COUNT          4 /* nodes, of which the first is made by hand */
#define DONE_TAG       1 /* of a node that has left, to one whose process stays */

enum { HEADER = 8, TYPE = 1, ID = 4, SIZE = 7, FIELDS = 3 };

static void send_letter(int tid, enum letter_type type, int id, const void *data, int size)
{
    int header[HEADER] = {MAGIC, (int)type, [ID] = id, [SIZE] = size};
    pvm_initsend(PvmDataDefault);
    pvm_pkint(header, HEADER, 1);
    pvm_pkbyte((char *)(uintptr_t)data, size, 1);
    int before = pvm_setcontext(LETTER_CONTEXT);
    CHECK(pvm_send(tid, LETTER_TAG) == 0);
    pvm_setcontext(before);
}

/* The next one of the type from a node. */
static void await_letter(int tid, enum letter_type type)
{
    int header[HEADER];
    int before = pvm_setcontext(LETTER_CONTEXT);
    do {
        CHECK(pvm_recv(tid, LETTER_TAG) > 0);
        CHECK(pvm_upkint(header, HEADER, 1) == 0 && header[0] == MAGIC);
    } while (header[TYPE] != (int)type);
    pvm_setcontext(before);
}

static void note_lost(struct tpl *node, int number, void *argument)
{
    (void)node, (void)argument;
    CHECK(number == 0); /* whoever leaves is not lost */
}

static void be_a_node(const char *name)
{
    const struct tpl_options options = {.nodes = COUNT, .program = "", .lost = note_lost};
    struct tpl *node;
    GIVES(tpl_start(&node, &options), TPL_OK);
    const int number = tpl_number(node), stays = tpl_address(node, 1, TPL_POOL).tid;
    GIVES(tpl_finish(node), TPL_OK);
    if (strcmp(name, "leave") == 0 && number > 1)
        CHECK(pvm_initsend(PvmDataDefault) > 0 && pvm_send(stays, DONE_TAG) == 0);
    if (strcmp(name, "leave") == 0 && number == 1) {
        CHECK(pvm_initsend(PvmDataDefault) > 0 && pvm_send(pvm_parent(), DONE_TAG) == 0);
        for (int i = 2; i < COUNT; i++)
            CHECK(pvm_recv(-1, DONE_TAG) > 0);
    }
}

static void be_node_0(char **words)
{
    int tids[COUNT] = {pvm_mytid()};
    uint32_t all[COUNT];
    const bool some = strcmp(words[0], "some") == 0;
    CHECK(pvm_spawn("tpl_judge", words, PvmTaskDefault, NULL, COUNT - 1, tids + 1) == COUNT - 1);
    for (int i = 0; i < COUNT; i++)
        all[i] = htonl((uint32_t)tids[i]);
    for (int i = 1; i < COUNT; i++)
        send_letter(tids[i], LETTER_NODES, 0, all, sizeof all);
    for (int i = 1; i < COUNT; i++)
        await_letter(tids[i], LETTER_REPORT);
    for (int i = 1; i < (some ? 2 : COUNT); i++)
        send_letter(tids[i], LETTER_OVER, 0, NULL, 0);
    for (int i = 1; i < (some ? 2 : COUNT); i++)
        await_letter(tids[i], LETTER_CONFIRM);
    if (!some) {
        send_letter(tids[1], LETTER_LEAVE, 0, NULL, 0);
        CHECK(pvm_recv(tids[1], DONE_TAG) > 0);
    }
    kill(getpid(), SIGKILL);
}

/* Is idle, and stopped when it hears that all is over. Ends after the other one. */
static void be_node_1(void)
{
    const int parent = pvm_parent();
    const uint32_t idle[2 * FIELDS] = {0};
    await_letter(parent, LETTER_NODES);
    send_letter(parent, LETTER_JOINED, 0, NULL, 0);
    send_letter(parent, LETTER_REPORT, 1, idle, sizeof idle);
    await_letter(parent, LETTER_OVER);
    send_letter(parent, LETTER_STOP, 0, NULL, 0);
    CHECK(pvm_recv(parent, DONE_TAG) > 0);
}

static void be_a_judge(char **words)
{
    const struct tpl_options options = {.nodes = 2, .program = "tpl_judge", .arguments = words};
    struct tpl *node;
    GIVES(tpl_start(&node, &options), TPL_OK);
    const int other = tpl_address(node, 1, TPL_POOL).tid;
    GIVES(tpl_finish(node), TPL_OK);
    CHECK(pvm_initsend(PvmDataDefault) > 0 && pvm_send(other, DONE_TAG) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    const bool spawned = pvm_parent() > 0, stops = strcmp(argv[1], "stop") == 0;
    if (stops && spawned)
        be_node_1();
    else if (stops)
        be_a_judge(argv + 1);
    else if (spawned)
        be_a_node(argv[1]);
    else
        be_node_0(argv + 1);
    puts("good");
    fflush(stdout);
    pvm_exit();
    return 0;
}
