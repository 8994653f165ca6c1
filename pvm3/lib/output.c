/* output.c - error texts, and what children are given of the environment. */
#include <stdlib.h>
#include <string.h>

#include "lib/abi.h"
#include "lib/public.h"
#include "lib/task.h"

int lpvmerr(char *function, int code)
{
    return task_report(caller_self()->task, function, code);
}

int pvm_perror(char *msg)
{
    task_print(caller_self()->task, "%s: %s", msg ? msg : "(null)", error_text(abi_error()));
    return PvmOk;
}

char *pvm_strerror(void)
{
    int code = abi_error();
    return code <= 0 && code > -ERROR_COUNT ? pvm_errlist[-code] : "Unknown Error";
}
