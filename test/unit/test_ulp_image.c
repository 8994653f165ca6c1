/*
 * test_ulp_image.c - a program is mapped and bound, whatever a damaged file says. The program is the
 * test itself, which is not run a second time.
 */
#include "ulp/image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "ulp/program_file.h"

#include "unit.h"

/* Up to here a file says what is where. */
#define HEADERS 800

static char path[] = "/tmp/pvm-image-XXXXXX";
static int copy = -1;
static unsigned char variable[4096];

/* Any variable, and any function, is this one. */
static void *find(const struct image_symbol *symbol, const char **why)
{
    if (symbol->size > sizeof variable)
        *why = "too large";
    return *why ? NULL : variable;
}

static void *find_nothing(const struct image_symbol *symbol, const char **why)
{
    (void)symbol, (void)why;
    return NULL;
}

UNIT_STEP(start)
{
    char block[65536];
    ssize_t size;
    int own = open("/proc/self/exe", O_RDONLY);
    strcpy(path + strlen(path) - 6, "XXXXXX");
    copy = mkstemp(path);
    while ((size = read(own, block, sizeof block)) > 0)
        assert_int_equal(write(copy, block, (size_t)size), size);
    close(own);
    return 0;
}

UNIT_STEP(finish)
{
    close(copy);
    unlink(path);
    return 0;
}

/* NULL, or why the file does not become an image. */
static const char *load(image_find *finder)
{
    struct program_file file;
    struct image image = {.base = NULL};
    const char *name = NULL, *why = program_file_open(&file, path);
    if (!why) {
        why = image_map(&image, &file, NULL);
        if (!why)
            why = image_link(&image, finder, &name);
        size_t at = 0;
        while (image_next_library(&image, &at))
            assert_true(at > 0);
        image_frames(&image);
        image_entry(&image);
        image_unmap(&image);
    }
    program_file_close(&file);
    return why;
}

UNIT_TEST_BETWEEN(whole, start, finish)
{
    assert_null(load(find));
}

UNIT_TEST_BETWEEN(nothing_is_found, start, finish)
{
    assert_non_null(load(find_nothing));
}

static void damage(off_t at)
{
    static const unsigned char bits[] = {0x01, 0x80, 0xff};
    unsigned char byte, bad;
    assert_int_equal(pread(copy, &byte, 1, at), 1);
    for (size_t i = 0; i < COUNT_OF(bits); i++) {
        bad = byte ^ bits[i];
        assert_int_equal(pwrite(copy, &bad, 1, at), 1);
        load(find);
    }
    assert_int_equal(pwrite(copy, &byte, 1, at), 1);
}

/* Nothing is asserted but that the loader lives. */
UNIT_TEST_BETWEEN(damaged_headers, start, finish)
{
    for (off_t at = 0; at < HEADERS; at++)
        damage(at);
    assert_null(load(find));
}

UNIT_TEST_BETWEEN(damaged_tables, start, finish)
{
    struct program_file file;
    assert_null(program_file_open(&file, path));
    Elf64_Off first = file.dynamic.p_offset;
    Elf64_Xword size = file.dynamic.p_filesz;
    program_file_close(&file);
    for (Elf64_Off at = first; at < first + size; at++)
        damage((off_t)at);
    assert_null(load(find));
}

UNIT_TEST_BETWEEN(cut_off, start, finish)
{
    off_t size = lseek(copy, 0, SEEK_END);
    for (off_t length = size - 1; length > 0; length -= 1 + length / 50) {
        assert_int_equal(ftruncate(copy, length), 0);
        load(find);
    }
}
