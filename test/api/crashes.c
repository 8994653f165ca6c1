/* Arguments at which 3.4.6 crashes, hangs or breaks its memory: each in a process of its own. */
#include "observe.h"
#include <sys/resource.h>
#include <string.h>

extern int pvm_errno;

static int me, value, list[4];

static void enrol(void)
{
    me = pvm_mytid();
    pvm_setopt(PvmAutoErr, 0);
    pvm_errno = 0;
}

static int sent(void)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkstr("some text");
    pvm_send(me, 1);
    return pvm_recv(me, 1) > 0 ? 0 : -1;
}

static int handle_nothing(void)
{
    if (pvm_addmhf(-1, 5, 0, NULL) < 0)
        return -1;
    pvm_initsend(PvmDataDefault);
    pvm_send(me, 5);
    pvm_send(me, 6);
    return pvm_recv(me, 6) > 0;
}

static int leaving_handler(int buffer)
{
    (void)buffer;
    value = pvm_exit();
    return 0;
}

static int leave_in_handler(void)
{
    pvm_addmhf(-1, 5, 0, leaving_handler);
    pvm_initsend(PvmDataDefault);
    pvm_send(me, 5);
    pvm_send(me, 6);
    return pvm_recv(me, 6) > 0 ? value : -99;
}

static int many;

static int sending_handler(int buffer)
{
    pvm_initsend(PvmDataDefault);
    for (int i = 0; i < 150; i++)
        pvm_send(me, 7);
    return buffer;
}

static int send_much_in_handler(void)
{
    pvm_addmhf(-1, 5, 0, sending_handler);
    pvm_initsend(PvmDataDefault);
    pvm_send(me, 5);
    for (many = 0; many < 150; many++)
        pvm_recv(me, 7);
    return many;
}

static int pack_string_in_place(void)
{
    pvm_initsend(PvmDataInPlace);
    return pvm_packf("%s", "text");
}

/* So many pieces in place, each of other bytes. */
static int pieces_in_place(int count)
{
    int values[64], got[64] = {0}, wrong = 0;

    pvm_initsend(PvmDataInPlace);
    for (int i = 0; i < count; i++) {
        values[i] = 1000 + i;
        if (pvm_pkint(values + i, 1, 1) < 0)
            return -i;
    }
    if (pvm_send(me, 8) < 0)
        return -1000;
    pvm_recv(me, 8);
    for (int i = 0; i < count; i++)
        wrong += pvm_upkint(got, 1, 1) != 0 || got[0] != values[i];
    return wrong;
}

static int probe_and_free(void)
{
    int found;

    pvm_initsend(PvmDataDefault);
    pvm_pkint(list, 4, 1);
    pvm_send(me, 9);
    while ((found = pvm_probe(me, 9)) == 0)
        continue;
    pvm_freebuf(found);
    may_hang();
    return pvm_recv(me, 9) > 0;
}

/* A string whose length is a lie. */
static int false_length(int length)
{
    static char text[1 << 16];

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&length, 1, 1);
    pvm_pkbyte("abc", 4, 1);
    pvm_send(me, 10);
    pvm_recv(me, 10);
    return pvm_upkstr(text);
}

static int false_message(int length)
{
    int header[9] = {length, 0, 1, 0, 0x10000000, 0, me, me, length};

    pvm_initsend(PvmDataDefault);
    pvm_pkint(header, 9, 1);
    pvm_send(me, 11);
    pvm_recv(me, 11);
    return pvm_upkmesg();
}

static int export_long(void)
{
    static char name[400];

    memset(name, 'N', sizeof name - 1);
    setenv(name, "value", 1);
    pvm_export(name);
    return pvm_spawn("no-such-program", NULL, PvmTaskDefault, "", 1, &value);
}

/* The connection's descriptor has a number that select cannot take. */
static int many_descriptors(int count)
{
    struct rlimit limit = {4096, 4096};

    pvm_exit();
    setrlimit(RLIMIT_NOFILE, &limit);
    for (int i = 0; i < count; i++)
        if (dup(STDIN_FILENO) < 0)
            return -1000 - i;
    me = pvm_mytid();
    return sent();
}

static int wait_for_info(void)
{
    int result = pvm_recvinfo("never", 0, PvmMboxDefault);

    pvm_initsend(PvmDataDefault);
    return pvm_getrbuf() == 0 ? result : 1;
}

static int put_in_mailbox(int buffer)
{
    may_hang();
    return pvm_putinfo("name", buffer, 0);
}

static int send_nothing(int length)
{
    return pvm_psend(me, 12, list, length, PVM_INT);
}

static int receive_negative(int length)
{
    sent();
    pvm_send(me, 13);
    return pvm_precv(me, 13, list, length, PVM_INT, NULL, NULL, NULL);
}

/* Each in a process of its own: the value of the expression, or how the process ended. */
#define ATTEMPTS(TRY)                                                                              \
    TRY(null_pack, (pvm_initsend(PvmDataDefault), pvm_pkint(NULL, 1, 1)))                          \
    TRY(null_pack_raw, (pvm_initsend(PvmDataRaw), pvm_pkdouble(NULL, 1, 1)))                       \
    TRY(null_pack_in_place, (pvm_initsend(PvmDataInPlace), pvm_pkbyte(NULL, 1, 1)))                \
    TRY(null_pack_string, (pvm_initsend(PvmDataDefault), pvm_pkstr(NULL)))                         \
    TRY(null_unpack, (sent(), pvm_upkint(NULL, 1, 1)))                                             \
    TRY(null_unpack_string, (sent(), pvm_upkstr(NULL)))                                            \
    TRY(null_format, (pvm_initsend(PvmDataDefault), pvm_packf(NULL)))                              \
    TRY(null_read_format, (sent(), pvm_unpackf(NULL)))                                             \
    TRY(null_format_string, (pvm_initsend(PvmDataDefault), pvm_packf("%s", (char *)NULL)))         \
    TRY(null_getminfo, (pvm_initsend(PvmDataDefault), pvm_getminfo(pvm_getsbuf(), NULL)))          \
    TRY(null_setminfo, (pvm_initsend(PvmDataDefault), pvm_setminfo(pvm_getsbuf(), NULL)))          \
    TRY(null_addhosts, pvm_addhosts(NULL, 1, NULL))                                                \
    TRY(null_delhosts, pvm_delhosts(NULL, 1, NULL))                                                \
    TRY(null_host, pvm_delhosts((char *[]){NULL}, 1, list))                                        \
    TRY(null_export, pvm_export(NULL))                                                             \
    TRY(null_unexport, pvm_unexport(NULL))                                                         \
    TRY(null_getfds, pvm_getfds(NULL))                                                             \
    TRY(null_siblings, pvm_siblings(NULL))                                                         \
    TRY(null_spawn, pvm_spawn(NULL, NULL, 0, "", 1, list))                                         \
    TRY(null_mcast, (pvm_initsend(PvmDataDefault), pvm_mcast(NULL, 1, 1)))                         \
    TRY(null_notify, pvm_notify(PvmTaskExit, 1, 1, NULL))                                          \
    TRY(null_notify_host, pvm_notify(PvmHostDelete, 1, 1, NULL))                                   \
    TRY(null_tickle, pvm_tickle(1, NULL, NULL, NULL))                                              \
    TRY(null_psend, pvm_psend(me, 1, NULL, 1, PVM_INT))                                            \
    TRY(null_precv,                                                                                \
        (sent(), pvm_send(me, 1), pvm_precv(me, 1, NULL, 1, PVM_INT, NULL, NULL, NULL)))           \
    TRY(null_handler, handle_nothing())                                                            \
    TRY(bad_putinfo, put_in_mailbox(4321))                                                         \
    TRY(zero_putinfo, put_in_mailbox(0))                                                           \
    TRY(negative_putinfo, put_in_mailbox(-1))                                                      \
    TRY(leaving, leave_in_handler())                                                               \
    TRY(sending, send_much_in_handler())                                                           \
    TRY(string_in_place, pack_string_in_place())                                                   \
    TRY(pieces_13, pieces_in_place(13))                                                            \
    TRY(probed, probe_and_free())                                                                  \
    TRY(long_string, false_length(70000))                                                          \
    TRY(negative_string, false_length(-1))                                                         \
    TRY(zero_string, false_length(0))                                                              \
    TRY(negative_message, false_message(-5))                                                       \
    TRY(long_message, false_message(1 << 30))                                                      \
    TRY(long_export, export_long())                                                                \
    TRY(descriptors, many_descriptors(1100))                                                       \
    TRY(stray_buffer, wait_for_info())                                                             \
    TRY(negative_psend, send_nothing(-1))                                                          \
    TRY(negative_precv, receive_negative(-1))

#define DEFINE_ATTEMPT(name, expression)                                                           \
    static void name(void)                                                                         \
    {                                                                                              \
        enrol();                                                                                   \
        int result = expression;                                                                   \
        printf("%d, pvm_errno %d\n", result, result < 0 ? pvm_errno : 0);                          \
        pvm_exit();                                                                                \
    }

#define RUN_ATTEMPT(name, expression)                                                              \
    AREA(#expression);                                                                             \
    apart("ended", name);

ATTEMPTS(DEFINE_ATTEMPT)

int main(void)
{
    observe();
    ATTEMPTS(RUN_ATTEMPT)
    return 0;
}
