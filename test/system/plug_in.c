/* A service that the pvmd starts itself, and one who looks at it.
 *
 * plug_in ROLE ARGUMENT...    registers as tasker, hoster or manager, and stays
 * plug_in                     waits until there is one of each, and tells their tids
 */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

enum { NEVER = 1 };

static void serve(const char *role)
{
    if (strcmp(role, "tasker") == 0)
        pvm_reg_tasker();
    else if (strcmp(role, "hoster") == 0)
        pvm_reg_hoster();
    else
        pvm_reg_rm(NULL);
    pvm_recv(-1, NEVER);
}

/* The tid of who has a role, once there is one. */
static int find(char *class)
{
    int tid = 0;

    pvm_recvinfo(class, 0, PvmMboxWaitForInfo);
    pvm_upkint(&tid, 1, 1);
    return tid;
}

int main(int count, char **words)
{
    if (count > 1) {
        serve(words[1]);
        return 0;
    }
    printf("%x %x %x\n", (unsigned)find(PVMTASKERCLASS), (unsigned)find(PVMHOSTERCLASS),
           (unsigned)find(PVMRMCLASS));
    pvm_exit();
    return 0;
}
