/* mailbox.c - entries of mailboxes; lists.c tells of all of them. */
#include "fortran/text.h"

#include <pvm3.h>

void pvmfputinfo(char *name, int *bufid, int *flags, int *index, text_length name_length)
{
    char string[TEXT_ROOM];
    *index =
        text_take(string, name, name_length) ? pvm_putinfo(string, *bufid, *flags) : PvmBadParam;
}

void pvmfrecvinfo(char *name, int *index, int *flags, int *bufid, text_length name_length)
{
    char string[TEXT_ROOM];
    *bufid =
        text_take(string, name, name_length) ? pvm_recvinfo(string, *index, *flags) : PvmBadParam;
}

void pvmfdelinfo(char *name, int *index, int *flags, int *info, text_length name_length)
{
    char string[TEXT_ROOM];
    *info =
        text_take(string, name, name_length) ? pvm_delinfo(string, *index, *flags) : PvmBadParam;
}
