/* file_moves.c - the list of what is open, as bytes. */
#include "ulp/file_moves.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <wchar.h>

#include "ulp/file_numbers.h"
#include "ulp/files.h"
#include "ulp/heap.h"
#include "ulp/region.h"

/* Of the C library: a stream leaves the list of all streams, or enters it. */
void _IO_un_link(void *stream);
void _IO_link_in(void *stream);

/* An open file. Its path follows it among the bytes. */
struct entry {
    int number, flags, descriptor_flags;
    int same_as; /* the place of one before it that shares its offset; -1: none */
    off_t offset;
    ino_t inode;
    FILE *stream; /* NULL: it has none */
    char path[PATH_MAX];
};

struct list {
    struct entry *entries;
    int count;
};

/* What the bytes begin with. Entries follow, and the folder, if there is one. */
struct head {
    int count;
    bool own_folder;
    mode_t mask;
    uintptr_t library, library_size; /* the C library, to which streams refer */
};

/* What is open. -------------------------------------------------------------------------------- */

static bool is_null_device(const struct stat *status)
{
    return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/* NULL, or why a file of this kind cannot go along. */
static const char *why_kind(const struct stat *status)
{
    if (S_ISREG(status->st_mode) || is_null_device(status))
        return NULL;
    return S_ISFIFO(status->st_mode)   ? "it has an open pipe"
           : S_ISSOCK(status->st_mode) ? "it has an open socket"
           : S_ISDIR(status->st_mode)  ? "it has an open folder"
           : S_ISCHR(status->st_mode)  ? "it has an open device"
                                       : "it has an open file that has no name";
}

/* The path of a descriptor, under which it is found. NULL, or why there is none. */
static const char *take_path(int descriptor, const struct stat *status, char path[PATH_MAX])
{
    char name[40];
    struct stat found;
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    if (length < 0)
        return "it has an open file whose path is not known";
    path[length] = '\0';
    if (stat(path, &found) < 0 || found.st_dev != status->st_dev || found.st_ino != status->st_ino)
        return "it has an open file that was removed";
    return NULL;
}

/* Whether two descriptors share their offset; < 0: it cannot be known. */
static int is_shared(int one, int other)
{
    pid_t own = getpid();
    long order = syscall(SYS_kcmp, own, own, KCMP_FILE, one, other);
    return order < 0 && errno != EBADF ? -1 : order == 0;
}

/* Notes with which one of the list the entry shares its offset. NULL, or why it cannot go along. */
static const char *take_shared(struct entry *entry, const struct list *list)
{
    entry->same_as = -1;
    for (int standard = 0; standard <= STDERR_FILENO; standard++)
        if (is_shared(entry->number, standard) != 0)
            return "it has an open copy of a standard file";
    for (int i = 0; i < list->count && entry->same_as < 0; i++)
        if (list->entries[i].inode == entry->inode &&
            is_shared(entry->number, list->entries[i].number) != 0)
            entry->same_as = i;
    return NULL;
}

/* NULL, or why it cannot go along. */
static const char *take_descriptor(struct entry *entry, int descriptor, const struct list *list)
{
    struct stat status;
    if (descriptor <= STDERR_FILENO)
        return "it has put a file in place of a standard one";
    if (fstat(descriptor, &status) < 0)
        return "it has closed a file in a way that is not known";
    const char *why = why_kind(&status);
    if (!why)
        why = take_path(descriptor, &status, entry->path);
    entry->number = descriptor;
    entry->inode = status.st_ino;
    entry->flags = fcntl(descriptor, F_GETFL);
    entry->descriptor_flags = fcntl(descriptor, F_GETFD);
    entry->offset = lseek(descriptor, 0, SEEK_CUR);
    return why ? why : take_shared(entry, list);
}

static bool lies_in(const struct region *region, const void *address)
{
    return !address || region_of(address) == region;
}

/* NULL, or why the stream cannot go along. */
static const char *why_stream(const struct file_stream *open)
{
    FILE *stream = open->stream;
    const struct region *region = region_of(stream);
    if (open->child > 0)
        return "it has an open stream of popen";
    if (!region || !region->heap || !lies_in(region, stream->_IO_buf_base))
        return "it has an open stream that lies outside of its region";
    if (stream->_IO_save_base || stream->_markers)
        return "it has an open stream with characters that were put back";
    if (fwide(stream, 0) > 0)
        return "it has an open stream of wide characters";
    return NULL;
}

/* Adds one. NULL, or why it cannot go along. */
static const char *list_add(struct list *list, int descriptor, FILE *stream)
{
    struct entry *grown = realloc(list->entries, ((size_t)list->count + 1) * sizeof *list->entries);
    if (!grown)
        return strerror(ENOMEM);
    list->entries = grown;
    struct entry *entry = &grown[list->count];
    memset(entry, 0, sizeof *entry);
    const char *why = take_descriptor(entry, descriptor, list);
    entry->stream = stream;
    list->count++;
    return why;
}

/* All that is open, also if something cannot go along: NULL, or why it cannot. */
static const char *list_take(struct list *list, const struct files *files)
{
    const char *why = files->ties ? files->ties->what : NULL;
    *list = (struct list){0};
    for (const struct file_stream *open = files->streams; open && !why; open = open->next) {
        why = why_stream(open);
        if (!why)
            why = list_add(list, fileno(open->stream), open->stream);
    }
    for (size_t i = 0; i < files->descriptor_count && !why; i++)
        why = list_add(list, files->descriptors[i], NULL);
    return why;
}

bool files_can_go(struct files *files, const char **why)
{
    struct list list;
    pthread_mutex_lock(&files->lock);
    *why = list_take(&list, files);
    pthread_mutex_unlock(&files->lock);
    free(list.entries);
    return !*why;
}

/* The C library. ------------------------------------------------------------------------------- */

/* Where the library lies that has the address `first`; then `first` is its lowest one. */
struct library {
    uintptr_t first, end;
};

static int library_look_at(struct dl_phdr_info *information, size_t size, void *memory)
{
    struct library *library = memory;
    uintptr_t end = 0;
    (void)size;
    for (int i = 0; i < information->dlpi_phnum; i++)
        if (information->dlpi_phdr[i].p_type == PT_LOAD)
            end = information->dlpi_addr + information->dlpi_phdr[i].p_vaddr +
                  information->dlpi_phdr[i].p_memsz;
    if (library->first < information->dlpi_addr || library->first >= end)
        return 0;
    *library = (struct library){information->dlpi_addr, end};
    return 1;
}

static struct library c_library(void)
{
    struct library library = {(uintptr_t)dlsym(RTLD_NEXT, "fopen"), 0};
    dl_iterate_phdr(library_look_at, &library);
    return library;
}

/* Packing. ------------------------------------------------------------------------------------- */

/* The thread's own. */
static mode_t mask_of_thread(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

static void put_text(FILE *out, const char *text)
{
    fwrite(text, strlen(text) + 1, 1, out);
}

static void put_all(FILE *out, const struct list *list, const char *folder)
{
    struct library library = c_library();
    struct head head = {.count = list->count, .own_folder = folder};
    head.mask = folder ? mask_of_thread() : 0;
    head.library = library.first;
    head.library_size = library.end - library.first;
    fwrite(&head, sizeof head, 1, out);
    for (int i = 0; i < list->count; i++) {
        fwrite(&list->entries[i], offsetof(struct entry, path), 1, out);
        put_text(out, list->entries[i].path);
    }
    if (folder)
        put_text(out, folder);
}

/* NULL, or why the list cannot be written. */
static const char *pack_list(const struct list *list, bool own_folder, char **bytes, size_t *size)
{
    char folder[PATH_MAX];
    if (own_folder && !getcwd(folder, sizeof folder))
        return "its working folder was removed";
    FILE *out = open_memstream(bytes, size);
    if (!out)
        return strerror(ENOMEM);
    put_all(out, list, own_folder ? folder : NULL);
    return fclose(out) == 0 ? NULL : strerror(ENOMEM);
}

/* What streams have to write is written, and where they read on is where the file is. */
static bool flush_all(const struct files *files)
{
    bool good = true;
    for (const struct file_stream *open = files->streams; open; open = open->next)
        good &= fflush(open->stream) == 0;
    return good;
}

void *files_pack(struct files *files, bool own_folder, size_t *size, const char **why)
{
    struct list list = {0};
    char *bytes = NULL;
    bool flushed = flush_all(files);
    pthread_mutex_lock(&files->lock);
    *why = flushed ? list_take(&list, files) : "it has an open stream that cannot be written";
    pthread_mutex_unlock(&files->lock);
    if (!*why)
        *why = pack_list(&list, own_folder, &bytes, size);
    free(list.entries);
    if (*why) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Letting go. ---------------------------------------------------------------------------------- */

void files_let_go(struct files *files)
{
    struct file_stream *open;
    pthread_mutex_lock(&files->lock);
    while ((open = files->streams) != NULL) {
        files->streams = open->next;
        _IO_un_link(open->stream);
        close(fileno(open->stream));
        free(open);
    }
    while (files->descriptor_count > 0)
        close(files->descriptors[--files->descriptor_count]);
    pthread_mutex_unlock(&files->lock);
}

/* Unpacking. ----------------------------------------------------------------------------------- */

static const char damaged[] = "the list of its open files is damaged";

struct reader {
    const char *next, *end;
};

static bool get_bytes(struct reader *reader, void *into, size_t size)
{
    if (size > (size_t)(reader->end - reader->next))
        return false;
    memcpy(into, reader->next, size);
    reader->next += size;
    return true;
}

static bool get_text(struct reader *reader, char into[PATH_MAX])
{
    size_t length = strnlen(reader->next, (size_t)(reader->end - reader->next));
    return length < PATH_MAX && get_bytes(reader, into, length + 1);
}

/* The file of an entry, whatever its number. -1 and errno. */
static int open_entry(const struct entry *entry, const struct list *list)
{
    struct stat status;
    if (entry->same_as >= 0 && entry->same_as < list->count)
        return fcntl(list->entries[entry->same_as].number, F_DUPFD_CLOEXEC, 0);
    int descriptor = open(entry->path, entry->flags | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &status) == 0 && status.st_ino == entry->inode &&
        (is_null_device(&status) || lseek(descriptor, entry->offset, SEEK_SET) >= 0))
        return descriptor;
    close(descriptor);
    errno = ESTALE;
    return -1;
}

/* The words of the stream that refer to the C library of the old process do to this one. */
static void relocate(FILE *stream, const struct head *head, uintptr_t library)
{
    size_t size = heap_block_size(region_of(stream)->heap, stream);
    uintptr_t *words = (uintptr_t *)(void *)stream;
    for (size_t i = 0; i < size / sizeof *words; i++)
        if (words[i] - head->library < head->library_size)
            words[i] += library - head->library;
}

static void enter_stream(struct files *files, FILE *stream, const struct head *head)
{
    relocate(stream, head, c_library().first);
    _IO_un_link(stream); /* which it says that it is in, if its memory went before it was let go */
    _IO_link_in(stream);
    files_add_stream(files, stream);
}

/* NULL, or why not. */
static const char *enter(struct files *files, const struct entry *entry, const struct list *list,
                         const struct head *head)
{
    const struct region *region = region_of(entry->stream);
    if (entry->stream && (!region || !region->heap))
        return damaged;
    int descriptor = open_entry(entry, list);
    if (descriptor < 0)
        return errno == ESTALE ? "another file is where it had opened one"
                               : "a file that it had opened cannot be opened there";
    if (file_number_exactly(entry->number, descriptor) < 0) {
        close(descriptor);
        return "the number of a file that it had opened is in use there";
    }
    fcntl(entry->number, F_SETFD, entry->descriptor_flags);
    if (entry->stream)
        enter_stream(files, entry->stream, head);
    else
        files_add(files, entry->number);
    return NULL;
}

/* NULL, or why not. */
static const char *unpack_entries(struct files *files, struct reader *reader,
                                  const struct head *head, struct list *list)
{
    const char *why = NULL;
    list->entries = calloc((size_t)head->count + 1, sizeof *list->entries);
    if (!list->entries)
        return strerror(ENOMEM);
    for (; list->count < head->count && !why; list->count++) {
        struct entry *entry = &list->entries[list->count];
        if (get_bytes(reader, entry, offsetof(struct entry, path)) && get_text(reader, entry->path))
            why = enter(files, entry, list, head);
        else
            why = damaged;
    }
    return why;
}

/* NULL, or why not. */
static const char *unpack_folder(struct reader *reader, mode_t mask)
{
    char folder[PATH_MAX];
    if (!get_text(reader, folder))
        return damaged;
    if (unshare(CLONE_FS) < 0 || chdir(folder) < 0)
        return "its working folder is not there";
    umask(mask);
    return NULL;
}

bool files_unpack(struct files *files, const void *bytes, size_t size, bool *own_folder,
                  const char **why)
{
    struct reader reader = {bytes, (const char *)bytes + size};
    struct list list = {0};
    struct head head;
    struct library library = c_library();
    *why = NULL;
    if (!get_bytes(&reader, &head, sizeof head) || head.count < 0)
        *why = damaged;
    else if (head.library_size != library.end - library.first)
        *why = "the C library is another one there";
    else
        *why = unpack_entries(files, &reader, &head, &list);
    if (!*why && head.own_folder)
        *why = unpack_folder(&reader, head.mask);
    free(list.entries);
    if (*why)
        files_let_go(files);
    else
        *own_folder = head.own_folder;
    return !*why;
}
