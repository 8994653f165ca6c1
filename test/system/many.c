/*
 * Runs a program several times in one process: each time in a thread that is a task of its own. The
 * program is compiled as a library and loaded so often, so that its variables are private.
 *
 * many TASKS LIBRARY ARGUMENT...
 *
 * Prints what the runs print; what those print that are compiled with own_output.h, one run after the
 * other in the end, each behind a line "run NUMBER". Fails when one of them does.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "tasks.h"

enum { MOST = 64 };

struct program {
    int (*main)(int count, char **words);
    int output; /* -1: it has the process's */
};

static int argument_count;
static char **arguments;

/* Gives a program an output of its own, if it has a place for it. */
static int redirect(void *library)
{
    FILE **stream = dlsym(library, "own_output");
    int output = stream ? memfd_create("output", 0) : -1;
    if (stream && !(*stream = fdopen(dup(output), "a")))
        fail("no output");
    return output;
}

static void show(int number, int output)
{
    char text[4096];
    printf("run %d\n", number);
    fflush(stdout);
    lseek(output, 0, SEEK_SET);
    for (ssize_t size; (size = read(output, text, sizeof text)) > 0;)
        if (write(STDOUT_FILENO, text, (size_t)size) != size)
            fail("the output of a run is lost");
}

/* A copy of the file, which the loader takes for another one. */
static struct program load(const char *path)
{
    char copy[64];
    struct stat file;
    int from = open(path, O_RDONLY), to = memfd_create("program", 0);
    if (from < 0 || to < 0 || fstat(from, &file) < 0 ||
        sendfile(to, from, NULL, (size_t)file.st_size) != file.st_size)
        fail("%s cannot be copied", path);
    close(from);
    snprintf(copy, sizeof copy, "/proc/self/fd/%d", to);
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("%s", dlerror());
    struct program program = {.output = redirect(library)};
    *(void **)&program.main = dlsym(library, "main");
    if (!program.main)
        fail("%s", dlerror());
    return program;
}

static void *run(void *loaded)
{
    const struct program *program = loaded;
    expect("tasks_begin", tasks_begin(), 0);
    expect("the program's end", program->main(argument_count, arguments), 0);
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    static struct program programs[MOST];
    if (argc < 3 || atoi(argv[1]) > MOST)
        fail("usage: many TASKS LIBRARY ARGUMENT...");
    int count = atoi(argv[1]);
    arguments = argv + 2;
    argument_count = argc - 2;
    for (int i = 0; i < count; i++)
        programs[i] = load(argv[2]);
    for (int i = 0; i < count; i++)
        expect("pthread_create", pthread_create(&threads[i], NULL, run, &programs[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++)
        if (programs[i].output >= 0)
            show(i, programs[i].output);
    return 0;
}
