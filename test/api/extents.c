/* Which length a buffer has, as it is packed, sent, unpacked and packed again. */
#include "observe.h"

static int me;

static int told_length(int buffer)
{
    struct pvmminfo info = {0};
    int bytes = -1, result = pvm_bufinfo(buffer, &bytes, NULL, NULL);

    pvm_getminfo(buffer, &info);
    return result < 0 ? result : info.len == bytes ? bytes : -1000 - info.len;
}

static void life_see(int encoding)
{
    static int values[3];
    struct pvmminfo info = {0};
    int buffer = pvm_mkbuf(encoding), other;

    AREA("a buffer of the own");
    printf("encoding %d\n", encoding);
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(pvm_pkint(values, 3, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(first_int());
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_pkint(values, 1, 1));
    SEE(told_length(buffer));
    SEE(pvm_send(me, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(0) == buffer);
    SEE(told_length(buffer));
    SEE(pvm_setminfo(buffer, &info));
    SEE(told_length(buffer));
    SEE(pvm_recv(me, 1) > 0);
    AREA("a received one");
    buffer = pvm_getrbuf();
    SEE(told_length(buffer));
    SEE(first_int());
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_pkint(values, 2, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_send(me, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(0) == buffer);
    AREA("one in another");
    pvm_initsend(encoding);
    SEE(pvm_pkmesg(buffer));
    SEE(told_length(buffer));
    other = pvm_getsbuf();
    SEE(pvm_setrbuf(other));
    SEE((buffer = pvm_upkmesg()) > 0);
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_pkint(values, 2, 1));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer) > 0);
    SEE(told_length(buffer));
    pvm_freebuf(other);
    pvm_freebuf(pvm_setrbuf(0));
    while (pvm_recv(me, 1) < 0)
        continue;
    pvm_freebuf(pvm_setrbuf(0));
}

static void unasked_see(void)
{
    int value = 5, buffer = pvm_initsend(PvmDataRaw);

    AREA("nobody has asked before");
    SEE(pvm_pkint(&value, 1, 1));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(first_int());
    SEE(told_length(buffer));
    SEE(pvm_setsbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_setrbuf(buffer));
    SEE(told_length(buffer));
    SEE(pvm_freebuf(buffer));
}

enum { FRAGMENT = 4096, MOST = 4000 };

/* Bytes by which a message is longer within another one: each fragment has its length there. */
static int wrapping(int buffer)
{
    int outer = pvm_mkbuf(PvmDataRaw), before = pvm_setsbuf(outer);

    pvm_pkmesg(buffer);
    pvm_setsbuf(before);
    int longer = length_of(outer) - length_of(buffer);
    pvm_freebuf(outer);
    return longer;
}

static int numbers[MOST];

/* A message of so many numbers that has come. */
static int received(int encoding, int count)
{
    pvm_setsbuf(pvm_mkbuf(encoding));
    pvm_pkint(numbers, count, 1);
    pvm_send(me, 1);
    pvm_freebuf(pvm_setsbuf(0));
    pvm_recv(me, 1);
    return pvm_setrbuf(0);
}

/* The numbers of a message, as runs of ones that rise. */
static void runs_see(int buffer)
{
    int first = 0, last = 0, count = 0, number;

    pvm_setrbuf(buffer);
    while (pvm_upkint(&number, 1, 1) == 0) {
        if (count == 0 || number != last + 1) {
            if (count > 0)
                printf("%d to %d, ", first, last);
            first = number;
        }
        last = number;
        count++;
    }
    printf("%d to %d: %d numbers\n", first, last, count);
    pvm_freebuf(pvm_setrbuf(0));
}

/* `more` numbers behind those that came, one by one; told is when a fragment begins. */
static void grown_see(const char *what, int buffer, int more)
{
    int longer = wrapping(buffer);

    printf("%s of %d bytes: %d longer", what, length_of(buffer), longer);
    pvm_setsbuf(buffer);
    for (int i = 0; i < more; i++) {
        pvm_pkint(&numbers[i], 1, 1);
        int now = wrapping(buffer);
        if (now != longer)
            printf(", %d with the %dth", now, i + 1);
        longer = now;
    }
    pvm_setsbuf(0);
    printf(", then %d bytes\n", length_of(buffer));
    pvm_freebuf(buffer);
}

static int unpacked_from_another(int count)
{
    int inner = pvm_mkbuf(PvmDataRaw), outer = pvm_mkbuf(PvmDataRaw);

    pvm_setsbuf(inner);
    pvm_pkint(numbers, count, 1);
    pvm_setsbuf(outer);
    pvm_pkmesg(inner);
    pvm_setsbuf(0);
    pvm_freebuf(inner);
    pvm_setrbuf(outer);
    inner = pvm_upkmesg();
    pvm_freebuf(pvm_setrbuf(0));
    return inner;
}

static int received_of_another(int count)
{
    pvm_setsbuf(unpacked_from_another(count));
    pvm_send(me, 1);
    pvm_freebuf(pvm_setsbuf(0));
    pvm_recv(me, 1);
    return pvm_setrbuf(0);
}

/* What is packed behind a message that came fills its last fragment first. */
static void fragments_see(void)
{
    static const int counts[] = {1, 100, 1000, 1012, 1013, 1500, 3000};

    AREA("fragments of what is packed on");
    for (int size = FRAGMENT; size <= 2 * FRAGMENT; size += FRAGMENT) {
        SEE(pvm_setopt(PvmFragSize, size));
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
            grown_see("a received one", received(PvmDataRaw, counts[i]), MOST);
            grown_see("one that was in another", unpacked_from_another(counts[i]), MOST);
            grown_see("a received one that was", received_of_another(counts[i]), MOST);
        }
        grown_see("a received one in the default encoding", received(PvmDataDefault, 1), MOST);
    }
    SEE(pvm_setopt(PvmFragSize, FRAGMENT));
}

/* In the default encoding what came is packed anew from its first fragment on. */
static void anew_see(int count, int unpacked, int more)
{
    static int others[MOST];
    int buffer = received(PvmDataDefault, count);

    printf("%d numbers, %d unpacked, %d packed: ", count, unpacked, more);
    pvm_setrbuf(buffer);
    pvm_upkint(others, unpacked, 1);
    pvm_setsbuf(buffer);
    for (int i = 0; i < more; i++)
        others[i] = 100000 + i;
    pvm_pkint(others, more, 1);
    printf("%d bytes, ", length_of(buffer));
    pvm_send(me, 1);
    pvm_freebuf(pvm_setsbuf(0));
    pvm_recv(me, 1);
    runs_see(pvm_setrbuf(0));
}

static void replaced_see(void)
{
    AREA("packed anew");
    for (int unpacked = 0; unpacked <= 500; unpacked += 250) {
        anew_see(500, unpacked, 1);
        anew_see(500, unpacked, 700);
    }
    AREA("packed anew, several fragments");
    for (int unpacked = 0; unpacked <= 2500; unpacked += 1250)
        anew_see(2500, unpacked, 400);
}

int main(void)
{
    for (int i = 0; i < MOST; i++)
        numbers[i] = i;
    observe();
    me = pvm_mytid();
    life_see(PvmDataDefault);
    life_see(PvmDataRaw);
    unasked_see();
    fragments_see();
    replaced_see();
    pvm_exit();
    return 0;
}
