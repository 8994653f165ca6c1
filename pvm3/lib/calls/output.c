/* output.c - error texts, and catching what children print. */
#include <stdlib.h>
#include <string.h>

#include "ck/base/cancel.h"
#include "lib/serve/catchout.h"
#include "lib/task/abi.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

/* As much of a function's name as 3.4.6 shows, and the end of the string. */
#define LPVMERR_NAME_SIZE 125

int lpvmerr(char *function, int code)
{
    char name[LPVMERR_NAME_SIZE];
    snprintf(name, sizeof name, "%s", function);
    return task_report(caller_self()->task, name, code);
}

int pvm_perror(const char *msg)
{
    task_print(caller_self()->task, "%s: %s", msg ? msg : "(null)", error_text(abi_error(own_program_error())));
    return PvmOk;
}

char *pvm_strerror(void)
{
    int code = abi_error(own_program_error());
    return code <= 0 && code > -ERROR_COUNT ? pvm_errlist[-code] : "Unknown Error";
}

int pvm_catchout(FILE *ff)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    int error = catchout_set(task, ff);
    if (error < 0)
        task_report(task, "pvm_catchout", error);
    return PvmOk; /* as 3.4.6, which never fails */
}
