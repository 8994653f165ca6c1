/* greet.c - two copies of itself and a group of three: does what an installation is for. */
#include <stdio.h>

#include <pvm3.h>

#define COPIES 2

int main(int count, char **words)
{
    (void)count;
    int parent = pvm_parent();
    if (parent == PvmNoParent &&
        pvm_spawn(words[0], NULL, PvmTaskDefault, "", COPIES, NULL) != COPIES)
        return 1;
    int number = pvm_joingroup("greeters");
    if (number < 0 || pvm_barrier("greeters", COPIES + 1) < 0)
        return 2;
    if (parent != PvmNoParent) {
        /* Who has been greeted by all can use the group again: nobody is still about to leave. */
        pvm_lvgroup("greeters");
        pvm_initsend(PvmDataDefault);
        pvm_pkstr("hello");
        return pvm_send(parent, 1) < 0 || pvm_exit() < 0 ? 3 : 0;
    }
    for (int i = 0; i < COPIES; i++) {
        char text[16];
        if (pvm_recv(-1, 1) < 0 || pvm_upkstr(text) < 0)
            return 4;
        printf("%s from one of %d\n", text, pvm_gsize("greeters") > 0 ? COPIES + 1 : 0);
    }
    return pvm_exit() < 0 ? 5 : 0;
}
