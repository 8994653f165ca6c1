#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fail.h"

static const struct options options_default = {
    .count = 10000,
    .size = 10000,
    .window = 64,
    .repetitions = 10,
    .period_us = 50000,
    .steps = 500000000,
};

static const struct option options_long[] = {
    {"answer", no_argument, NULL, 'a'},       {"count", required_argument, NULL, 'n'},
    {"help", no_argument, NULL, 'h'},         {"one-core", no_argument, NULL, '1'},
    {"period", required_argument, NULL, 'p'}, {"repeat", required_argument, NULL, 'r'},
    {"route", required_argument, NULL, 'R'},  {"serve", no_argument, NULL, 'S'},
    {"size", required_argument, NULL, 's'},   {"steps", required_argument, NULL, 'c'},
    {"window", required_argument, NULL, 'w'}, {NULL, 0, NULL, 0},
};

static void options_print_versions(FILE *file, const struct options_offer *offer)
{
    for (int i = 0; offer->versions[i]; i++)
        fprintf(file, "%s%s", i ? "|" : "", offer->versions[i]->name);
}

static void options_print_usage(FILE *file, const struct options_offer *offer)
{
    fprintf(file, "usage: %s [options] ", program_invocation_short_name);
    options_print_versions(file, offer);
    fprintf(file,
            "\n\n"
            "P1's thread T1 sends messages to P2, which answers each; P1's thread T2 receives\n"
            "the answers. The version says how T1 and T2 share the communication library.\n"
            "  -n, --count N      messages in a repetition (%ld)\n"
            "  -s, --size BYTES   length of a message (%ld)\n"
            "  -w, --window N     T1 is at most N messages ahead of T2 (%ld)\n"
            "  -r, --repeat N     repetitions (%ld)\n"
            "  -p, --period US    POLL: sleep US microseconds between two looks (%ld); 0: yield\n"
            "  -1, --one-core     all of P1's threads on one core, as when the others compute too\n"
            "%s"
            "  -S, --serve        compute and serve instead: T1 computes, T2 answers a request\n"
            "                     that P2 sends every millisecond\n"
            "  -c, --steps N      how much T1 computes (%ld)\n"
            "  -h, --help         print this\n",
            options_default.count, options_default.size, options_default.window,
            options_default.repetitions, options_default.period_us,
            offer->pvm ? "      --route ROUTE  default (through the daemon) or direct\n"
                            "      --answer       be P2 (how P1 starts it)\n"
                          : "",
            options_default.steps);
}

static _Noreturn void options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void options_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry '%s --help'.\n", program_invocation_short_name);
    va_end(arguments);
    exit(2);
}

static long options_number(const char *name, const char *text, long least, long most)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < least || number > most)
        options_refuse("--%s: '%s' is not a whole number from %ld to %ld", name, text, least, most);
    return number;
}

static bool options_route(const struct options_offer *offer, const char *text)
{
    if (strcmp(text, "default") == 0)
        return false;
    if (strcmp(text, "direct") != 0)
        options_refuse("--route: '%s' is neither 'default' nor 'direct'", text);
    if (!offer->pvm)
        options_refuse("--route direct: this library has one route only");
    return true;
}

static void options_take(struct options *options, const struct options_offer *offer, int letter)
{
    switch (letter) {
    case 'n':
        options->count = options_number("count", optarg, 1, 1000000000);
        break;
    case 's':
        options->size = options_number("size", optarg, 1, 1 << 30);
        break;
    case 'w':
        options->window = options_number("window", optarg, 1, 1000000);
        break;
    case 'r':
        options->repetitions = options_number("repeat", optarg, 1, 1000000);
        break;
    case 'p':
        options->period_us = options_number("period", optarg, 0, 1000000000);
        break;
    case 'c':
        options->steps = options_number("steps", optarg, 1, 1000000000000);
        break;
    case 'R':
        options->direct = options_route(offer, optarg);
        break;
    case 'S':
        options->serve = true;
        break;
    case 'a':
        if (!offer->pvm)
            options_refuse("--answer: P2 of this program is not started by hand");
        options->answer = true;
        break;
    case '1':
        options->one_core = true;
        break;
    case 'h':
        options_print_usage(stdout, offer);
        exit(0);
    default: /* getopt_long has said what is wrong */
        fprintf(stderr, "Try '%s --help'.\n", program_invocation_short_name);
        exit(2);
    }
}

static const struct version *options_version(const struct options_offer *offer, const char *name)
{
    for (int i = 0; offer->versions[i]; i++)
        if (strcasecmp(name, offer->versions[i]->name) == 0)
            return offer->versions[i];
    fprintf(stderr, "%s: this library has no version '%s'; choose one of ",
            program_invocation_short_name, name);
    options_print_versions(stderr, offer);
    fprintf(stderr, "\nTry '%s --help'.\n", program_invocation_short_name);
    exit(2);
}

void options_parse(struct options *options, const struct options_offer *offer, int argc,
                   char **argv)
{
    int letter;
    *options = options_default;
    setvbuf(stdout, NULL, _IOLBF, 0); /* whoever reads a pipe sees each repetition at once */
    while ((letter = getopt_long(argc, argv, "n:s:w:r:p:c:1Sh", options_long, NULL)) != -1)
        options_take(options, offer, letter);
    if (optind == argc)
        options_refuse("which version?");
    if (optind + 1 < argc)
        options_refuse("one version at a time: '%s' is too many", argv[optind + 1]);
    options->version = options_version(offer, argv[optind]);
}

void options_confine(const struct options *options)
{
    cpu_set_t cores;
    int core = sched_getcpu();
    if (!options->one_core)
        return;
    CPU_ZERO(&cores);
    if (core >= 0)
        CPU_SET((size_t)core, &cores);
    if (sched_setaffinity(0, sizeof cores, &cores) < 0)
        fail("cannot stay on one core: %s", strerror(errno));
}
