/* A hoster: what the pvmd asks it to start, and what becomes of each of its answers.
 *
 * The pvmd runs on 127.0.0.2 (ARGUMENTS in test_observations.py). The hoster starts nothing. It has
 * another task add hosts, and answers in every way but with a daemon.
 */
#include "observe.h"
#include <pvm3.h>
#include <pvmproto.h>
#include <stdlib.h>
#include <string.h>

enum { ADD = 1, ADDED, READY, MOST_HOSTS = 8 };

/* The other task: adds the hosts that it is told, and tells the results. */
static void add(void)
{
    int parent = pvm_parent();

    for (;;) {
        char text[MOST_HOSTS][200], *hosts[MOST_HOSTS];
        int status[MOST_HOSTS], count;

        pvm_recv(parent, ADD);
        pvm_upkint(&count, 1, 1);
        if (count == 0)
            break;
        for (int i = 0; i < count; i++) {
            pvm_upkstr(text[i]);
            hosts[i] = text[i];
            status[i] = 99;
        }
        int result = pvm_addhosts(hosts, count, status);
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&result, 1, 1);
        pvm_pkint(status, count, 1);
        pvm_send(parent, ADDED);
    }
    pvm_exit();
}

static void order(int adder, char **hosts, int count)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&count, 1, 1);
    for (int i = 0; i < count; i++)
        pvm_pkstr(hosts[i]);
    pvm_send(adder, ADD);
}

/* Shows the answer that the adder got. */
static void results_see(int adder, int count)
{
    int result, status[MOST_HOSTS];

    pvm_recv(adder, ADDED);
    pvm_upkint(&result, 1, 1);
    pvm_upkint(status, count, 1);
    printf("added: %d:", result);
    for (int i = 0; i < count; i++)
        printf(" %d", status[i]);
    printf("\n");
}

/* The port of the pvmd and the id of the machine are different each time. */
static void text_see(char *text)
{
    static const char address[] = " 7f000002:";
    char *port = strstr(text, address);

    if (port)
        memcpy(port + sizeof address - 1, "port", 4);
    printf(" '%s'", strcmp(text, getenv("PVM_VMID")) == 0 ? "<machine>" : text);
}

/* Receives what is to be started: the tids, and its wait id. Returns how many. */
static int request(int *tids, int *wait)
{
    char text[512];
    struct pvmminfo info;
    int count, source, buffer = pvm_recv(-1, SM_STHOST);

    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_getminfo(buffer, &info);
    pvm_upkint(&count, 1, 1);
    printf("asked by %x in context %x to start %d, with a wait id: %d\n", (unsigned)source,
           (unsigned)info.ctx, count, info.wid > 0);
    for (int i = 0; i < count; i++) {
        pvm_upkint(&tids[i], 1, 1);
        printf("  %x", (unsigned)tids[i]);
        for (int field = 0; field < 5; field++) {
            pvm_upkstr(text);
            text_see(text);
        }
        printf("\n");
    }
    SEE(pvm_upkint(&count, 1, 1));
    *wait = info.wid;
    return count;
}

static void answer(int wait, const int *tids, char **lines, int count)
{
    struct pvmminfo info = {.wid = wait};

    pvm_initsend(PvmDataDefault);
    pvm_setminfo(pvm_getsbuf(), &info);
    pvm_pkint(&count, 1, 1);
    for (int i = 0; i < count; i++) {
        int tid = tids[i];
        pvm_pkint(&tid, 1, 1);
        pvm_pkstr(lines[i]);
    }
    pvm_send((int)0x80000000, SM_STHOSTACK);
}

/* One addition of two hosts, of which the hoster tells these lines. */
static void two(int adder, char *first, char *second)
{
    char *hosts[] = {"127.0.0.3", "127.0.0.4"}, *lines[] = {first, second};
    int tids[MOST_HOSTS], wait;

    printf("-- '%s' and '%s'\n", first, second);
    order(adder, hosts, 2);
    request(tids, &wait);
    answer(wait, tids, lines, 2);
    results_see(adder, 2);
}

static void requests_see(int adder)
{
    char *hosts[] = {"127.0.0.3",
                     "nosuch.",
                     "127.0.0.3 sp=5",
                     "127.0.0.2",
                     "127.0.0.4 bogus=1",
                     "127.0.0.5 lo=joe so=pw dx=/x/pvmd id=vm7 ep=/a wd=/b bx=/c sp=3",
                     "name.of.host ip=127.0.0.6 so=ms"};
    char *lines[] = {"PvmCantStart", "PvmDenied", "PvmNoFile"};
    int tids[MOST_HOSTS], wait;

    AREA("what is asked");
    order(adder, hosts, 7);
    int count = request(tids, &wait);
    answer(wait, tids, lines, 3);
    results_see(adder, 7);
    SEE(count);
    two(adder, "PvmOutOfRes", "PvmHostFail");
}

static void answers_see(int adder)
{
    AREA("what is answered");
    two(adder, "PvmOk", "-7");
    two(adder, "pvmdenied", "PvmDenied ");
    two(adder, "no such thing", "PvmDupHost");
    two(adder, "ddpro<2315> arch<LINUX64> ip<7f000003:0101> mtu<4080> dsig<4230209>", "-8");
    two(adder, "ddpro<x> arch<LINUX64> ip<7f000003:0101> mtu<4080> dsig<4230209>", "PvmNoEntry");
    two(adder, "ddpro<2316> arch<LINUX64> ip<7f000003:0101> mtu<4080>", "PvmDupEntry");
    two(adder, "ddpro<2316>", "ddpro<2316");
}

static void strange_answers_see(int adder)
{
    char *hosts[] = {"127.0.0.3", "127.0.0.4"}, *lines[] = {"PvmDenied", "PvmNoFile", "PvmNoMem"};
    int tids[MOST_HOSTS], wait, strange[] = {0x7fc0000, 0, 0};

    AREA("strange answers");
    order(adder, hosts, 2);
    request(tids, &wait);
    answer(wait, strange, lines, 1); /* one that was not asked for */
    results_see(adder, 2);

    order(adder, hosts, 2);
    request(tids, &wait);
    strange[0] = strange[1] = tids[0];
    strange[2] = tids[1];
    answer(wait, strange, lines, 3); /* one of them twice */
    results_see(adder, 2);

    order(adder, hosts, 2);
    request(tids, &wait);
    answer(wait + 1, tids, lines, 2); /* another wait id: no answer */
    answer(wait, tids, lines + 1, 2);
    results_see(adder, 2);
    answer(wait, tids, lines, 2); /* once more */
}

/* While an addition waits for the hoster, there is no other one. */
static void others_see(int adder)
{
    char *hosts[] = {"127.0.0.3"}, *lines[] = {"PvmDenied"};
    int tids[MOST_HOSTS], wait, status = 99;

    AREA("meanwhile");
    order(adder, hosts, 1);
    request(tids, &wait);
    SEE(pvm_addhosts(hosts, 1, &status));
    SEE(status);
    SEE(pvm_reg_hoster()); /* no hoster any more, but its answer counts */
    answer(wait, tids, lines, 1);
    SEE(pvm_reg_hoster());
    answer(wait, tids, lines, 1);
    results_see(adder, 1);
}

/* Another hoster, which ends when it is asked. */
static void end_asked(const char *how)
{
    int one = 1;

    SEE(pvm_reg_hoster());
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&one, 1, 1);
    pvm_send(pvm_parent(), READY);
    pvm_recv(-1, SM_STHOST);
    if (strcmp(how, "leave") == 0)
        pvm_exit();
    _exit(0);
}

static void end_see(char *how)
{
    char *hosts[] = {"127.0.0.3", "127.0.0.4"}, *arguments[] = {how, NULL};
    int hoster, status[] = {99, 99};

    printf("-- %s\n", how);
    SEE(pvm_spawn("hoster", arguments, PvmTaskDefault, "", 1, &hoster));
    pvm_recv(hoster, READY);
    SEE(pvm_addhosts(hosts, 2, status));
    SEE(status[0]);
}

int main(int count, char **words)
{
    char *arguments[] = {"add", NULL};
    int adder, none = 0;

    if (count > 1 && strcmp(words[1], "add") == 0)
        add();
    else if (count > 1)
        end_asked(words[1]);
    if (count > 1)
        return 0;
    observe();
    SEE(pvm_reg_hoster());
    pvm_setopt(PvmResvTids, 1);
    SEE(pvm_spawn("hoster", arguments, PvmTaskDefault, "", 1, &adder));
    requests_see(adder);
    answers_see(adder);
    strange_answers_see(adder);
    others_see(adder);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&none, 1, 1);
    pvm_send(adder, ADD);
    AREA("the end of a hoster");
    SEE(pvm_reg_hoster());
    end_see("leave");
    end_see("end");
    SEE(pvm_exit());
    return 0;
}
