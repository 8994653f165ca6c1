/*
 * The first call of a process: which one makes it a task, and what it gives with and without a
 * pvmd.
 */
#include "calls.h"
#include "observe.h"

static void self_see(const char *call, int result)
{
    printf("%s: %d, %s", call, result > 9 ? 9 : result, pvmmytid > 0 ? "a task" : "no task");
    printf(", pvm_errno %d\n", pvm_errno);
}

#define FIRST_PRINT(call)                                                                          \
    fflush(stdout);                                                                                \
    if (fork() == 0) {                                                                             \
        int result = call;                                                                         \
        self_see(#call, result);                                                                   \
        _exit(0);                                                                                  \
    }                                                                                              \
    wait(NULL);

static void with_see(void)
{
    AREA("the first call, with a pvmd");
    EVERY_CALL(FIRST_PRINT)
    FIRST_PRINT(pvm_archcode("LINUX64") > 0)
    FIRST_PRINT(pvmendtask())
    FIRST_PRINT(pvm_exit())
}

/* What is said about the missing pvmd is each library's own affair. */
static void without_see(void)
{
    AREA("the first call, without a pvmd");
    setenv("PVM_VMID", "another", 1);
    quiet();
    EVERY_CALL(FIRST_PRINT)
    FIRST_PRINT(pvm_archcode("LINUX64"))
    FIRST_PRINT(pvmendtask())
    FIRST_PRINT(pvm_exit())
}

int main(void)
{
    observe();
    with_see();
    without_see();
    return 0;
}
