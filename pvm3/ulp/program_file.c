/* program_file.c - reads the headers of a program, and believes nothing. */
#include "ulp/program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ulp/machine.h"

/* More parts or addresses than a program has that anybody wrote. */
#define PARTS_MOST 256
#define SPAN_MOST  ((size_t)1 << 36)

size_t program_file_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static bool program_file_read(const struct program_file *file, void *into, size_t size,
                              size_t offset)
{
    return pread(file->descriptor, into, size, (off_t)offset) == (ssize_t)size;
}

/* NULL, or what is wrong. */
static const char *header_check(const Elf64_Ehdr *header)
{
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return "not a program but a script or data: tasks of this kind are executables";
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != MACHINE_ELF)
        return "made for another kind of processor";
    if (header->e_type == ET_EXEC)
        return "linked for fixed addresses: compile and link it with -pie, as is the default";
    if (header->e_type != ET_DYN || header->e_phentsize != sizeof(Elf64_Phdr) ||
        header->e_phnum == 0 || header->e_phnum > PARTS_MOST)
        return "not an executable";
    return NULL;
}

static bool part_is_sound(const Elf64_Phdr *part, size_t size)
{
    return part->p_filesz <= part->p_memsz && part->p_memsz <= SPAN_MOST &&
           part->p_vaddr <= SPAN_MOST && part->p_offset <= size &&
           part->p_filesz <= size - part->p_offset;
}

/* Whether it comes behind those before, on pages of its own. */
static bool part_is_behind(const Elf64_Phdr *part, size_t span)
{
    return part->p_type != PT_LOAD || (part->p_vaddr & ~(program_file_page() - 1)) >= span;
}

static void program_file_take(struct program_file *file, const Elf64_Phdr *part)
{
    size_t page = program_file_page();
    size_t end = (part->p_vaddr + part->p_memsz + page - 1) / page * page;
    if (part->p_type == PT_LOAD && end > file->span)
        file->span = end;
    if (part->p_type == PT_DYNAMIC)
        file->dynamic = *part;
    if (part->p_type == PT_TLS)
        file->tls = *part;
}

static const char *program_file_read_parts(struct program_file *file)
{
    size_t length = file->header.e_phnum * sizeof *file->parts, page = program_file_page();
    bool started = false;
    file->parts = malloc(length);
    if (!file->parts)
        return strerror(ENOMEM);
    if (!program_file_read(file, file->parts, length, file->header.e_phoff))
        return "cut off, or damaged";
    for (int i = 0; i < file->header.e_phnum; i++) {
        const Elf64_Phdr *part = &file->parts[i];
        if (!part_is_sound(part, file->size) || !part_is_behind(part, file->span) ||
            (part->p_type == PT_LOAD && (part->p_offset - part->p_vaddr) % page != 0))
            return "cut off, or damaged";
        program_file_take(file, part);
        started = started || part->p_type == PT_INTERP;
    }
    if (!started)
        return "a library, or linked statically: link the program with libpvm3.so";
    if (file->dynamic.p_memsz == 0 || file->dynamic.p_vaddr >= file->span ||
        file->dynamic.p_memsz > file->span - file->dynamic.p_vaddr ||
        file->header.e_entry >= file->span || file->tls.p_vaddr > file->span ||
        file->tls.p_filesz > file->span - file->tls.p_vaddr)
        return "cut off, or damaged";
    return NULL;
}

const char *program_file_open(struct program_file *file, const char *path)
{
    struct stat status;
    memset(file, 0, sizeof *file);
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0 || fstat(file->descriptor, &status) < 0)
        return strerror(errno);
    file->size = (size_t)status.st_size;
    if (!program_file_read(file, &file->header, sizeof file->header, 0))
        return "not a program";
    const char *wrong = header_check(&file->header);
    return wrong ? wrong : program_file_read_parts(file);
}

void program_file_close(struct program_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->parts);
}
