/* tasks.c - lets a test begin and end tasks beside the first; linked into a library (tasks.py). */
#include "tasks.h"

#include "lib/process.h"

__attribute__((visibility("default"))) int tasks_begin(void)
{
    return process_begin_task() ? 0 : -1;
}

__attribute__((visibility("default"))) int tasks_end(void)
{
    return process_end_task();
}
