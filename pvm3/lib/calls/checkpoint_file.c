/* checkpoint_file.c - sections, and the numbers that tell whether they are whole. */
#include "lib/calls/checkpoint_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a, of Fowler, Noll and Vo. */
#define DIGEST_BEGIN UINT64_C(0xcbf29ce484222325)

static uint64_t digest(uint64_t value, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        value = (value ^ byte[i]) * UINT64_C(0x100000001b3);
    return value;
}

/* Of the name and the size. */
static uint64_t section_digest(const struct section *section)
{
    uint64_t value = digest(DIGEST_BEGIN, section->name, sizeof section->name);
    return digest(value, &section->size, sizeof section->size);
}

/* Writing. ------------------------------------------------------------------------------------- */

static void writer_note(struct writer *writer, bool good)
{
    if (!good && writer->error == 0)
        writer->error = errno ? errno : EIO;
}

void writer_begin(struct writer *writer, const char *path)
{
    *writer = (struct writer){.path = path};
    int length = snprintf(writer->fresh, sizeof writer->fresh, "%s.new", path);
    errno = ENAMETOOLONG;
    writer->file = length < (int)sizeof writer->fresh ? fopen(writer->fresh, "wbe") : NULL;
    writer_note(writer, writer->file != NULL);
}

static void writer_write(struct writer *writer, const void *bytes, size_t size)
{
    if (writer->error == 0)
        writer_note(writer, fwrite(bytes, 1, size, writer->file) == size);
    writer->bytes += size;
}

void writer_open(struct writer *writer, const char *name)
{
    writer->section = (struct section){.digest = DIGEST_BEGIN};
    snprintf(writer->section.name, sizeof writer->section.name, "%s", name);
    writer->place = writer->error == 0 ? ftell(writer->file) : 0;
    writer_write(writer, &writer->section, sizeof writer->section);
}

void writer_put(struct writer *writer, const void *bytes, size_t size)
{
    writer->section.size += size;
    writer->section.digest = digest(writer->section.digest, bytes, size);
    writer_write(writer, bytes, size);
}

void writer_close(struct writer *writer)
{
    writer->section.digest ^= section_digest(&writer->section);
    if (writer->error != 0)
        return;
    writer_note(writer, fseek(writer->file, writer->place, SEEK_SET) == 0);
    writer_write(writer, &writer->section, sizeof writer->section);
    writer->bytes -= sizeof writer->section;
    if (writer->error == 0)
        writer_note(writer, fseek(writer->file, 0, SEEK_END) == 0);
}

void writer_add(struct writer *writer, const char *name, const void *bytes, size_t size)
{
    writer_open(writer, name);
    writer_put(writer, bytes, size);
    writer_close(writer);
}

int writer_end(struct writer *writer, bool good)
{
    if (!writer->file)
        return writer->error;
    if (good && writer->error == 0)
        writer_note(writer, fflush(writer->file) == 0 && fsync(fileno(writer->file)) == 0);
    writer_note(writer, fclose(writer->file) == 0);
    if (good && writer->error == 0)
        writer_note(writer, rename(writer->fresh, writer->path) == 0);
    if (!good || writer->error != 0)
        unlink(writer->fresh);
    return writer->error;
}

/* Reading. ------------------------------------------------------------------------------------- */

static const char ends[] = "the file ends too early";
static const char damaged[] = "the file is damaged";

/* Bytes that are left in the file. */
static uint64_t file_rest(FILE *file)
{
    long place = ftell(file), end;
    if (place < 0 || fseek(file, 0, SEEK_END) < 0 || (end = ftell(file)) < place ||
        fseek(file, place, SEEK_SET) < 0)
        return 0;
    return (uint64_t)(end - place);
}

const char *section_read(FILE *file, const char *name, struct section *section)
{
    if (fread(section, 1, sizeof *section, file) != sizeof *section)
        return ends;
    if (strncmp(section->name, name, sizeof section->name) != 0)
        return strcmp(name, SECTION_BEGIN) == 0 ? "checkpoint has not written it" : damaged;
    return section->size > file_rest(file) ? ends : NULL;
}

/* Reads so many bytes on, into `into` unless that is NULL. False: there are not so many. */
static bool section_read_on(FILE *file, uint64_t size, char *into, uint64_t *value)
{
    char block[65536];
    while (size > 0) {
        size_t part = size < sizeof block ? (size_t)size : sizeof block;
        if (fread(block, 1, part, file) != part)
            return false;
        *value = digest(*value, block, part);
        if (into) {
            memcpy(into, block, part);
            into += part;
        }
        size -= part;
    }
    return true;
}

const char *section_get(FILE *file, const struct section *section, bool skips, void **bytes)
{
    uint64_t value = DIGEST_BEGIN;
    char *memory = skips ? NULL : calloc(1, section->size + 1);
    *bytes = NULL;
    if (!memory && !skips)
        return strerror(ENOMEM);
    bool read = section_read_on(file, section->size, memory, &value);
    if (!read || (value ^ section_digest(section)) != section->digest) {
        free(memory);
        return read ? damaged : ends;
    }
    *bytes = memory;
    return NULL;
}
