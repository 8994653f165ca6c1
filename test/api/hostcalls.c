/*
 * The hosts of the machine: listing, adding and deleting in vain, states, clocks, and the own
 * pvmd.
 */
#include "observe.h"
#include <string.h>
#include <unistd.h>

extern int pvm_errno;

/* A name that cannot be one, so that no name server is asked for it. */
#define NOWHERE "a-name-of-more-than-sixty-three-letters-is-no-name-of-a-host-in-the-internet"

static char own[256];

static void tried(const char *what, int (*call)(char **, int, int *), char **hosts, int count)
{
    int status[8] = {99, 99, 99, 99, 99, 99, 99, 99};
    int result = call(hosts, count, status);

    printf("%s: %d,", what, result);
    for (int i = 0; i < count && i < 8; i++)
        printf(" %d", status[i]);
    printf("\n");
}

/*
 * Only what is refused at once: a pvmd of 3.4.6 may leave a process behind for each addition.
 */
static void adding_see(void)
{
    char *hosts[] = {NOWHERE}, *senseless[] = {"", "alpha nothing=1", NOWHERE};

    AREA("adding hosts");
    tried("none", pvm_addhosts, hosts, 0);
    tried("fewer than none", pvm_addhosts, hosts, -1);
    tried("too many", pvm_addhosts, hosts, 4096);
    tried("by the loopback address", pvm_addhosts, senseless, 3);
}

static void deleting_see(void)
{
    char *hosts[] = {NOWHERE, own, "", "localhost", "."};

    AREA("deleting hosts");
    tried("none", pvm_delhosts, hosts, 0);
    tried("fewer than none", pvm_delhosts, hosts, -1);
    tried("too many", pvm_delhosts, hosts, 4096);
    tried("an unknown one", pvm_delhosts, hosts, 1);
    tried("the own one", pvm_delhosts, hosts + 1, 1);
    tried("several", pvm_delhosts, hosts, 5);
    SEE(pvm_delhosts(hosts, 1, NULL));
}

static void listing_see(void)
{
    struct pvmhostinfo *hosts = NULL, *again = NULL;
    int count = -1, formats = -1;

    AREA("listing");
    SEE(pvm_config(&count, &formats, &hosts));
    SEE(count);
    SEE(formats);
    SEE(hosts[0].hi_tid == pvm_tidtohost(pvm_mytid()));
    SEE_TEXT("architecture", hosts[0].hi_arch);
    SEE(hosts[0].hi_speed);
    SEE(hosts[0].hi_dsig == pvm_archcode("LINUX64"));
    SEE_TEXT("still there after pvm_archcode", hosts[0].hi_arch);
    snprintf(own, sizeof own, "%s", hosts[0].hi_name);
    SEE(pvm_config(NULL, &formats, NULL));
    SEE(pvm_config(&count, NULL, &again));
    SEE(count);
    SEE(pvm_archcode("LINUX64"));
    SEE(pvm_archcode("LINUX"));
    SEE(pvm_archcode("linux64"));
    SEE(pvm_errno);
    SEE(pvm_archcode(""));
    SEE(pvm_archcode(NULL));
}

static void states_see(void)
{
    AREA("states");
    SEE(pvm_mstat(own));
    pvm_errno = 0;
    SEE(pvm_mstat(NOWHERE));
    SEE(pvm_errno);
    SEE(pvm_mstat("."));
    SEE(pvm_mstat("localhost"));
    SEE(pvm_mstat(""));
    SEE(pvm_mstat(NULL));
    AREA("parts of task ids");
    SEE(pvm_tidtohost(0));
    SEE(pvm_tidtohost(-1));
    SEE(pvm_tidtohost(0x40001));
    SEE(pvm_tidtohost(0xc1234));
    SEE(pvm_tidtohost((int)0x80040000));
    SEE(pvm_tidtohost(0x40040001));
}

static void clocks_see(void)
{
    struct timeval clock = {-1, -1}, offset = {-1, -1};
    int me = pvm_mytid();

    AREA("clocks");
    SEE(pvm_hostsync(pvm_tidtohost(me), &clock, &offset));
    SEE(clock.tv_sec > 1000000000 && clock.tv_usec >= 0 && clock.tv_usec < 1000000);
    SEE(offset.tv_usec >= 0 && offset.tv_usec < 1000000);
    SEE(offset.tv_sec >= -3600 && offset.tv_sec <= 3600);
    SEE(pvm_hostsync(me, NULL, NULL));
    SEE(pvm_hostsync(me + 9, &clock, NULL));
    SEE(pvm_hostsync(me, NULL, &offset));
    SEE(pvm_hostsync(0, &clock, &offset));
    SEE(pvm_hostsync(-1, &clock, &offset));
    SEE(pvm_hostsync(0x80000, &clock, &offset));
    SEE(pvm_hostsync((int)0x80040000, &clock, &offset));
}

static void tickles_see(void)
{
    int words[16] = {0}, answer[16], count;

    AREA("tickling");
    SEE(pvm_tickle(0, words, &count, answer));
    SEE(pvm_tickle(11, words, &count, answer));
    SEE(pvm_tickle(-1, words, &count, answer));
    words[0] = 77;
    count = -1;
    SEE(pvm_tickle(1, words, &count, answer));
    SEE(count);
    SEE(pvm_tickle(10, words, &count, answer));
    SEE(count);
    SEE(pvm_tickle(1, words, NULL, NULL));
    words[0] = -1;
    SEE(pvm_tickle(1, words, &count, NULL));
    SEE(count);
    SEE((words[0] = 5, pvm_tickle(1, words, &count, answer)));
    SEE(count);
    SEE(count > 0 ? answer[0] : -1);
    words[1] = 0;
    SEE((words[0] = 6, pvm_tickle(2, words, &count, answer)));
    SEE(count);
}

static void starting_see(void)
{
    char *arguments[] = {"-x", NULL};

    AREA("starting a pvmd where one runs");
    SEE(pvm_start_pvmd(0, NULL, 0));
    SEE(pvm_start_pvmd(1, arguments, 1));
    SEE(pvm_start_pvmd(-1, arguments, 0));
}

int main(void)
{
    observe();
    pvm_mytid();
    listing_see();
    states_see();
    adding_see();
    deleting_see();
    clocks_see();
    tickles_see();
    starting_see();
    SEE(pvm_exit());
    starting_see();
    return 0;
}
