/* report.c - the parts of a document are gathered while its command runs. */
#include "console/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pvm3.h>

#include "core/system.h"

void report_start(struct report *report, bool json)
{
    *report = (struct report){.json = json, .captured = -1, .terminal = -1};
    report->people = !json && isatty(STDOUT_FILENO);
}

/* What commands, and the library, print from now on goes to a file of its own. */
static void capture_begin(struct report *report)
{
    fflush(stdout);
    report->captured = memfd_create("command", MFD_CLOEXEC);
    report->terminal = dup(STDOUT_FILENO);
    if (report->captured < 0 || report->terminal < 0 || dup2(report->captured, STDOUT_FILENO) < 0)
        perror("Console: the output of a command cannot be gathered");
}

static void capture_end(struct report *report)
{
    fflush(stdout);
    if (report->terminal >= 0) {
        dup2(report->terminal, STDOUT_FILENO);
        close(report->terminal);
    }
    report->terminal = -1;
}

/* The captured lines as a list. */
static void capture_write(struct report *report, struct json *json)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    FILE *file = report->captured < 0 ? NULL : fdopen(report->captured, "r");

    if (file)
        rewind(file);
    json_open(json, '[');
    while (file && (length = getline(&line, &size, file)) >= 0)
        json_bytes(json, line, (size_t)length - (line[length - 1] == '\n'));
    json_close(json, ']');
    free(line);
    if (file)
        fclose(file);
    else if (report->captured >= 0)
        close(report->captured);
    report->captured = -1;
}

static struct json memory_text_start(struct memory_text *memory)
{
    *memory = (struct memory_text){.text = NULL};
    memory->file = open_memstream(&memory->text, &memory->length);
    if (!memory->file) {
        perror("Console");
        exit(EXIT_FAILURE);
    }
    return (struct json){.file = memory->file};
}

static void memory_text_finish(struct memory_text *memory)
{
    fclose(memory->file);
    memory->file = NULL;
}

void report_begin(struct report *report)
{
    report->failed = false;
    if (!report->json)
        return;
    report->members = memory_text_start(&report->members_text);
    report->errors = memory_text_start(&report->errors_text);
    capture_begin(report);
}

void report_end(struct report *report, const char *command)
{
    struct json json = {.file = stdout};

    report->ever_failed = report->ever_failed || report->failed;
    if (!report->json)
        return;
    capture_end(report);
    memory_text_finish(&report->members_text);
    memory_text_finish(&report->errors_text);
    json_open(&json, '{');
    json_text_member(&json, "command", command);
    json_boolean_member(&json, "ok", !report->failed);
    if (report->members_text.length > 0)
        printf(",%s", report->members_text.text);
    json_key(&json, "lines");
    capture_write(report, &json);
    json_key(&json, "errors");
    printf("[%s]", report->errors_text.text);
    json_close(&json, '}');
    printf("\n");
    fflush(stdout);
    free(report->members_text.text);
    free(report->errors_text.text);
    report->members = report->errors = (struct json){.file = NULL};
}

/* The columns of the terminal. */
static int people_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* How much of the text goes into a line: up to its last space there, or its first at all. */
static size_t people_line(const char *text, int room)
{
    size_t length = strlen(text), end = 0;
    if ((int)length <= room)
        return length;
    for (size_t i = 0; i < length && ((int)i <= room || end == 0); i++)
        if (text[i] == ' ')
            end = i;
    return end > 0 ? end : length;
}

void people_print(int first, int rest, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    int width = people_width(), indent = first;
    for (const char *next = text ? text : "out of memory"; *next; indent = rest) {
        size_t length = people_line(next, width - indent);
        printf("%*s%.*s\n", indent, "", (int)length, next);
        next += length;
        next += *next == ' ';
    }
    free(text);
}

static void error_write(struct json *json, int code, const char *hint, const char *text)
{
    json_open(json, '{');
    json_text_member(json, "text", text);
    json_key(json, "code");
    if (code < 0)
        json_number(json, code);
    else
        json_text(json, NULL);
    json_text_member(json, "hint", hint);
    json_close(json, '}');
}

static void report_problem(struct report *report, int code, const char *hint, bool print,
                           const char *format, va_list arguments)
{
    char *text = NULL;

    report->failed = true;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    if (report->errors.file) {
        error_write(&report->errors, code, hint, text);
    } else {
        if (print)
            printf("%s\n", text ? text : "out of memory");
        if (report->people && hint)
            people_print(2, 2, "%s", hint);
    }
    free(text);
}

void problem(struct report *report, int code, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_problem(report, code, hint, true, format, arguments);
    va_end(arguments);
}

void failure(struct report *report, int code, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_problem(report, code, hint, false, format, arguments);
    va_end(arguments);
}

struct json event_begin(const char *event)
{
    struct json json = {.file = stdout};
    json_open(&json, '{');
    json_text_member(&json, "event", event);
    return json;
}

void event_end(struct json *json)
{
    json_close(json, '}');
    fputc('\n', json->file);
}
