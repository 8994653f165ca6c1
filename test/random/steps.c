/* A task that makes one step after the other, as standard input tells, and answers each with one
 * line.
 *
 * A line is a step: its name, and numbers. An answer has what the step showed, the result, and
 * pvm_errno. The first line gives the tids of all tasks of the program. From then on a task is a
 * number from 0, in answers too. "-1" is any task or tag.
 *
 * The ids of buffers are other numbers than with 3.4.6, and 3.4.6 uses the id of a freed buffer
 * again. So no step shows an id: a buffer is told by what pvm_bufinfo says of it. A step names a
 * buffer by the slot in which a step has put it. A buffer is in one slot, or it is the send or the
 * receive buffer, so that no step uses the id of a freed one.
 *
 * In some programs a task polls before and after each step until all that has come is let in, so
 * that it does not matter how much that step has let in.
 */
#include "steps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int pvm_errno;

enum { NO_TAG = 1234, ANY_HOST = 0x3ffc0000 };

static const struct step *const files[] = {buffer_steps, message_steps, group_steps,
                                           choice_steps, mailbox_steps, task_steps};

int tid_of(const struct steps *steps, int role)
{
    return role < 0 || role >= steps->task_count ? -1 : steps->tids[role];
}

int role_of(const struct steps *steps, int tid)
{
    for (int i = 0; i < steps->task_count; i++)
        if (steps->tids[i] == tid)
            return i;
    return tid > 0 ? TASKS : tid == 0 ? NOBODY : tid;
}

int value_of(const struct steps *steps, int value)
{
    return value & ANY_HOST ? role_of(steps, value) : value;
}

int show(const struct steps *steps, int buffer)
{
    int bytes = -9, tag = -9, source = -9;

    if (buffer <= 0)
        return buffer;
    int result = pvm_bufinfo(buffer, &bytes, &tag, &source);
    printf(" info %d %d %d %d", result, bytes, tag, role_of(steps, source));
    return 1;
}

char *name_of(const struct steps *steps, char kind, int number)
{
    static char name[40];

    snprintf(name, sizeof name, "%c%d.%x", kind, number, (unsigned)steps->tids[0]);
    return name;
}

static const struct step *find(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (const struct step *step = files[i]; step->name; step++)
            if (strcmp(step->name, name) == 0)
                return step;
    fprintf(stderr, "there is no step %s\n", name);
    exit(2);
}

/* Lets in what has come. The daemon answers after it has passed on what this task sent itself. */
static void let_in(int polls)
{
    if (polls > 0)
        pvm_pstat(pvm_mytid());
    for (int i = 0; i < polls; i++)
        pvm_probe(-1, NO_TAG);
}

static void make(struct steps *steps, const char *line)
{
    int a[ARGUMENTS] = {0};
    char name[20];

    if (sscanf(line, "%19s %d %d %d %d %d", name, a, a + 1, a + 2, a + 3, a + 4) < 1)
        return;
    const struct step *step = find(name);
    steps->brings_later = 0;
    let_in(steps->polls);
    pvm_errno = 0;
    int result = step->make(steps, a), error = pvm_errno;
    if (!steps->brings_later)
        let_in(steps->polls);
    printf(" = %d, errno %d\n", result, error);
}

int main(int argc, char **argv)
{
    struct steps steps = {0};
    char line[200];

    if (argc > 1)
        be_child(atoi(argv[1]));
    setvbuf(stdout, NULL, _IOLBF, 0);
    pvm_setopt(PvmAutoErr, 0);
    printf("%d\n", pvm_mytid());
    if (!fgets(line, sizeof line, stdin))
        return 1;
    steps.task_count = sscanf(line, "%d %d %d %d", steps.tids, steps.tids + 1, steps.tids + 2,
                              steps.tids + 3);
    puts("ready");
    while (fgets(line, sizeof line, stdin))
        make(&steps, line);
    return 0;
}
