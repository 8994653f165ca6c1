/*
 * tracer.c - tracer: writes what the tasks of a virtual machine call and print to a trace file.
 *
 * It registers with the virtual machine, so that tasks which start from then on tell it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/input.h"
#include "tools/tracer_prompt.h"
#include "tracing/collect.h"
#include "tracing/events.h"
#include "tracing/sddf.h"
#include "tracing/wait.h"

#define PROMPT "tracer> "

enum { TAG_EVENTS = 666, TAG_OUTPUT, TAG_HOST_ADDED, TAG_HOST_DELETED };

struct tracer {
    const char *path;
    const char *output_path;
    FILE *output;
    bool echo;    /* records go to the screen too */
    bool verbose; /* so do lines that tasks print, and hosts */
    struct tracer_settings settings;
    struct sddf_writer writer;
    struct sddf_writer screen;
    struct decoder decoder;
    struct collector collector;
};

/* What the collector finds. -------------------------------------------------------------------- */

static void on_record(void *owner, int source, struct record *record)
{
    struct tracer *tracer = owner;
    (void)source;
    sddf_write(&tracer->writer, record);
    if (tracer->echo)
        sddf_write(&tracer->screen, record);
    if (tracer->verbose && record->layout->event == RECORD_HOST_ADD)
        printf("Host %s Added\n", record_string(record, "HN", "-"));
    if (tracer->verbose && record->layout->event == RECORD_HOST_DELETE)
        printf("Host %s Deleted\n", record_string(record, "HN", "-"));
    record_free(record);
}

static void output_write(FILE *file, int tid, const char *text, size_t length)
{
    fprintf(file, "[0x%x] ", (unsigned)tid);
    fwrite(text ? text : "EOF", 1, text ? length : strlen("EOF"), file);
    putc('\n', file);
}

static void on_line(void *owner, int tid, const char *text, size_t length)
{
    const struct tracer *tracer = owner;
    if (tracer->output)
        output_write(tracer->output, tid, text, length);
    if (tracer->verbose)
        output_write(stdout, tid, text, length);
}

static void on_begun(void *owner, int tid)
{
    (void)owner;
    printf("Task TID=0x%x Connected to Tracer\n", (unsigned)tid);
}

static void on_ended(void *owner, int tid)
{
    const struct tracer *tracer = owner;
    (void)tid;
    if (collector_is_idle(&tracer->collector)) {
        printf("Trace File Complete\n");
        fflush(tracer->writer.file);
        if (tracer->output)
            fflush(tracer->output);
    }
}

static const struct collector_owner functions = {on_record, on_line, on_begun, on_ended};

/* Files. --------------------------------------------------------------------------------------- */

/* A new file; the program ends when it cannot be made. */
static FILE *file_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        fprintf(stderr, "tracer: %s: %s%s\n", path, strerror(errno),
                errno == EEXIST ? " (-T and -O take a new one)" : "");
        exit(EXIT_FAILURE);
    }
    return file;
}

static const char *default_path(void)
{
    static char path[PATH_MAX];
    const struct passwd *user = getpwuid(getuid());
    if (user)
        snprintf(path, sizeof path, "%s/tracefile.%s", pvmgettmp(), user->pw_name);
    else
        snprintf(path, sizeof path, "%s/tracefile.%d", pvmgettmp(), (int)getuid());
    return path;
}

static void files_open(struct tracer *tracer)
{
    if (!tracer->path)
        tracer->path = default_path();
    tracer->writer.file = file_create(tracer->path);
    tracer->screen.file = stdout;
    tracer->output = tracer->output_path ? file_create(tracer->output_path) : NULL;
}

/* The tracer could not begin: what it made is of no use. */
static void files_remove(const struct tracer *tracer)
{
    unlink(tracer->path);
    if (tracer->output_path)
        unlink(tracer->output_path);
}

static int file_close(FILE *file, const char *path)
{
    bool broken = ferror(file) != 0;
    if (fclose(file) == 0 && !broken)
        return EXIT_SUCCESS;
    fprintf(stderr, "tracer: %s could not be written: %s\n", path, strerror(errno));
    return EXIT_FAILURE;
}

/* The virtual machine. ------------------------------------------------------------------------- */

static int tracer_register(struct tracer *tracer)
{
    return pvm_reg_tracer(0, TAG_EVENTS, 0, TAG_OUTPUT, tracer->settings.mask,
                          tracer->settings.buffer, tracer->settings.option);
}

static void tracer_enter(struct tracer *tracer)
{
    pvm_setopt(PvmAutoErr, 0);
    int tid = pvm_mytid();
    if (tid < 0) {
        files_remove(tracer);
        fprintf(stderr, "tracer: there is no virtual machine to trace (pvm starts one)\n");
        exit(EXIT_FAILURE);
    }
    pvm_setopt(PvmResvTids, 1);
    printf("\nTracer connected as tid=0x%x.\n", (unsigned)tid);
    settings_print_mask(&tracer->settings, "New Trace Mask");
    if (tracer_register(tracer) < 0) {
        files_remove(tracer);
        printf("Tracer Already Connected...  Exiting.\n");
        exit(EXIT_FAILURE);
    }
    sddf_write_head(&tracer->writer, "Tracer " TRACER_VERSION " (PVM 3.4.6)");
    pvm_notify(PvmHostAdd, TAG_HOST_ADDED, -1, NULL);
}

/* Has the pvmds tell of the end of each host that is there now. */
static void hosts_watch(void)
{
    int count;
    struct pvmhostinfo *hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    for (int i = 0; i < count; i++) {
        int tid = hosts[i].hi_tid;
        pvm_notify(PvmHostDelete, TAG_HOST_DELETED, 1, &tid);
    }
}

static void hosts_update(struct tracer *tracer)
{
    collector_update_hosts(&tracer->collector);
    hosts_watch();
}

/* Takes all messages that are there. False when the pvmd is lost. */
static bool messages_take(struct tracer *tracer)
{
    int buffer, bytes, tag, source;
    while ((buffer = pvm_nrecv(-1, -1)) > 0) {
        pvm_bufinfo(buffer, &bytes, &tag, &source);
        if (tag == TAG_EVENTS)
            collector_take_events(&tracer->collector, buffer);
        else if (tag == TAG_OUTPUT)
            collector_take_output(&tracer->collector);
        else if (tag == TAG_HOST_ADDED)
            hosts_update(tracer);
        else if (tag == TAG_HOST_DELETED)
            collector_update_hosts(&tracer->collector);
    }
    fflush(stdout);
    return buffer == 0;
}

/* Tasks that start from now on get the new settings. */
static void settings_apply(struct tracer *tracer)
{
    tracer_register(tracer); /* which takes the old registration back */
    if (tracer_register(tracer) < 0)
        printf("\nThe Virtual Machine Has Another Tracer Now.\n\n");
}

/* Reads commands until one says quit, or they end. Returns the exit status. */
static int tracer_serve(struct tracer *tracer)
{
    struct input input;
    const char *line;
    input_start(&input, STDIN_FILENO);
    for (;;) {
        printf(PROMPT);
        fflush(stdout);
        while (!(line = input_line(&input)) && !input.ended) {
            while (messages_take(tracer) && !wait_for(STDIN_FILENO))
                continue;
            if (!messages_take(tracer)) {
                fprintf(stderr, "tracer: the virtual machine is gone\n");
                input_finish(&input);
                return EXIT_FAILURE;
            }
            input_read(&input);
        }
        if (!line)
            printf("Quit\n");
        enum prompt_result result = line ? prompt_line(&tracer->settings, line) : PROMPT_QUIT;
        if (result == PROMPT_QUIT)
            break;
        if (result == PROMPT_CHANGED)
            settings_apply(tracer);
    }
    input_finish(&input);
    return EXIT_SUCCESS;
}

/* Arguments. ----------------------------------------------------------------------------------- */

static void usage_print(FILE *file)
{
    fprintf(file, "\nusage:  tracer [ -T tracefile ] [ -O outfile ] [ -B nbytes ]"
                  " [ full | time | count ] [ -Hhev ]\n\n"
                  "where:\n------\n"
                  "-T file\t   = Use \"file\" as Trace File\n"
                  "-O file\t   = Use \"file\" as Additional Output File\n"
                  "-B nbytes  = Set Trace Buffer Size to nbytes\n"
                  "full\t   = Set Tracing Option to Full\n"
                  "time\t   = Set Tracing Option to Timing\n"
                  "count\t   = Set Tracing Option to Count\n"
                  "-H/h\t   = Print This Help Information\n"
                  "-e\t   = Print Each Record on the Screen, Too\n"
                  "-v\t   = Print What Tasks Print, and Hosts, Too\n\n");
}

static void arguments_refuse(const char *word)
{
    fprintf(stderr, "tracer: unknown or incomplete option %s\n", word);
    usage_print(stderr);
    exit(EXIT_FAILURE);
}

/* The number of bytes behind -B. */
static int arguments_bytes(const char *text)
{
    char *end;
    errno = 0;
    long bytes = text ? strtol(text, &end, 10) : -1;
    if (bytes < 0 || bytes > INT_MAX || errno || *end)
        arguments_refuse("-B");
    return (int)bytes;
}

static void arguments_parse(struct tracer *tracer, char **word)
{
    while (*++word) {
        if (trace_option_find(*word))
            tracer->settings.option = trace_option_find(*word);
        else if (strcmp(*word, "-T") == 0 && word[1])
            tracer->path = *++word;
        else if (strcmp(*word, "-O") == 0 && word[1])
            tracer->output_path = *++word;
        else if (strcmp(*word, "-B") == 0)
            tracer->settings.buffer = arguments_bytes(*++word);
        else if (strcmp(*word, "-e") == 0)
            tracer->echo = true;
        else if (strcmp(*word, "-v") == 0)
            tracer->verbose = true;
        else if (strcmp(*word, "--version") == 0) {
            printf("tracer (PVM) %s\n", VERSION);
            exit(EXIT_SUCCESS);
        } else if (strcmp(*word, "-h") == 0 || strcmp(*word, "-H") == 0 ||
                   strcmp(*word, "--help") == 0) {
            usage_print(stdout);
            exit(EXIT_SUCCESS);
        } else
            arguments_refuse(*word);
    }
}

int main(int argc, char **argv)
{
    struct tracer tracer = {.path = NULL};
    (void)argc;
    settings_start(&tracer.settings);
    arguments_parse(&tracer, argv);
    files_open(&tracer);
    tracer_enter(&tracer);
    collector_start(&tracer.collector, &tracer.decoder, &functions, &tracer);
    hosts_update(&tracer);
    int status = tracer_serve(&tracer);
    printf("Quitting Tracer.\n");
    pvm_exit();
    collector_finish(&tracer.collector);
    decode_end(&tracer.decoder);
    sddf_write_end(&tracer.writer);
    sddf_write_end(&tracer.screen);
    if (file_close(tracer.writer.file, tracer.path) != EXIT_SUCCESS ||
        (tracer.output && file_close(tracer.output, tracer.output_path) != EXIT_SUCCESS))
        status = EXIT_FAILURE;
    return status;
}
