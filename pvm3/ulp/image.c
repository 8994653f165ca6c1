/* image.c - maps a program, and binds it. Every address that a program names is checked. */
#include "ulp/image.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "ulp/machine.h"

#define DAMAGED "damaged"

/* Memory of the image; NULL unless all of it lies there. */
static void *image_at(const struct image *image, size_t address, size_t size)
{
    return address <= image->file->span && size <= image->file->span - address
               ? image->base + address
               : NULL;
}

/* Memory of the image that the program may use in this way: PF_R, PF_W, PF_X. NULL unless all of it is. */
static void *image_at_for(const struct image *image, size_t address, size_t size, Elf64_Word use)
{
    for (int i = 0; i < image->file->header.e_phnum; i++) {
        const Elf64_Phdr *part = &image->file->parts[i];
        if (part->p_type == PT_LOAD && (part->p_flags & use) && address >= part->p_vaddr &&
            address - part->p_vaddr <= part->p_memsz &&
            size <= part->p_memsz - (address - part->p_vaddr))
            return image_at(image, address, size);
    }
    return NULL;
}

/*
 * A table of entries with this alignment. It is no larger than the file that it comes from. NULL
 * for one that is not in the image.
 */
static const void *image_table(const struct image *image, size_t address, size_t size,
                               size_t alignment)
{
    bool sound = size <= image->file->size && address % alignment == 0;
    return sound ? image_at_for(image, address, size, PF_R) : NULL;
}

/* Mapping. ------------------------------------------------------------------------------------- */

static int part_protection(const Elf64_Phdr *part)
{
    return (part->p_flags & PF_R ? PROT_READ : 0) | (part->p_flags & PF_W ? PROT_WRITE : 0) |
           (part->p_flags & PF_X ? PROT_EXEC : 0);
}

/* What is in the file; then zeros, up to the end of the page and on further pages. */
static bool image_map_part(const struct image *image, const Elf64_Phdr *part)
{
    size_t page = program_file_page();
    size_t first = part->p_vaddr & ~(page - 1), lead = part->p_vaddr - first;
    size_t in_file = (lead + part->p_filesz + page - 1) & ~(page - 1);
    size_t in_all = (lead + part->p_memsz + page - 1) & ~(page - 1);
    unsigned char *memory = image->base + first;
    int protection = part_protection(part);
    if (part->p_filesz > 0 &&
        mmap(memory, in_file, protection, MAP_PRIVATE | MAP_FIXED, image->file->descriptor,
             (off_t)(part->p_offset - lead)) == MAP_FAILED)
        return false;
    if (part->p_filesz == 0)
        in_file = 0;
    if (in_all > in_file && mmap(memory + in_file, in_all - in_file, protection,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    if (part->p_memsz > part->p_filesz && in_file > 0 && (protection & PROT_WRITE))
        memset(memory + lead + part->p_filesz, 0, in_file - lead - part->p_filesz);
    return true;
}

static void image_take_entry(struct image *image, const Elf64_Dyn *entry)
{
    if (entry->d_tag >= 0 && entry->d_tag < IMAGE_TABLES)
        image->tables[entry->d_tag] = entry->d_un.d_val;
    else if (entry->d_tag == DT_VERSYM)
        image->versions_used = entry->d_un.d_val;
    else if (entry->d_tag == DT_VERNEED)
        image->versions = entry->d_un.d_val;
    else if (entry->d_tag == DT_VERNEEDNUM)
        image->version_count = entry->d_un.d_val;
}

static void image_read_tables(struct image *image)
{
    const Elf64_Phdr *dynamic = &image->file->dynamic;
    const Elf64_Dyn *entries =
        image_table(image, dynamic->p_vaddr, dynamic->p_memsz, _Alignof(Elf64_Dyn));
    size_t count = entries ? dynamic->p_memsz / sizeof *entries : 0;
    for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
        image_take_entry(image, &entries[i]);
}

/* False without memory. */
static bool image_reserve(struct image *image, void *place)
{
    image->placed = place != NULL;
    if (!place)
        place = mmap(NULL, image->file->span, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED)
        return false;
    image->base = place;
    return true;
}

const char *image_map(struct image *image, const struct program_file *file, void *place)
{
    memset(image, 0, sizeof *image);
    image->file = file;
    image->tls = machine_tls_offset(file->tls.p_memsz, file->tls.p_align ? file->tls.p_align : 1);
    if (!image_reserve(image, place))
        return strerror(errno);
    for (int i = 0; i < file->header.e_phnum; i++)
        if (file->parts[i].p_type == PT_LOAD && !image_map_part(image, &file->parts[i]))
            return strerror(errno);
    image_read_tables(image);
    if (!image->tables[DT_SYMTAB] ||
        (file->tls.p_memsz > 0 && !image_table(image, file->tls.p_vaddr, file->tls.p_filesz, 1)))
        return DAMAGED;
    return image->tables[DT_TEXTREL] ? "its code is not position-independent" : NULL;
}

void image_unmap(struct image *image)
{
    if (image->base && !image->placed)
        munmap(image->base, image->file->span);
    image->base = NULL;
}

/* Symbols. ------------------------------------------------------------------------------------- */

/* A text of the string table; NULL if it does not lie there. */
bool image_has(const struct image *image, uintptr_t address)
{
    return image->base && address - (uintptr_t)image->base < image->file->span;
}

static const char *image_text(const struct image *image, size_t offset)
{
    size_t size = image->tables[DT_STRSZ];
    const char *texts = image_table(image, image->tables[DT_STRTAB], size, _Alignof(char));
    return texts && offset < size && memchr(texts + offset, '\0', size - offset) ? texts + offset
                                                                                 : NULL;
}

const char *image_next_library(const struct image *image, size_t *at)
{
    const Elf64_Phdr *dynamic = &image->file->dynamic;
    const Elf64_Dyn *entries =
        image_table(image, dynamic->p_vaddr, dynamic->p_memsz, _Alignof(Elf64_Dyn));
    size_t count = entries ? dynamic->p_memsz / sizeof *entries : 0;
    while (*at < count && entries[*at].d_tag != DT_NULL) {
        const Elf64_Dyn *entry = &entries[(*at)++];
        if (entry->d_tag == DT_NEEDED)
            return image_text(image, entry->d_un.d_val);
    }
    return NULL;
}

/* The name of version `number` among those that one library has. */
static const char *image_version_of(const struct image *image, size_t address,
                                    const Elf64_Verneed *library, unsigned number)
{
    address += library->vn_aux;
    for (int i = 0; i < library->vn_cnt; i++) {
        const Elf64_Vernaux *version =
            image_table(image, address, sizeof *version, _Alignof(Elf64_Vernaux));
        if (!version)
            return NULL;
        if (version->vna_other == number)
            return image_text(image, version->vna_name);
        address += version->vna_next;
    }
    return NULL;
}

/* The version that the program needs of a symbol; NULL: any. */
static const char *image_version(const struct image *image, size_t index)
{
    const Elf64_Half *used = image_table(image, image->versions_used + index * sizeof *used,
                                         sizeof *used, _Alignof(Elf64_Half));
    if (!image->versions_used || !used)
        return NULL;
    size_t address = image->versions;
    const char *name = NULL;
    for (size_t i = 0; i < image->version_count && !name; i++) {
        const Elf64_Verneed *library =
            image_table(image, address, sizeof *library, _Alignof(Elf64_Verneed));
        if (!library)
            return NULL;
        name = image_version_of(image, address, library, *used & 0x7fff);
        if (library->vn_next == 0)
            break;
        address += library->vn_next;
    }
    return name;
}

/* Binding. ------------------------------------------------------------------------------------- */

/* What one pass over the relocations has to do, and has found. */
struct binding {
    const struct image *image;
    image_find *find;
    bool resolvers; /* the pass for functions that choose functions, which may call others */
    const char *name, *why;
};

static void *binding_fail(struct binding *binding, const char *name, const char *why)
{
    binding->name = name;
    binding->why = why ? why : "no library has it";
    return NULL;
}

static void *binding_find_elsewhere(struct binding *binding, const Elf64_Sym *symbol, size_t index,
                                    void *room)
{
    const struct image_symbol wanted = {
        .index = index,
        .name = image_text(binding->image, symbol->st_name),
        .version = image_version(binding->image, index),
        .size = symbol->st_size,
        .weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK,
        .room = room,
    };
    const char *why = NULL;
    if (!wanted.name)
        return binding_fail(binding, NULL, DAMAGED);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
        return binding_fail(binding, wanted.name, "a thread-local variable of a library");
    void *found = binding->find(&wanted, &why);
    return found || (!why && wanted.weak) ? found : binding_fail(binding, wanted.name, why);
}

/* Where the symbol of a relocation is. NULL if it is weak and nowhere, or if binding->why says so. */
static void *binding_find(struct binding *binding, size_t index, void *room)
{
    const struct image *image = binding->image;
    const Elf64_Sym *symbol = image_table(image, image->tables[DT_SYMTAB] + index * sizeof *symbol,
                                          sizeof *symbol, _Alignof(Elf64_Sym));
    if (!symbol)
        return binding_fail(binding, NULL, DAMAGED);
    if (symbol->st_shndx == SHN_UNDEF || room)
        return binding_find_elsewhere(binding, symbol, index, room);
    if (symbol->st_shndx == SHN_ABS)
        return (void *)symbol->st_value;
    void *own = image_at(image, symbol->st_value, 0);
    if (own && ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        machine_call_resolver(own, &own);
    return own ? own : binding_fail(binding, NULL, DAMAGED);
}

static void binding_copy(struct binding *binding, size_t index, void *into)
{
    const struct image *image = binding->image;
    const void *from = binding_find(binding, index, into);
    const Elf64_Sym *symbol = image_table(image, image->tables[DT_SYMTAB] + index * sizeof *symbol,
                                          sizeof *symbol, _Alignof(Elf64_Sym));
    if (from && image_at(image, (size_t)((unsigned char *)into - image->base), symbol->st_size))
        memcpy(into, from, symbol->st_size);
    else if (!binding->why)
        binding->why = DAMAGED;
}

/* Where a variable of the program is to be, or any part of it, from the thread pointer on. */
static size_t binding_tls(const struct binding *binding, size_t index, size_t addend)
{
    const struct image *image = binding->image;
    const Elf64_Sym *symbol = image_table(image, image->tables[DT_SYMTAB] + index * sizeof *symbol,
                                          sizeof *symbol, _Alignof(Elf64_Sym));
    return (size_t)image->tls + addend + (symbol && index ? symbol->st_value : 0);
}

static uintptr_t binding_resolve(struct binding *binding, size_t address)
{
    void *found = NULL, *resolver = image_at_for(binding->image, address, 1, PF_X);
    if (resolver)
        machine_call_resolver(resolver, &found);
    else
        binding->why = DAMAGED;
    return (uintptr_t)found;
}

/* What a relocation puts into the program. */
static uintptr_t binding_value(struct binding *binding, const Elf64_Rela *entry)
{
    size_t index = ELF64_R_SYM(entry->r_info), addend = (size_t)entry->r_addend;
    switch (ELF64_R_TYPE(entry->r_info)) {
    case MACHINE_R_RELATIVE:
        return (uintptr_t)binding->image->base + addend;
    case MACHINE_R_ABSOLUTE:
    case MACHINE_R_DATA:
    case MACHINE_R_FUNCTION:
        return (uintptr_t)binding_find(binding, index, NULL) + addend;
    case MACHINE_R_TLS_OFFSET:
        return binding_tls(binding, index, addend);
    case MACHINE_R_IRELATIVE:
        return binding_resolve(binding, addend);
    default:
        binding->why = "it has a relocation that is not known here";
        return 0;
    }
}

/* The word that it changes need not be aligned. */
static void binding_apply(struct binding *binding, const Elf64_Rela *entry)
{
    uintptr_t value;
    void *into = image_at_for(binding->image, entry->r_offset, sizeof value, PF_W);
    if (!into) {
        binding->why = DAMAGED;
        return;
    }
    if (ELF64_R_TYPE(entry->r_info) == MACHINE_R_COPY) {
        binding_copy(binding, ELF64_R_SYM(entry->r_info), into);
        return;
    }
    value = binding_value(binding, entry);
    if (!binding->why)
        memcpy(into, &value, sizeof value);
}

static bool is_resolver(const Elf64_Rela *entry)
{
    return ELF64_R_TYPE(entry->r_info) == MACHINE_R_IRELATIVE;
}

static void binding_apply_table(struct binding *binding, size_t table, size_t size)
{
    const Elf64_Rela *entries = image_table(binding->image, table, size, _Alignof(Elf64_Rela));
    if (!entries && size > 0)
        binding->why = DAMAGED;
    for (size_t i = 0; i < size / sizeof *entries && !binding->why; i++)
        if (is_resolver(&entries[i]) == binding->resolvers)
            binding_apply(binding, &entries[i]);
}

/* Relative ones in short form: an address, or a map of the 63 words behind the last one. */
static void binding_apply_short(struct binding *binding, size_t table, size_t size)
{
    const struct image *image = binding->image;
    const Elf64_Xword *entries = image_table(image, table, size, _Alignof(Elf64_Xword));
    size_t next = 0;
    if (!entries && size > 0)
        binding->why = DAMAGED;
    for (size_t i = 0; i < size / sizeof *entries && !binding->why; i++) {
        bool map = entries[i] & 1;
        Elf64_Xword bits = map ? entries[i] >> 1 : 1;
        size_t at = map ? next : entries[i];
        next = at + (map ? 63 : 1) * sizeof(uintptr_t);
        for (; bits && !binding->why; bits >>= 1, at += sizeof(uintptr_t)) {
            bool due = (bits & 1) && at % sizeof(uintptr_t) == 0;
            uintptr_t *word = due ? image_at_for(image, at, sizeof *word, PF_W) : NULL;
            if ((bits & 1) && !word)
                binding->why = DAMAGED;
            else if (word)
                *word += (uintptr_t)image->base;
        }
    }
}

void image_protect(const struct image *image)
{
    size_t page = program_file_page();
    for (int i = 0; i < image->file->header.e_phnum; i++) {
        const Elf64_Phdr *part = &image->file->parts[i];
        size_t first = part->p_vaddr & ~(page - 1);
        size_t end = (part->p_vaddr + part->p_memsz) & ~(page - 1);
        if (part->p_type == PT_GNU_RELRO && end > first && image_at(image, first, end - first))
            mprotect(image->base + first, end - first, PROT_READ);
    }
}

#define SHORT_RELATIVE_SIZE 35 /* DT_RELRSZ and DT_RELR, which older headers do not name */
#define SHORT_RELATIVE      36

const char *image_link(struct image *image, image_find *find, const char **name)
{
    const size_t *tables = image->tables;
    struct binding binding = {.image = image, .find = find};
    binding_apply_short(&binding, tables[SHORT_RELATIVE], tables[SHORT_RELATIVE_SIZE]);
    for (int pass = 0; pass < 2 && !binding.why; pass++) {
        binding.resolvers = pass == 1;
        binding_apply_table(&binding, tables[DT_RELA], tables[DT_RELASZ]);
        if (!binding.why)
            binding_apply_table(&binding, tables[DT_JMPREL], tables[DT_PLTRELSZ]);
    }
    *name = binding.name;
    if (!binding.why)
        image_protect(image);
    return binding.why;
}

bool image_next_variables(const struct image *image, int *at, unsigned char **from,
                          unsigned char **end)
{
    while (*at < image->file->header.e_phnum) {
        const Elf64_Phdr *part = &image->file->parts[(*at)++];
        *from = image_at(image, part->p_vaddr, part->p_memsz);
        *end = *from + part->p_memsz;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) && *from)
            return true;
    }
    return false;
}

/* Running. ------------------------------------------------------------------------------------- */

void image_start_thread(const struct image *image, unsigned char *thread_pointer)
{
    const Elf64_Phdr *part = &image->file->tls;
    memcpy(thread_pointer + image->tls, image->base + part->p_vaddr, part->p_filesz);
    memset(thread_pointer + image->tls + part->p_filesz, 0, part->p_memsz - part->p_filesz);
}

typedef void image_function(int count, char **words, char **environment);

static image_function *image_function_at(const struct image *image, size_t address)
{
    image_function *function = NULL;
    *(void **)&function = address ? image_at_for(image, address, 1, PF_X) : NULL;
    return function;
}

/* The functions of a table, whose entries are bound already. */
static image_function *const *image_functions(const struct image *image, int table, int size_table,
                                              size_t *count)
{
    size_t size = image->tables[size_table];
    image_function *const *functions =
        image_table(image, image->tables[table], size, _Alignof(image_function *));
    *count = functions && image->tables[table] ? size / sizeof *functions : 0;
    return functions;
}

void image_begin(const struct image *image, int count, char **words, char **environment)
{
    size_t number;
    image_function *const *functions =
        image_functions(image, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ, &number);
    for (size_t i = 0; i < number; i++)
        functions[i](count, words, environment);
    image_function *first = image_function_at(image, image->tables[DT_INIT]);
    if (first)
        first(count, words, environment);
    functions = image_functions(image, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, &number);
    for (size_t i = 0; i < number; i++)
        functions[i](count, words, environment);
}

void image_end(const struct image *image)
{
    size_t number;
    image_function *const *functions =
        image_functions(image, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, &number);
    while (number > 0)
        functions[--number](0, NULL, NULL);
    image_function *last = image_function_at(image, image->tables[DT_FINI]);
    if (last)
        last(0, NULL, NULL);
}

void *image_entry(const struct image *image)
{
    return image_at_for(image, image->file->header.e_entry, 1, PF_X);
}

void *image_frames(const struct image *image)
{
    for (int i = 0; i < image->file->header.e_phnum; i++) {
        const Elf64_Phdr *part = &image->file->parts[i];
        const unsigned char *header =
            part->p_type == PT_GNU_EH_FRAME ? image_table(image, part->p_vaddr, 8, 1) : NULL;
        /* Version 1, and where the tables are in four bytes, counted from there: as linkers write. */
        if (!header || header[0] != 1 || header[1] != 0x1b)
            continue;
        int32_t distance;
        memcpy(&distance, header + 4, sizeof distance);
        return image_at(image, part->p_vaddr + 4 + (size_t)(ptrdiff_t)distance, 4);
    }
    return NULL;
}
