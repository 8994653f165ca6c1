/*
 * standard_output.c - what libraries write for a user-level process.
 *
 * Streams of C ask which task prints (lib/serve/printed.h). Libraries of other languages, Fortran's
 * before all, call write, and find this one: the dynamic linker looks at the program of a process
 * first.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/serve/printed.h"

__attribute__((visibility("default"))) ssize_t write(int descriptor, const void *text, size_t size)
{
    if ((descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) &&
        printed_write_as_task(text, size))
        return (ssize_t)size;
    return syscall(SYS_write, descriptor, text, size);
}
