/* pvm_catchout: what the file gets of the output of children, and what else it changes.
 *
 * Children print into a file of the test, which is shown when all of it is there.
 */
#include "observe.h"
#include <pvm3.h>
#include <stdlib.h>
#include <string.h>

enum { READY_TAG = 5, GO_TAG = 6, NOBODY_TAG = 99 };

static FILE *file;

/* Quietly: 3.4.6 complains of handlers that earlier lives of the task left behind. */
static int leave(void)
{
    int result;

    pvm_setopt(PvmAutoErr, 0);
    result = pvm_exit();
    pvm_setopt(PvmAutoErr, 1);
    return result;
}

static void options_see(const char *when)
{
    printf("%s: output %d in %d as %d, own %d in %d as %d\n", when, pvm_getopt(PvmOutputTid),
           pvm_getopt(PvmOutputContext), pvm_getopt(PvmOutputCode), pvm_getopt(PvmSelfOutputTid),
           pvm_getopt(PvmSelfOutputContext), pvm_getopt(PvmSelfOutputCode));
}

static void file_open(void)
{
    file = tmpfile();
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines in the file; those of several tasks mix as they like, so they are shown sorted then. */
static void file_see(int sorted)
{
    char *lines[64], *line = NULL;
    size_t room = 0;
    int count = 0;

    rewind(file);
    while (count < 64 && getline(&line, &room, file) > 0)
        lines[count++] = strdup(line);
    if (sorted)
        qsort(lines, (size_t)count, sizeof *lines, compare);
    for (int i = 0; i < count; i++) {
        printf("| %s", lines[i]);
        free(lines[i]);
    }
    free(line);
    fclose(file);
}

/* Does what moves messages until the file has so many lines. */
static void file_await(int lines)
{
    for (int found = 0; found < lines;) {
        pvm_probe(-1, NOBODY_TAG);
        found = 0;
        rewind(file);
        for (int character; (character = getc(file)) != EOF;)
            found += character == '\n';
        fseek(file, 0, SEEK_END);
    }
}

/* A child that prints `first`, and when told to, `second`. Returns when the first is printed. */
static int talker(char *first, char *second)
{
    char *arguments[] = {"talk", first, second, NULL};
    int tid = -1;

    if (pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid) != 1)
        return -1;
    pvm_recv(tid, READY_TAG);
    return tid;
}

static void tell(int tid)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, GO_TAG);
}

static void switching_see(void)
{
    int handler;

    AREA("switching on and off");
    options_see("before");
    SEE(pvm_catchout(NULL));
    options_see("off");
    SEE(pvm_catchout(stdout));
    options_see("on");
    SEE(pvm_catchout(stdout));
    options_see("on again");
    SEE((handler = pvm_addmhf(1, 2, 3, (int (*)(int))pvm_freebuf)));
    SEE(pvm_delmhf(handler));
    SEE(pvm_catchout(NULL));
    options_see("off");
    SEE(pvm_setopt(PvmOutputTid, pvm_mytid()));
    SEE(pvm_setopt(PvmOutputCode, 7));
    SEE(pvm_catchout(NULL));
    options_see("off, having been set");
    SEE(leave());
}

static void lines_see(char *first, char *second, int show)
{
    file_open();
    SEE(pvm_setopt(PvmShowTids, show));
    SEE(pvm_catchout(file));
    int tid = talker(first, second);
    SEE(tid > 0);
    tell(tid);
    SEE(leave());
    file_see(0);
    options_see("left");
    pvm_setopt(PvmShowTids, 1);
}

static void ended_see(void)
{
    char *arguments[] = {"print", "all\nof it\n", NULL};
    int tid;

    AREA("a child that has ended before");
    file_open();
    SEE(pvm_catchout(file));
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    file_await(4);
    SEE(leave());
    file_see(0);
}

static void many_see(void)
{
    char *arguments[] = {"print", "one\ntwo\nthree", NULL};
    int tids[5];

    AREA("many children");
    file_open();
    SEE(pvm_catchout(file));
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 5, tids));
    file_await(25);
    SEE(leave());
    file_see(1);
}

static void none_see(void)
{
    int tid = 0;

    AREA("no child");
    file_open();
    SEE(pvm_catchout(file));
    SEE(pvm_spawn("no-such-program", NULL, PvmTaskDefault, "", 1, &tid));
    SEE(tid);
    SEE(leave());
    file_see(0);
}

static void off_see(void)
{
    AREA("switched off while a child runs");
    file_open();
    pvm_catchout(file);
    int tid = talker("heard\n", "unheard\n");
    file_await(2);
    SEE(pvm_catchout(NULL));
    SEE(leave());
    file_see(0);
    pvm_kill(tid);
    leave();
}

static void shown_later_see(void)
{
    AREA("PvmShowTids changes meanwhile");
    file_open();
    pvm_catchout(file);
    int tid = talker("one\n", "two\n");
    file_await(2);
    pvm_setopt(PvmShowTids, 0);
    tell(tid);
    SEE(leave());
    file_see(0);
    pvm_setopt(PvmShowTids, 1);
}

static void other_file_see(void)
{
    AREA("another file");
    FILE *first = tmpfile();
    file = first;
    pvm_catchout(first);
    int tid = talker("one\nhal", "ves\ntwo\n");
    file_await(2);
    file_open();
    SEE(pvm_catchout(file));
    tell(tid);
    SEE(leave());
    file_see(0);
    file = first;
    file_see(0);
}

static void killed_see(void)
{
    AREA("a child that is killed");
    file_open();
    pvm_catchout(file);
    int tid = talker("one\nhalf", "two\n");
    SEE(pvm_kill(tid));
    file_await(4);
    SEE(leave());
    file_see(0);
}

/* Grandchildren print where their grandparent reads; a child that catches output itself is none. */
static void grandchild_see(void)
{
    char *arguments[] = {"grand", "grand\n", NULL};
    int tid;

    AREA("a grandchild");
    file_open();
    pvm_catchout(file);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    file_await(5);
    SEE(leave());
    file_see(1);
}

static void context_see(void)
{
    AREA("in another context");
    file_open();
    pvm_setcontext(77);
    pvm_catchout(file);
    int tid = talker("one\n", "two\n");
    tell(tid);
    SEE(leave());
    SEE(pvm_setcontext(PvmBaseContext));
    file_see(0);
}

int main(void)
{
    observe();
    switching_see();
    AREA("lines");
    lines_see("hello\nworld\n", "again\n", 1);
    AREA("an incomplete line, empty lines");
    lines_see("a\n\nhal", "ves\n\n\nthe end", 1);
    AREA("nothing");
    lines_see("", "", 1);
    AREA("without tids");
    lines_see("hello\nhal", "ves\nthe end", 0);
    ended_see();
    many_see();
    none_see();
    off_see();
    shown_later_see();
    other_file_see();
    killed_see();
    grandchild_see();
    context_see();
    return 0;
}
