/* signs.c - receives that name a source or tag that no message has: negative ones above all. */
#include <limits.h>
#include <sys/time.h>

#include "observe.h"

enum { TAG = 5 };

extern int pvm_errno;

static int me;
static int source, tag;

/* A message of this task to itself, which waits in its queue. */
static void prepare(void)
{
    me = pvm_mytid();
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&me, 1, 1);
    pvm_send(me, TAG);
    while (pvm_probe(-1, -1) == 0)
        continue;
}

static void tell(const char *call, int result)
{
    printf("%s of %d, %d: %s\n", call, source, tag,
           result > 0 ? "a message" : result == 0 ? "none" : pvm_errno == 0 ? "odd" : "an error");
    if (result < 0)
        printf("%d, pvm_errno %d\n", result, pvm_errno);
    pvm_exit();
}

static void look(void)
{
    prepare();
    tell("pvm_nrecv", pvm_nrecv(source, tag));
}

static void probe(void)
{
    prepare();
    tell("pvm_probe", pvm_probe(source, tag));
}

static void wait_a_little(void)
{
    struct timeval moment = {0, 10000};

    prepare();
    tell("pvm_trecv", pvm_trecv(source, tag, &moment));
}

/* Receives that wait for ever when nothing matches: with the message that is there, or one behind it. */
static void wait_long(void)
{
    prepare();
    tell("pvm_recv", pvm_recv(source, tag));
}

static void wait_for_array(void)
{
    int value = 0, from = 0, with = 0, length = 0;

    prepare();
    int result = pvm_precv(source, tag, &value, 1, PVM_INT, &from, &with, &length);
    printf("from me: %d, tag %d, %d bytes\n", from == me, with, length);
    tell("pvm_precv", result == 0);
}

/* Calls that name a task, or send a tag, of -2. */
static void others(void)
{
    static char name[] = "-2";
    struct timeval moment;
    struct pvmtaskinfo *tasks;
    int number = 77, self = pvm_mytid(), nobody = -2;

    SEE(pvm_mstat(name));
    SEE(pvm_pstat(-2));
    SEE(pvm_tasks(-2, &number, &tasks));
    SEE(pvm_tidtohost(-2));
    SEE(pvm_kill(-2));
    SEE(pvm_sendsig(-2, SIGCONT));
    SEE(pvm_hostsync(-2, &moment, &moment));
    SEE(pvm_notify(PvmTaskExit, 9, 1, &nobody));
    SEE(pvm_notify(PvmHostDelete, 9, 1, &nobody));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(-2, TAG));
    SEE(pvm_send(self, -2));
    SEE(pvm_mcast(&nobody, 1, TAG));
    SEE(pvm_mcast(&self, 1, -2));
    SEE(pvm_psend(-2, TAG, &number, 1, PVM_INT));
    SEE(pvm_psend(self, -2, &number, 1, PVM_INT));
    SEE(pvm_bufinfo(-2, &number, &number, &number));
    SEE(pvm_freebuf(-2));
    SEE(pvm_setsbuf(-2));
    SEE(pvm_setrbuf(-2));
    SEE(pvm_getopt(-2));
    SEE(pvm_setopt(-2, 1));
    SEE(pvm_delmhf(-2));
    SEE(pvm_freecontext(-2));
    SEE(pvm_setcontext(-2));
    pvm_exit();
}

int main(void)
{
    static const int sources[] = {-1, -2, -3, 0, INT_MIN, INT_MAX}, tags[] = {-1, -2, INT_MIN, TAG};

    observe();
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++)
        for (unsigned k = 0; k < sizeof tags / sizeof *tags; k++) {
            source = sources[i];
            tag = tags[k];
            apart("look", look);
            apart("probe", probe);
            apart("trecv", wait_a_little);
            if (source == -1 && (tag == -1 || tag == TAG)) {
                apart("recv", wait_long);
                apart("precv", wait_for_array);
            }
        }
    apart("others", others);
    return 0;
}
