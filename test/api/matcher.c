/* pvm_recvf: what the matcher sees, and what its answers do in each of the calls that receive. */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

enum { SYNC_TAG = 9999 };

/* What the matcher of the moment does, and the tags that it was shown. */
static enum { BY_TAG, RANK, VALUE, LOOK, LEAVE_ACTIVE, SEND } manner;
static int answer;
static char shown[400];
static int me;

static int matcher(int buffer, int tid, int tag)
{
    int length = -1, message_tag = -1, source = -1, value = -1, before, status;
    struct pvmminfo info;

    (void)tid;
    pvm_bufinfo(buffer, &length, &message_tag, &source);
    pvm_getminfo(buffer, &info);
    sprintf(shown + strlen(shown), " %d(context %d)", message_tag, info.ctx);
    switch (manner) {
    case BY_TAG:
        return message_tag == tag;
    case RANK:
        return message_tag;
    case VALUE:
        return answer;
    case LOOK:
        before = pvm_setrbuf(buffer);
        status = pvm_upkint(&value, 1, 1);
        pvm_setrbuf(before);
        sprintf(shown + strlen(shown), "=%d/%d", value, status);
        return value == answer;
    case LEAVE_ACTIVE:
        sprintf(shown + strlen(shown), " active %d %d", pvm_getsbuf() > 0, pvm_getrbuf());
        pvm_setrbuf(buffer);
        return pvm_upkint(&value, 1, 1) == 0;
    case SEND:
        before = pvm_setsbuf(0);
        pvm_initsend(PvmDataDefault);
        pvm_send(me, 500);
        pvm_freebuf(pvm_setsbuf(before));
        return 1;
    }
    return 0;
}

static void give(int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(me, tag);
}

/* Returns when all that was given before is queued. */
static void queue_all(void)
{
    int (*before)(int, int, int) = pvm_recvf(NULL);

    give(SYNC_TAG, 0);
    pvm_recv(me, SYNC_TAG);
    pvm_recvf(before);
    shown[0] = '\0';
}

/*
 * "CALL: RESULT, tag TAG, active the same|another|none, matcher saw ...": a buffer id is shown as
 * 1.
 */
static void see_call(const char *call, int result)
{
    int tag = -1, active = pvm_getrbuf();

    if (result > 0)
        pvm_bufinfo(result, NULL, &tag, NULL);
    printf("%s: %d, tag %d, active %s, matcher saw%s\n", call, result > 0 ? 1 : result, tag,
           active == 0        ? "none"
           : active == result ? "the same"
                              : "another",
           shown);
    shown[0] = '\0';
}

static void drain(void)
{
    int (*before)(int, int, int) = pvm_recvf(NULL), context = pvm_setcontext(-1), count = 0;

    while (pvm_nrecv(-1, -1) > 0)
        count++;
    pvm_setcontext(context);
    pvm_recvf(before);
    printf("left: %d\n", count);
}

static void installing_see(void)
{
    int (*plain)(int, int, int) = pvm_recvf(matcher);

    AREA("installing");
    SEE(plain != NULL);
    SEE(pvm_recvf(matcher) == matcher);
    SEE(pvm_recvf(NULL) == matcher);
    SEE(pvm_recvf(NULL) == plain);
    SEE(pvm_recvf(plain) == plain);
    SEE(pvm_recvf(matcher) == plain);
    me = pvm_mytid();
    SEE(pvm_recvf(matcher) == matcher);
}

static void by_tag_see(void)
{
    struct timeval short_while = {0, 1000};

    AREA("0 and 1");
    manner = BY_TAG;
    give(1, 1);
    give(2, 2);
    give(3, 3);
    queue_all();
    see_call("pvm_recv 2", pvm_recv(-1, 2));
    see_call("pvm_nrecv 2", pvm_nrecv(-1, 2));
    see_call("pvm_probe 3", pvm_probe(-1, 3));
    see_call("pvm_trecv 4", pvm_trecv(-1, 4, &short_while));
    pvm_setcontext(5);
    see_call("pvm_recv 3 in another context", pvm_recv(-1, 3));
    pvm_setcontext(PvmBaseContext);
    drain();
}

static void rank_see(void)
{
    int value = 0, buffer, again;

    AREA("ranks");
    manner = RANK;
    give(2, 1);
    give(5, 2);
    give(3, 3);
    queue_all();
    see_call("pvm_recv", pvm_recv(-1, -1));
    see_call("pvm_nrecv", pvm_nrecv(-1, -1));
    buffer = pvm_probe(-1, -1);
    again = pvm_probe(-1, -1);
    SEE(buffer == again);
    see_call("pvm_probe", again);
    see_call("pvm_recv", pvm_recv(-1, -1));
    give(0, 1);
    give(1, 2);
    give(7, 3);
    queue_all();
    see_call("1 ends the search", pvm_recv(-1, -1));
    drain();
    give(4, 1);
    give(4, 2);
    queue_all();
    pvm_recv(-1, -1);
    pvm_upkint(&value, 1, 1);
    printf("of equals, the %d\n", value);
    drain();
}

static void errors_see(void)
{
    int item = -1, source = -1, tag = -1, length = -1;
    struct timeval short_while = {0, 1000};

    AREA("negative answers");
    manner = VALUE;
    answer = PvmNoFile;
    see_call("pvm_nrecv of nothing", pvm_nrecv(-1, 1));
    give(1, 1);
    queue_all();
    see_call("pvm_recv", pvm_recv(-1, 1));
    see_call("pvm_nrecv", pvm_nrecv(-1, 1));
    see_call("pvm_probe", pvm_probe(-1, 1));
    see_call("pvm_trecv", pvm_trecv(-1, 1, &short_while));
    see_call("pvm_precv", pvm_precv(-1, 1, &item, 1, PVM_INT, &source, &tag, &length));
    printf("%d %d %d %d\n", item, source, tag, length);
    answer = -77;
    see_call("no error code", pvm_recv(-1, 1));
    answer = 0;
    see_call("pvm_nrecv", pvm_nrecv(-1, 1));
    see_call("pvm_trecv", pvm_trecv(-1, 1, &short_while));
    answer = 1;
    SEE(pvm_precv(-1, 1, &item, 1, PVM_INT, &source, &tag, &length));
    printf("%d %d %d %d\n", item, source == me, tag, length);
    drain();
}

static void calling_see(void)
{
    int value = -5, send;
    struct timeval long_while = {60, 0};

    AREA("calls of the matcher");
    manner = LOOK;
    answer = 3;
    give(1, 1);
    give(1, 2);
    give(1, 3);
    queue_all();
    see_call("unpacking", pvm_recv(-1, 1));
    SEE((pvm_upkint(&value, 1, 1), value));
    drain();
    manner = LEAVE_ACTIVE;
    send = pvm_initsend(PvmDataDefault);
    give(1, 7);
    queue_all();
    send = pvm_initsend(PvmDataDefault);
    see_call("leaving it active", pvm_recv(-1, 1));
    SEE(pvm_getsbuf() == send);
    SEE((pvm_upkint(&value, 1, 1), value));
    drain();
    manner = SEND;
    give(1, 1);
    queue_all();
    see_call("sending", pvm_recv(-1, 1));
    manner = BY_TAG;
    see_call("what it sent", pvm_trecv(-1, 500, &long_while));
    drain();
}

static void plain_see(void)
{
    int (*plain)(int, int, int), buffer;

    AREA("the matcher that is there without one");
    pvm_recvf(NULL);
    plain = pvm_recvf(NULL);
    give(1, 1);
    pvm_setcontext(7);
    give(2, 2);
    pvm_setcontext(PvmBaseContext);
    queue_all();
    buffer = pvm_probe(me, 1);
    SEE(plain(buffer, -1, -1));
    SEE(plain(buffer, me, 1));
    SEE(plain(buffer, -1, 1));
    SEE(plain(buffer, me, 2));
    SEE(plain(buffer, me + 1, 1));
    SEE(plain(buffer, -2, 1));
    SEE(plain(0, -1, -1));
    SEE(plain(4321, -1, -1));
    pvm_setcontext(7);
    SEE(plain(buffer, -1, -1));
    buffer = pvm_probe(me, 2);
    SEE(plain(buffer, -1, -1));
    pvm_setcontext(PvmBaseContext);
    SEE(plain(buffer, -1, -1));
    pvm_setcontext(-1);
    SEE(plain(buffer, -1, -1));
    pvm_setcontext(PvmBaseContext);
    drain();
}

/* Only receives ask the matcher; requests to the pvmd and what they answer do not concern it. */
static void requests_see(void)
{
    char *arguments[] = {"siblings", "5", NULL};
    int child = 0, data = 0;

    AREA("requests");
    pvm_recvf(matcher);
    manner = VALUE;
    answer = PvmNoFile;
    give(1, 1);
    queue_all();
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &child));
    SEE(pvm_config(NULL, NULL, NULL));
    SEE(pvm_insert("matcher", 0, 3));
    SEE(pvm_lookup("matcher", 0, &data));
    SEE(pvm_delete("matcher", 0));
    SEE_TEXT("matcher saw", shown);
    manner = BY_TAG;
    SEE(pvm_recv(child, 5) > 0);
    drain();
}

int main(void)
{
    observe();
    installing_see();
    by_tag_see();
    rank_see();
    errors_see();
    calling_see();
    plain_see();
    requests_see();
    pvm_exit();
    AREA("after pvm_exit");
    SEE(pvm_recvf(NULL) == matcher);
    return 0;
}
