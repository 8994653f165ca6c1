/* traits.c - lines that begin with a word, which says what they are about. */
#include "ulp/traits.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "ulp/machine.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* A number for bytes that differ: FNV-1a, of Fowler, Noll and Vo. */
static uint64_t digest(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        value = (value ^ bytes[i]) * 0x100000001b3;
    return value;
}

/* Libraries. ----------------------------------------------------------------------------------- */

/* The notes of a library, in which its build is named. */
static uint64_t library_digest(const struct dl_phdr_info *library)
{
    uint64_t value = 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            value +=
                digest((const unsigned char *)library->dlpi_addr + part->p_vaddr, part->p_memsz);
    }
    return value;
}

static size_t library_size(const struct dl_phdr_info *library)
{
    size_t size = 0;
    for (int i = 0; i < library->dlpi_phnum; i++)
        size += library->dlpi_phdr[i].p_memsz;
    return size;
}

/* The program of this process has no name, and the system's own part is not called by its address. */
static int library_write(struct dl_phdr_info *library, size_t size, void *memory)
{
    (void)size;
    const char *name = *library->dlpi_name ? library->dlpi_name : "pvmulp";
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    if (strncmp(base, "linux-vdso", strlen("linux-vdso")) != 0)
        fprintf(memory, "library %s %" PRIxPTR " %zx %" PRIx64 "\n", base,
                (uintptr_t)library->dlpi_addr, library_size(library), library_digest(library));
    return 0;
}

/* All. ----------------------------------------------------------------------------------------- */

static uint64_t program_digest(const struct ulp *ulp)
{
    uint64_t value = 0;
    for (int i = 0; i < ulp->image.file->header.e_phnum; i++) {
        const Elf64_Phdr *part = &ulp->image.file->parts[i];
        if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
            value += digest(ulp->image.base + part->p_vaddr, part->p_filesz);
    }
    return value;
}

static void traits_print(FILE *out, const struct ulp *ulp)
{
    size_t room_size;
    unsigned char *room = room_variables(&room_size);
    fprintf(out, "program %s\n", ulp->source->path);
    fprintf(out, "contents %zx %" PRIx64 "\n", ulp->image.file->size, program_digest(ulp));
    fprintf(out, "region %p %p %p %p\n", (void *)ulp, (void *)ulp->image.base,
            region_program_stack(ulp->region), (void *)ulp->region->limit);
    fprintf(out, "thread %p %p %zx\n", (void *)machine_thread_pointer(), (void *)room, room_size);
    fprintf(out, "processor %lx %lx %" PRIx64 "\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
            machine_features());
    fprintf(out, "guards %" PRIx64 "\n", machine_guards());
    dl_iterate_phdr(library_write, out);
}

char *traits_write(const struct ulp *ulp)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    traits_print(out, ulp);
    fclose(out);
    return text;
}

/* Comparing. ----------------------------------------------------------------------------------- */

static const struct {
    const char *word, *why;
} reasons[] = {
    {"program", "it is another program there"},
    {"contents", "another program has this name there"},
    {"region", "user-level processes have regions of another size there (PVM_ULP_REGION)"},
    {"thread", "threads are laid out in another way there"},
    {"processor", "the processor there is of another kind"},
    {"guards", "the system there does not let pvmulp lie where it lies here"},
};

/* Bytes up to the end of the line, or of its first `words` words. */
static size_t line_length(const char *line, int words)
{
    const char *at = line;
    while (*at && *at != '\n' && (*at != ' ' || --words > 0))
        at++;
    return (size_t)(at - line);
}

#define WHOLE 1000

static const char *line_next(const char *line)
{
    line += line_length(line, WHOLE);
    return *line ? line + 1 : line;
}

/* The line of `text` with this beginning; NULL: none. */
static const char *line_find(const char *text, const char *begin, size_t length)
{
    for (const char *line = text; *line; line = line_next(line))
        if (strncmp(line, begin, length) == 0 && (line[length] == ' ' || line[length] == '\n'))
            return line;
    return NULL;
}

static bool lines_are_same(const char *one, const char *other)
{
    size_t length = line_length(one, WHOLE);
    return other && line_length(other, WHOLE) == length && strncmp(one, other, length) == 0;
}

/* Libraries of other programs may be missing here. NULL, or why this one does not do. */
static const char *library_compare(const char *line, const char *own, char *text, size_t size)
{
    size_t length = line_length(line, 2), kind = strlen("library ");
    const char *there = line_find(own, line, length);
    if (!there || lines_are_same(line, there))
        return NULL;
    snprintf(text, size, "the library %.*s is another one there, or lies elsewhere",
             (int)(length - kind), line + kind);
    return text;
}

static const char *trait_compare(const char *line, const char *own)
{
    size_t length = line_length(line, 1);
    if (lines_are_same(line, line_find(own, line, length)))
        return NULL;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strlen(reasons[i].word) == length && strncmp(line, reasons[i].word, length) == 0)
            return reasons[i].why;
    return "another version of pvmulp is there";
}

const char *traits_compare(const char *wanted, const char *own, char *text, size_t size)
{
    const char *why = NULL;
    for (const char *line = wanted; *line && !why; line = line_next(line))
        why = strncmp(line, "library ", strlen("library ")) == 0
                  ? library_compare(line, own, text, size)
                  : trait_compare(line, own);
    return why;
}

char *traits_program(const char *text)
{
    size_t kind = strlen("program "), length = line_length(text, WHOLE);
    return length > kind ? strndup(text + kind, length - kind) : strdup("");
}
