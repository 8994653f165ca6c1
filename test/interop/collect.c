/* Spawns COUNT tasks of PROGRAM, prints what they write, and ends when all of them have ended.
 *
 * usage: collect COUNT PROGRAM [ARGUMENT...]
 * Prints "tids: HEX..." and then "[HEX] line" for each line, in the order of arrival. Tasks that
 * the tasks start (a group server, say) write here too but are not waited for.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_TAG = 4711, MOST_TASKS = 32, MOST_BYTES = 4096 };

/* The part of a line that a task has written so far. */
struct partial_line {
    int tid;
    size_t length;
    char text[MOST_BYTES + 1];
};

static struct partial_line *line_of(struct partial_line *lines, int tid)
{
    for (int i = 0; i < 4 * MOST_TASKS; i++) {
        if (lines[i].tid == tid || lines[i].tid == 0) {
            lines[i].tid = tid;
            return &lines[i];
        }
    }
    fprintf(stderr, "collect: too many tasks write\n");
    exit(2);
}

static void line_end(struct partial_line *line)
{
    printf("[%x] %.*s\n", line->tid, (int)line->length, line->text);
    line->length = 0;
}

static void line_add(struct partial_line *line, const char *data, int count)
{
    for (int i = 0; i < count; i++) {
        if (data[i] == '\n')
            line_end(line);
        else if (line->length < MOST_BYTES)
            line->text[line->length++] = data[i];
    }
}

/* Take one output record; true if it is the end of output of one of the tids. */
static int record_take(struct partial_line *lines, const int *tids, int count)
{
    int record[2];
    char data[MOST_BYTES];

    pvm_recv(-1, OUTPUT_TAG);
    pvm_upkint(record, 2, 1);
    struct partial_line *line = line_of(lines, record[0]);
    if (record[1] > 0 && record[1] <= MOST_BYTES && pvm_upkbyte(data, record[1], 1) == 0)
        line_add(line, data, record[1]);
    if (record[1] != 0)
        return 0;
    if (line->length)
        line_end(line);
    for (int i = 0; i < count; i++) {
        if (tids[i] == record[0])
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct partial_line lines[4 * MOST_TASKS];
    int tids[MOST_TASKS];
    int wanted = argc > 2 ? atoi(argv[1]) : 0;

    if (wanted < 1 || wanted > MOST_TASKS) {
        fprintf(stderr, "usage: collect COUNT PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    pvm_setopt(PvmOutputTid, pvm_mytid());
    pvm_setopt(PvmOutputCode, OUTPUT_TAG);
    int started = pvm_spawn(argv[2], argv + 3, PvmNoSpawnParent, "", wanted, tids);
    printf("tids:");
    for (int i = 0; i < wanted; i++)
        printf(" %x", (unsigned)tids[i]);
    printf("\n");
    for (int ended = 0; ended < started;)
        ended += record_take(lines, tids, started);
    pvm_exit();
    return started == wanted ? 0 : 1;
}
