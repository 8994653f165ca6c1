/* Do the last messages of tasks arrive that end without pvm_exit?
 *
 * usage: last_words HOST CHILDREN MESSAGES SIZE END ROUTE
 *
 * Starts children on the host. Each sends MESSAGES of SIZE ints over the route (PvmRoute) to its parent, and then ends:
 * it `returns` from main, or is `killed`. The parent receives until it has been told of the end of each child, and waits
 * for what is still missing. Prints "heard N of N, N behind the end".
 */
#include "fail.h"
#include <pvm3.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { CHILDREN_MOST = 100, SIZE_MOST = 1000000, ORDER = 1, WORD, ENDED };
enum { MESSAGES, SIZE, KILLED, ROUTE, ORDERS };

static int values[SIZE_MOST];

static int child(int parent)
{
    int order[ORDERS];
    pvm_recv(parent, ORDER);
    pvm_upkint(order, ORDERS, 1);
    pvm_setopt(PvmRoute, order[ROUTE]);
    for (int number = 0; number < order[MESSAGES]; number++) {
        for (int i = 0; i < order[SIZE]; i++)
            values[i] = number + i;
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&number, 1, 1);
        pvm_pkint(values, order[SIZE], 1);
        expect("send", pvm_send(parent, WORD), 0);
    }
    if (order[KILLED])
        raise(SIGKILL);
    return 0;
}

static void hear_word(int size)
{
    int number;
    pvm_upkint(&number, 1, 1);
    expect("unpack", pvm_upkint(values, size, 1), 0);
    for (int i = 0; i < size; i++)
        expect("value", values[i], number + i);
}

int main(int argc, char **argv)
{
    int tids[CHILDREN_MOST], heard = 0;
    if (pvm_parent() > 0)
        return child(pvm_parent());
    if (argc != 7)
        return 2;
    int children = atoi(argv[2]);
    int order[ORDERS] = {atoi(argv[3]), atoi(argv[4]), strcmp(argv[5], "killed") == 0, atoi(argv[6])};
    pvm_setopt(PvmRoute, order[ROUTE]);
    expect("spawn", pvm_spawn("last_words", NULL, PvmTaskHost, argv[1], children, tids), children);
    pvm_notify(PvmTaskExit, ENDED, children, tids);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(order, ORDERS, 1);
    pvm_mcast(tids, children, ORDER);
    for (int ended = 0; ended < children;) {
        int tag, bufid = pvm_recv(-1, -1);
        pvm_bufinfo(bufid, NULL, &tag, NULL);
        if (tag == ENDED) {
            ended++;
        } else {
            hear_word(order[SIZE]);
            heard++;
        }
    }
    struct timeval patience = {.tv_sec = 20};
    int behind = 0, all = children * order[MESSAGES];
    for (; heard + behind < all && pvm_trecv(-1, WORD, &patience) > 0; behind++)
        hear_word(order[SIZE]);
    printf("heard %d of %d, %d behind the end\n", heard + behind, all, behind);
    pvm_exit();
    return 0;
}
