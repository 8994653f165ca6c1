/* command_line.c - options and words. */
#include "daemon/command_line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/environment.h"

#define LEVEL_OPTION   "--log-level="
#define LEVEL_VARIABLE "PVM_LOG_LEVEL"

void command_line_print_help(void)
{
    fputs("usage: pvmd [OPTION]... [HOSTFILE]\n"
          "The daemon of PVM: one on each host of a virtual machine. Started by hand, or by the\n"
          "console pvm, it is the master, and starts the others on the hosts of HOSTFILE.\n"
          "\n"
          "  -nHOSTNAME         the name by which other hosts find this one (the system's)\n"
          "  -f, --foreground   show the log on the standard error, too\n"
          "  --log-level=LEVEL  error, warning, info or debug (PVM_LOG_LEVEL, else info)\n"
          "  -dMASK             log these classes of debugging, a sum of bits (PVMDDEBUG)\n"
          "  -t                 print the versions of the protocols, and end\n"
          "  --help, --version  print this, or the version, and end\n"
          "\n"
          "It runs until it gets SIGTERM, or until the console says halt. See pvmd(1).\n",
          stdout);
}

/* Says what is wrong, in a line. */
static bool __attribute__((format(printf, 2, 3)))
command_line_refuse(struct command_line *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pvmd: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs(" (pvmd --help tells more)\n", stderr);
    va_end(arguments);
    command->order = COMMAND_LINE_WRONG;
    return false;
}

static bool command_line_read_mask(struct command_line *command, const char *text)
{
    char *end;
    errno = 0;
    unsigned long mask = strtoul(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || mask > UINT32_MAX || *text == '-')
        return command_line_refuse(command, "-d needs a number right behind it, not '%.64s'", text);
    command->mask = (unsigned)mask;
    return true;
}

static bool command_line_read_level(struct command_line *command, const char *from,
                                    const char *text)
{
    if (log_read_level(text, &command->level))
        return true;
    return command_line_refuse(
        command, "%s is '%.64s', which is none of error, warning, info, debug", from, text);
}

static bool command_line_read_name(struct command_line *command, const char *text)
{
    if (*text == '\0')
        return command_line_refuse(command, "-n needs the name of this host right behind it");
    command->host_name = text;
    return true;
}

/* Reads a word that asks for something else than to run. False when `word` is no such word. */
static bool command_line_read_order(struct command_line *command, const char *word)
{
    static const struct {
        const char *word;
        enum command_line_order order;
    } orders[] = {
        {"-t", COMMAND_LINE_TEST},
        {"--help", COMMAND_LINE_HELP},
        {"--version", COMMAND_LINE_VERSION},
    };
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (strcmp(word, orders[i].word) == 0) {
            command->order = orders[i].order;
            return true;
        }
    return false;
}

static bool command_line_read_option(struct command_line *command, const char *word)
{
    if (command_line_read_order(command, word))
        return true;
    if (strcmp(word, "-f") == 0 || strcmp(word, "--foreground") == 0) {
        command->foreground = true;
        return true;
    }
    if (strncmp(word, LEVEL_OPTION, strlen(LEVEL_OPTION)) == 0)
        return command_line_read_level(command, "--log-level", word + strlen(LEVEL_OPTION));
    if (word[1] == 'd')
        return command_line_read_mask(command, word + 2);
    if (word[1] == 'n')
        return command_line_read_name(command, word + 2);
    return command_line_refuse(command, "there is no option %.64s", word);
}

static bool command_line_read_file(struct command_line *command, const char *word, bool *named)
{
    if (*named)
        return command_line_refuse(command, "there is more than one host file: %.64s", word);
    command->host_file = word;
    *named = true;
    return true;
}

/* Words of a slave: options, then five that slave_read knows. */
static void command_line_read_slave(struct command_line *command, char **words)
{
    command->is_slave = true;
    command->slave.by_hand = strcmp(*words, "-S") == 0;
    for (words++; *words && **words == '-'; words++) {
        if (!command_line_read_option(command, *words))
            return;
        command->slave.key_comes |= strncmp(*words, "-d0x", strlen("-d0x")) == 0 &&
                                    strlen(*words) == strlen("-d0x") + SLAVE_KEY_DIGITS;
    }
    command->slave.foreground = command->foreground;
    if (command->order == COMMAND_LINE_RUN && !slave_read(&command->slave, words))
        command_line_refuse(command, "a slave needs five words of its master");
}

static void command_line_read_master(struct command_line *command, char **words)
{
    bool named = false;
    for (; *words; words++) {
        bool good = **words == '-' ? command_line_read_option(command, *words)
                                   : command_line_read_file(command, *words, &named);
        if (!good)
            return;
    }
}

void command_line_read(struct command_line *command, char **words)
{
    *command = (struct command_line){
        .host_file = environment_get("PVMHOSTFILE", NULL),
        .mask = (unsigned)environment_get_number("PVMDDEBUG", 0),
        .level = LEVEL_INFO,
    };
    const char *level = environment_get(LEVEL_VARIABLE, NULL);
    if (level && !command_line_read_level(command, LEVEL_VARIABLE, level))
        return;
    if (*words && (strcmp(*words, "-s") == 0 || strcmp(*words, "-S") == 0))
        command_line_read_slave(command, words);
    else
        command_line_read_master(command, words);
}
