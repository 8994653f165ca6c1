/* Hosts: added, listed, asked, told of, failed, deleted. */
#include "across.h"

#include <sys/time.h>

/* Adds or deletes them; shows the result of each. */
static void change(int (*call)(char **, int, int *), const char *what, char **hosts, int count)
{
    int status[8];
    int result = call(hosts, count, status);

    printf("%s: %d:", what, result);
    for (int i = 0; i < count; i++)
        printf(" %s", status[i] == 0 ? "0" : place(status[i]));
    printf("\n");
}

static void add(char **hosts, int count)
{
    change(pvm_addhosts, "pvm_addhosts", hosts, count);
}

/*
 * The answer comes before the daemons have ended. One of 3.4.6 does not start where another one is
 * still there, and word of a host's end may come late.
 */
static void wait_daemon_end(const char *host)
{
    char path[TEXT];

    snprintf(path, sizeof path, "%s/%s/pvmd.%d.%s", getenv("ACROSS_FOLDER"), host, (int)getuid(),
             getenv("PVM_VMID"));
    while (access(path, F_OK) == 0)
        continue;
}

void hosts_delete(char **hosts, int count)
{
    change(pvm_delhosts, "pvm_delhosts", hosts, count);
    for (int i = 0; i < count; i++)
        if (strcmp(hosts[i], names[MASTER]) != 0)
            wait_daemon_end(hosts[i]);
}

/* The table as a task sees it, in one line. */
static void table_text(char *text, size_t size)
{
    struct pvmhostinfo *hosts;
    int count = -1, formats = -1, result = pvm_config(&count, &formats, &hosts);
    size_t length =
        (size_t)snprintf(text, size, "%d: %d hosts, %d formats", result, count, formats);

    for (int i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "; %x %s %s %d %x",
                                   (unsigned)hosts[i].hi_tid, hosts[i].hi_name, hosts[i].hi_arch,
                                   hosts[i].hi_speed, (unsigned)hosts[i].hi_dsig);
}

bool hosts_obey(const char *command, char *words, char *reply)
{
    int tag, count, tid;

    if (strcmp(command, "config") == 0) {
        table_text(reply, TEXT);
    } else if (strcmp(command, "mstat") == 0) {
        snprintf(reply, TEXT, "%d", pvm_mstat(words));
    } else if (strcmp(command, "notify-add") == 0 && sscanf(words, "%d %d", &tag, &count) == 2) {
        snprintf(reply, TEXT, "%d", pvm_notify(PvmHostAdd, tag, count, NULL));
    } else if (strcmp(command, "notify-delete") == 0 && sscanf(words, "%d %d", &tag, &tid) == 2) {
        snprintf(reply, TEXT, "%d", pvm_notify(PvmHostDelete, tag, 1, &tid));
    } else if (strcmp(command, "told") == 0 && sscanf(words, "%d", &tag) == 1) {
        int values[2] = {0, 0}, buffer = pvm_recv(-1, tag), bytes = 0;
        pvm_bufinfo(buffer, &bytes, NULL, NULL);
        pvm_upkint(values, bytes / 4 < 2 ? bytes / 4 : 2, 1);
        snprintf(reply, TEXT, "%d bytes: %x %x", bytes, (unsigned)values[0], (unsigned)values[1]);
    } else {
        return false;
    }
    return true;
}

void additions_see(void)
{
    char options[TEXT];
    char *first[] = {names[THIRD],        options,      "nosuch.", names[THIRD], names[MASTER],
                     "127.0.0.9 bogus=1", names[SECOND]};
    char *again[] = {names[THIRD], names[FOURTH]};
    const char *programs = getenv("PVM_PATH"), *folder = getenv("ACROSS_FOLDER");

    snprintf(options, sizeof options, "%s sp=77 ep=/bin:%s wd=/usr bx=%s/debugger", names[FOURTH],
             programs, folder);
    add(first, 7);
    add(again, 2);
}

void tables_see(void)
{
    char text[TEXT];
    int hands[HOSTS];
    struct timeval now, apart;

    table_text(text, sizeof text);
    printf("own: %s\n", text);
    hands_start(hands, FIFTH);
    for (int i = MASTER; i < FIFTH; i++)
        printf("%s: same: %d\n", names[i], strcmp(ask(hands[i], "config"), text) == 0);
    for (int i = MASTER; i < HOSTS; i++)
        printf("mstat %s: %d, from the second host %s\n", names[i], pvm_mstat(names[i]),
               ask(hands[THIRD], "mstat %s", names[i]));
    SEE(pvm_mstat("."));
    for (int i = MASTER; i < FIFTH; i++) {
        int result = pvm_hostsync(host_tid(names[i]), &now, &apart);
        printf("hostsync %s: %d, within a minute: %d\n", names[i], result,
               apart.tv_sec > -60 && apart.tv_sec < 60 && now.tv_sec > 0);
    }
    SEE(pvm_hostsync(0x3fc0001, &now, &apart));
    hands_end(hands, FIFTH);
}

/* Who asked for one addition is told of one; each host is told of each end. */
void host_notices_see(void)
{
    char *fifth[] = {names[FIFTH]}, *spelled[] = {"127.0.0.6 sp=3"};
    int hands[HOSTS], gone, buffer;

    hands_start(hands, FIFTH);
    SEE(pvm_notify(PvmHostAdd, NEW, -1, NULL));
    for (int i = MASTER; i < FIFTH; i++)
        printf("%s\n", ask(hands[i], "notify-add %d %d", NEW, i == THIRD ? -1 : 1));
    add(fifth, 1);
    int tid = host_tid(names[FIFTH]);
    for (int i = MASTER; i < FIFTH; i++)
        printf("%s: %s\n", names[i], ask(hands[i], "told %d", NEW));
    for (int i = MASTER; i < FIFTH; i++)
        ask(hands[i], "notify-delete %d %d", GONE, tid);
    gone = 0x3fc0000;
    SEE(pvm_notify(PvmHostDelete, GONE, 1, &gone));
    SEE(pvm_recv(-1, GONE) > 0);
    SEE(pvm_notify(PvmHostDelete, GONE, 1, &tid));
    SEE(pvm_notify(PvmHostDelete | PvmNotifyCancel, GONE, 1, &tid));
    SEE((buffer = pvm_trecv(-1, GONE, &(struct timeval){20, 0})) > 0);
    hosts_delete(fifth, 1);
    for (int i = MASTER; i < FIFTH; i++)
        printf("%s: %s\n", names[i], ask(hands[i], "told %d", GONE));
    add(spelled, 1);
    printf("%s: %s\n", names[THIRD], ask(hands[THIRD], "told %d", NEW));
    printf("%s\n", ask(hands[THIRD], "notify-add %d %d", NEW, 0));
    SEE(pvm_notify(PvmHostAdd | PvmNotifyCancel, NEW, 0, NULL));
    for (int i = 0; i < 2; i++) {
        int told[2] = {0, 0};
        SEE(pvm_nrecv(-1, NEW) > 0);
        pvm_upkint(told, 2, 1);
        printf("told: %d %x\n", told[0], (unsigned)told[1]);
    }
    SEE(pvm_nrecv(-1, NEW));
    hands_end(hands, FIFTH);
    tid = host_tid(names[FIFTH]);
    SEE(pvm_notify(PvmHostDelete, GONE, 1, &tid));
    hosts_delete(fifth, 1);
    SEE(pvm_recv(-1, GONE) > 0);
}

void deletions_see(void)
{
    char *none[] = {names[THIRD], "nosuch.", names[THIRD], names[MASTER], names[FOURTH]};
    int tids[2] = {host_tid(names[THIRD]), host_tid(names[FOURTH])};
    char text[TEXT];

    SEE(pvm_notify(PvmHostDelete, GONE, 2, tids));
    hosts_delete(none, 5);
    for (int i = 0; i < 2; i++)
        SEE(pvm_recv(-1, GONE) > 0);
    table_text(text, sizeof text);
    printf("%s\n", text);
    SEE(pvm_mstat(names[THIRD]));
}

static void tickle(int count, int first, int second, int third)
{
    int in[3] = {first, second, third}, out[10] = {0}, results = -1;
    int result = pvm_tickle(count, in, &results, out);

    printf("tickle %d: %d, %d results: %d\n", first, result, results, results > 0 ? out[0] : 0);
}

/* What was told to a daemon by tickle 20 does not disturb it: it answers. */
void tickles_see(void)
{
    int hand = hand_on(names[THIRD]);

    for (int kind = 0; kind < 8; kind++)
        if (kind != 5)
            tickle(2, kind, kind == 7 ? 10 : 0, 0);
    tickle(2, 7, 100, 0);
    tickle(2, 9, 1, 0);
    tickle(3, 20, 3, host_tid(names[THIRD]));
    tickle(3, 20, 3, hand);
    tickle(3, 20, 3, 0x3fc0000);
    tickle(1, 100, 0, 0);
    tickle(1, 50, 0, 0);
    SEE(pvm_mstat(names[THIRD]));
    tickle(2, 7, 1, 0);
    dismiss(hand);
    tickle(2, 8, 0x3fc0000, 0);
    tickle(2, 8, me, 0);
}

/* The daemon of this host does without another one; the others go on with it. */
void giving_up_see(void)
{
    char *fifth[] = {names[FIFTH]};

    add(fifth, 1);
    int tid = host_tid(names[FIFTH]);
    SEE(pvm_notify(PvmHostDelete, GONE, 1, &tid));
    tickle(2, 8, tid, 0);
    SEE(pvm_recv(-1, GONE) > 0);
    SEE(host_tid(names[FIFTH]));
    SEE(pvm_mstat(names[FIFTH]));
    printf("%s: %s\n", names[MASTER], ask(hand_on(names[MASTER]), "mstat %s", names[FIFTH]));
}
