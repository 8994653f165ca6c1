/* What does a multicast cost its sender?
 *
 * usage: multicast BYTES MULTICASTS RECEIVERS FIRST OTHERS
 *
 * One task, on the processor FIRST, sends to RECEIVERS others of this host, which have the
 * processor OTHERS. Each time it begins when all have answered the last time. Prints a line for
 * each multicast, with the time and the CPU time from before pvm_initsend to after pvm_mcast:
 *     @multicast ns=TIME cpu_ns=TIME
 */
#define _GNU_SOURCE
#include <pvm3.h>
#include <unistd.h>

#include "batch.h"

enum { MOST_BYTES = 1 << 22, MOST_RECEIVERS = 64, WARM_UP = 5, DATA = 1, WORD = 2 };

static char data[MOST_BYTES];

static void check(int result)
{
    if (result < 0)
        exit(1);
}

static void receive(int parent, int bytes)
{
    check(pvm_recv(parent, DATA));
    check(pvm_upkbyte(data, bytes, 1));
    pvm_initsend(PvmDataRaw);
    check(pvm_send(parent, WORD));
}

static void multicast(int *receivers, int count, int bytes, int told)
{
    int64_t cpu = batch_processor_time(), begin = batch_now();
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte(data, bytes, 1);
    check(pvm_mcast(receivers, count, DATA));
    int64_t end = batch_now(), cpu_end = batch_processor_time();
    if (told)
        batch_tell_multicast(end - begin, cpu_end - cpu);
    for (int i = 0; i < count; i++)
        check(pvm_recv(-1, WORD));
}

int main(int argc, char **argv)
{
    static char path[4096];
    int receivers[MOST_RECEIVERS];
    if (argc != 6 || pvm_mytid() < 0)
        return 2;
    const int bytes = atoi(argv[1]), times = WARM_UP + atoi(argv[2]), count = atoi(argv[3]);
    if (bytes < 0 || bytes > MOST_BYTES || count < 1 || count > MOST_RECEIVERS)
        return 2;
    const int parent = pvm_parent();
    if (parent < 0 && (readlink("/proc/self/exe", path, sizeof path - 1) < 0 ||
                       pvm_spawn(path, argv + 1, PvmTaskDefault, "", count, receivers) != count))
        return 1;
    batch_pin(atoi(argv[parent < 0 ? 4 : 5]));
    memset(data, 1, (size_t)bytes);
    for (int i = 0; i < times; i++) {
        if (parent > 0)
            receive(parent, bytes);
        else
            multicast(receivers, count, bytes, i >= WARM_UP);
    }
    pvm_exit();
    return 0;
}
