/*
 * places.c - prints where what it has lies, a name and an address in each line.
 *
 * It ends when all that were spawned with it have printed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#include "fail.h"

static int global = 1, zero;
static const int constant = 2;
static _Thread_local int in_thread = 3;

static void tell(const char *name, const void *address)
{
    printf("%s %p\n", name, address);
}

static void tell_blocks(void)
{
    void *aligned, *block = malloc(100);
    tell("malloc", block);
    tell("calloc", calloc(3, 5));
    tell("large", malloc(10000000));
    tell("realloc", realloc(block, 300000));
    tell("none", realloc(NULL, 8));
    tell("array", reallocarray(NULL, 8, 8));
    expect("posix_memalign", posix_memalign(&aligned, 4096, 10), 0);
    expect("alignment", (int)((size_t)aligned % 4096), 0);
    tell("aligned", aligned);
    tell("aligned_alloc", aligned_alloc(64, 128));
}

/* Blocks of any size that come and go keep what is in them. */
static void use_blocks(void)
{
    enum { BLOCKS = 500, TURNS = 20000 };
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    for (int turn = 0; turn < TURNS; turn++) {
        int at = rand() % BLOCKS;
        size_t size = (size_t)(rand() % (turn % 100 == 0 ? 1000000 : 2000)), kept = sizes[at];
        for (size_t i = 0; i < kept; i += 1 + kept / 16)
            expect("what is in a block", blocks[at][i], at % 251);
        blocks[at] = realloc(blocks[at], size + 1);
        kept = kept < size ? kept : size;
        for (size_t i = 0; i < kept; i += 1 + kept / 16)
            expect("what was in a block", blocks[at][i], at % 251);
        if (turn % 3 == 0) {
            free(blocks[at]);
            blocks[at] = calloc(size + 1, 1);
            for (size_t i = 0; i < size; i += 1 + size / 16)
                expect("zero", blocks[at][i], 0);
        }
        memset(blocks[at], at % 251, size);
        sizes[at] = size;
    }
    for (int i = 0; i < BLOCKS; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
        sizes[i] = 0;
    }
}

static void tell_texts(void)
{
    char *text, *line = NULL;
    size_t room = 0;
    wchar_t wide[] = L"wide";
    FILE *lines = popen("echo a line; echo another", "r");
    tell("strdup", strdup("text"));
    tell("strndup", strndup("text", 2));
    tell("wcsdup", wcsdup(wide));
    expect("asprintf", asprintf(&text, "%d", 12345), 5);
    expect("its text", strcmp(text, "12345"), 0);
    tell("asprintf", text);
    expect("getline", (int)getline(&line, &room, lines), 7);
    expect("its line", strcmp(line, "a line\n"), 0);
    expect("getdelim", (int)getdelim(&line, &room, 'r', lines), 7);
    expect("its end", strcmp(line, "another"), 0);
    expect("more lines", (int)getline(&line, &room, lines), 1);
    expect("no more lines", (int)getline(&line, &room, lines), -1);
    tell("getline", line);
    pclose(lines);
}

static void tell_files(void)
{
    struct dirent **entries;
    char place[PATH_MAX];
    char *text = realpath("/proc/self/../self", NULL);
    expect("realpath", realpath("/proc/self/../self", place) == place && !strcmp(text, place), 1);
    tell("realpath", text);
    text = getcwd(NULL, 0);
    expect("getcwd", getcwd(place, sizeof place) == place && !strcmp(text, place), 1);
    tell("getcwd", text);
    tell("current", get_current_dir_name());
    int count = scandir("/proc/self", &entries, NULL, alphasort);
    expect("scandir", count > 10 && !strcmp(entries[0]->d_name, "."), 1);
    tell("scandir", entries);
    tell("entry", entries[count - 1]);
}

/* A sanitizer has a malloc of its own, also for streams. */
static void tell_streams(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    FILE *opened = fopen("/proc/self/exe", "r"), *of_descriptor = fdopen(dup(fileno(opened)), "r");
    tell("stream", opened);
    tell("its buffer", opened->_IO_buf_base);
    expect("fgetc", fgetc(opened), 127);
    tell("another", of_descriptor);
    fclose(opened);
    opened = freopen("/dev/null", "w", of_descriptor);
    expect("freopen", opened && fputs("text", opened) >= 0 && fclose(opened) == 0, 1);
#endif
}

static void tell_environment(void)
{
    setenv("PLACES", "text", 1);
    tell("environ", environ);
    tell("its first", environ[0]);
    tell("variable", getenv("PLACES"));
}

/* A child has the heap to itself. */
static void fork_one(void)
{
    int status;
    void *block = malloc(100000);
    pid_t child = fork();
    if (child == 0) {
        use_blocks();
        free(block);
        _exit(malloc(10) ? 7 : 1);
    }
    expect("waitpid", waitpid(child, &status, 0), child);
    expect("the end of a child", WEXITSTATUS(status), 7);
}

static void await_siblings(void)
{
    int *tids, count = pvm_siblings(&tids);
    pvm_initsend(PvmDataDefault);
    pvm_mcast(tids, count, 1);
    for (int i = 1; i < count; i++)
        pvm_recv(-1, 1);
}

int main(int argc, char **argv)
{
    int local;
    pvm_mytid();
    tell("stack", &local);
    tell("thread", (void *)pthread_self());
    tell("thread-local", &in_thread);
    tell("global", &global);
    tell("zero", &zero);
    tell("constant", &constant);
    tell("text", (void *)(size_t)main);
    tell("words", argv);
    tell("word", argv[argc - 1]);
    tell_blocks();
    tell_texts();
    tell_files();
    tell_streams();
    tell_environment();
    fflush(stdout);
    use_blocks();
    fork_one();
    await_siblings();
    return 0;
}
