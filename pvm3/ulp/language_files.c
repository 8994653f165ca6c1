/* language_files.c - the calls by the names that compilers give them. */
#include "ulp/language_files.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "ulp/calls.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* C++. ----------------------------------------------------------------------------------------- */

#define FOR_LIBRARIES __attribute__((visibility("default"), noinline))
#define CXX_OPEN      _ZNSt12__basic_fileIcE4openEPKcSt13_Ios_Openmodei
#define CXX_CLOSE     _ZNSt12__basic_fileIcE5closeEv
#define TEXT(name)    TEXT_OF(name)
#define TEXT_OF(name) #name

/* What is called inside of streams. Both give the file, or NULL. */
FOR_LIBRARIES void *CXX_OPEN(void *file, const char *path, int mode, int rights);
FOR_LIBRARIES void *CXX_CLOSE(void *file);

void *CXX_OPEN(void *file, const char *path, int mode, int rights)
{
    void *(*open)(void *file, const char *path, int mode, int rights) = NULL;
    *(void **)&open = dlsym(RTLD_NEXT, TEXT(CXX_OPEN));
    void *opened = open(file, path, mode, rights);
    if (room_owner())
        files_add_tie(&room_owner()->files, opened, "it has an open stream of C++");
    return opened;
}

void *CXX_CLOSE(void *file)
{
    void *(*close)(void *file) = NULL;
    *(void **)&close = dlsym(RTLD_NEXT, TEXT(CXX_CLOSE));
    if (room_owner())
        files_drop_tie(&room_owner()->files, file);
    return close(file);
}

/* Fortran. ------------------------------------------------------------------------------------- */

/* How what it hands over to open or close a file begins. */
struct fortran_file {
    int32_t flags, unit;
};

/* What the file of a unit is noted as. */
static const void *unit_of(const struct fortran_file *file)
{
    return (const void *)(~(uintptr_t)0 - (uint32_t)file->unit);
}

static void call_fortran(const char *name, struct fortran_file *file)
{
    void (*function)(struct fortran_file * file) = NULL;
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    function(file);
}

/* A unit that is not given a file yet has its number behind the call. */
static void own_fortran_open(struct fortran_file *file)
{
    call_fortran("_gfortran_st_open", file);
    files_drop_tie(&room_owner()->files, unit_of(file)); /* of one that was open */
    files_add_tie(&room_owner()->files, unit_of(file), "it has an open file of Fortran");
}

static void own_fortran_close(struct fortran_file *file)
{
    files_drop_tie(&room_owner()->files, unit_of(file));
    call_fortran("_gfortran_st_close", file);
}

static const struct call calls[] = {
    {"_gfortran_st_open", (void *)own_fortran_open},
    {"_gfortran_st_close", (void *)own_fortran_close},
};

void *language_file_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
