/*
 * program_file.h - the file of a program, as its copies in memory need it.
 *
 * A program is what compilers make by default: a position-independent executable for this kind of
 * processor, linked dynamically.
 *
 * Threads: a value, without locks.
 */
#ifndef ULP_PROGRAM_FILE_H
#define ULP_PROGRAM_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct program_file {
    int descriptor;
    size_t size; /* of the file */
    Elf64_Ehdr header;
    Elf64_Phdr *parts; /* header.e_phnum */
    size_t span;       /* of addresses, from 0 on, in whole pages */
    Elf64_Phdr dynamic;
    Elf64_Phdr tls; /* p_memsz 0: no thread-local variables */
};

/*
 * Opens and checks it. NULL, or what is wrong with it, in a text that follows "PATH: ". In either
 * case program_file_close is to be called.
 */
const char *program_file_open(struct program_file *file, const char *path);
void program_file_close(struct program_file *file);

/* The size of a page, a power of two. */
size_t program_file_page(void);

#endif
