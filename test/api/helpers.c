/*
 * The helpers that no header declares: numbers, names, environment, errors, and leaving without a
 * word.
 */
#define NOTMPNAM
#include "observe.h"
#include <pvm3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern int pvm_errno, pvmmytid;
int lpvmerr(char *function, int code);
int pvmendtask(void);
int pvmgetclock(struct timeval *clock);
int pvmsleep(int seconds);
int pvmputenv(char *assignment);
int pvmstrtoi(char *text);
int pvmxtoi(char *text);
char *pvmnametag(int tag, int *found);
char *pvmgetrsh(void);
char *pvmgettmp(void);
void pvmdisplaymhfinfo(char *who, char *msg, int tid);
void i_dump(int how);

/* What follows the last dot: names carry the process id before it. */
static const char *number_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot ? dot : "no number";
}

static void names_see(void)
{
    char name[PVMTMPNAMLEN], pattern[64];
    char *first = pvmtmpnam(NULL), *second;

    AREA("temporary names");
    SEE(PVMTMPNAMLEN);
    snprintf(pattern, sizeof pattern, "/pvmtmp%06d.0", (int)getpid());
    SEE(strcmp(strrchr(first, '/'), pattern));
    SEE(strncmp(first, getenv("PVM_TMP"), strlen(getenv("PVM_TMP"))));
    second = pvmtmpnam(NULL);
    SEE(first == second);
    SEE_TEXT("the second", number_of(second));
    SEE(pvmtmpnam(name) == name);
    SEE_TEXT("in memory of the program", number_of(name));
    SEE_TEXT("the static one stays", number_of(second));
    for (int i = 0; i < 9997; i++)
        pvmtmpnam(name);
    SEE_TEXT("9,997 later", number_of(name));
    pvmtmpnam(name);
    SEE_TEXT("then", number_of(name));
    pvmtmpnam(name);
    SEE_TEXT("then", number_of(name));
    fclose(fopen(name, "w"));
    for (int i = 0; i < 10000; i++)
        pvmtmpnam(name);
    SEE_TEXT("though there is such a file", number_of(name));
    unlink(name);
}

/* In a process of its own, which 3.4.6 looks for PVM_TMP but once. */
static void long_name_see(int length)
{
    char folder[PVMTMPNAMLEN + 1];
    int status = 0;

    memset(folder, 'x', sizeof folder);
    folder[0] = '/';
    folder[length] = '\0';
    if (fork() == 0) {
        fclose(stderr);
        setenv("PVM_TMP", folder, 1);
        _exit(strlen(pvmtmpnam(NULL)) == (size_t)length + 15 ? 7 : 8);
    }
    wait(&status);
    printf("PVM_TMP of %d bytes: exit status %d\n", length,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void numbers_see(void)
{
    static char *texts[] = {"12",       "-5",   "+4",         "  7",    "0",           "0x1f",
                            "0X1F",     "0x",   "0xfg",       "-0x10",  "0xffffffff",  "017",
                            "08",       "0",    "",           "abc",    "12abc",       "0b1",
                            "ff",       "FFfF", "4294967295", "g",      "99999999999", "123456789a",
                            "07777777", "1 2",  "2147483648", "0 0x10", "\t9",         "00x1"};

    AREA("numbers");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        printf("'%s': %d, %d\n", texts[i], pvmstrtoi(texts[i]), pvmxtoi(texts[i]));
}

static void environment_see(void)
{
    static char kept[] = "HELPERS=kept";

    AREA("environment");
    SEE(pvmputenv("HELPERS=one"));
    SEE_TEXT("set", getenv("HELPERS"));
    SEE(pvmputenv(kept));
    kept[sizeof "HELPERS="] = 'K';
    SEE_TEXT("the string itself", getenv("HELPERS"));
    SEE(pvmputenv("HELPERS="));
    SEE_TEXT("empty", getenv("HELPERS"));
    SEE(pvmputenv("HELPERS"));
    SEE(pvmputenv(""));
    SEE(pvmputenv("=x"));
    SEE(pvmputenv(NULL));
    SEE(strcmp(pvmgettmp(), getenv("PVM_TMP")));
}

static void tags_see(void)
{
    static const unsigned families[] = {0x80010000, 0x80020000, 0x80030000, 0x80040000};
    int found;

    AREA("names of tags");
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        for (unsigned number = 0; number < 34; number++) {
            found = 7;
            char *name = pvmnametag((int)(families[i] + number), &found);
            printf("%x: %s %d\n", families[i] + number, name, found);
        }
    }
    found = 7;
    SEE_TEXT("5", pvmnametag(5, &found));
    SEE(found);
    SEE_TEXT("-1", pvmnametag(-1, NULL));
}

static void errors_see(void)
{
    char long_name[300];
    struct timeval clock = {0, 0};

    AREA("errors and clocks");
    SEE(pvmendtask());
    SEE(pvmmytid);
    SEE(pvm_mytid());
    memset(long_name, 'f', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    SEE(lpvmerr("somewhere", PvmNoMem));
    SEE(pvm_errno);
    SEE(lpvmerr("somewhere", PvmOk));
    SEE(lpvmerr("somewhere", 5));
    SEE(lpvmerr("", -99));
    SEE(lpvmerr(long_name, PvmBadParam));
    SEE(pvm_errno);
    SEE(pvm_setopt(PvmAutoErr, 0));
    SEE(lpvmerr("somewhere", PvmNoMem));
    SEE(pvm_errno);
    SEE(pvm_setopt(PvmAutoErr, 1));
    SEE(pvmgetclock(&clock));
    SEE(clock.tv_sec > 1700000000);
    SEE(pvmsleep(0));
}

static void interrupted(int signal)
{
    (void)signal;
}

/* The child interrupts the sleep until it is told of. */
static void sleep_see(void)
{
    struct sigaction action = {.sa_handler = interrupted};
    pid_t parent = getpid(), child;

    sigaction(SIGUSR1, &action, NULL);
    child = fork();
    if (child == 0)
        for (;;) {
            kill(parent, SIGUSR1);
            usleep(1000);
        }
    SEE(pvmsleep(3600) > 3000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void exports_see(void)
{
    static char *add[] = {"ONE", "TWO", "ONE", "", "THREE", "TW", "A:B", "B"};
    static char *drop[] = {"TWO", "unknown", "", "A", "ONE", "TW", "THREE", "B", "B"};

    AREA("exports");
    unsetenv("PVM_EXPORT");
    SEE(pvm_unexport("ONE"));
    SEE(getenv("PVM_EXPORT") != NULL);
    SEE(pvm_export(""));
    SEE(getenv("PVM_EXPORT") != NULL);
    for (size_t i = 0; i < sizeof add / sizeof *add; i++)
        printf("export '%s': %d, %s\n", add[i], pvm_export(add[i]), getenv("PVM_EXPORT"));
    for (size_t i = 0; i < sizeof drop / sizeof *drop; i++)
        printf("unexport '%s': %d, %s\n", drop[i], pvm_unexport(drop[i]), getenv("PVM_EXPORT"));
    setenv("PVM_EXPORT", "::x::y:", 1);
    printf("export z: %d, %s\n", pvm_export("z"), getenv("PVM_EXPORT"));
    printf("unexport x: %d, %s\n", pvm_unexport("x"), getenv("PVM_EXPORT"));
    printf("unexport z: %d, %s\n", pvm_unexport("z"), getenv("PVM_EXPORT"));
    unsetenv("PVM_EXPORT");
}

static void leaving_see(void)
{
    AREA("leaving without a word");
    SEE(pvmmytid);
    pvmdisplaymhfinfo("helpers", "at first", pvmmytid);
    i_dump(0);
    i_dump(1);
    SEE(pvm_delmhf(3));
    SEE(pvm_addmhf(1, 2, 3, (int (*)(int))pvm_freebuf));
    pvmdisplaymhfinfo("helpers", "after some changes", 5);
    SEE(pvmendtask());
    SEE(pvmmytid);
    SEE(pvmendtask());
}

int main(void)
{
    observe();
    AREA("long names");
    long_name_see(112);
    long_name_see(113);
    names_see();
    numbers_see();
    environment_see();
    tags_see();
    errors_see();
    sleep_see();
    exports_see();
    leaving_see();
    return 0;
}
