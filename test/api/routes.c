/* Direct routes: when there is one, what tells of them, and how they end.
 *
 * Started with an argument, the program is the peer: it takes the option PvmRoute from there,
 * answers each message with its tag plus one, and ends at tag LAST.
 */
#include "observe.h"
#include <pvm3.h>
#include <stdbool.h>
#include <string.h>

enum { LAST = 99, ADDED = 50, DELETED = 60, REPORT = 70 };

static int me;

/* The peer. */

/*
 * Counts and tells the notices of routes that have come; the first of them says which task it is.
 */
static void peer_report(int parent)
{
    int tid, descriptor, count = 0, of_parent = 0;

    while (pvm_nrecv(-1, ADDED) > 0) {
        pvm_upkint(&tid, 1, 1);
        pvm_upkint(&descriptor, 1, 1);
        count++;
        of_parent += tid == parent;
    }
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&count, 1, 1);
    pvm_pkint(&of_parent, 1, 1);
    pvm_send(parent, REPORT);
}

static int peer(int route)
{
    int tag = 0;

    pvm_setopt(PvmRoute, route); /* before the task is one whom others can ask for a route */
    int parent = pvm_parent();
    pvm_notify(PvmRouteAdd, ADDED, -1, NULL);
    while (tag != LAST) {
        pvm_bufinfo(pvm_recv(parent, -1), NULL, &tag, NULL);
        pvm_initsend(PvmDataDefault);
        pvm_send(parent, tag + 1);
        if (tag == REPORT)
            peer_report(parent);
    }
    pvm_exit();
    return 0;
}

static int peer_start(const char *route)
{
    char option[2], *arguments[] = {option, NULL};
    int tid = 0;

    snprintf(option, sizeof option, "%s", route);
    if (pvm_spawn("routes", arguments, PvmTaskDefault, "", 1, &tid) != 1)
        printf("the peer cannot be started: %d\n", tid);
    return tid;
}

static void peer_ask(int tid, int tag)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, tag);
    pvm_recv(tid, tag + 1);
}

static int descriptors(void)
{
    int *list;
    return pvm_getfds(&list);
}

/* The pvmd's word of the end may come before the end of the route is seen. */
static void peer_end(int tid, int routes_left)
{
    pvm_notify(PvmTaskExit, 1, 1, &tid);
    peer_ask(tid, LAST);
    pvm_recv(-1, 1);
    while (descriptors() > 1 + routes_left)
        pvm_probe(-1, 1);
}

/* What is seen. */

/* The next notice with the tag: from whom, of whom, and with which descriptor. */
static void notice_see(const char *what, int tag, int peer, bool wait)
{
    int *list, source = 0, tid = 0, descriptor = -2;
    int buffer = wait ? pvm_recv(-1, tag) : pvm_nrecv(-1, tag);

    if (buffer == 0) {
        printf("%s: none\n", what);
        return;
    }
    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_upkint(&tid, 1, 1);
    pvm_upkint(&descriptor, 1, 1);
    int count = pvm_getfds(&list);
    printf("%s: from %s of %s, descriptor %s\n", what, source == me ? "myself" : "another",
           tid == peer ? "the peer" : "another",
           descriptor == -1                             ? "-1"
           : count > 1 && descriptor == list[count - 1] ? "the last of the list"
                                                        : "another");
}

static void see_refused(void)
{
    int tid = me + 5, bad = -3;

    AREA("refused");
    SEE(pvm_notify(PvmRouteAdd, -1, -1, NULL));
    SEE(pvm_notify(PvmRouteDelete, -1, 1, &tid));
    SEE(pvm_notify(PvmRouteDelete, DELETED, 0, &tid));
    SEE(pvm_notify(PvmRouteDelete, DELETED, -1, &tid));
    SEE(pvm_notify(PvmRouteDelete, DELETED, 1, &bad));
    SEE(pvm_notify(PvmRouteAdd | PvmNotifyCancel, ADDED, 1, NULL));
    SEE(pvm_notify(PvmRouteDelete | PvmNotifyCancel, DELETED, 1, &tid));
    notice_see("after cancelling what was not asked for", DELETED, tid, false);
}

static void see_asked_for(void)
{
    int tid = peer_start("2"), other = me + 1000, bytes = 0;

    AREA("a route that is asked for");
    SEE(pvm_getopt(PvmRoute));
    for (int i = 0; i < 20; i++)
        peer_ask(tid, 10);
    SEE(descriptors());
    SEE(pvm_notify(PvmRouteAdd, ADDED, -1, NULL));
    SEE(pvm_setopt(PvmRoute, PvmRouteDirect));
    peer_ask(tid, 10);
    SEE(descriptors());
    notice_see("the first notice", ADDED, tid, false);
    notice_see("another notice", ADDED, tid, false);
    pvm_notify(PvmRouteDelete, DELETED, 1, &other);
    pvm_bufinfo(pvm_recv(-1, DELETED), &bytes, NULL, NULL);
    SEE(bytes);
    SEE(pvm_notify(PvmRouteDelete, DELETED, 1, &other));
    notice_see("where there is no route", DELETED, other, true);
    SEE(pvm_notify(PvmRouteDelete, DELETED, 1, &tid));
    notice_see("while the route is open", DELETED, tid, false);
    SEE(pvm_setopt(PvmRoute, PvmDontRoute));
    peer_ask(tid, 12);
    SEE(descriptors());
    peer_end(tid, 0);
    notice_see("when the peer has ended", DELETED, tid, true);
    SEE(descriptors());
    notice_see("once more", DELETED, tid, false);
    SEE(pvm_notify(PvmRouteAdd, ADDED, 0, NULL));
    SEE(pvm_setopt(PvmRoute, PvmAllowDirect));
}

static void see_counted(void)
{
    int first = peer_start("2"), second = peer_start("2"), third = peer_start("2");

    AREA("a counted number of notices");
    SEE(pvm_setopt(PvmRoute, PvmRouteDirect));
    SEE(pvm_notify(PvmRouteAdd, ADDED, 2, NULL));
    peer_ask(first, 10);
    peer_ask(second, 10);
    peer_ask(third, 10);
    SEE(descriptors());
    notice_see("the first", ADDED, first, false);
    notice_see("the second", ADDED, second, false);
    notice_see("the third", ADDED, third, false);
    SEE(pvm_notify(PvmRouteDelete, DELETED, 1, &first));
    SEE(pvm_notify(PvmRouteDelete | PvmNotifyCancel, DELETED, 1, &first));
    notice_see("a cancelled one", DELETED, first, false);
    peer_end(first, 2);
    notice_see("a cancelled one, at the end", DELETED, first, false);
    peer_end(second, 1);
    peer_end(third, 0);
    SEE(descriptors());
    SEE(pvm_setopt(PvmRoute, PvmAllowDirect));
}

static void see_granted(void)
{
    int tid = peer_start("3"), count = 0, of_me = 0;

    AREA("a route that the peer asks for");
    SEE(pvm_notify(PvmRouteAdd, ADDED, -1, NULL));
    peer_ask(tid, 10);
    peer_ask(tid, 10);
    SEE(descriptors());
    notice_see("the first notice", ADDED, tid, false);
    notice_see("the second notice", ADDED, tid, false);
    notice_see("the third notice", ADDED, tid, false);
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, REPORT);
    pvm_recv(tid, REPORT + 1);
    pvm_recv(tid, REPORT);
    pvm_upkint(&count, 1, 1);
    pvm_upkint(&of_me, 1, 1);
    printf("the peer had %d notices, %d of me\n", count, of_me);
    peer_end(tid, 0);
    SEE(descriptors());
    SEE(pvm_notify(PvmRouteAdd, ADDED, 0, NULL));
}

static void see_denied(void)
{
    int tid = peer_start("1");

    AREA("a route that is denied");
    SEE(pvm_notify(PvmRouteAdd, ADDED, -1, NULL));
    SEE(pvm_setopt(PvmRoute, PvmRouteDirect));
    peer_ask(tid, 10);
    peer_ask(tid, 12);
    SEE(descriptors());
    notice_see("a notice", ADDED, tid, false);
    peer_end(tid, 0);
    SEE(pvm_setopt(PvmRoute, PvmDontRoute));
    tid = peer_start("3");
    peer_ask(tid, 10);
    SEE(descriptors());
    notice_see("a notice, having denied", ADDED, tid, false);
    peer_end(tid, 0);
    SEE(pvm_notify(PvmRouteAdd, ADDED, 0, NULL));
    SEE(pvm_setopt(PvmRoute, PvmAllowDirect));
}

static void see_calls(void)
{
    int tid = peer_start("2"), absent = me + 2000, item = 7, tids[3], tag = 0;

    AREA("calls that ask for routes, and calls that do not");
    tids[0] = tid;
    tids[1] = me;
    tids[2] = absent;
    SEE(pvm_setopt(PvmRoute, PvmRouteDirect));
    pvm_initsend(PvmDataRaw);
    SEE(pvm_mcast(tids, 3, 10));
    pvm_recv(tid, 11);
    SEE(descriptors());
    SEE(pvm_send(me, 20));
    pvm_bufinfo(pvm_recv(me, -1), NULL, &tag, NULL);
    SEE(tag);
    SEE(descriptors());
    SEE(pvm_send(absent, 20));
    SEE(descriptors());
    SEE(pvm_psend(tid, 12, &item, 1, PVM_INT));
    pvm_recv(tid, 13);
    SEE(descriptors());
    pvm_initsend(PvmDataRaw);
    SEE(pvm_mcast(tids, 3, 14));
    pvm_recv(tid, 15);
    peer_end(tid, 0);
    SEE(pvm_send(tid, 16));
    SEE(descriptors());
    SEE(pvm_setopt(PvmRoute, PvmAllowDirect));
}

/* The length of a notice, before and after what may be done with its buffer. */
static int notice_come(int absent)
{
    pvm_notify(PvmRouteDelete, DELETED, 1, &absent);
    return pvm_recv(-1, DELETED);
}

static void see_lengths(void)
{
    int absent = me + 3000, bytes = -1, values[2], buffer;

    AREA("the length of a notice");
    SEE(length_of(buffer = notice_come(absent)));
    SEE(first_int() == absent);
    SEE(length_of(buffer));
    SEE(pvm_setsbuf(buffer) > 0);
    SEE(length_of(buffer));
    SEE(pvm_send(me, 30));
    SEE(length_of(pvm_recv(me, 30)));
    SEE(first_int() == absent);
    SEE(first_int());
    pvm_freebuf(pvm_setsbuf(0));
    pvm_setsbuf(notice_come(absent));
    SEE(pvm_send(me, 30));
    SEE(length_of(pvm_recv(me, 30)));
    pvm_freebuf(pvm_setsbuf(0));
    SEE(pvm_notify(PvmRouteDelete, DELETED, 1, &absent));
    SEE(pvm_precv(-1, DELETED, values, 2, PVM_INT, NULL, NULL, &bytes));
    SEE(bytes);
    SEE(pvm_notify(PvmRouteDelete, DELETED, 1, &absent));
    SEE(length_of(pvm_probe(-1, DELETED)));
    SEE(length_of(pvm_recv(-1, DELETED)));
    pvm_initsend(PvmDataRaw);
    SEE(pvm_pkmesg(notice_come(absent)));
    SEE(length_of(pvm_getsbuf()));
}

static int handled;

static int handle(int buffer)
{
    handled += length_of(buffer) == 0 && first_int() > 0;
    return 0;
}

static void see_handled(void)
{
    int tid = peer_start("2");
    int added = pvm_addmhf(me, ADDED, 0, handle), deleted = pvm_addmhf(-1, DELETED, 0, handle);

    AREA("notices for message handlers");
    SEE(added > 0 && deleted > 0);
    pvm_notify(PvmRouteAdd, ADDED, -1, NULL);
    pvm_setopt(PvmRoute, PvmRouteDirect);
    peer_ask(tid, 10);
    SEE(handled);
    pvm_notify(PvmRouteDelete, DELETED, 1, &tid);
    peer_end(tid, 0);
    SEE(handled);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return peer(atoi(argv[1]));
    observe();
    me = pvm_mytid();
    see_refused();
    see_asked_for();
    see_counted();
    see_granted();
    see_denied();
    see_calls();
    see_lengths();
    see_handled();
    SEE(pvm_exit());
    SEE(descriptors() > 0);
    pvm_setopt(PvmAutoErr, 0); /* 3.4.6 stumbles over the handlers of the life before */
    pvm_exit();
    return 0;
}
