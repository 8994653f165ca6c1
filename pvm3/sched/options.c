/* options.c - the words of the command. */
#include "sched/options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/policies.h"

enum {
    EVERY = 1,
    LEAST,
    GAIN,
    IDLE,
    OWNER_LOAD,
    TALK,
    DRAIN,
    LOG,
    POLICY,
    DRY_RUN,
    ONCE,
    AGENT,
    HELP,
    VERSION_ASKED
};

static const struct option options[] = {
    {"policy", required_argument, NULL, POLICY},
    {"every", required_argument, NULL, EVERY},
    {"least", required_argument, NULL, LEAST},
    {"gain", required_argument, NULL, GAIN},
    {"idle", required_argument, NULL, IDLE},
    {"owner-load", required_argument, NULL, OWNER_LOAD},
    {"talk", required_argument, NULL, TALK},
    {"drain", required_argument, NULL, DRAIN},
    {"log", required_argument, NULL, LOG},
    {"dry-run", no_argument, NULL, DRY_RUN},
    {"once", no_argument, NULL, ONCE},
    {"agent", no_argument, NULL, AGENT},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION_ASKED},
    {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: pvmsched [OPTION]...\n"
    "Moves user-level processes between the hosts of the virtual machine.\n"
    "\n"
    "  --policy=NAME[,NAME]...  what it moves them for, the most important first (balance)\n"
    "  --every=SECONDS          how often it looks at the machine (10)\n"
    "  --least=SECONDS          a task that has moved stays at least so long (60)\n"
    "  --gain=PERCENT           balance: so much more of a processor it moves a task for (10)\n"
    "  --drain=HOST[,HOST]...   hosts that are to be empty\n"
    "  --idle=SECONDS           owner: without input for so long an owner is away (300)\n"
    "  --owner-load=PERCENT     owner: an active owner wants so much of the processors (40)\n"
    "  --talk=FRAMES            together: so many frames a second it moves a task for (100)\n"
    "  --log=FILE               append decisions to a file (the standard output)\n"
    "  --dry-run                say what it would do, and do nothing\n"
    "  --once                   look once, after the time of --every, and end\n"
    "  --help, --version\n"
    "\n"
    "Policies:\n";

static void refuse(const char *why, const char *word)
{
    fprintf(stderr, "pvmsched: %s%s\n(pvmsched --help tells more)\n", why, word);
    exit(EXIT_FAILURE);
}

static void help_print(void)
{
    const struct policy *policy;
    fputs(help, stdout);
    for (size_t i = 0; (policy = policy_at(i)); i++)
        printf("  %-24s %s\n", policy->name, policy->about);
    exit(EXIT_SUCCESS);
}

/* Options with a number: where it goes, the least one, and in which unit it is given. */
static const struct {
    int option;
    size_t place;
    double least, unit;
} numbers[] = {
    {EVERY, offsetof(struct settings, every), 0.1, 1},
    {LEAST, offsetof(struct settings, least), 0, 1},
    {GAIN, offsetof(struct settings, gain), 0, 0.01},
    {IDLE, offsetof(struct settings, idle), 0, 1},
    {OWNER_LOAD, offsetof(struct settings, owner_load), 0, 0.01},
    {TALK, offsetof(struct settings, talk), 1, 1},
};

/* False: the option has no number. */
static bool number_take(struct settings *settings, int option)
{
    size_t i = 0;
    while (i < sizeof numbers / sizeof *numbers && numbers[i].option != option)
        i++;
    if (i == sizeof numbers / sizeof *numbers)
        return false;
    char *end;
    double number = strtod(optarg, &end);
    if (end == optarg || *end || !isfinite(number) || number < numbers[i].least)
        refuse("this is no number, or too small: ", optarg);
    *(double *)((char *)settings + numbers[i].place) = number * numbers[i].unit;
    return true;
}

static void policy_add(struct settings *settings, const struct policy *policy)
{
    for (size_t i = 0; i < settings->policy_count; i++)
        if (settings->policies[i] == policy)
            return;
    settings->policies[settings->policy_count++] = policy;
}

static void policies_parse(struct settings *settings, char *names)
{
    settings->policy_count = 0;
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        const struct policy *policy = policy_named(name);
        if (!policy)
            refuse("there is no policy with the name ", name);
        policy_add(settings, policy);
    }
}

static void option_take(struct settings *settings, int option)
{
    switch (option) {
    case POLICY:
        policies_parse(settings, optarg);
        break;
    case DRAIN:
        settings->drain = optarg;
        break;
    case LOG:
        settings->log = optarg;
        break;
    case DRY_RUN:
        settings->dry_run = true;
        break;
    case ONCE:
        settings->once = true;
        break;
    case AGENT:
        settings->is_agent = true;
        break;
    case VERSION_ASKED:
        printf("pvmsched (PVM) %s\n", VERSION);
        exit(EXIT_SUCCESS);
    case HELP:
        help_print();
        break;
    default:
        refuse("unknown or incomplete option", "");
    }
}

/* Hosts to empty come first, whatever else is wanted. */
static void policies_complete(struct settings *settings)
{
    struct settings given = *settings;
    settings->policy_count = 0;
    if (given.drain)
        policy_add(settings, &drain_policy);
    for (size_t i = 0; i < given.policy_count; i++)
        policy_add(settings, given.policies[i]);
    if (given.policy_count == 0)
        policy_add(settings, &balance_policy);
}

void options_parse(struct settings *settings, int count, char **words)
{
    int option;
    settings_start(settings);
    while ((option = getopt_long(count, words, "", options, NULL)) != -1)
        if (!number_take(settings, option))
            option_take(settings, option);
    if (optind < count)
        refuse("there is no argument ", words[optind]);
    policies_complete(settings);
}
