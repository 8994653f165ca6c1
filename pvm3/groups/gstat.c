/* gstat.c - pvm_gstat: the groups of the virtual machine, their members, and who waits. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include <pvm3.h>

#include "groups/protocol.h"
#include "groups/tool.h"

/* A server that runs answers at once; a server that is stopped must not stop us. */
enum { SECONDS_TO_ANSWER = 30 };

static int read_word(void)
{
    int word;
    if (pvm_upkint(&word, 1, 1) < 0)
        tool_fail("the answer of the group server ends too early");
    return word;
}

/* Shows `count` tids except those of unused places; the number of a place is the instance. */
static void show_tids(int count, bool with_instances)
{
    for (int i = 0; i < count; i++) {
        int tid = read_word();
        if (tid == GROUPS_NOBODY)
            continue;
        if (with_instances)
            printf("%d ", i);
        printf("0x%x\t", (unsigned)tid);
    }
    printf("\n");
}

/* `name` has room for any string of the answer. */
static void show_group(char *name)
{
    read_word(); /* the length of the name */
    if (pvm_upkstr(name) < 0)
        tool_fail("the answer of the group server cannot be read");
    int size = read_word(), places = read_word(), wanted = read_word(), reached = read_word();
    printf("group: %s, size: %d,  barrier_count %d, barrier_reached %d\n", name, size, wanted,
           reached);
    printf("tids:\n");
    show_tids(places, true);
    if (reached > 0) {
        printf("tids waiting on barrier:\n");
        show_tids(reached, false);
    }
}

int main(int argc, char **argv)
{
    struct timeval patience = {.tv_sec = SECONDS_TO_ANSWER};
    int bytes;

    int server = tool_begin(argc, argv, "pvm_gstat",
                            "Lists the groups of the virtual machine: members, and who waits in "
                            "barriers.");
    tool_ask(server, GROUPS_LIST);
    int buffer = pvm_trecv(server, GROUPS_LIST, &patience);
    if (buffer <= 0)
        tool_fail("the group server does not answer: has it been stopped?");
    pvm_bufinfo(buffer, &bytes, NULL, NULL);
    char *name = malloc((size_t)bytes + 1);
    int count = read_word();
    if (!name || count < 0)
        tool_fail("the group server or this program is out of memory");
    if (count == 0)
        printf("no groups exist\n");
    for (int i = 0; i < count; i++)
        show_group(name);
    free(name);
    pvm_exit();
    return EXIT_SUCCESS;
}
