/* What does a jump of Boost.Context cost? See switch.h.
 *
 *     alike    both contexts have the same flags of floating point, which a jump stores and sets
 *     differ   one of them has computed, and has a flag that the other one has not; processors
 *              take longer to set other flags than there were
 */
#include <fenv.h>
#include <stddef.h>

#include "../pipes.h"
#include "switch.h"

/* The functions of Boost.Context on which its classes stand, as boost/context/detail/fcontext.hpp
 * has them for C++. */
struct transfer {
    void *from; /* the context that has jumped */
    void *data;
};
struct transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *stack_end, size_t size, void (*function)(struct transfer));

enum { STACK = 1 << 16 };

static void jump_back(struct transfer transfer)
{
    for (;;)
        transfer = jump_fcontext(transfer.from, NULL);
}

static void jump(long times)
{
    static char stack[STACK];
    static struct transfer other;
    if (!other.from)
        other.from = make_fcontext(stack + sizeof stack, sizeof stack, jump_back);
    for (long i = 0; i < times; i++)
        other = jump_fcontext(other.from, NULL);
}

static void jump_alike(long times)
{
    feclearexcept(FE_ALL_EXCEPT);
    jump(times);
}

static void jump_and_differ(long times)
{
    volatile double third = 1;
    jump_alike(1);
    third /= 3; /* inexact */
    jump(times);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("it is said in its source how it is called");
    switch_measure(argv + 2, 2, strcmp(argv[1], "alike") == 0 ? jump_alike : jump_and_differ);
    return 0;
}
