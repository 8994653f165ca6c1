/* All that a virtual machine does between several hosts, seen from a task on one of them.
 *
 * across lead SECTION...   does what the sections are about and prints what is observed
 * across hand              a task that does what the leader tells it
 * across collect HOST...   collects the output of a task on each host
 * across lost HOST         collects the output of a task on a host that is deleted meanwhile
 * across tasker and so on  a role of its own (across_services.c)
 * Hosts are called by their names, never by tids, so that the order of events does not matter.
 */
#include "across.h"

#include <stdarg.h>

char *names[HOSTS] = {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"};
int me;

const char *place(int tid)
{
    static char texts[4][32];
    static int turn;
    struct pvmhostinfo *hosts;
    int count = 0;
    char *text = texts[turn++ % 4];

    bool error = tid < 0 && tid > -1000;

    snprintf(text, sizeof texts[0], error ? "%d" : "nowhere", tid);
    if (error || tid == 0 || pvm_config(&count, NULL, &hosts) < 0)
        return text;
    for (int i = 0; i < count; i++)
        if (hosts[i].hi_tid == (tid & 0x3ffc0000))
            snprintf(text, sizeof texts[0], "%s", hosts[i].hi_name);
    return text;
}

int host_tid(const char *name)
{
    struct pvmhostinfo *hosts;
    int count = 0;

    pvm_config(&count, NULL, &hosts);
    for (int i = 0; i < count; i++)
        if (strcmp(hosts[i].hi_name, name) == 0)
            return hosts[i].hi_tid;
    return 0;
}

/* Hands. --------------------------------------------------------------------------------------- */

int hand_on(const char *name)
{
    char where[64], *words[] = {"hand", NULL};
    int tid = 0;

    snprintf(where, sizeof where, "%s", name);
    if (pvm_spawn("across", words, PvmTaskHost, where, 1, &tid) == 1)
        ask(tid, "ready");
    return tid;
}

static void send_text(int to, int tag, const char *text)
{
    int before = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));

    pvm_pkstr((char *)text);
    pvm_send(to, tag);
    pvm_freebuf(pvm_setsbuf(before));
}

static void tell_words(int hand, const char *format, va_list arguments)
{
    char text[TEXT];

    vsnprintf(text, sizeof text, format, arguments);
    send_text(hand, ASK, text);
}

void tell(int hand, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell_words(hand, format, arguments);
    va_end(arguments);
}

const char *answer(int hand)
{
    static char texts[4][TEXT];
    static int turn;
    char *text = texts[turn++ % 4];

    pvm_recv(hand, ANSWER);
    pvm_upkstr(text);
    return text;
}

const char *ask(int hand, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell_words(hand, format, arguments);
    va_end(arguments);
    return answer(hand);
}

/* A pvmd of 3.4.6 may sleep through the end of a child until it is asked something. */
void wait_end(int tid)
{
    while (pvm_pstat(tid) == PvmOk)
        continue;
}

void dismiss(int hand)
{
    tell(hand, "leave");
    wait_end(hand);
}

void hands_start(int hands[HOSTS], int count)
{
    for (int i = 0; i < count; i++)
        hands[i] = hand_on(names[i]);
}

void hands_end(const int hands[HOSTS], int count)
{
    for (int i = 0; i < count; i++)
        dismiss(hands[i]);
}

static int hand_main(void)
{
    char text[TEXT], reply[TEXT], command[32];
    sigset_t mask;
    int boss;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    for (;;) {
        pvm_bufinfo(pvm_recv(-1, ASK), NULL, NULL, &boss);
        pvm_upkstr(text);
        int length = 0;
        sscanf(text, "%31s %n", command, &length);
        if (strcmp(command, "leave") == 0)
            break;
        snprintf(reply, sizeof reply, "%s", command);
        if (!hosts_obey(command, text + length, reply) &&
            !tasks_obey(command, text + length, reply) &&
            !words_obey(command, text + length, reply))
            services_obey(command, text + length, reply);
        send_text(boss, ANSWER, reply);
    }
    return pvm_exit();
}

/* Printing. ------------------------------------------------------------------------------------ */

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void print_sorted(char **lines, int count)
{
    qsort(lines, (size_t)count, sizeof *lines, compare_lines);
    for (int i = 0; i < count; i++) {
        printf("  %s\n", lines[i]);
        free(lines[i]);
    }
}

char *text_of(const char *format, ...)
{
    char text[TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return strdup(text);
}

/* Leading. ------------------------------------------------------------------------------------- */

/* What a task learns of the end of the machine is another program's affair (test/api/halting.c). */
static void halt_see(void)
{
    pvm_halt();
}

static const struct {
    const char *name;
    void (*see)(void);
} sections[] = {
    {"addhosts", additions_see},
    {"config mstat hostsync", tables_see},
    {"notify of hosts", host_notices_see},
    {"spawn", spawns_see},
    {"spawn environment", environments_see},
    {"tasks pstat", lists_see},
    {"signals", signals_see},
    {"notify of tasks", notices_see},
    {"messages", messages_see},
    {"multicast", multicasts_see},
    {"mailboxes", mailboxes_see},
    {"output", outputs_see},
    {"trace", traces_see},
    {"tracer", tracer_see},
    {"tasker", tasker_see},
    {"hoster", hoster_see},
    {"manager", manager_see},
    {"tickle", tickles_see},
    {"reset", resets_see},
    {"output of a lost host", lost_outputs_see},
    {"delhosts", deletions_see},
    {"giving up a host", giving_up_see},
    {"halt", halt_see},
};

static bool is_wanted(const char *name, int count, char **wanted)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, wanted[i]) == 0)
            return true;
    return false;
}

static int lead_main(int count, char **wanted)
{
    observe();
    me = pvm_mytid();
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (!is_wanted(sections[i].name, count, wanted))
            continue;
        AREA(sections[i].name);
        sections[i].see();
    }
    SEE(pvm_exit());
    return 0;
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "hand") == 0)
        return hand_main();
    if (count > 1 && strcmp(words[1], "lead") == 0)
        return lead_main(count - 2, words + 2);
    if (count > 2 && strcmp(words[1], "collect") == 0)
        return collect_main(count - 2, words + 2);
    if (count > 2 && strcmp(words[1], "lost") == 0)
        return collect_lost_main(words[2]);
    return services_main(count - 1, words + 1);
}
