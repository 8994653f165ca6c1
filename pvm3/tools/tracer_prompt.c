/* tracer_prompt.c - mask, buffer, options, help, quit. */
#include "tools/tracer_prompt.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/parse.h"
#include "tracing/events.h"

#define MASK_USAGE "[ [+|-] [ event | * ] ] [ default | xpvm ]"

/* The calls that move messages and tasks. */
static void mask_set_usual(Pvmtmask mask)
{
    static const char *const usual[] = {"barrier", "bcast",   "exit",  "joingroup", "kill",
                                        "lvgroup", "mcast",   "mytid", "nrecv",     "parent",
                                        "precv",   "probe",   "psend", "recv",      "recvf",
                                        "send",    "sendsig", "spawn", "trecv",     "user_defined"};
    events_set_all(mask, false);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        events_set(mask, usual[i], true);
}

void settings_start(struct tracer_settings *settings)
{
    *settings = (struct tracer_settings){.option = PvmTraceFull};
    mask_set_usual(settings->mask);
}

void settings_print_mask(const struct tracer_settings *settings, const char *title)
{
    printf("\n%s:\n\n", title);
    events_print(settings->mask);
    printf("\n");
}

/* One word of mask; `chosen` is what + and - before it have said. False: it is not known. */
static bool mask_change(struct tracer_settings *settings, const char *word, bool chosen)
{
    if (strcmp(word, "*") == 0)
        events_set_all(settings->mask, chosen);
    else if (strcmp(word, "default") == 0 || strcmp(word, "xpvm") == 0)
        mask_set_usual(settings->mask);
    else if (!events_set(settings->mask, word, chosen)) {
        printf("No such event \"%s\"\n", word);
        return false;
    }
    return true;
}

static enum prompt_result prompt_mask(struct tracer_settings *settings, const struct words *words)
{
    bool chosen = true, changed = false;
    if (words->count == 1)
        settings_print_mask(settings, "Trace Mask");
    for (int i = 1; i < words->count; i++) {
        const char *word = words->word[i];
        if (strcmp(word, "+") == 0 || strcmp(word, "-") == 0)
            chosen = *word == '+';
        else
            changed = mask_change(settings, word, chosen) || changed;
    }
    if (changed)
        settings_print_mask(settings, "New Trace Mask");
    return changed ? PROMPT_CHANGED : PROMPT_DONE;
}

static enum prompt_result prompt_buffer(struct tracer_settings *settings, const struct words *words)
{
    if (words->count == 1) {
        printf("\nCurrent Trace Buffer Size is %d Bytes\n\n", settings->buffer);
        return PROMPT_DONE;
    }
    char *end;
    errno = 0;
    long size = strtol(words->word[1], &end, 10);
    if (*end || errno || size < 0 || size > INT_MAX) {
        printf("\n\"%s\" is no number of bytes.\n\n", words->word[1]);
        return PROMPT_DONE;
    }
    settings->buffer = (int)size;
    return PROMPT_CHANGED;
}

static enum prompt_result prompt_option(struct tracer_settings *settings, const struct words *words)
{
    if (words->count == 1) {
        printf("\nCurrent Tracing Option is %s.\n\n", trace_option_name(settings->option));
        return PROMPT_DONE;
    }
    int option = trace_option_find(words->word[1]);
    if (option == 0) {
        printf("\nUnknown Trace Option \"%s\".\n\n", words->word[1]);
        return PROMPT_DONE;
    }
    settings->option = option;
    return PROMPT_CHANGED;
}

static enum prompt_result prompt_help(struct tracer_settings *settings, const struct words *words)
{
    const char *about = words->count > 1 ? words->word[1] : NULL;
    (void)settings;
    if (!about)
        printf("\nTracer " TRACER_VERSION "\n\n"
               "mask      - display or modify the trace mask.\n"
               "trace     - display or modify the trace mask.\n"
               "buffer    - display or set the trace buffer size.\n"
               "options   - display or set the trace options.\n"
               "help      - display this help information.\n"
               "help cmd  - display help information for cmd.\n"
               "quit      - close trace file and exit tracer.\n\n");
    else if (strcmp(about, "mask") == 0 || strcmp(about, "trace") == 0)
        printf("usage:  %s " MASK_USAGE "\n", about);
    else if (strcmp(about, "buffer") == 0)
        printf("usage:  buffer [ nbytes ]\n");
    else if (strcmp(about, "options") == 0)
        printf("usage:  options [ full | time | count ]\n");
    else
        printf("No Help Available for \"%s\"\n", about);
    return PROMPT_DONE;
}

static enum prompt_result prompt_quit(struct tracer_settings *settings, const struct words *words)
{
    (void)settings, (void)words;
    return PROMPT_QUIT;
}

static enum prompt_result prompt_words(struct tracer_settings *settings, const struct words *words)
{
    static const struct {
        const char *name;
        enum prompt_result (*run)(struct tracer_settings *, const struct words *);
    } commands[] = {{"mask", prompt_mask},  {"trace", prompt_mask},     {"buffer", prompt_buffer},
                    {"buf", prompt_buffer}, {"options", prompt_option}, {"opt", prompt_option},
                    {"help", prompt_help},  {"h", prompt_help},         {"?", prompt_help},
                    {"quit", prompt_quit},  {"q", prompt_quit},         {"x", prompt_quit},
                    {"exit", prompt_quit}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, words->word[0]) == 0)
            return commands[i].run(settings, words);
    printf("Unknown Command \"%s\".\n", words->word[0]);
    return PROMPT_DONE;
}

enum prompt_result prompt_line(struct tracer_settings *settings, const char *line)
{
    struct words words;
    enum prompt_result result = PROMPT_DONE;
    if (words_split(&words, line) != PARSE_OK)
        printf("this line cannot be understood: does a quote end?\n");
    else if (words.count > 0)
        result = prompt_words(settings, &words);
    words_free(&words);
    return result;
}
