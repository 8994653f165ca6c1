/* Error texts, pvm_errno, and what the automatic printing does. */
#include "observe.h"
#include <pvm3.h>
#include <stdlib.h>
#include <sys/wait.h>

extern int pvm_errno, pvm_nerr;
extern char *pvm_errlist[];

static void texts_see(void)
{
    AREA("texts");
    SEE(pvm_nerr);
    for (int i = 0; i < pvm_nerr; i++)
        printf("%d %s\n", i, pvm_errlist[i]);
    for (int code = 1; code > -40; code--) {
        pvm_errno = code;
        printf("%d: %s\n", code, pvm_strerror());
    }
    pvm_errno = 12345;
    SEE_TEXT("a large code", pvm_strerror());
}

static void printing_see(void)
{
    AREA("perror");
    pvm_errno = PvmNoMem;
    SEE(pvm_perror("what happened"));
    SEE(pvm_perror(""));
    SEE(pvm_perror(NULL));
    AREA("pvm_errno");
    pvm_errno = 0;
    SEE(pvm_send(0, 1));
    SEE(pvm_errno);
    SEE(pvm_initsend(PvmDataDefault) > 0);
    SEE(pvm_errno);
    SEE(pvm_freebuf(4321));
    SEE(pvm_errno);
    SEE(pvm_parent());
    SEE(pvm_errno);
    SEE(pvm_tasks(0, NULL, NULL));
    SEE(pvm_errno);
    pvm_errno = 0;
    SEE(pvm_tasks(pvm_mytid() + 1, NULL, NULL));
    SEE(pvm_errno);
    SEE(pvm_tasks(12345, NULL, NULL));
    SEE(pvm_errno);
    SEE(pvm_setopt(PvmAutoErr, 0));
    SEE(pvm_send(0, 1));
    SEE(pvm_errno);
    SEE(pvm_setopt(PvmAutoErr, 1));
}

/* A process of its own enrols, fails with automatic handling `level`, and tells how it ended. */
static void ending_see(int level)
{
    int status = 0;

    fflush(stdout);
    if (fork() == 0) {
        pvm_mytid();
        pvm_setopt(PvmAutoErr, level);
        pvm_send(0, 1);
        printf("still here\n");
        _exit(7);
    }
    wait(&status);
    printf("level %d: exit %d, signal %d\n", level, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
           WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(void)
{
    observe();
    AREA("automatic handling");
    for (int level = 0; level <= 3; level++)
        ending_see(level);
    pvm_mytid();
    texts_see();
    printing_see();
    pvm_exit();
    return 0;
}
