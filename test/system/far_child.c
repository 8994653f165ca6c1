/*
 * far_child.c - exchanges four messages with a task of another host, and so does its child.
 *
 * usage: far_child TID
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int exchange(int peer)
{
    for (int i = 0; i < 4; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&i, 1, 1);
        if (pvm_send(peer, 7) < 0)
            return 1;
        printf("%x\n", (unsigned)pvm_mytid());
        fflush(stdout);
        if (pvm_recv(peer, 8) < 0)
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int peer = argc > 1 ? (int)strtoul(argv[1], NULL, 16) : 0, status = 0;
    int failed = exchange(peer);
    pid_t child = fork();
    if (child == 0) {
        failed = exchange(peer);
        pvm_exit();
        return failed;
    }
    waitpid(child, &status, 0);
    pvm_exit();
    return failed || status != 0;
}
