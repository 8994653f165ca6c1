/* Tasks: spawned, listed, signalled, watched. */
#include "across.h"

#include <signal.h>

bool tasks_obey(const char *command, char *words, char *reply)
{
    int tag, tid, flags, count;
    char where[64], file[256];

    if (strcmp(command, "parent") == 0) {
        int parent = pvm_parent();
        snprintf(reply, TEXT, "%s", parent == (int)strtol(words, NULL, 10) ? "you" : place(parent));
    } else if (strcmp(command, "variable") == 0) {
        const char *value = getenv(words);
        snprintf(reply, TEXT, "%s", value ? value : "not set");
    } else if (strcmp(command, "folder") == 0) {
        if (!getcwd(reply, TEXT))
            snprintf(reply, TEXT, "none");
    } else if (strcmp(command, "siblings") == 0) {
        int *tids;
        snprintf(reply, TEXT, "%d", pvm_siblings(&tids));
    } else if (strcmp(command, "signal") == 0) {
        sigset_t set;
        int number = 0;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigwait(&set, &number);
        snprintf(reply, TEXT, "%s", number == SIGUSR1 ? "SIGUSR1" : "another");
    } else if (strcmp(command, "notify") == 0 && sscanf(words, "%d %d", &tag, &tid) == 2) {
        snprintf(reply, TEXT, "%d", pvm_notify(PvmTaskExit, tag, 1, &tid));
    } else if (strcmp(command, "spawn") == 0 &&
               sscanf(words, "%d %63s %d %255s", &flags, where, &count, file) == 4) {
        int tids[64], result = pvm_spawn(file, NULL, flags, where, count, tids);
        snprintf(reply, TEXT, "%d: %s", result, place(tids[0]));
    } else if (strcmp(command, "kill") == 0) {
        snprintf(reply, TEXT, "%d", pvm_kill(atoi(words)));
    } else {
        return false;
    }
    return true;
}

/* Spawns hands, shows where they are, and asks each of them. */
static void spawn_see(const char *what, int flags, char *where, int count, const char *question)
{
    char *words[] = {"hand", "an argument", NULL};
    int tids[64] = {0};
    int result = pvm_spawn("across", words, flags, where, count, tids);

    printf("%s: %d:", what, result);
    for (int i = 0; i < count; i++)
        printf(" %s", place(tids[i]));
    printf("\n");
    for (int i = 0; i < result; i++) {
        if (question)
            printf("  %s: %s\n", question, ask(tids[i], "%s", question));
        dismiss(tids[i]);
    }
}

void spawns_see(void)
{
    spawn_see("anywhere", PvmTaskDefault, "", 7, NULL);
    spawn_see("anywhere again", PvmTaskDefault, NULL, 2, NULL);
    for (int i = MASTER; i < HOSTS; i++)
        spawn_see(names[i], PvmTaskHost, names[i], 2, "siblings");
    spawn_see("here", PvmTaskHost, ".", 2, NULL);
    spawn_see("not here", PvmTaskHost | PvmHostCompl, ".", 3, NULL);
    spawn_see("not on the third", PvmTaskHost | PvmHostCompl, names[THIRD], 4, NULL);
    spawn_see("not on a host", PvmHostCompl, "", 2, NULL);
    spawn_see("no such host", PvmTaskHost, "nosuch.", 2, NULL);
    spawn_see("not on no such host", PvmTaskHost | PvmHostCompl, "nosuch.", 4, NULL);
    spawn_see("architecture", PvmTaskArch, "LINUX64", 4, NULL);
    spawn_see("no such architecture", PvmTaskArch, "CRAY", 2, NULL);
    spawn_see("another architecture", PvmTaskArch | PvmHostCompl, "LINUX64", 2, NULL);
    spawn_see("not the architecture", PvmTaskArch | PvmHostCompl, "CRAY", 4, NULL);
}

static void run_see(const char *file, int flags, char *where, int count)
{
    int tids[8] = {0}, result = pvm_spawn((char *)file, NULL, flags, where, count, tids);

    printf("%s on %s: %d:", file, where, result);
    for (int i = 0; i < count; i++) {
        printf(" %s", place(tids[i]));
        if (tids[i] > 0)
            pvm_kill(tids[i]);
    }
    printf("\n");
    for (int i = 0; i < count; i++)
        if (tids[i] > 0)
            wait_end(tids[i]);
}

/* Arguments that no packet holds. */
static void arguments_see(const char *name)
{
    static char text[200][400];
    char *words[203] = {"hand"}, where[64];
    int tid;

    for (int i = 0; i < 200; i++) {
        memset(text[i], 'a' + i % 26, sizeof text[i] - 1);
        words[i + 1] = text[i];
    }
    snprintf(where, sizeof where, "%s", name);
    int result = pvm_spawn("across", words, PvmTaskHost, where, 1, &tid);
    printf("80000 bytes of arguments on %s: %d, %s\n", name, result, ask(tid, "parent %d", me));
    dismiss(tid);
}

void environments_see(void)
{
    static const int flags[] = {PvmTaskDefault, PvmTaskDebug, PvmTaskTrace, PvmMppFront,
                                PvmNoSpawnParent};
    char where[128];

    setenv("COLOUR", "red and blue", 1);
    SEE(pvm_export("COLOUR"));
    for (int i = MASTER; i < FIFTH; i++) {
        for (size_t j = 0; j < sizeof flags / sizeof flags[0]; j++) {
            printf("flags %d\n", flags[j]);
            spawn_see(names[i], PvmTaskHost | flags[j], names[i], 1, "variable DEBUGGED");
            char question[32];
            snprintf(question, sizeof question, "parent %d", me);
            spawn_see("parent", PvmTaskHost | flags[j], names[i], 1, question);
        }
        spawn_see("exported", PvmTaskHost, names[i], 1, "variable COLOUR");
        spawn_see("list", PvmTaskHost, names[i], 1, "variable PVM_EXPORT");
        spawn_see("context", PvmTaskHost, names[i], 1, "variable PVMCTX");
        snprintf(where, sizeof where, "%s:/usr/bin", names[i]);
        spawn_see(where, PvmTaskHost, where, 1, "folder");
        spawn_see("folder variable", PvmTaskHost, where, 1, "variable PVMSPAWNWD");
        snprintf(where, sizeof where, "%s:/no/such/folder", names[i]);
        spawn_see(where, PvmTaskHost, where, 1, "folder");
        spawn_see("own folder", PvmTaskHost, names[i], 1, "folder");
        run_see("sleep", PvmTaskHost, names[i], 2);
        run_see("/bin/cat", PvmTaskHost, names[i], 2);
        run_see("/no/such/program", PvmTaskHost, names[i], 1);
        arguments_see(names[i]);
    }
    spawn_see("folder anywhere", PvmTaskDefault, ":/usr", 4, "folder");
    run_see("sleep", PvmTaskDefault, "", 8);
    SEE(pvm_unexport("COLOUR"));
}

static void list_see(const char *what, int where)
{
    struct pvmtaskinfo *tasks;
    int count = -1, result = pvm_tasks(where, &count, &tasks);
    char *lines[64];

    printf("%s: %d: %d\n", what, result, count);
    for (int i = 0; i < count && i < 64; i++) {
        char *parent = strdup(tasks[i].ti_ptid == me ? "this one" : place(tasks[i].ti_ptid));
        lines[i] = text_of("%s host %d parent %s flags %x '%s'", place(tasks[i].ti_tid),
                           tasks[i].ti_host == pvm_tidtohost(tasks[i].ti_tid), parent,
                           (unsigned)tasks[i].ti_flag, tasks[i].ti_a_out);
        free(parent);
    }
    print_sorted(lines, count);
}

void lists_see(void)
{
    int hands[HOSTS];

    hands_start(hands, FIFTH);
    for (int i = MASTER; i < FIFTH; i++)
        ask(hands[i], "folder"); /* it has enrolled then */
    list_see("all", 0);
    for (int i = MASTER; i < FIFTH; i++) {
        list_see(names[i], host_tid(names[i]));
        list_see("its daemon", host_tid(names[i]) | (int)0x80000000);
        list_see("one task", hands[i]);
        list_see("no task", hands[i] + 1000);
        printf("pstat: %d, of none: %d\n", pvm_pstat(hands[i]), pvm_pstat(hands[i] + 1000));
    }
    list_see("no host", 0x3fc0000);
    SEE(pvm_pstat(0x3fc0001));
    hands_end(hands, FIFTH);
    printf("pstat:");
    for (int i = MASTER; i < FIFTH; i++)
        printf(" %d", pvm_pstat(hands[i]));
    printf("\n");
}

void signals_see(void)
{
    int hands[HOSTS], others[HOSTS];

    hands_start(hands, FIFTH);
    hands_start(others, FIFTH);
    for (int i = MASTER; i < FIFTH; i++) {
        int watcher = hands[(i + 1) % FIFTH];
        tell(hands[i], "signal");
        printf("sendsig: %d", pvm_sendsig(hands[i], SIGUSR1));
        printf(": %s\n", answer(hands[i]));
        printf("notify: %s\n", ask(watcher, "notify %d %d", GONE, others[i]));
        printf("kill: %d\n", pvm_kill(others[i]));
        printf("told: %d\n", atoi(ask(watcher, "told %d", GONE)));
        printf("kill from another host: %s\n", ask(watcher, "kill %d", hands[i]));
        wait_end(hands[i]);
        hands[i] = hand_on(names[i]);
        printf("kill of none: %d\n", pvm_kill(others[i]));
    }
    SEE(pvm_kill(0x3fc0001));
    hands_end(hands, FIFTH);
}

/* Several at once, from several hosts, cancelled, and of tasks that have ended. */
void notices_see(void)
{
    int hands[HOSTS], others[HOSTS], told;

    hands_start(hands, FIFTH);
    hands_start(others, FIFTH);
    SEE(pvm_notify(PvmTaskExit, GONE, FIFTH, others));
    for (int i = MASTER; i < FIFTH; i++)
        for (int j = MASTER; j < FIFTH; j++)
            ask(hands[i], "notify %d %d", NEW + 10 + j, others[j]);
    for (int j = MASTER; j < FIFTH; j++) {
        tell(others[j], "leave");
        told = 0;
        pvm_recv(-1, GONE);
        pvm_upkint(&told, 1, 1);
        printf("told of %s: %d", names[j], told == others[j]);
        for (int i = MASTER; i < FIFTH; i++)
            printf(" %s", ask(hands[i], "told %d", NEW + 10 + j)[0] == '4' ? names[i] : "?");
        printf("\n");
    }
    SEE(pvm_notify(PvmTaskExit, GONE, FIFTH, others));
    for (int j = MASTER; j < FIFTH; j++)
        SEE(pvm_recv(-1, GONE) > 0);
    SEE(pvm_notify(PvmTaskExit, GONE, FIFTH, hands));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, GONE, 2, hands + 1));
    for (int j = 0; j < 2; j++)
        SEE(pvm_recv(-1, GONE) > 0);
    hands_end(hands, FIFTH);
    for (int j = 0; j < FIFTH - 2; j++)
        SEE(pvm_recv(-1, GONE) > 0);
    SEE(pvm_nrecv(-1, GONE));
}
