/* Enrolling and leaving: implicit enrolment, what survives leaving, and a second life. */
#include "observe.h"
#include <pvm3.h>

int main(void)
{
    int first, second, value = 6, got = 0;

    observe();
    AREA("before enrolment");
    SEE(pvm_getopt(PvmRoute));
    SEE_TEXT("version", pvm_version());
    SEE(pvm_tidtohost(0x40001));
    AREA("enrolled by the first call that needs it");
    SEE(pvm_parent());
    SEE((first = pvm_mytid()) == 0x40001);
    SEE(pvm_mytid() == first);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(first, 1);
    pvm_setopt(PvmRoute, PvmDontRoute);
    AREA("leaving and a second life");
    SEE(pvm_exit());
    SEE(pvm_getsbuf() > 0);
    SEE(pvm_getopt(PvmRoute));
    SEE((second = pvm_mytid()) != first);
    SEE(second == 0x40002);
    SEE(pvm_pstat(first));
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_send(second, 2));
    SEE(pvm_recv(second, 2) > 0);
    SEE((pvm_upkint(&got, 1, 1), got));
    SEE(pvm_exit());
    AREA("leaving without having entered");
    SEE(pvm_exit());
    SEE(pvm_exit());
    SEE(pvm_mytid() > second);
    SEE(pvm_exit());
    return 0;
}
