/* commands.c - which commands are there, and what does each say of itself? */
#include "console/commands.h"

#define ANY WORDS_MOST

const struct command commands[] = {
    {.name = "add",
     .run = command_add,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_NEW_HOSTS,
     .summary = "Add hosts to the virtual machine",
     .syntax = "host ...",
     .details =
         "  or     add 'host option=value ...' ...\n"
         "  or     add slurm:N | slurm:job\n"
         "Options:  the words of a host file, see pvmd(1): lo= so= dx= ep= wd= sp= bx= ip= id=\n",
     .explanation =
         "Starts a pvmd on each of the hosts, through the remote shell (ssh, or what\n"
         "PVM_RSH names), all at the same time. The table has the dtid of each that\n"
         "came, and what kept the others away; for those that could not be started, what\n"
         "check finds out follows.\n"
         "slurm:N gets N jobs of Slurm with a host each, and waits for them. slurm:job means\n"
         "the nodes of the job in which the console runs. See pvm_slurm(7).\n"
         "Example:  add beta 'gamma lo=me dx=/opt/pvm/bin/pvmd'\n"},
    {.name = "alias",
     .run = command_alias,
     .least = 1,
     .most = ANY,
     .arguments = ARGUMENTS_COMMANDS,
     .summary = "Give a command line a short name, or list those",
     .syntax = "[ name command [ arg ... ] ]",
     .explanation =
         "Where the name is the first word of a line, the words that it stands for take\n"
         "its place; what follows it stays. Aliases for every day belong into ~/.pvmrc.\n"
         "Example:  alias p ps -a     then p, or p -l\n"},
    {.name = "check",
     .run = command_check,
     .least = 1,
     .most = ANY,
     .arguments = ARGUMENTS_NEW_HOSTS,
     .summary = "Find out why hosts cannot be added",
     .syntax = "[ host ... ]",
     .details = "  or     check 'host option=value ...' ...     as for add\n",
     .explanation =
         "Looks at this host and then at the others: names and addresses, the remote\n"
         "shell, PVM_TMP, what a dead or stopped pvmd has left there, whether a pvmd is\n"
         "found and of which version, and whether one that is started there for a moment\n"
         "answers, so that no firewall stops its packets. Each PROBLEM is followed by a\n"
         "line that says what to do. pvm --check does the same where no virtual machine\n"
         "runs.\n"
         "Example:  check beta\n"},
    {.name = "checkpoint",
     .run = command_checkpoint,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_TIDS,
     .summary = "Put user-level processes away in a file",
     .syntax = "file [ tid ... ]",
     .explanation =
         "All of them (spawn -ulp), or those that are named, stand still for a moment,\n"
         "so that the file has what they have, with the messages between them. Then they\n"
         "run on. If one cannot be put away, none is, and the reason is printed. restart\n"
         "brings them back, in this virtual machine or another one.\n"
         "Example:  checkpoint /home/me/state\n"},
    {.name = "conf",
     .run = command_conf,
     .least = 1,
     .most = 2,
     .summary = "List the hosts of the virtual machine",
     .syntax = "[ -l ]",
     .details = "Options:  -l   ask each host what it runs, and wait for its answer\n"
                "Output fields:\n"
                "  HOST    name of the host\n"
                "  DTID    tid of its pvmd\n"
                "  ARCH    architecture name\n"
                "  SPEED   relative speed\n"
                "  DSIG    data signature: hosts with the same one need no conversion\n"
                "  RELEASE that of the pvmd; - for 3.4.6, of which no more is known\n"
                "  CPUS    processors\n"
                "  LOAD    average of the last minute\n"
                "  TASKS   how many run there\n",
     .explanation =
         "The first line counts the hosts and the kinds of data representation. The host\n"
         "of the master, which adds and deletes the others, comes first.\n"
         "Example:  conf -l\n"},
    {.name = "delete",
     .run = command_delete,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_HOSTS,
     .summary = "Take hosts out of the virtual machine",
     .syntax = "[ --evacuate ] host ...",
     .details =
         "Options:  --evacuate   move the tasks to other hosts first; unless all have moved,\n"
         "                       nothing is deleted\n",
     .explanation = "Ends the pvmds of these hosts, and the tasks that run there. The host of the\n"
                    "master cannot be deleted: halt ends the whole virtual machine.\n"
                    "Example:  delete beta gamma\n"},
    {.name = "echo",
     .run = command_echo,
     .least = 1,
     .most = ANY,
     .summary = "Print the arguments",
     .syntax = "[ arg ... ]",
     .explanation =
         "The words as the console has understood them, with a blank between: quotes and\n"
         "backslashes are gone.\n"
         "Example:  echo 'two  blanks' end     prints: two  blanks end\n"},
    {.name = "evacuate",
     .run = command_evacuate,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_HOSTS,
     .summary = "Move the tasks of hosts to other hosts",
     .syntax = "host ...",
     .explanation = "Each task goes to the host with the fewest tasks. Those that cannot move, as\n"
                    "processes of their own cannot, run on where they are, and are named.\n"
                    "Example:  evacuate beta\n"},
    {.name = "export",
     .run = command_export,
     .least = 1,
     .most = ANY,
     .arguments = ARGUMENTS_VARIABLES,
     .summary = "Name variables that spawned tasks inherit, or list",
     .syntax = "[ variable ... ]",
     .explanation = "A task has the environment of its pvmd, and those variables of its spawner\n"
                    "whose names are exported. Their values are taken at each spawn.\n"
                    "Example:  setenv DISPLAY alpha:0\n"
                    "          export DISPLAY\n"},
    {.name = "getopt",
     .run = command_getopt,
     .least = 1,
     .most = 2,
     .arguments = ARGUMENTS_OPTIONS,
     .summary = "Show options of the console task",
     .syntax = "[ option ]",
     .explanation = "The numbers that pvm_getopt gives in the console: they say, for instance,\n"
                    "where the output of the tasks goes that it spawns. setopt changes them.\n"
                    "Example:  getopt PvmShowTids\n"},
    {.name = "halt",
     .run = command_halt,
     .least = 1,
     .most = 1,
     .summary = "End the virtual machine: all tasks and all pvmds",
     .syntax = "",
     .explanation = "Tasks get SIGTERM, and the console leaves too. To leave without ending\n"
                    "anything, quit.\n"
                    "Example:  halt\n"},
    {.name = "help",
     .run = command_help,
     .least = 1,
     .most = 2,
     .arguments = ARGUMENTS_COMMANDS,
     .summary = "Explain a command, or list all",
     .syntax = "[ command ]",
     .explanation = "Words in [ ] may be left out, those before ... repeated. The page pvm(1) has\n"
                    "all of it.\n"
                    "Example:  help spawn\n"},
    {.name = "id",
     .run = command_id,
     .least = 1,
     .most = 1,
     .summary = "Print the tid of the console",
     .syntax = "",
     .explanation = "The console is a task, too; in the tables of ps it is (cons).\n"
                    "Example:  id\n"},
    {.name = "idump",
     .run = command_idump,
     .least = 1,
     .most = 2,
     .hidden = true,
     .summary = "Ask the library for its memory",
     .syntax = "[ how ]",
     .explanation = "For the allocator of 3.4.6, which the packaged one was built without: a line\n"
                    "on the standard error says that it has given out nothing.\n"
                    "Example:  idump\n"},
    {.name = "jobs",
     .run = command_jobs,
     .least = 1,
     .most = 2,
     .summary = "List running jobs: spawns with output to the console",
     .syntax = "[ options ]",
     .details = "Options:  -l   with a line for each task\n",
     .explanation = "A job has the tasks of one spawn with ->, and those that these have started.\n"
                    "It is finished when all of them have ended.\n"
                    "Example:  jobs -l\n"},
    {.name = "kill",
     .run = command_kill,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_TIDS,
     .summary = "End tasks",
     .syntax = "[ options ] tid ...",
     .details = "Options:  -c   end the children of these tasks, not the tasks\n",
     .explanation = "Tasks get SIGTERM. Their tids are hexadecimal, with or without a t, as ps\n"
                    "prints them.\n"
                    "Example:  kill t40002 80003\n"},
    {.name = "move",
     .run = command_move,
     .least = 3,
     .most = ANY,
     .arguments = ARGUMENTS_MOVE,
     .summary = "Move tasks to another host",
     .syntax = "tid ... host",
     .explanation =
         "User-level processes (spawn -ulp) go on there, with their tids, their messages\n"
         "and their memory. What cannot move runs on where it is, and says why.\n"
         "Example:  move t40003 beta\n"},
    {.name = "mstat",
     .run = command_mstat,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_HOSTS,
     .summary = "Tell whether hosts run",
     .syntax = "host ...",
     .explanation = "ok is what a host of the virtual machine answers. Hosts have the names of\n"
                    "conf.\n"
                    "Example:  mstat alpha beta\n"},
    {.name = "names",
     .run = command_names,
     .least = 1,
     .most = 2,
     .arguments = ARGUMENTS_NAMES,
     .summary = "List mailbox entries",
     .syntax = "[ pattern ]",
     .explanation = "Tasks leave messages under names in the mailbox of the virtual machine\n"
                    "(pvm_putinfo). The pattern is a regular expression; without one, or with *,\n"
                    "all are listed: index, task that owns the entry, and flags.\n"
                    "Example:  names pvm\n"},
    {.name = "ps",
     .run = command_ps,
     .least = 1,
     .most = 2,
     .arguments = ARGUMENTS_PS,
     .summary = "List tasks",
     .syntax = "[ -axlhn ]",
     .details = "Options:  -a       on all hosts (else the console's own)\n"
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
                "  T   starts tasks (tasker)\n",
     .explanation = "The letters go into one word. A task without the flag c has not called PVM\n"
                    "yet, or has left it; a program that was not spawned has no name here.\n"
                    "Example:  ps -al\n"},
    {.name = "pstat",
     .run = command_pstat,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_TIDS,
     .summary = "Tell whether tasks run",
     .syntax = "tid ...",
     .explanation = "run is what is said of a task that is there.\n"
                    "Example:  pstat t40002\n"},
    {.name = "put",
     .run = command_put,
     .least = 4,
     .most = 4,
     .summary = "Put an entry into the mailbox",
     .syntax = "name flags any",
     .details = "The message is one int, 0; the word any is not used.\n",
     .explanation =
         "To try out programs that wait for an entry. The flags of pvm_putinfo are added\n"
         "up: 1 it stays when its owner leaves, 2 beside others of its name, 4 others\n"
         "may replace it.\n"
         "Example:  put ready 1 x\n"},
    {.name = "quit",
     .run = command_quit,
     .least = 1,
     .most = 1,
     .summary = "Leave the console, the virtual machine goes on",
     .syntax = "",
     .explanation = "The end of the input (Ctrl-D) does the same. halt ends the\n"
                    "virtual machine, too.\n"
                    "Example:  quit\n"},
    {.name = "reset",
     .run = command_reset,
     .least = 1,
     .most = 4,
     .summary = "End all tasks and clear what they left in the mailbox",
     .syntax = "",
     .details =
         "  or     reset info [ name [ index ] ]    only clear entries whose owner is gone\n",
     .explanation = "Consoles, and tasks that have asked for it (PvmNoReset), go on. The hosts\n"
                    "stay.\n"
                    "Example:  reset\n"},
    {.name = "restart",
     .run = command_restart,
     .least = 2,
     .most = 2,
     .summary = "Bring user-level processes back from a file",
     .syntax = "file",
     .explanation =
         "Those that checkpoint has put away go on from there, with their tids, memory\n"
         "and messages: all of them, or none and the reason is printed. Each lives on the\n"
         "host where it was, if there is one of that name, or else where the fewest are.\n"
         "Example:  restart /home/me/state\n"},
    {.name = "setenv",
     .run = command_setenv,
     .least = 1,
     .most = ANY,
     .arguments = ARGUMENTS_VARIABLES,
     .summary = "Set an environment variable of the console, or show",
     .syntax = "[ name [ value ... ] ]",
     .explanation =
         "Without words all variables are listed. Tasks get a variable when its name is\n"
         "exported; the pvmd does not.\n"
         "Example:  setenv LEVEL 3\n"
         "          export LEVEL\n"},
    {.name = "setopt",
     .run = command_setopt,
     .least = 3,
     .most = 3,
     .arguments = ARGUMENTS_OPTIONS,
     .summary = "Set an option of the console task",
     .syntax = "option value",
     .explanation = "As pvm_setopt in a program. PvmShowTids 0 leaves the [job:tid] out of what\n"
                    "jobs print; PvmOutputTid is where tasks that are spawned later print.\n"
                    "Example:  setopt PvmShowTids 0\n"},
    {.name = "sig",
     .run = command_sig,
     .least = 3,
     .most = ANY,
     .arguments = ARGUMENTS_TIDS,
     .summary = "Send a signal to tasks",
     .syntax = "number tid ...",
     .explanation = "By its number; kill -l in a shell tells them.\n"
                    "Example:  sig 10 t40002\n"},
    {.name = "spawn",
     .run = command_spawn,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_SPAWN,
     .summary = "Start tasks",
     .syntax = "[ options ] program [ arg ... ]",
     .details =
         "Options:  -N            how many, 1 if not given\n"
         "          -host         on this host (begins with a small letter)\n"
         "          -ARCH         on hosts of this architecture (begins with a capital)\n"
         "          --host=NAME   on this host, however its name begins\n"
         "          -~host        on any but this host; also -~ARCH\n"
         "          -:DIR         in this directory; also -host:DIR, -ARCH:DIR, --host=NAME:DIR\n"
         "          -?            under the debugger: spawn -? hello\n"
         "          -ulp          as user-level processes: many in one process\n"
         "          ->            print what the tasks print\n"
         "          ->FILE        write it to a new file\n"
         "          ->>FILE       append it to a file\n"
         "          -@            print what the tasks call: see help trace\n"
         "          -@FILE        write that to a new file\n",
     .explanation =
         "Each option is a word of its own. The hosts take turns if none is named. Each\n"
         "looks for the program in ~/pvm3/bin/ARCH and PVM_ROOT/bin/ARCH, or where ep=\n"
         "or PVM_PATH says; or the whole path is given. What a task prints without -> is\n"
         "in the log of the pvmd.\n"
         "Example:  spawn -4 -> hello\n"
         "          spawn --host=beta -:/tmp -> /bin/pwd\n"},
    {.name = "tickle",
     .run = command_tickle,
     .least = 2,
     .most = 11,
     .hidden = true,
     .summary = "Make the pvmd do or tell something",
     .syntax = "how [ arg ... ]",
     .details =
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
         "  9 [ 1 ]      statistics to the log, and set them to 0\n",
     .explanation = "For those who look for a fault in PVM itself. Numbers may be hexadecimal,\n"
                    "0x11.\n"
                    "Example:  tickle 6 0x18\n"},
    {.name = "trace",
     .run = command_trace,
     .least = 1,
     .most = ANY,
     .arguments = ARGUMENTS_EVENTS,
     .summary = "Choose what traced tasks tell, or show what is chosen",
     .syntax = "[ [+] | - ] event ...",
     .details =
         "  or     trace xpvm                        choose what most tools show\n"
         "  or     trace buf [ bytes ]               how much a task gathers before it tells\n"
         "  or     trace opt [ full | time | count ] each call, or totals at the end\n",
     .explanation = "The event * stands for all. What is chosen holds for tasks that spawn -@\n"
                    "starts from then on. The files are for trcsort(1) and pvmtrace(1).\n"
                    "Example:  trace - *\n"
                    "          trace send recv\n"
                    "          spawn -@ hello\n"},
    {.name = "unalias",
     .run = command_unalias,
     .least = 2,
     .most = ANY,
     .arguments = ARGUMENTS_ALIASES,
     .summary = "Forget aliases",
     .syntax = "name ...",
     .explanation = "Names that are none are no error.\n"
                    "Example:  unalias p\n"},
    {.name = "unexport",
     .run = command_unexport,
     .least = 1,
     .most = ANY,
     .arguments = ARGUMENTS_VARIABLES,
     .summary = "Take variables out of the export list",
     .syntax = "[ variable ... ]",
     .explanation = "Tasks that run already keep what they have.\n"
                    "Example:  unexport DISPLAY\n"},
    {.name = "version",
     .run = command_version,
     .least = 1,
     .most = 1,
     .summary = "Print the version of libpvm3",
     .syntax = "",
     .explanation = "The version of PVM whose programs run here, and on a terminal that of this\n"
                    "release. conf -l has that of each host.\n"
                    "Example:  version\n"},
    {.name = NULL},
};
