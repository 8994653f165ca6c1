/* settings.c - the command line. */
#include "top/settings.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: pvmtop [OPTION]...\n"
    "Shows the hosts and tasks of a virtual machine, and what they use.\n"
    "\n"
    "  -b, --once                print tables once\n"
    "  --json                    print JSON once\n"
    "  --stream                  print JSON for each line that comes in, until the input ends\n"
    "  --prometheus=PORT         serve metrics by HTTP at a port of 127.0.0.1 (0: a free one)\n"
    "  -d, --delay=SECONDS       look so often (2)\n"
    "  -s, --sort=cpu|memory|program|host|tid   tasks in this order (cpu)\n"
    "  -f, --filter=TEXT         only tasks whose program, host or tid has TEXT in it\n"
    "  --help, --version\n"
    "\n"
    "Keys: q quit, s sort, / filter, k kill, space look now. See pvmtop(1).\n";

static void __attribute__((noreturn)) refuse(const char *what, const char *word)
{
    fprintf(stderr, "pvmtop: %s%s\n(pvmtop --help tells more)\n", what, word);
    exit(EXIT_FAILURE);
}

/* A number from `least` to `most`. */
static double number_read(const char *what, const char *text, double least, double most)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !(number >= least && number <= most))
        refuse(what, text);
    return number;
}

static enum order order_read(const char *text)
{
    int order = 0;
    while (order < ORDER_COUNT && strcmp(order_name((enum order)order), text) != 0)
        order++;
    if (order == ORDER_COUNT)
        refuse("--sort needs cpu, memory, program, host or tid, not ", text);
    return (enum order)order;
}

enum { JSON = 256, STREAM, PROMETHEUS, AGENT, HELP, VERSION_ASKED };

static void option_take(struct settings *settings, int option)
{
    switch (option) {
    case 'b':
        settings->view = VIEW_TABLE;
        break;
    case JSON:
        settings->view = VIEW_JSON;
        break;
    case STREAM:
        settings->view = VIEW_STREAM;
        break;
    case PROMETHEUS:
        settings->view = VIEW_METRICS;
        settings->port =
            (uint16_t)number_read("--prometheus needs a port number, not ", optarg, 0, UINT16_MAX);
        break;
    case AGENT:
        settings->view = VIEW_AGENT;
        break;
    case 'd':
        settings->delay =
            number_read("--delay needs seconds, from 0.1 to 3600, not ", optarg, 0.1, 3600);
        break;
    case 's':
        settings->order = order_read(optarg);
        break;
    case 'f':
        settings->filter = optarg;
        break;
    case HELP:
        fputs(help, stdout);
        exit(EXIT_SUCCESS);
    case VERSION_ASKED:
        printf("pvmtop (PVM) %s\n", VERSION);
        exit(EXIT_SUCCESS);
    default:
        refuse("unknown or incomplete option", "");
    }
}

void settings_read(struct settings *settings, int count, char **words)
{
    static const struct option options[] = {{"once", no_argument, NULL, 'b'},
                                            {"json", no_argument, NULL, JSON},
                                            {"stream", no_argument, NULL, STREAM},
                                            {"prometheus", required_argument, NULL, PROMETHEUS},
                                            {"agent", no_argument, NULL, AGENT},
                                            {"delay", required_argument, NULL, 'd'},
                                            {"sort", required_argument, NULL, 's'},
                                            {"filter", required_argument, NULL, 'f'},
                                            {"help", no_argument, NULL, HELP},
                                            {"version", no_argument, NULL, VERSION_ASKED},
                                            {NULL, 0, NULL, 0}};
    int option;
    *settings = (struct settings){.filter = "", .delay = 2};
    opterr = 0;
    while ((option = getopt_long(count, words, "bd:s:f:", options, NULL)) != -1)
        option_take(settings, option);
    if (optind < count)
        refuse("unknown word ", words[optind]);
}
