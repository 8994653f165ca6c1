/*
 * Runs a program several times in one process: each time in a thread that is a task of its own. The
 * program is compiled as a library and loaded so often, so that its variables are private.
 *
 * many TASKS LIBRARY ARGUMENT...
 *
 * Prints what the runs print. Fails when one of them does.
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

static int argument_count;
static char **arguments;

/* A copy of the file, which the loader takes for another one. */
static void *load(const char *path)
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
    void *found = dlsym(library, "main");
    if (!found)
        fail("%s", dlerror());
    return found;
}

static void *run(void *found)
{
    int (*program)(int, char **) = (int (*)(int, char **))found;
    expect("tasks_begin", tasks_begin(), 0);
    expect("the program's end", program(argument_count, arguments), 0);
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    void *programs[MOST];
    if (argc < 3 || atoi(argv[1]) > MOST)
        fail("usage: many TASKS LIBRARY ARGUMENT...");
    int count = atoi(argv[1]);
    arguments = argv + 2;
    argument_count = argc - 2;
    for (int i = 0; i < count; i++)
        programs[i] = load(argv[2]);
    for (int i = 0; i < count; i++)
        expect("pthread_create", pthread_create(&threads[i], NULL, run, programs[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
