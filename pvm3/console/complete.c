/* complete.c - each command says what its words are; they are looked up when they are asked. */
#include "console/complete.h"

#include <dirent.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pvm3.h>

#include "console/command_line.h"
#include "console/settings.h"
#include "places.h"
#include "tracing/events.h"

extern char **environ;

/* A word that is being completed, and what stands before it. */
struct request {
    const struct console *console;
    struct completions *completions;
    char word[PATH_MAX]; /* up to the cursor */
    size_t length;
    int index;     /* of the word in the line, 0 for the command */
    bool quoted;   /* it is not the first within quotes */
    bool optional; /* all words between the command and this one begin with - */
};

/* Adds `before` and `word`, if that begins with what was typed. */
static void offer(const struct request *request, const char *before, const char *word)
{
    char *text = NULL;
    struct completions *completions = request->completions;
    if (asprintf(&text, "%s%s", before, word) < 0)
        return;
    char **words =
        strncmp(text, request->word, request->length) != 0
            ? NULL
            : realloc(completions->words, ((size_t)completions->count + 1) * sizeof *words);
    if (!words) {
        free(text);
        return;
    }
    completions->words = words;
    words[completions->count++] = text;
}

static void offer_commands(const struct request *request)
{
    const struct command *command = request->console->commands;
    for (; command->name; command++)
        if (!command->hidden)
            offer(request, "", command->name);
}

static void offer_aliases(const struct request *request)
{
    const struct alias *alias = request->console->aliases;
    for (; alias; alias = alias->next)
        offer(request, "", alias->words.word[0]);
}

static void offer_hosts(const struct request *request, const char *before, bool architectures)
{
    int count;
    struct pvmhostinfo *hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    for (int i = 0; i < count; i++)
        offer(request, before, architectures ? hosts[i].hi_arch : hosts[i].hi_name);
}

static void offer_dtids(const struct request *request, const char *before)
{
    int count;
    struct pvmhostinfo *hosts;
    char text[16];
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%x", (unsigned)hosts[i].hi_tid);
        offer(request, before, text);
    }
}

/* Hosts that /etc/hosts names, and within quotes behind a name the options of a host. */
static void offer_new_hosts(const struct request *request)
{
    static const char *const options[] = {
        "lo=", "so=pw", "so=ms", "dx=", "ep=", "wd=", "sp=", "bx=", "ip=", "id="};
    for (size_t i = 0; request->quoted && i < sizeof options / sizeof *options; i++)
        offer(request, "", options[i]);
    if (request->quoted)
        return;
    struct hostent *host;
    sethostent(0);
    while ((host = gethostent())) {
        offer(request, "", host->h_name);
        for (char **alias = host->h_aliases; *alias; alias++)
            offer(request, "", *alias);
    }
    endhostent();
}

static void offer_tids(const struct request *request)
{
    int count;
    struct pvmtaskinfo *tasks;
    char text[16];
    if (pvm_tasks(0, &count, &tasks) < 0)
        return;
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%x", (unsigned)tasks[i].ti_tid);
        offer(request, *request->word == 't' ? "t" : "", text);
    }
}

static void offer_names(const struct request *request)
{
    int count;
    struct pvmmboxinfo *names;
    if (pvm_getmboxinfo("*", &count, &names) < 0)
        return;
    for (int i = 0; i < count; i++)
        offer(request, "", names[i].mi_name);
}

static void offer_options(const struct request *request)
{
    for (size_t i = 0; option_name(i); i++)
        offer(request, "", option_name(i));
}

static void offer_variables(const struct request *request)
{
    char name[256];
    for (char **variable = environ; *variable; variable++)
        if (snprintf(name, sizeof name, "%.*s", (int)strcspn(*variable, "="), *variable) <
            (int)sizeof name)
            offer(request, "", name);
}

/* The files of `folder`, each behind `before`; folders with a slash. Hidden ones when asked for. */
static void offer_files(const struct request *request, const char *folder, const char *before)
{
    DIR *files = opendir(*folder ? folder : ".");
    const struct dirent *file;
    char path[PATH_MAX], name[NAME_MAX + 2];
    struct stat about;
    bool hidden = request->length > strlen(before) && request->word[strlen(before)] == '.';

    while (files && (file = readdir(files))) {
        if (*file->d_name == '.' && !hidden)
            continue;
        if (snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", file->d_name) >=
            (int)sizeof path)
            continue;
        bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
        snprintf(name, sizeof name, "%s%s", file->d_name, is_folder ? "/" : "");
        offer(request, before, name);
    }
    if (files)
        closedir(files);
}

/* The file names that the word, behind its first `skip` bytes, can become. */
static void offer_paths(const struct request *request, size_t skip)
{
    char folder[PATH_MAX], before[PATH_MAX];
    const char *path = request->word + skip;
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash + 1 - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length, path);
    snprintf(before, sizeof before, "%.*s", (int)skip + length, request->word);
    offer_files(request, folder, before);
}

/* The programs that a pvmd of this host finds by their names alone. */
static void offer_programs(const struct request *request)
{
    char folder[PATH_MAX];
    const char *list = getenv("PVM_PATH"), *home = getenv("HOME"), *arch = getenv("PVM_ARCH");
    const char *root = getenv("PVM_ROOT");

    if (strchr(request->word, '/')) {
        offer_paths(request, 0);
        return;
    }
    arch = arch ? arch : "LINUX64";
    for (size_t length; list && *list; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        if (length > 0 &&
            snprintf(folder, sizeof folder, "%.*s", (int)length, list) < (int)sizeof folder)
            offer_files(request, folder, "");
    }
    if (list)
        return;
    if (home && snprintf(folder, sizeof folder, "%s/pvm3/bin/%s", home, arch) < (int)sizeof folder)
        offer_files(request, folder, "");
    if (snprintf(folder, sizeof folder, "%s/bin/%s", root ? root : PVM_DEFAULT_ROOT, arch) <
        (int)sizeof folder)
        offer_files(request, folder, "");
}

static void offer_spawn(const struct request *request)
{
    static const char *const flags[] = {"->", "->>", "-@", "-?", "--host=", "-:", "-~", "-1"};
    bool to_file = strncmp(request->word, "->", 2) == 0 || strncmp(request->word, "-@", 2) == 0;
    const char *output = to_file ? request->word + 2 : NULL;

    if (!request->optional) {
        offer_paths(request, 0);
    } else if (output && *output) {
        offer_paths(request, *output == '>' ? 3 : 2);
    } else if (*request->word == '-') {
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            offer(request, "", flags[i]);
        offer_hosts(request, "-", false);
        offer_hosts(request, "--host=", false);
        offer_hosts(request, "-~", false);
        offer_hosts(request, "-", true);
    } else {
        offer_programs(request);
    }
}

static void offer_ps(const struct request *request)
{
    static const char *const flags[] = {"-a", "-l", "-x", "-al", "-ax", "-alx"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        offer(request, "", flags[i]);
    offer_hosts(request, "-n", false);
    offer_dtids(request, "-h");
}

static void offer_events(const struct request *request)
{
    static const char *const words[] = {"xpvm", "buf", "opt"};
    const char *name;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        offer(request, "", words[i]);
    for (int event = -1; (name = events_next(&event));)
        offer(request, "", name);
}

static void offer_arguments(const struct request *request, enum argument_kind kind)
{
    switch (kind) {
    case ARGUMENTS_FREE:
        break;
    case ARGUMENTS_ALIASES:
        offer_aliases(request);
        break;
    case ARGUMENTS_COMMANDS:
        offer_commands(request);
        break;
    case ARGUMENTS_EVENTS:
        offer_events(request);
        break;
    case ARGUMENTS_HOSTS:
        offer_hosts(request, "", false);
        break;
    case ARGUMENTS_MOVE:
        offer_tids(request);
        offer_hosts(request, "", false);
        break;
    case ARGUMENTS_NAMES:
        offer_names(request);
        break;
    case ARGUMENTS_NEW_HOSTS:
        offer_new_hosts(request);
        break;
    case ARGUMENTS_OPTIONS:
        if (request->index == 1)
            offer_options(request);
        break;
    case ARGUMENTS_PS:
        offer_ps(request);
        break;
    case ARGUMENTS_SPAWN:
        offer_spawn(request);
        break;
    case ARGUMENTS_TIDS:
        offer_tids(request);
        break;
    case ARGUMENTS_VARIABLES:
        offer_variables(request);
        break;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * Reads the word that begins at `from`. Gives its end, and in `*start` where the part of it begins
 * that can be completed: behind a quote, and behind a blank within quotes.
 */
static size_t word_read(struct request *request, const char *line, size_t from, size_t cursor,
                        size_t *start)
{
    char quote = '\0';
    size_t i = from;

    *start = from;
    request->quoted = false;
    for (; i < cursor && (quote || !is_blank(line[i])); i++) {
        if (!quote && (line[i] == '"' || line[i] == '\'')) {
            quote = line[i];
            *start = i + 1;
        } else if (quote && line[i] == quote) {
            quote = '\0';
        } else if (quote && is_blank(line[i])) {
            *start = i + 1;
            request->quoted = true;
        }
    }
    return i;
}

/* Finds the word at the cursor, and the command of the line; gives where that word begins. */
static size_t request_read(struct request *request, const char *line, size_t cursor,
                           char command[NAME_MAX])
{
    size_t i = 0, start;

    *command = '\0';
    request->optional = true;
    for (request->index = 0;; request->index++) {
        while (i < cursor && is_blank(line[i]))
            i++;
        size_t begin = i;
        i = word_read(request, line, begin, cursor, &start);
        if (i == cursor)
            return start;
        if (request->index == 0)
            snprintf(command, NAME_MAX, "%.*s", (int)(i - begin), line + begin);
        else
            request->optional = request->optional && line[begin] == '-';
    }
}

/* The command that a first word stands for; NULL: none. */
static const struct command *command_meant(const struct console *console, const char *name)
{
    const struct alias *alias = console->aliases;
    while (alias && strcmp(alias->words.word[0], name) != 0)
        alias = alias->next;
    return command_find(console, alias ? alias->words.word[1] : name);
}

static int words_compare(const void *first, const void *second)
{
    return strcmp(*(char *const *)first, *(char *const *)second);
}

/* Sorts the completions, and leaves one of each set of equal ones. */
static void completions_sort(struct completions *completions)
{
    int kept = 0;
    if (completions->count > 0)
        qsort(completions->words, (size_t)completions->count, sizeof *completions->words,
              words_compare);
    for (int i = 0; i < completions->count; i++) {
        if (kept > 0 && strcmp(completions->words[i], completions->words[kept - 1]) == 0)
            free(completions->words[i]);
        else
            completions->words[kept++] = completions->words[i];
    }
    completions->count = kept;
}

void complete(const struct console *console, const char *line, size_t cursor,
              struct completions *completions)
{
    struct request request = {.console = console, .completions = completions};
    char name[NAME_MAX];

    *completions = (struct completions){.words = NULL};
    completions->start = request_read(&request, line, cursor, name);
    request.length = cursor - completions->start;
    if (request.length >= sizeof request.word)
        return;
    memcpy(request.word, line + completions->start, request.length);
    request.word[request.length] = '\0';
    const struct command *command = command_meant(console, name);
    if (request.index == 0) {
        offer_commands(&request);
        offer_aliases(&request);
    } else if (command) {
        offer_arguments(&request, command->arguments);
    }
    completions_sort(completions);
}

void completions_finish(struct completions *completions)
{
    for (int i = 0; i < completions->count; i++)
        free(completions->words[i]);
    free(completions->words);
}
