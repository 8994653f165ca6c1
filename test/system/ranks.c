/*
 * ranks.c - a task of pvmrun, which does what its first word says.
 *
 *     list        prints its own rank, the number of ranks and the part of each, by the mailbox
 *     abort N     has pvmrun end with the status N, and waits
 *     wait        waits for a message that does not come
 *     trap        says so when it gets SIGINT, and goes on
 *     write FILE  writes lines without end, and their number so far to FILE
 *     leave N     ends with the status N
 *     crash       is killed by a signal, when all have been started
 *     parent      prints whether it has a parent
 */
#include <pvm3.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ABORT 0x4d504941

static int list(void)
{
    char name[32];
    int count, *numbers, own = -1;
    snprintf(name, sizeof name, "pvmrun.%x", (unsigned)pvm_parent());
    if (pvm_recvinfo(name, 0, PvmMboxWaitForInfo) < 0 || pvm_upkint(&count, 1, 1) < 0)
        return EXIT_FAILURE;
    numbers = malloc(2 * (size_t)count * sizeof *numbers);
    if (!numbers || pvm_upkint(numbers, 2 * count, 1) < 0)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        if (numbers[i] == pvm_mytid())
            own = i;
    printf("%d of %d:", own, count);
    for (int i = 0; i < count; i++)
        printf(" %d", numbers[count + i]);
    printf(" %s\n", getenv("PVM_RUN"));
    free(numbers);
    return EXIT_SUCCESS;
}

static int stop(const char *status)
{
    int number = atoi(status);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    pvm_send(pvm_parent(), ABORT);
    pvm_recv(-1, -1);
    return EXIT_SUCCESS;
}

static int wait_for_ever(void)
{
    printf("%x waits\n", (unsigned)pvm_mytid());
    fflush(stdout);
    pvm_recv(-1, -1);
    return EXIT_SUCCESS;
}

static void say_so(int number)
{
    static const char text[] = "trapped\n";
    (void)number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        abort();
}

static int trap(void)
{
    signal(SIGINT, say_so);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

static int write_for_ever(const char *file)
{
    static const char line[1024] = "so many bytes";
    FILE *count = fopen(file, "w");
    for (int i = 1; count; i++) {
        rewind(count);
        fprintf(count, "%d\n", i);
        fflush(count);
        if (fwrite(line, sizeof line, 1, stdout) != 1)
            return EXIT_FAILURE;
    }
    return EXIT_FAILURE;
}

int main(int count, char **words)
{
    if (count == 1) /* in the process that holds those with PvmTaskThread: does not return there */
        return pvm_mytid() < 0;
    if (count == 2 && strcmp(words[1], "list") == 0)
        return list() || pvm_exit();
    if (count == 3 && strcmp(words[1], "leave") == 0)
        exit(atoi(words[2]));
    if (count == 2 && strcmp(words[1], "parent") == 0)
        return printf("%d %s\n", pvm_parent() > 0, getenv("PVM_RUN")) < 0;
    if (count == 2 && strcmp(words[1], "crash") == 0)
        return list() || raise(SIGSEGV);
    if (count == 3 && strcmp(words[1], "abort") == 0)
        return stop(words[2]);
    if (count == 2 && strcmp(words[1], "wait") == 0)
        return wait_for_ever();
    if (count == 2 && strcmp(words[1], "trap") == 0)
        return trap();
    if (count == 3 && strcmp(words[1], "write") == 0)
        return write_for_ever(words[2]);
    return EXIT_FAILURE;
}
