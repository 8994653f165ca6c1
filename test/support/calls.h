/* Every call of the library once, for tests of what all of them do in some state of the process.
 *
 * Groups are left out, and so are calls that would block, end the machine or start a pvmd.
 */
#ifndef CALLS_H
#define CALLS_H

#include <stdio.h>

#include <pvm3.h>
#include <pvmtev.h>
#include <string.h>

extern int pvmmytid, pvm_errno;
int pvmbeatask(void), pvmendtask(void), pvmsettaskname(char *name);

static int number, list[4];
static struct pvmhostinfo *hosts;
static struct pvmtaskinfo *tasks;
static struct pvmmboxinfo *names;
static struct pvmminfo header;
static struct timeval moment, other;
static int *tids;
static char *words[] = {"nothing", NULL};
static char text[64];
static Pvmtmask mask;

static int handle(int buffer)
{
    return buffer;
}

/*
 * SEE_CALL for each call of the interface with arguments that change little: those that the call
 * refuses, or such that what it makes is small. Those that leave the machine are not among them.
 */
#define EVERY_CALL(SEE_CALL)                                                                       \
    SEE_CALL(pvm_mytid())                                                                          \
    SEE_CALL(pvm_parent())                                                                         \
    SEE_CALL(pvm_siblings(&tids))                                                                  \
    SEE_CALL(pvm_tidtohost(0x40001))                                                               \
    SEE_CALL(pvmsettaskname("name"))                                                               \
    SEE_CALL(pvmsettaskname(NULL))                                                                 \
    SEE_CALL(pvm_config(&number, NULL, &hosts))                                                    \
    SEE_CALL(pvm_addhosts(words, 0, NULL))                                                         \
    SEE_CALL(pvm_delhosts(words, 0, NULL))                                                         \
    SEE_CALL(pvm_delhosts(words, 1, list))                                                         \
    SEE_CALL(pvm_mstat(""))                                                                        \
    SEE_CALL(pvm_mstat("nothing"))                                                                 \
    SEE_CALL(pvm_hostsync(0, &moment, &other))                                                     \
    SEE_CALL(pvm_tickle(0, list, NULL, NULL))                                                      \
    SEE_CALL(pvm_archcode(NULL))                                                                   \
    SEE_CALL(strcmp(pvm_version(), "3.4.6"))                                                       \
    SEE_CALL(pvm_getfds(&tids))                                                                    \
    SEE_CALL(pvm_spawn("nothing", NULL, 0, "", 0, list))                                           \
    SEE_CALL(pvm_spawn("nothing", NULL, 0, "", 1, list))                                           \
    SEE_CALL(pvm_kill(0))                                                                          \
    SEE_CALL(pvm_sendsig(0, 0))                                                                    \
    SEE_CALL(pvm_pstat(0))                                                                         \
    SEE_CALL(pvm_tasks(0x80000, &number, &tasks))                                                  \
    SEE_CALL(pvm_notify(0, 1, 1, list))                                                            \
    SEE_CALL(pvm_getopt(PvmRoute))                                                                 \
    SEE_CALL(pvm_setopt(PvmRoute, PvmDontRoute))                                                   \
    SEE_CALL(pvm_setopt(PvmSelfOutputTid, 0))                                                      \
    SEE_CALL(pvm_setopt(PvmNoReset, 1))                                                            \
    SEE_CALL(pvm_gettmask(PvmTaskChild, mask))                                                     \
    SEE_CALL(pvm_settmask(PvmTaskSelf, mask))                                                      \
    SEE_CALL(pvm_settmask(2, mask))                                                                \
    SEE_CALL(pvm_recvf(NULL) != NULL)                                                              \
    SEE_CALL(pvm_catchout(NULL))                                                                   \
    SEE_CALL(pvm_getcontext())                                                                     \
    SEE_CALL(pvm_setcontext(3))                                                                    \
    SEE_CALL(pvm_newcontext())                                                                     \
    SEE_CALL(pvm_freecontext(1))                                                                   \
    SEE_CALL(pvm_mkbuf(PvmDataDefault) > 0)                                                        \
    SEE_CALL(pvm_mkbuf(77))                                                                        \
    SEE_CALL(pvm_initsend(PvmDataRaw) > 0)                                                         \
    SEE_CALL(pvm_freebuf(0))                                                                       \
    SEE_CALL(pvm_freebuf(-1))                                                                      \
    SEE_CALL(pvm_setsbuf(0) >= 0)                                                                  \
    SEE_CALL(pvm_setrbuf(44))                                                                      \
    SEE_CALL(pvm_getsbuf() >= 0)                                                                   \
    SEE_CALL(pvm_getrbuf() >= 0)                                                                   \
    SEE_CALL(pvm_bufinfo(0, NULL, NULL, NULL))                                                     \
    SEE_CALL(pvm_getminfo(0, &header))                                                             \
    SEE_CALL(pvm_setminfo(0, &header))                                                             \
    SEE_CALL(pvm_pkint(list, 1, 1))                                                                \
    SEE_CALL(pvm_pkstr(text))                                                                      \
    SEE_CALL(pvm_upkint(list, 1, 1))                                                               \
    SEE_CALL(pvm_upkstr(text))                                                                     \
    SEE_CALL(pvm_packf("%d", 1))                                                                   \
    SEE_CALL(pvm_unpackf("%d", list))                                                              \
    SEE_CALL(pvm_pkmesg(4444))                                                                     \
    SEE_CALL(pvm_pkmesg(0))                                                                        \
    SEE_CALL(pvm_pkmesgbody(0))                                                                    \
    SEE_CALL(pvm_upkmesg())                                                                        \
    SEE_CALL(pvm_send(0, 1))                                                                       \
    SEE_CALL(pvm_mcast(list, 0, 1))                                                                \
    SEE_CALL(pvm_psend(0, 1, list, 1, 99))                                                         \
    SEE_CALL(pvm_psend(0, 1, list, 1, PVM_INT))                                                    \
    SEE_CALL(pvm_precv(0, 1, list, 1, 99, NULL, NULL, NULL))                                       \
    SEE_CALL(pvm_psend(0, 1, list, 1, PVM_STR))                                                    \
    SEE_CALL(pvm_precv(0, 1, list, 1, PVM_STR, NULL, NULL, NULL))                                  \
    SEE_CALL(pvm_nrecv(-1, 1))                                                                     \
    SEE_CALL(pvm_trecv(-1, 1, &moment))                                                            \
    SEE_CALL(pvm_probe(-1, 1))                                                                     \
    SEE_CALL(pvm_addmhf(-1, 5, 5, handle))                                                         \
    SEE_CALL(pvm_delmhf(-1))                                                                       \
    SEE_CALL(pvm_putinfo("", 1, 0))                                                                \
    SEE_CALL(pvm_recvinfo("", 0, 0))                                                               \
    SEE_CALL(pvm_recvinfo("nothing", 0, 0))                                                        \
    SEE_CALL(pvm_delinfo("nothing", 0, 0))                                                         \
    SEE_CALL(pvm_getmboxinfo("*", &number, &names))                                                \
    SEE_CALL(pvm_insert("", 0, 0))                                                                 \
    SEE_CALL(pvm_insert("something", 0, 0))                                                        \
    SEE_CALL(pvm_lookup("nothing", 0, NULL))                                                       \
    SEE_CALL(pvm_delete("nothing", 0))                                                             \
    SEE_CALL((pvm_getnoresets(&tids, &number), pvm_errno))                                         \
    SEE_CALL(pvm_getnoresets(&tids, &number))                                                      \
    SEE_CALL(pvm_export("NAME"))                                                                   \
    SEE_CALL(pvm_unexport("NAME"))                                                                 \
    SEE_CALL(pvm_strerror() != NULL)                                                               \
    SEE_CALL(pvmbeatask())

#endif
