/*
 * pvmtrace.c - pvmtrace: records a run, or reads a trace file, and writes it as JSON for viewers.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/chrome.h"
#include "tools/messages.h"
#include "tools/recording.h"
#include "tools/timeline.h"
#include "tracing/clock.h"
#include "tracing/events.h"
#include "tracing/sddf.h"

/* The exit status when the fault is ours, not that of the program. */
#define STATUS_FAILED 125

#define DEFAULT_PATH "trace.json"

struct arguments {
    const char *path;       /* of the JSON */
    const char *trace_path; /* of the trace file to write; NULL: none */
    const char *convert;    /* of the one to read; NULL: a program is run */
    struct recording recording;
};

/* What is written. ----------------------------------------------------------------------------- */

static FILE *file_open(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!file)
        fprintf(stderr, "pvmtrace: %s: %s\n", path, strerror(errno));
    return file;
}

static bool file_close(FILE *file, const char *path)
{
    bool whole = fflush(file) == 0 && !ferror(file);
    if (file != stdout && fclose(file) != 0)
        whole = false;
    if (!whole)
        fprintf(stderr, "pvmtrace: %s could not be written: %s\n", path, strerror(errno));
    return whole;
}

/* The records as they came, for the other tools. */
static bool trace_write(const char *path, const struct record *first)
{
    struct sddf_writer writer = {.file = file_open(path)};
    if (!writer.file)
        return false;
    sddf_write_head(&writer, "pvmtrace " VERSION " (PVM 3.4.6)");
    for (const struct record *record = first; record; record = record->next)
        sddf_write(&writer, record);
    sddf_write_end(&writer);
    return file_close(writer.file, path);
}

static void summary_print(const char *path, const struct timeline *timeline,
                          const struct messages *messages, size_t early)
{
    size_t tasks = 0, calls = 0;
    for (const struct timeline_task *task = timeline->tasks; task; task = task->next) {
        tasks += task->tid != task->host->dtid;
        calls += task->call_count;
    }
    fprintf(stderr,
            "pvmtrace: %s: %d hosts, %zu tasks, %zu calls; of %zu messages sent and %zu received"
            " %zu belong together\n",
            path, timeline->host_count, tasks, calls, messages->sent, messages->received,
            messages->count);
    if (early > 0)
        fprintf(stderr,
                "pvmtrace: the clocks of the hosts drift: %zu messages seem to be received"
                " before they were sent\n",
                early);
}

static bool chrome_export(const char *path, struct record *first)
{
    struct timeline timeline;
    struct messages messages;
    FILE *file = file_open(path);
    if (!file)
        return false;
    clock_correct(first);
    timeline_make(&timeline, first);
    messages_match(&messages, &timeline);
    size_t early = messages_shift_clocks(&messages, &timeline);
    chrome_write(file, &timeline, &messages);
    bool written = file_close(file, path);
    if (written)
        summary_print(path, &timeline, &messages, early);
    messages_free(&messages);
    timeline_free(&timeline);
    return written;
}

/* What is done. -------------------------------------------------------------------------------- */

static int convert(const struct arguments *arguments)
{
    struct record_layouts layouts = {.first = NULL};
    bool empty;
    struct record *first = sddf_read_file(arguments->convert, &layouts, &empty);
    bool written = (first || empty) && chrome_export(arguments->path, first);
    while (first) {
        struct record *next = first->next;
        record_free(first);
        first = next;
    }
    layouts_free(&layouts);
    return written ? EXIT_SUCCESS : STATUS_FAILED;
}

/* The exit status of a program that ended so, as a shell gives it. */
static int exit_status(int status)
{
    if (status < 0)
        return STATUS_FAILED;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int record(struct arguments *arguments)
{
    struct recording *recording = &arguments->recording;
    bool written = recording_run(recording);
    if (written && arguments->trace_path)
        written = trace_write(arguments->trace_path, recording->first);
    if (written && !recording->live)
        written = chrome_export(arguments->path, recording->first);
    int status = recording->status;
    recording_finish(recording);
    return written ? exit_status(status) : STATUS_FAILED;
}

/* Arguments. ----------------------------------------------------------------------------------- */

static const char help[] =
    "usage: pvmtrace [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       pvmtrace --live [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       pvmtrace [-o FILE] --convert TRACE\n"
    "Runs a program as a task of the virtual machine, which is started if there is none, and "
    "writes\n"
    "what it and its children call, as JSON for https://ui.perfetto.dev and chrome://tracing.\n"
    "\n"
    "  -o, --output=FILE    the JSON; - is the standard output (" DEFAULT_PATH ")\n"
    "  -e, --events=NAMES   calls to trace, with commas between them, or all (all but those that\n"
    "                       pack and unpack)\n"
    "  -T, --trace=FILE     write the trace file of tracer(1) and trcsort(1), too\n"
    "  -B, --buffer=BYTES   so much a task gathers before it tells (0: each call at once)\n"
    "      --convert        read the trace file TRACE; run nothing\n"
    "      --live           print each event at once as a line of JSON, and write no file\n"
    "      --help, --version\n";

static void arguments_refuse(const char *why, const char *word)
{
    fprintf(stderr, "pvmtrace: %s%s\n(pvmtrace --help tells more)\n", why, word);
    exit(STATUS_FAILED);
}

/* All calls but those that pack and unpack: there are many, and what they do is seen in others. */
static void mask_set_usual(Pvmtmask mask)
{
    static const char *const fine[] = {
        "pkbyte",   "pkcplx",   "pkdcplx",   "pkdouble", "pkfloat", "pkint",   "pkuint",
        "pklong",   "pkulong",  "pkshort",   "pkushort", "pkstr",   "packf",   "upkbyte",
        "upkcplx",  "upkdcplx", "upkdouble", "upkfloat", "upkint",  "upkuint", "upklong",
        "upkulong", "upkshort", "upkushort", "upkstr",   "unpackf"};
    events_set_all(mask, true);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        events_set(mask, fine[i], false);
}

static void mask_parse(Pvmtmask mask, char *names)
{
    events_set_all(mask, strcmp(names, "all") == 0);
    if (strcmp(names, "all") == 0)
        return;
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
        if (!events_set(mask, name, true))
            arguments_refuse("there is no call to trace with the name ", name);
}

static int bytes_parse(const char *text)
{
    char *end;
    errno = 0;
    long bytes = strtol(text, &end, 10);
    if (end == text || *end || errno || bytes < 0 || bytes > INT_MAX)
        arguments_refuse("this is no number of bytes: ", text);
    return (int)bytes;
}

static void arguments_parse(struct arguments *arguments, int count, char **word)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"events", required_argument, NULL, 'e'},
                                            {"trace", required_argument, NULL, 'T'},
                                            {"buffer", required_argument, NULL, 'B'},
                                            {"convert", required_argument, NULL, 'c'},
                                            {"live", no_argument, NULL, 'l'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'v'},
                                            {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(count, word, "+o:e:T:B:", options, NULL)) != -1) {
        switch (option) {
        case 'o':
            arguments->path = optarg;
            break;
        case 'e':
            mask_parse(arguments->recording.mask, optarg);
            break;
        case 'T':
            arguments->trace_path = optarg;
            break;
        case 'B':
            arguments->recording.buffer = bytes_parse(optarg);
            break;
        case 'c':
            arguments->convert = optarg;
            break;
        case 'l':
            arguments->recording.live = true;
            break;
        case 'h':
            fputs(help, stdout);
            exit(EXIT_SUCCESS);
        case 'v':
            printf("pvmtrace (PVM) %s\n", VERSION);
            exit(EXIT_SUCCESS);
        default:
            exit(STATUS_FAILED);
        }
    }
    arguments->recording.program = word + optind;
    if (!arguments->convert && !word[optind])
        arguments_refuse("which program?", "");
    if (arguments->convert && word[optind])
        arguments_refuse("nothing is run with --convert, but there is ", word[optind]);
    if (arguments->recording.live && (arguments->convert || arguments->trace_path))
        arguments_refuse("--live reads and writes no file", "");
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.path = DEFAULT_PATH};
    mask_set_usual(arguments.recording.mask);
    arguments_parse(&arguments, argc, argv);
    return arguments.convert ? convert(&arguments) : record(&arguments);
}
