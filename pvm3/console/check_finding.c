/* check_finding.c - findings, one a line. */
#include "console/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void finding_write(struct check *check, const char *kind, const char *hint, const char *text)
{
    struct json *json = &check->report->members;
    json_open(json, '{');
    json_text_member(json, "host", check->host);
    json_text_member(json, "kind", kind);
    json_text_member(json, "text", text);
    json_text_member(json, "hint", hint);
    json_close(json, '}');
}

static void finding_tell(struct check *check, const char *kind, const char *hint,
                         const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    if (check->report->json) {
        finding_write(check, kind, hint, text);
    } else if (check->report->people) {
        people_print(0, 8, "%s: %s: %s", check->host, kind, text ? text : "out of memory");
        if (hint)
            people_print(4, 4, "%s", hint);
        fflush(stdout);
    } else {
        printf("%s: %s: %s\n", check->host, kind, text ? text : "out of memory");
        if (hint)
            printf("    %s\n", hint);
        fflush(stdout);
    }
    free(text);
}

void check_good(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    finding_tell(check, "ok", NULL, format, arguments);
    va_end(arguments);
}

void check_note(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    finding_tell(check, "note", NULL, format, arguments);
    va_end(arguments);
}

void check_problem(struct check *check, const char *hint, const char *format, ...)
{
    va_list arguments;
    check->problems++;
    va_start(arguments, format);
    finding_tell(check, "PROBLEM", hint, format, arguments);
    va_end(arguments);
}
