/* How do tasks of a test tell each other a number? In a message of its own; fail.h if that fails. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <pvm3.h>

#include "fail.h"

static inline void send_number(int to, int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    expect("pvm_send", pvm_send(to, tag), 0);
}

static inline int receive_number(int from, int tag)
{
    int value = -1;
    if (pvm_recv(from, tag) <= 0)
        fail("nothing came from t%x", (unsigned)from);
    pvm_upkint(&value, 1, 1);
    return value;
}

#endif
