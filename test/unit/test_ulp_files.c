/*
 * test_ulp_files.c - what a user-level process has opened is noted, let go and opened again; here
 * in the one process that there is.
 *
 * Streams lie in a region where malloc is that of pvmulp, which sanitizers replace.
 */
#include "ulp/file_moves.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "ulp/blocking_calls.h"
#include "ulp/file_calls.h"
#include "ulp/heap.h"
#include "ulp/region.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

#include "unit.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEEDS_STREAMS() skip()
#else
#define NEEDS_STREAMS()
#endif

enum { STACK = 65536, LIBRARY_MOST = 16 << 20, FIRST_NUMBER = 1024 };

/* What pvmulp has of the library. */
void blocking_call_begin(bool ready)
{
    (void)ready;
}

void blocking_call_end(void)
{
}

bool blocking_call_is_ready(int descriptor, short events)
{
    (void)descriptor, (void)events;
    return true;
}

bool ulp_has_process(const struct ulp *process)
{
    (void)process;
    return false;
}

static unsigned char *stack;
static struct ulp ulp;
static struct files *const files = &ulp.files;
static char folder[40], before[200];
static const char *why;

/* The program's calls. */
static int (*program_open)(const char *path, int flags, ...);
static int (*program_close)(int descriptor);
static int (*program_dup)(int descriptor);
static int (*program_pipe)(int *descriptors);
static int (*program_flock)(int descriptor, int operation);
static FILE *(*program_fopen)(const char *path, const char *mode);
static FILE *(*program_fdopen)(int descriptor, const char *mode);
static FILE *(*program_open_memstream)(char **text, size_t *size);
static int (*program_fclose)(FILE *stream);
static DIR *(*program_opendir)(const char *path);
static int (*program_closedir)(DIR *folder);
static void *(*program_mmap)(void *wanted, size_t size, int protection, int flags, int descriptor,
                             off_t offset);
static int (*program_munmap)(void *memory, size_t size);

#define FIND(name) (*(void **)&program_##name = file_call_find(#name))

static int begin(void)
{
    setenv("PVM_ULP_REGION", "64", 1);
    regions_begin();
    stack = region_take_stack(STACK);
    ulp.region = region_of(stack);
    ulp.heap = heap_begin(ulp.region);
    files_start(files);
    room_set_owner(&ulp);
    FIND(open), FIND(close), FIND(dup), FIND(pipe), FIND(flock), FIND(fopen), FIND(fdopen);
    FIND(open_memstream), FIND(fclose), FIND(opendir), FIND(closedir), FIND(mmap), FIND(munmap);
    return ulp.heap ? 0 : -1;
}

UNIT_STEP(start)
{
    strcpy(folder, "/tmp/filesXXXXXX");
    return begin() == 0 && getcwd(before, sizeof before) && mkdtemp(folder) && chdir(folder) == 0
               ? 0
               : -1;
}

UNIT_STEP(finish)
{
    char command[60];
    files_finish(files);
    room_set_owner(NULL);
    region_empty(ulp.region);
    region_give_back(stack);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir(before) == 0 && system(command) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *path, const char *text)
{
    char found[100] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static void *pack(size_t *size)
{
    assert_true(files_can_go(files, &why));
    void *bytes = files_pack(files, false, size, &why);
    assert_non_null(bytes);
    return bytes;
}

static void assert_unpacks(void *bytes, size_t size)
{
    bool own_folder = true;
    assert_true(files_unpack(files, bytes, size, &own_folder, &why));
    assert_false(own_folder);
    free(bytes);
}

static void assert_unpacks_not(const void *bytes, size_t size, const char *reason)
{
    bool own_folder;
    assert_false(files_unpack(files, bytes, size, &own_folder, &why));
    assert_string_equal(why, reason);
    assert_int_equal(files->descriptor_count, 0);
    assert_null(files->streams);
}

static void assert_closed(int descriptor)
{
    assert_int_equal(fcntl(descriptor, F_GETFD), -1);
}

UNIT_TEST_BETWEEN(descriptors, start, finish)
{
    size_t size;
    char text[10] = "";
    write_file("read", "0123456789");
    int reads = program_open("read", O_RDONLY | O_CLOEXEC);
    int copy = program_dup(reads);
    int appends = program_open("written", O_WRONLY | O_CREAT | O_APPEND, 0600);
    int null = program_open("/dev/null", O_RDWR);
    assert_true(reads >= FIRST_NUMBER && copy > reads && appends > copy);
    assert_int_equal(read(reads, text, 3), 3);
    assert_int_equal(write(appends, "one", 3), 3);
    void *bytes = pack(&size);
    files_let_go(files);
    assert_closed(reads), assert_closed(copy), assert_closed(appends), assert_closed(null);
    assert_unpacks(bytes, size);
    assert_int_equal(read(copy, text, 2), 2);
    assert_int_equal(read(reads, text + 2, 2), 2);
    assert_string_equal(text, "3456");
    assert_int_equal(write(appends, "two", 3), 3);
    assert_file("written", "onetwo");
    assert_int_equal(write(null, "two", 3), 3);
    assert_int_equal(fcntl(reads, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(copy, F_GETFD), 0);
    assert_int_equal(files->descriptor_count, 4);
}

/* Children are to have the limit that the process had. */
UNIT_TEST_BETWEEN(beyond_the_soft_limit, start, finish)
{
    struct rlimit first, last;
    getrlimit(RLIMIT_NOFILE, &first);
    const struct rlimit low = {FIRST_NUMBER, first.rlim_max};
    setrlimit(RLIMIT_NOFILE, &low);
    int number = program_open("file", O_RDWR | O_CREAT, 0600);
    getrlimit(RLIMIT_NOFILE, &last);
    setrlimit(RLIMIT_NOFILE, &first);
    assert_true(number >= FIRST_NUMBER);
    assert_int_equal(last.rlim_cur, FIRST_NUMBER);
    assert_int_equal(last.rlim_max, first.rlim_max);
}

/* As if the stream came from a process in which the C library lies elsewhere. */
static void displace(void *memory, size_t size)
{
    Dl_info library;
    uintptr_t *words = memory;
    assert_int_not_equal(dladdr(dlsym(RTLD_NEXT, "fopen"), &library), 0);
    for (size_t i = 0; i < size / sizeof *words; i++)
        if (words[i] - (uintptr_t)library.dli_fbase < LIBRARY_MOST)
            words[i] += LIBRARY_MOST;
}

UNIT_TEST_BETWEEN(streams, start, finish)
{
    NEEDS_STREAMS();
    size_t size;
    char text[10] = "";
    write_file("read", "0123456789");
    FILE *reads = program_fopen("read", "r");
    FILE *writes = program_fopen("written", "w");
    FILE *both = program_fdopen(program_open("read", O_RDWR), "r+");
    assert_ptr_equal(region_of(reads), ulp.region);
    assert_ptr_equal(region_of(writes->_IO_buf_base), ulp.region);
    assert_true(fileno(reads) >= FIRST_NUMBER && fileno(both) >= FIRST_NUMBER);
    int number = fileno(writes);
    assert_int_equal(fread(text, 1, 4, reads), 4);
    fputs("one", writes);
    assert_file("written", "");
    void *bytes = pack(&size);
    assert_file("written", "one");
    files_let_go(files);
    assert_closed(number);
    displace(reads, heap_block_size(ulp.heap, reads));
    displace(writes, heap_block_size(ulp.heap, writes));
    displace(both, heap_block_size(ulp.heap, both));
    displace(bytes, size);
    fflush(NULL);
    assert_unpacks(bytes, size);
    assert_int_equal(fileno(writes), number);
    assert_int_equal(fgetc(reads), '4');
    assert_int_equal(fgetc(both), '0');
    fputs("two", writes);
    fflush(NULL); /* which finds it again */
    assert_file("written", "onetwo");
    assert_int_equal(program_fclose(reads), 0);
    assert_int_equal(fputs("more", both) >= 0 && program_fclose(both) == 0, 1);
    assert_file("read", "0more56789");
    assert_ptr_equal(files->streams->stream, writes);
}

/* One that went before the old process let it go. */
UNIT_TEST_BETWEEN(memory_goes_first, start, finish)
{
    NEEDS_STREAMS();
    size_t size;
    FILE *writes = program_fopen("written", "w");
    fputs("one", writes);
    void *bytes = pack(&size);
    FILE went = *writes;
    files_let_go(files);
    *writes = went;
    assert_unpacks(bytes, size);
    fputs("two", writes);
    fflush(NULL);
    assert_file("written", "onetwo");
}

/* Where the memory of the heap ends. */
static unsigned char *end_of_heap(void)
{
    unsigned long first, end;
    char line[300];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &first, &end) == 2 && first == (uintptr_t)ulp.heap)
            break;
    fclose(maps);
    return (unsigned char *)end;
}

/* The other process, which is this program with MOVED in its environment: how it ends. */
static int be_other_process(void)
{
    size_t size;
    FILE *writes, *memory = fopen("memory", "r"), *list = fopen("list", "r");
    unsigned char *end;
    char bytes[5000];
    bool own_folder;
    if (!memory || !list || begin() < 0 || fread(&writes, sizeof writes, 1, memory) != 1 ||
        fread(&end, sizeof end, 1, memory) != 1)
        return 1;
    if (!region_open((unsigned char *)ulp.heap, end) ||
        fread(ulp.heap, 1, 1 << 30, memory) != (size_t)(end - (unsigned char *)ulp.heap))
        return 2;
    size = fread(bytes, 1, sizeof bytes, list);
    if (!files_unpack(files, bytes, size, &own_folder, &why))
        return 3;
    fputs("two", writes);
    return files->streams && fflush(NULL) == 0 && program_fclose(writes) == 0 ? 0 : 4;
}

__attribute__((constructor)) static void arrive(void)
{
    if (getenv("MOVED"))
        _exit(be_other_process());
}

UNIT_TEST_BETWEEN(another_process, start, finish)
{
    NEEDS_STREAMS();
    size_t size;
    FILE *writes = program_fopen("written", "w");
    fputs("one", writes);
    unsigned char *end = end_of_heap();
    void *bytes = pack(&size);
    files_let_go(files);
    FILE *memory = fopen("memory", "w"), *list = fopen("list", "w");
    fwrite(&writes, sizeof writes, 1, memory);
    fwrite(&end, sizeof end, 1, memory);
    fwrite(ulp.heap, 1, (size_t)(end - (unsigned char *)ulp.heap), memory);
    fwrite(bytes, 1, size, list);
    fclose(memory), fclose(list), free(bytes);
    setenv("MOVED", "", 1);
    int status = system("exec /proc/$PPID/exe");
    unsetenv("MOVED");
    assert_int_equal(status, 0);
    assert_file("written", "onetwo");
}

static void assert_stays(const char *reason)
{
    size_t size;
    assert_false(files_can_go(files, &why));
    assert_string_equal(why, reason);
    assert_null(files_pack(files, false, &size, &why));
    assert_string_equal(why, reason);
}

static void assert_goes(void)
{
    if (!files_can_go(files, &why))
        fail_msg("%s", why);
}

UNIT_TEST_BETWEEN(descriptors_that_stay, start, finish)
{
    int ends[2];
    assert_goes();
    assert_int_equal(program_pipe(ends), 0);
    assert_true(ends[0] < FIRST_NUMBER);
    assert_stays("it has an open pipe");
    program_close(ends[0]), program_close(ends[1]);
    int open = files_add(files, socket(AF_UNIX, SOCK_STREAM, 0));
    assert_stays("it has an open socket");
    program_close(open);
    open = program_open("/dev/zero", O_RDONLY);
    assert_stays("it has an open device");
    program_close(open);
    open = program_open(".", O_RDONLY);
    assert_stays("it has an open folder");
    program_close(open);
    open = program_open("file", O_RDWR | O_CREAT, 0600);
    assert_goes();
    assert_int_equal(program_flock(open, LOCK_EX), 0);
    assert_stays("it has locked a file");
    program_close(open);
    open = program_open("file", O_RDWR);
    assert_goes();
    rename("file", "other");
    assert_goes();
    unlink("other");
    assert_stays("it has an open file that was removed");
    write_file("other", "");
    assert_stays("it has an open file that was removed");
    program_close(open);
    assert_goes();
}

UNIT_TEST_BETWEEN(memory_that_stays, start, finish)
{
    int file = program_open("file", O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(file, 1), 0);
    void *memory = program_mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);
    assert_stays("it has mapped a file");
    assert_int_equal(program_munmap(memory, 1), 0);
    assert_goes();
    memory = program_mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_stays("it has memory of mmap");
    program_munmap(memory, 1);
    DIR *read = program_opendir(".");
    assert_stays("it reads a folder");
    program_closedir(read);
    assert_goes();
}

UNIT_TEST_BETWEEN(streams_that_stay, start, finish)
{
    NEEDS_STREAMS();
    char *text;
    size_t size;
    FILE *stream = program_open_memstream(&text, &size);
    assert_stays("it has an open stream that writes to memory or reads it");
    program_fclose(stream);
    free(text);
    write_file("read", "0123456789");
    stream = program_fopen("read", "r+");
    assert_goes();
    assert_int_equal(fgetc(stream), '0');
    ungetc('x', stream);
    assert_stays("it has an open stream with characters that were put back");
    program_fclose(stream);
    stream = program_fopen("read", "r");
    assert_int_equal(fgetwc(stream), '0');
    assert_stays("it has an open stream of wide characters");
    program_fclose(stream);
    stream = files_add_stream(files, fopen("read", "r"));
    assert_stays("it has an open stream that lies outside of its region");
    program_fclose(stream);
    stream = program_fopen("/dev/full", "w");
    fputs("one", stream);
    assert_false(files_can_go(files, &why));
    program_fclose(stream);
    assert_goes();
}

UNIT_TEST_BETWEEN(cannot_be_opened_there, start, finish)
{
    size_t size;
    write_file("read", "0123456789");
    int first = program_open("/dev/null", O_RDWR), number = program_open("read", O_RDONLY);
    char *bytes = pack(&size);
    files_let_go(files);
    int taken = program_open("read", O_RDONLY);
    assert_int_equal(taken, number);
    files_drop(files, taken);
    assert_unpacks_not(bytes, size, "the number of a file that it had opened is in use there");
    close(taken);
    rename("read", "other");
    assert_unpacks_not(bytes, size, "a file that it had opened cannot be opened there");
    write_file("read", "0123456789");
    assert_unpacks_not(bytes, size, "another file is where it had opened one");
    rename("other", "read");
    for (size_t some = 0; some < size; some += 7)
        assert_unpacks_not(bytes, some, "the list of its open files is damaged");
    assert_closed(number);
    assert_unpacks(bytes, size);
    assert_int_equal(fcntl(first, F_GETFD), 0);
}

static void *move_folder(void *unused)
{
    size_t size;
    bool own_folder = false;
    char found[60];
    struct stat status;
    room_set_owner(&ulp);
    if (unshare(CLONE_FS) < 0 || mkdir("inner", 0700) < 0 || chdir("inner") < 0)
        return NULL;
    umask(077);
    void *bytes = files_pack(files, true, &size, &why);
    umask(0);
    assert_int_equal(chdir("/"), 0);
    assert_true(files_unpack(files, bytes, size, &own_folder, &why) && own_folder);
    free(bytes);
    assert_non_null(getcwd(found, sizeof found));
    assert_string_equal(found + strlen(folder), "/inner");
    write_file("file", "");
    assert_int_equal(stat("file", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    return unused;
}

UNIT_TEST_BETWEEN(folder_and_mask, start, finish)
{
    pthread_t thread;
    void *done;
    char found[60];
    assert_int_equal(pthread_create(&thread, NULL, move_folder, &done), 0);
    pthread_join(thread, &done);
    assert_non_null(done);
    assert_string_equal(getcwd(found, sizeof found), folder);
}

/* A std::filebuf, which finds what stands between it and the C library. */
UNIT_TEST_BETWEEN(streams_of_cxx, start, finish)
{
    static _Alignas(16) unsigned char buffer[1024];
    void (*make)(void *memory) = NULL;
    void *(*open_buffer)(void *memory, const char *path, int mode) = NULL;
    void *(*close_buffer)(void *memory) = NULL;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        skip();
    *(void **)&make = dlsym(library, "_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev");
    *(void **)&open_buffer =
        dlsym(library, "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode");
    *(void **)&close_buffer = dlsym(library, "_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv");
    make(buffer);
    assert_null(open_buffer(buffer, "none", 8)); /* std::ios::in */
    assert_goes();
    write_file("read", "0123456789");
    assert_non_null(open_buffer(buffer, "read", 8));
    assert_stays("it has an open stream of C++");
    assert_non_null(close_buffer(buffer));
    assert_goes();
}
