/* options.c - options, output, errors and sleep. */
#include <stdio.h> /* pvm3.h declares pvm_catchout only then */
#include <unistd.h>

#include <pvm3.h>

#include "fortran/text.h"

void pvmfgetopt(int *what, int *value)
{
    *value = pvm_getopt(*what);
}

void pvmfsetopt(int *what, int *value, int *old)
{
    *old = pvm_setopt(*what, *value);
}

void pvmfcatchout(int *onoff, int *info)
{
    *info = pvm_catchout(*onoff ? stdout : NULL);
}

void pvmfperror(char *message, int *info, text_length message_length)
{
    char *string = text_copy(message, message_length);
    *info = string ? pvm_perror(string) : PvmNoMem;
    free(string);
}

void pvmfsleep(int *seconds)
{
    sleep((unsigned)*seconds);
}
