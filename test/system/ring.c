/* Two tasks pass a growing message to and fro and check it; a third may ask how far they are.
 *
 * usage: ring                 prints "tid HEX", serves the first task that passes it something
 *        ring HEX             prints "tid HEX", passes messages to and fro with that task
 * A message under tag 98 is answered with the number of rounds, one under tag 99 ends both; then
 * "rounds N" is printed. What is wrong is printed instead and the exit status is 1.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { PASS = 1, ASKED = 98, END = 99, MOST = 3000 };

static int rounds;

static void pass(int to)
{
    int values[MOST], count = rounds % MOST;

    for (int i = 0; i < count; i++)
        values[i] = rounds + i;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&rounds, 1, 1);
    pvm_pkint(values, count, 1);
    pvm_send(to, PASS);
}

static void check(void)
{
    int got, values[MOST], count = rounds % MOST;

    if (pvm_upkint(&got, 1, 1) != 0 || got != rounds) {
        printf("round %d instead of %d\n", got, rounds);
        exit(1);
    }
    pvm_upkint(values, count, 1);
    for (int i = 0; i < count; i++) {
        if (values[i] != rounds + i) {
            printf("round %d, wrong value %d\n", rounds, i);
            exit(1);
        }
    }
}

static void tell(int to)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&rounds, 1, 1);
    pvm_send(to, ASKED);
}

/* Take one message; gives its tag. */
static int serve(int starts, int peer)
{
    int tag, source;
    int buffer = pvm_recv(-1, -1);

    if (buffer < 0) {
        printf("receive gives %d\n", buffer);
        exit(1);
    }
    pvm_bufinfo(buffer, NULL, &tag, &source);
    if (tag == PASS) {
        check();
        rounds += starts;
        pass(source);
        rounds += !starts;
    } else if (tag == ASKED) {
        tell(source);
    } else if (tag == END && starts) {
        pvm_send(peer, END);
    }
    return tag;
}

int main(int argc, char **argv)
{
    int peer = argc > 1 ? (int)strtoul(argv[1], NULL, 16) : 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("tid %x\n", (unsigned)pvm_mytid());
    if (peer)
        pass(peer);
    while (serve(peer != 0, peer) != END)
        continue;
    printf("rounds %d\n", rounds);
    pvm_exit();
    return 0;
}
