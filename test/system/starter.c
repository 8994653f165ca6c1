/* Starts a pvmd where none runs, and tells what it gets. Ends by halting the machine.
 *
 * starter BLOCK ARGUMENT...    the arguments are those of the pvmd; BLOCK 2: from two threads
 */
#include "observe.h"
#include <pthread.h>
#include <pvm3.h>
#include <string.h>

static int block, argument_count;
static char **arguments;

static void *start(void *result)
{
    *(int *)result = pvm_start_pvmd(argument_count, arguments, block);
    return NULL;
}

/* Two threads at once: one of them starts it. */
static void race(void)
{
    pthread_t thread;
    int first, second;

    pthread_create(&thread, NULL, start, &first);
    start(&second);
    pthread_join(thread, NULL);
    printf("started: %d, and there was one already: %d\n", first == 0 || second == 0,
           first == PvmDupHost || second == PvmDupHost);
}

int main(int count, char **words)
{
    struct pvmhostinfo *hosts;
    int result, number = 0;

    block = count > 1 ? atoi(words[1]) : 0;
    argument_count = count - 2;
    arguments = words + 2;
    observe();
    signal(SIGTERM, SIG_IGN); /* the pvmd that ends sends it to all tasks */
    if (block == 2) {
        race();
    } else {
        start(&result);
        SEE(result);
        if (result < 0)
            return 0;
    }
    SEE(getenv("PVMSOCK") != NULL);
    SEE(pvm_mytid());
    SEE(pvm_config(&number, NULL, &hosts));
    printf("%d hosts, the first is %s\n", number, number > 0 ? hosts[0].hi_name : "none");
    SEE(pvm_start_pvmd(0, NULL, 0));
    SEE(pvm_halt());
    return 0;
}
