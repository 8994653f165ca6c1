/* entry.c - a program is entered as the system does it, and its main is called. */
#include "ulp/entry.h"

#include <alloca.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ulp/environment.h"
#include "ulp/machine.h"
#include "ulp/room.h"

int ulp_start_main(ulp_main *function, int count, char **words,
                   void (*begin)(int count, char **words, char **environment), void (*end)(void),
                   void (*linker_end)(void), void *stack_end)
{
    struct ulp *ulp = room_owner();
    (void)count, (void)words, (void)end, (void)linker_end, (void)stack_end;
    ulp->main = function;
    ulp->begin = begin;
    longjmp(ulp->place, 1);
}

/*
 * What the system hands over lies on the stack: here no words, no variables, and nothing about the
 * system.
 */
__attribute__((noinline)) void ulp_enter(struct ulp *ulp)
{
    enum { COUNT, FIRST_END, VARIABLES_END, AUXILIARY, AUXILIARY_VALUE, PLACES = 8 };
    void **stack = alloca((PLACES + 1) * sizeof *stack);
    stack = (void **)(((uintptr_t)stack + 15) & ~(uintptr_t)15);
    memset(stack, 0, PLACES * sizeof *stack);
    if (setjmp(ulp->place) == 0)
        machine_enter(image_entry(&ulp->image), stack);
}

/* The first function on the stack of the program. It knows nothing but the record. */
__attribute__((noreturn)) static void ulp_main_run(void)
{
    const struct ulp *ulp = room_owner();
    if (ulp->begin)
        ulp->begin(ulp->count, ulp->words, *ulp->environment->place);
    else
        image_begin(&ulp->image, ulp->count, ulp->words, *ulp->environment->place);
    ulp_exit(ulp->main(ulp->count, ulp->words, *ulp->environment->place));
}

void ulp_call_main(struct ulp *ulp)
{
    if (setjmp(ulp->place) != 0)
        return;
    if (ulp->region)
        machine_run_on(region_program_stack(ulp->region), ulp_main_run);
    ulp_main_run();
}

void ulp_go_on(struct ulp *ulp, void *context, int error)
{
    if (setjmp(ulp->place) != 0)
        return;
    own_program_come_back();
    errno = error;
    machine_go_on(context);
}
