/*
 * static.c - finds pvm_interrupt_recv and pvm_resume_recv in a program that is linked to libpvm3.a.
 *
 * dlsym does not see them there. The shared library is without this file: the dynamic linker would
 * warn of these references where libpvm3.so.3 is that of 3.4.6.
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
