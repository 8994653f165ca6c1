/* What does a yield between two threads of Argobots cost? See switch.h. */
#include <abt.h>
#include <stdbool.h>

#include "../pipes.h"
#include "switch.h"

static bool done;

static void yield_back(void *unused)
{
    while (!done)
        ABT_thread_yield();
    (void)unused;
}

static void yield(long times)
{
    for (long i = 0; i < times; i++)
        ABT_thread_yield();
}

int main(int argc, char **argv)
{
    ABT_xstream processor;
    ABT_thread other;
    if (argc != 3 || ABT_init(argc, argv) != ABT_SUCCESS ||
        ABT_xstream_self(&processor) != ABT_SUCCESS ||
        ABT_thread_create_on_xstream(processor, yield_back, NULL, ABT_THREAD_ATTR_NULL, &other) !=
            ABT_SUCCESS)
        fail("Argobots does not start");
    switch_measure(argv + 1, 2, yield);
    done = true;
    ABT_thread_free(&other);
    return ABT_finalize() != ABT_SUCCESS;
}
