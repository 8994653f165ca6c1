/* options.c - options, and where the program begins. */
#include "run/options.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/binding.h"

static const char help[] =
    "usage: pvmrun [OPTION]... PROGRAM [WORD]... [: [OPTION]... PROGRAM [WORD]...]...\n"
    "Runs programs as tasks, in the virtual machine that runs or in a private one, and ends with\n"
    "their status. mpiexec and mpirun are other names of it.\n"
    "\n"
    "What to run, of each program:\n"
    "  -n, -np COUNT               so many tasks (one for each slot of the hosts, or 1)\n"
    "  -x, -env NAME[=VALUE]       set a variable\n"
    "  -wdir FOLDER                the working folder (this one)\n"
    "  --bind core|thread|package|numa|LIST   let each task run on a core, or on one of the\n"
    "                              processors LIST, such as 0,2-3\n"
    "Where:\n"
    "  -H, -host HOST[:SLOTS],...  these hosts; those that the machine lacks are added\n"
    "  -f, -hostfile FILE          hosts of a file, a line each\n"
    "  -ppn COUNT                  so many tasks on each host in turn\n"
    "  --no-slurm                  do not use the nodes of the Slurm job that this runs in\n"
    "How:\n"
    "  -l, --label                 begin each line of output with the rank\n"
    "  --stdin RANK|all|none       who gets the standard input (0)\n"
    "  --tasks process|thread|ulp  processes, threads, or user-level processes\n"
    "  --no-parent                 be no parent: for a master that spawns its workers itself\n"
    "  --enable-recovery           let the others live when a task was killed\n"
    "  --timeout SECONDS           end all after this time, with status 124\n"
    "  -genv NAME=VALUE            set a variable of all programs\n"
    "  --check                     say what would be used, and run nothing\n"
    "  --help, --version\n"
    "\n"
    "See pvmrun(1).\n";

/* What is left of the command line. */
struct reader {
    char **words;
    struct job *job;
    struct part *part;
};

static void __attribute__((noreturn, format(printf, 1, 2))) refuse(const char *format, ...)
{
    va_list arguments;
    fputs("pvmrun: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\n(pvmrun --help tells more)\n", stderr);
    exit(EXIT_FAILURE);
}

static int read_count(const char *option, const char *text)
{
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end != '\0' || count < 1 || count > 262143)
        refuse("%s needs a number from 1 to 262143, not '%s'", option, text);
    return (int)count;
}

static void take_count(struct reader *reader, const char *option, const char *value)
{
    reader->part->count = read_count(option, value);
}

static void take_each(struct reader *reader, const char *option, const char *value)
{
    reader->part->each = read_count(option, value);
}

/* NAME=VALUE, NAME VALUE with `pairs`, or NAME, whose value is that which it has here. */
static void add_variable(struct reader *reader, struct words *settings, const char *text,
                         bool pairs)
{
    const char *value = strchr(text, '=') ? NULL : pairs ? *reader->words : getenv(text);
    if (!strchr(text, '=') && pairs && !*reader->words++)
        refuse("the value of %s is missing", text);
    if (!strchr(text, '=') && !value)
        return;
    char *variable = value ? memory_text("%s=%s", text, value) : memory_text("%s", text);
    words_set(settings, variable);
    free(variable);
}

static void take_variable(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    add_variable(reader, &reader->part->settings, value, false);
}

static void take_pair(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    add_variable(reader, &reader->part->settings, value, true);
}

static void take_pair_of_all(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    add_variable(reader, &reader->job->settings, value, true);
}

static void take_folder(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    char *here = *value == '/' ? NULL : getcwd(NULL, 0);
    free(reader->part->folder);
    reader->part->folder = here ? memory_text("%s/%s", here, value) : memory_text("%s", value);
    free(here);
}

/* Checks the number behind a colon, if there is one. */
static void check_host(const char *option, const char *word)
{
    const char *colon = strchr(word, ':');
    if (colon == word || *word == '\0')
        refuse("%s: the name of a host is missing", option);
    if (colon)
        read_count(word, colon + 1);
}

static void take_hosts(struct reader *reader, const char *option, const char *value)
{
    for (const char *word = value;; word++) {
        size_t length = strcspn(word, ",");
        char *host = memory_text("%.*s", (int)length, word);
        check_host(option, host);
        words_take(&reader->part->hosts, host);
        word += length;
        if (*word == '\0')
            return;
    }
}

/* A line of a file of hosts: HOST[:SLOTS] [slots=SLOTS] [OPTION=VALUE]..., the options of pvmd. */
static void read_host_line(struct words *hosts, const char *file, char *line)
{
    char *rest, *name = NULL, *slots = NULL, *more = memory_text("%s", "");
    line[strcspn(line, "#\n")] = '\0';
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (!name) {
            name = word;
        } else if (strncmp(word, "slots=", 6) == 0) {
            slots = word + 6;
        } else if (strncmp(word, "max", 3) != 0) { /* max_slots of Open MPI bounds nothing here */
            char *longer = memory_text("%s %s", more, word);
            free(more);
            more = longer;
        }
    }
    if (name) {
        char *host = slots ? memory_text("%s:%s", name, slots) : memory_text("%s", name);
        check_host(file, host);
        words_take(hosts, memory_text("%s%s", host, more));
        free(host);
    }
    free(more);
}

static void take_host_file(struct reader *reader, const char *option, const char *value)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(value, "re");
    if (!file)
        refuse("%s %s: %s", option, value, strerror(errno));
    while (getline(&line, &room, file) > 0)
        read_host_line(&reader->job->hosts, value, line);
    free(line);
    fclose(file);
    if (reader->job->hosts.count == 0)
        refuse("%s %s: the file names no host", option, value);
}

static void take_recovery(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    (void)value;
    reader->job->recovers = true;
}

static void take_label(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    (void)value;
    reader->job->labels = true;
}

static void take_input(struct reader *reader, const char *option, const char *value)
{
    char *end;
    long rank = strtol(value, &end, 10);
    if (strcmp(value, "all") == 0)
        reader->job->input = INPUT_ALL;
    else if (strcmp(value, "none") == 0)
        reader->job->input = INPUT_NONE;
    else if (end != value && *end == '\0' && rank >= 0 && rank <= INT_MAX)
        reader->job->input = (int)rank;
    else
        refuse("%s needs a rank, all or none, not '%s'", option, value);
}

static void take_kind(struct reader *reader, const char *option, const char *value)
{
    static const char *const kinds[] = {"process", "thread", "ulp"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, kinds[i]) == 0) {
            reader->job->tasks = (enum tasks)i;
            return;
        }
    refuse("%s needs process, thread or ulp, not '%s'", option, value);
}

static void take_binding(struct reader *reader, const char *option, const char *value)
{
    const char *kind = strcmp(value, "hwthread") == 0 ? "thread"
                       : strcmp(value, "socket") == 0 ? "package"
                                                      : value;
    if (!binding_is_known(kind))
        refuse("%s needs core, thread, package, numa, none, or processors such as 0,2-3, not '%s'",
               option, value);
    free(reader->part->binding);
    reader->part->binding = memory_text("%s", kind);
}

static void take_mapping(struct reader *reader, const char *option, const char *value)
{
    int each;
    char rest;
    if (strcmp(value, "node") == 0)
        reader->part->each = 1;
    else if (sscanf(value, "ppr:%d:nod%c", &each, &rest) == 2 && each > 0)
        reader->part->each = each;
    else if (strcmp(value, "slot") != 0)
        refuse("%s needs slot, node or ppr:COUNT:node, not '%s'", option, value);
}

static void take_timeout(struct reader *reader, const char *option, const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end != '\0' || !(seconds > 0 && seconds < 1e9))
        refuse("%s needs a number of seconds, not '%s'", option, value);
    reader->job->timeout = seconds;
}

static void take_no_parent(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    (void)value;
    reader->job->hides_parent = true;
}

static void take_no_slurm(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    (void)value;
    reader->job->uses_slurm = false;
}

static void take_check(struct reader *reader, const char *option, const char *value)
{
    (void)option;
    (void)value;
    reader->job->check = true;
}

/* What holds anyway. */
static void take_nothing(struct reader *reader, const char *option, const char *value)
{
    (void)reader;
    (void)option;
    (void)value;
}

static void __attribute__((noreturn))
refuse_foreign(struct reader *reader, const char *option, const char *value)
{
    (void)reader;
    (void)value;
    refuse("%s belongs to another mpiexec, and there is nothing here that it could set", option);
}

static void show_help(struct reader *reader, const char *option, const char *value)
{
    (void)reader;
    (void)option;
    (void)value;
    fputs(help, stdout);
    exit(EXIT_SUCCESS);
}

static void show_version(struct reader *reader, const char *option, const char *value)
{
    (void)reader;
    (void)option;
    (void)value;
    printf("pvmrun (PVM) %s\n", VERSION);
    exit(EXIT_SUCCESS);
}

static const struct option {
    const char *names; /* without the dashes in front, with blanks around */
    bool has_value;
    void (*take)(struct reader *reader, const char *option, const char *value);
} options[] = {
    {" n np c ", true, take_count},
    {" ppn perhost npernode N ", true, take_each},
    {" x ", true, take_variable},
    {" env ", true, take_pair},
    {" genv ", true, take_pair_of_all},
    {" wdir wd ", true, take_folder},
    {" H host hosts ", true, take_hosts},
    {" f hostfile machinefile ", true, take_host_file},
    {" l label tag-output prepend-rank ", false, take_label},
    {" s stdin ", true, take_input},
    {" tasks ", true, take_kind},
    {" bind bind-to ", true, take_binding},
    {" map-by ", true, take_mapping},
    {" timeout ", true, take_timeout},
    {" check ", false, take_check},
    {" enable-recovery disable-auto-cleanup ", false, take_recovery},
    {" no-parent ", false, take_no_parent},
    {" no-slurm ", false, take_no_slurm},
    {" h help ", false, show_help},
    {" V version ", false, show_version},
    {" oversubscribe allow-run-as-root envall genvall q quiet ", false, take_nothing},
    {" mca gmca prtemca pmixmca prefix launcher rmk iface configfile envnone genvnone envlist "
     "genvlist soft arch path cpu-set rankfile am tune report-bindings display-map ",
     false, refuse_foreign},
};

static const struct option *find_option(const char *name, size_t length)
{
    char *padded = memory_text(" %.*s ", (int)length, name);
    const struct option *found = NULL;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strstr(options[i].names, padded))
            found = &options[i];
    free(padded);
    return found;
}

/* --name=value, --name value and -name value are the same. */
static void read_option(struct reader *reader)
{
    const char *word = *reader->words++;
    const char *name = word + (word[1] == '-' ? 2 : 1);
    size_t length = strcspn(name, "=");
    const struct option *option = length > 0 ? find_option(name, length) : NULL;
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option)
        refuse("there is no option %s", word);
    if (!option->has_value && value && option->take != refuse_foreign)
        refuse("%.*s takes no value", (int)(name + length - word), word);
    if (option->has_value && !value && !(value = *reader->words++))
        refuse("%s needs a value behind it", word);
    option->take(reader, word, value);
}

static void read_part(struct reader *reader)
{
    struct job *job = reader->job;
    job->parts = memory_resize(job->parts, (size_t)job->part_count + 1, sizeof *job->parts);
    reader->part = &job->parts[job->part_count++];
    *reader->part = (struct part){0};
    while (*reader->words && (*reader->words)[0] == '-' && (*reader->words)[1] != '\0')
        read_option(reader);
    while (*reader->words && strcmp(*reader->words, ":") != 0)
        words_add(&reader->part->words, *reader->words++);
    if (reader->part->words.count == 0)
        refuse("the name of a program is missing");
}

/* A part has what was set for all, unless it has something of its own. */
static void complete_part(const struct job *job, struct part *part)
{
    for (int i = 0; i < job->settings.count; i++) {
        char *name =
            memory_text("%.*s", (int)strcspn(job->settings.items[i], "="), job->settings.items[i]);
        if (!words_value(&part->settings, name))
            words_add(&part->settings, job->settings.items[i]);
        free(name);
    }
    bool lacks_hosts = part->hosts.count == 0;
    for (int i = 0; lacks_hosts && i < job->hosts.count; i++)
        words_add(&part->hosts, job->hosts.items[i]);
}

void options_read(struct job *job, char **words)
{
    struct reader reader = {.words = words, .job = job};
    *job = (struct job){.uses_slurm = true};
    read_part(&reader);
    while (*reader.words) {
        reader.words++;
        read_part(&reader);
    }
    for (int i = 0; i < job->part_count; i++)
        complete_part(job, &job->parts[i]);
}

void options_free(struct job *job)
{
    for (int i = 0; i < job->part_count; i++) {
        words_free(&job->parts[i].words);
        words_free(&job->parts[i].settings);
        words_free(&job->parts[i].hosts);
        free(job->parts[i].folder);
        free(job->parts[i].search);
        free(job->parts[i].binding);
    }
    words_free(&job->settings);
    words_free(&job->hosts);
    free(job->parts);
}
