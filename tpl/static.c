/*
 * static.c - finds pvm_interrupt_recv and pvm_resume_recv in a program that is linked to libpvm3.a.
 *
 * dlsym does not see these functions in such a program. The shared library is without this file:
 * with the libpvm3.so.3 of 3.4.6 the dynamic linker would warn of the references.
 */
#include <pvm3.h>

#include "ground.h"

#pragma weak pvm_interrupt_recv
#pragma weak pvm_resume_recv

void ground_link_interrupt(struct ground *ground)
{
    if (!pvm_interrupt_recv || !pvm_resume_recv)
        return;
    ground->interrupt = pvm_interrupt_recv;
    ground->resume = pvm_resume_recv;
}
