/* commands.c - which commands are there, and what does each say of itself? */
#include <stdio.h>
#include <string.h>

#include "console/commands.h"

#define ANY WORDS_MOST

const struct command commands[] = {
    {"add", command_add, 2, ANY, false, "Add hosts to the virtual machine", "host ...",
     "  or     add 'host option=value ...' ...\n"
     "Options:  the words of a host file, see pvmd(1): lo= so= dx= ep= wd= sp= bx= ip= id=\n"},
    {"alias", command_alias, 1, ANY, false, "Give a command line a short name, or list those",
     "[ name command [ arg ... ] ]", NULL},
    {"conf", command_conf, 1, 1, false, "List the hosts of the virtual machine", "",
     "Output fields:\n"
     "  HOST    name of the host\n"
     "  DTID    tid of its pvmd\n"
     "  ARCH    architecture name\n"
     "  SPEED   relative speed\n"
     "  DSIG    data signature: hosts with the same one need no conversion\n"},
    {"delete", command_delete, 2, ANY, false, "Take hosts out of the virtual machine", "host ...",
     NULL},
    {"echo", command_echo, 1, ANY, false, "Print the arguments", "[ arg ... ]", NULL},
    {"export", command_export, 1, ANY, false, "Name variables that spawned tasks inherit, or list",
     "[ variable ... ]", NULL},
    {"getopt", command_getopt, 1, 2, false, "Show options of the console task", "[ option ]",
     NULL},
    {"halt", command_halt, 1, 1, false, "End the virtual machine: all tasks and all pvmds", "",
     NULL},
    {"help", command_help, 1, 2, false, "Explain a command, or list all", "[ command ]", NULL},
    {"id", command_id, 1, 1, false, "Print the tid of the console", "", NULL},
    {"jobs", command_jobs, 1, 2, false, "List running jobs: spawns with output to the console",
     "[ options ]", "Options:  -l   with a line for each task\n"},
    {"kill", command_kill, 2, ANY, false, "End tasks", "[ options ] tid ...",
     "Options:  -c   end the children of these tasks, not the tasks\n"},
    {"mstat", command_mstat, 2, ANY, false, "Tell whether hosts run", "host ...", NULL},
    {"names", command_names, 1, 2, false, "List mailbox entries", "[ pattern ]", NULL},
    {"ps", command_ps, 1, 2, false, "List tasks", "[ -axlhn ]",
     "Options:  -a       on all hosts (else the console's own)\n"
     "          -hDTID   on the host with this dtid\n"
     "          -nHOST   on the host with this name\n"
     "          -l       with parent and process id\n"
     "          -x       the console too, and entries that are no task yet\n"
     "Output fields:\n"
     "  HOST    where the task runs\n"
     "  TID     task id\n"
     "  PTID    task id of its parent\n"
     "  PID     process id\n"
     "  FLAG    state, see below\n"
     "  COMMAND program\n"
     "FLAG values:\n"
     "  f   started by the pvmd\n"
     "  c   connected to the pvmd\n"
     "  a   proving who it is\n"
     "  o   its connection is closing\n"
     "  s   waits for shared memory that will not come\n"
     "  H   starts pvmds (hoster)\n"
     "  R   manages resources\n"
     "  T   starts tasks (tasker)\n"},
    {"pstat", command_pstat, 2, ANY, false, "Tell whether tasks run", "tid ...", NULL},
    {"put", command_put, 4, 4, false, "Put an entry into the mailbox", "name flags any",
     "The message is one int, 0; the word any is not used.\n"},
    {"quit", command_quit, 1, 1, false, "Leave the console, the virtual machine goes on", "", NULL},
    {"reset", command_reset, 1, 4, false, "End all tasks and clear what they left in the mailbox",
     "", "  or     reset info [ name [ index ] ]    only clear entries whose owner is gone\n"},
    {"setenv", command_setenv, 1, ANY, false, "Set an environment variable of the console, or show",
     "[ name [ value ... ] ]", NULL},
    {"setopt", command_setopt, 3, 3, false, "Set an option of the console task", "option value",
     NULL},
    {"sig", command_sig, 3, ANY, false, "Send a signal to tasks", "number tid ...", NULL},
    {"spawn", command_spawn, 2, ANY, false, "Start tasks", "[ options ] program [ arg ... ]",
     "Options:  -N            how many, 1 if not given\n"
     "          -host         on this host (begins with a small letter)\n"
     "          -ARCH         on hosts of this architecture (begins with a capital)\n"
     "          --host=NAME   on this host, however its name begins\n"
     "          -~host        on any but this host; also -~ARCH\n"
     "          -:DIR         in this directory; also -host:DIR, -ARCH:DIR, --host=NAME:DIR\n"
     "          -?            under the debugger\n"
     "          ->            print what the tasks print\n"
     "          ->FILE        write it to a new file\n"
     "          ->>FILE       append it to a file\n"},
    {"tickle", command_tickle, 2, 11, true, "Make the pvmd do or tell something", "how [ arg ... ]",
     "How:\n"
     "  1            host table to the log of the pvmd\n"
     "  2            task table to the log\n"
     "  3            requests that wait to the log\n"
     "  4            mailbox to the log\n"
     "  5            show the debug mask\n"
     "  6 MASK       set it: 1 packets, 2 messages, 4 tasks, 8 start of pvmds, 16 hosts,\n"
     "               32 event loop, 64 network, 256 resource manager, 512 dropped messages,\n"
     "               1024 waiting requests, 16384 routes, 32768 mailbox, 65536 tracer,\n"
     "               131072 multicast; add those that you want\n"
     "  7 N          packets that may wait for acknowledgement\n"
     "  8 DTID       treat this host as failed\n"
     "  9 [ 1 ]      statistics to the log, and set them to 0\n"},
    {"unalias", command_unalias, 2, ANY, false, "Forget aliases", "name ...", NULL},
    {"unexport", command_unexport, 1, ANY, false, "Take variables out of the export list",
     "[ variable ... ]", NULL},
    {"version", command_version, 1, 1, false, "Print the version of libpvm3", "", NULL},
    {.name = NULL},
};

const struct command *command_find(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static void parse_error_print(enum parse_result result)
{
    if (result == PARSE_UNMATCHED_SINGLE)
        printf("unmatched '\n");
    if (result == PARSE_UNMATCHED_DOUBLE)
        printf("unmatched \"\n");
    printf(result == PARSE_NO_MEMORY ? "out of memory\n" : "command too long\n");
}

static void words_run(struct console *console, struct words *words)
{
    const struct command *command = command_find(words->word[0]);
    if (!command)
        printf("%s: not found\n", words->word[0]);
    else if (words->count < command->least || words->count > command->most)
        printf("%s: wrong #args\n", words->word[0]);
    else
        command->run(console, words->count, words->word);
}

void command_line(struct console *console, const char *line)
{
    struct words words;
    enum parse_result result = words_split(&words, line);
    bool expanded = result == PARSE_OK && alias_expand(console->aliases, &words, &result);
    if (result != PARSE_OK)
        parse_error_print(result);
    else if (!expanded)
        printf("alias loop\n");
    else if (words.count > 0)
        words_run(console, &words);
    words_free(&words);
}
