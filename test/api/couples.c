/*
 * What each of the calls about buffers and messages does after each other one: both results, which
 * buffers are active then, and what is in them.
 */
#include "observe.h"
#include <stdbool.h>

enum { OTHER = 77, UNKNOWN = 4321 }; /* a context, a buffer */

static int me, kept, value;

static int received_directly(void)
{
    int got = -1, length = -1, result;

    if (pvm_probe(-1, -1) <= 0)
        return 0;
    result = pvm_precv(-1, -1, &got, 1, PVM_INT, NULL, NULL, &length);
    return result < 0 ? result : (int)(100u * (unsigned)got + (unsigned)length); /* any int may come */
}

static int begun(void)
{
    return pvm_initsend(PvmDataDefault) > 0;
}

static int begun_raw(void)
{
    return pvm_initsend(PvmDataRaw) > 0;
}

static int begun_wrongly(void)
{
    return pvm_initsend(9);
}

static int packed(void)
{
    value++;
    return pvm_pkint(&value, 1, 1);
}

static int sent(void)
{
    return pvm_send(me, 12);
}

static int sent_directly(void)
{
    return pvm_psend(me, 12, &value, 1, PVM_INT);
}

static int sent_to_all(void)
{
    return pvm_mcast(&me, 1, 12);
}

static int sent_to_nobody(void)
{
    return pvm_send(-5, 12);
}

static int taken(void)
{
    return tag_of(pvm_nrecv(-1, -1));
}

static int taken_of_none(void)
{
    return pvm_nrecv(-1, 99);
}

static int found(void)
{
    return tag_of(pvm_probe(-1, -1));
}

static int send_freed(void)
{
    return pvm_freebuf(pvm_getsbuf());
}

static int receive_freed(void)
{
    return pvm_freebuf(pvm_getrbuf());
}

static int send_cleared(void)
{
    return pvm_setsbuf(0) > 0;
}

static int receive_cleared(void)
{
    return pvm_setrbuf(0) > 0;
}

static int forwarded(void)
{
    return pvm_setsbuf(pvm_getrbuf()) > 0;
}

/* 3.4.6 has no length of what is no longer packed unless it was asked before: extents.c. */
static int looked_into(void)
{
    length_of(pvm_getsbuf());
    return pvm_setrbuf(pvm_getsbuf()) > 0;
}

static int kept_for_sending(void)
{
    return pvm_setsbuf(kept) > 0;
}

static int kept_for_receiving(void)
{
    length_of(kept);
    return pvm_setrbuf(kept) > 0;
}

static int kept_freed(void)
{
    return pvm_freebuf(kept);
}

static int received_packed(void)
{
    return pvm_pkmesg(pvm_getrbuf());
}

static int received_appended(void)
{
    return pvm_pkmesgbody(pvm_getrbuf());
}

static int unpacked_message(void)
{
    int buffer = pvm_upkmesg();

    return buffer < 0 ? buffer : 1;
}

static int other_context(void)
{
    return pvm_setcontext(pvm_getcontext() ? 0 : OTHER);
}

static int other_fragment(void)
{
    return pvm_setopt(PvmFragSize, 4096) > 0;
}

static int left(void)
{
    int result = pvm_exit();

    me = pvm_mytid();
    return result;
}

static const struct {
    const char *name;
    int (*call)(void);
    char frees; /* 's', 'r', 'k': the active send or receive buffer, or the kept one */
} calls[] = {{"initsend", begun, 's'},
             {"initsend(raw)", begun_raw, 's'},
             {"initsend(9)", begun_wrongly, 0},
             {"pkint", packed, 0},
             {"send", sent, 0},
             {"psend", sent_directly, 0},
             {"mcast", sent_to_all, 0},
             {"send(-5)", sent_to_nobody, 0},
             {"nrecv", taken, 'r'},
             {"nrecv(99)", taken_of_none, 'r'},
             {"precv", received_directly, 0},
             {"probe", found, 0},
             {"upkint", first_int, 0},
             {"freebuf(getsbuf)", send_freed, 's'},
             {"freebuf(getrbuf)", receive_freed, 'r'},
             {"setsbuf(0)", send_cleared, 0},
             {"setrbuf(0)", receive_cleared, 0},
             {"setsbuf(getrbuf)", forwarded, 0},
             {"setrbuf(getsbuf)", looked_into, 0},
             {"setsbuf(kept)", kept_for_sending, 0},
             {"setrbuf(kept)", kept_for_receiving, 0},
             {"freebuf(kept)", kept_freed, 'k'},
             {"pkmesg(getrbuf)", received_packed, 0},
             {"pkmesgbody(getrbuf)", received_appended, 0},
             {"upkmesg", unpacked_message, 0},
             {"setcontext", other_context, 0},
             {"setopt(PvmFragSize)", other_fragment, 0},
             {"exit", left, 0}};

enum { CALLS = sizeof calls / sizeof *calls };

enum { LAST = 98 };

/* Takes all messages of the context up to one that is sent for that; tells of them. */
static void drain(bool tell)
{
    int tag, send = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));

    pvm_send(me, LAST);
    pvm_freebuf(pvm_setsbuf(send));
    while ((tag = tag_of(pvm_recv(-1, -1))) != LAST)
        if (tell)
            printf(" %d=%d", tag, first_int());
}

static void send_three(int tag)
{
    pvm_initsend(PvmDataDefault);
    for (int i = 0; i < 3; i++) {
        value = 10 * tag + i;
        pvm_pkint(&value, 1, 1);
    }
    pvm_send(me, tag);
}

/* A kept buffer, one received and unpacked in part, one packed in part, and messages waiting. */
static void prepare(void)
{
    pvm_setcontext(OTHER);
    drain(false);
    pvm_setcontext(0);
    drain(false);
    pvm_freebuf(pvm_setrbuf(0));
    pvm_freebuf(pvm_setsbuf(0));
    kept = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(kept);
    for (value = 1; value < 4; value++)
        pvm_pkint(&value, 1, 1);
    pvm_setsbuf(0);
    for (int tag = 10; tag < 14; tag++)
        send_three(tag);
    pvm_recv(me, 10);
    first_int();
    pvm_initsend(PvmDataDefault);
    value = 50;
    pvm_pkint(&value, 1, 1);
    while (pvm_probe(me, 13) <= 0)
        continue;
}

static const char *state_of(int buffer)
{
    return buffer == 0 ? "none" : buffer == kept ? "kept" : "one";
}

/* Makes a call; an id that it frees may soon be another buffer's. */
static int made(int number)
{
    char frees = calls[number].frees;
    bool gone = frees == 'k' || (frees == 's' && pvm_getsbuf() == kept) ||
                (frees == 'r' && pvm_getrbuf() == kept);
    int result = calls[number].call();

    if (gone)
        kept = UNKNOWN;
    return result;
}

static void pair_see(int first, int second)
{
    prepare();
    printf("%s, then %s: ", calls[first].name, calls[second].name);
    printf("%d, ", made(first));
    printf("%d; ", made(second));
    int send = pvm_getsbuf(), receive = pvm_getrbuf();
    printf("%s of %d to send, %s of %d received", state_of(send), length_of(send),
           state_of(receive), length_of(receive));
    printf(", unpacks %d", first_int());
    value = 70;
    printf(", packs %d to %d", pvm_pkint(&value, 1, 1), length_of(pvm_getsbuf()));
    printf(", sends %d; in:", pvm_send(me, 15));
    receive = pvm_setrbuf(0);
    drain(true);
    printf("\n");
    pvm_freebuf(receive);
    if (receive != kept && kept != UNKNOWN)
        pvm_freebuf(kept);
}

int main(void)
{
    observe();
    pvm_setopt(PvmAutoErr, 0);
    me = pvm_mytid();
    for (int first = 0; first < CALLS; first++)
        for (int second = 0; second < CALLS; second++)
            pair_see(first, second);
    pvm_exit();
    return 0;
}
