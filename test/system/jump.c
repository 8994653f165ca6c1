/* Does a task go on whose signal handler leaves a receive by siglongjmp?
 *
 * usage: jump ROUNDS
 * Prints "asleep soon" ROUNDS + 1 times, and asks for SIGUSR1 each time, when the process sleeps.
 * Prints "checked ROUNDS" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include <pvm3.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "fail.h"

enum { TAG = 7, NEVER_TAG = 9 };

static sigjmp_buf away;

static void jump(int signal)
{
    (void)signal;
    siglongjmp(away, 1);
}

static void leave_receive(int round)
{
    struct timeval limit = {.tv_sec = 1000};
    int item;
    if (sigsetjmp(away, 1) != 0)
        return;
    printf("asleep soon\n");
    fflush(stdout);
    if (round % 3 == 0)
        pvm_recv(-1, NEVER_TAG);
    else if (round % 3 == 1)
        pvm_trecv(-1, NEVER_TAG, &limit);
    else
        pvm_precv(-1, NEVER_TAG, &item, 1, PVM_INT, NULL, NULL, NULL);
    fail("the receive returns");
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = jump};
    int rounds = argc > 1 ? atoi(argv[1]) : 1, self = pvm_mytid();
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < rounds; i++) {
        int value = -1;
        leave_receive(i);
        if (i % 2)
            expect("nothing comes", pvm_nrecv(-1, TAG), 0);
        pvm_initsend(PvmDataRaw);
        pvm_pkint(&i, 1, 1);
        expect("send", pvm_send(self, TAG), 0);
        if (pvm_recv(-1, TAG) <= 0)
            fail("receive fails");
        expect("unpack", pvm_upkint(&value, 1, 1), 0);
        expect("the number", value, i);
        if (i % 4 == 2)
            expect("pvm_pstat", pvm_pstat(self), PvmOk);
        if (i % 4 == 3) { /* nothing waits for the receive that was left */
            pvm_exit();
            self = pvm_mytid();
        }
    }
    leave_receive(0);
    printf("checked %d\n", rounds);
    pvm_exit();
    return 0;
}
