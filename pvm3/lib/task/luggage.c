/* luggage.c - bytes, texts and messages. */
#include "lib/task/luggage.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/message.h"

/* Packing. ------------------------------------------------------------------------------------- */

#define ROOM_AT_FIRST ((size_t)4096)

static bool luggage_grow(struct luggage *luggage, size_t size)
{
    if (luggage->room - luggage->size >= size)
        return true;
    size_t room = 2 * luggage->room + size + ROOM_AT_FIRST;
    unsigned char *bytes = realloc(luggage->bytes, room);
    if (!bytes)
        return false;
    luggage->bytes = bytes;
    luggage->room = room;
    return true;
}

void luggage_put(struct luggage *luggage, const void *bytes, size_t size)
{
    if (luggage->failed || size == 0)
        return;
    luggage->failed = !luggage_grow(luggage, size);
    if (luggage->failed)
        return;
    memcpy(luggage->bytes + luggage->size, bytes, size);
    luggage->size += size;
}

void luggage_put_int(struct luggage *luggage, int value)
{
    luggage_put(luggage, &value, sizeof value);
}

void luggage_put_text(struct luggage *luggage, const char *text)
{
    luggage_put_int(luggage, text ? (int)strlen(text) : -1);
    if (text)
        luggage_put(luggage, text, strlen(text));
}

static bool library_has(const struct dl_phdr_info *library, uintptr_t address)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - library->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static int library_see(struct dl_phdr_info *library, size_t size, void *function)
{
    (void)size;
    return *library->dlpi_name && library_has(library, (uintptr_t)function);
}

bool luggage_takes_function(void (*function)(void))
{
    return !dl_iterate_phdr(library_see, (void *)function);
}

static void luggage_put_segment(struct luggage *luggage, const struct segment *segment)
{
    unsigned char *memory = segment->chunk ? NULL : segment->data;
    luggage_put(luggage, &memory, sizeof memory);
    luggage_put(luggage, &segment->length, sizeof segment->length);
    luggage_put(luggage, &segment->fragment, sizeof segment->fragment);
    if (!memory)
        luggage_put(luggage, segment->data, segment->length);
}

void luggage_put_message(struct luggage *luggage, const struct message *message)
{
    luggage_put(luggage, &message->header, sizeof message->header);
    luggage_put(luggage, &message->fragment, sizeof message->fragment);
    luggage_put_int(luggage, message->buffer);
    luggage_put_int(luggage, (int)message->segment_count);
    for (unsigned i = 0; i < message->segment_count; i++)
        luggage_put_segment(luggage, &message->segments[i]);
}

/* Unpacking. ----------------------------------------------------------------------------------- */

/* Where `size` bytes lie; NULL when they are not there. */
static const unsigned char *luggage_next(struct luggage_reader *reader, size_t size)
{
    const unsigned char *bytes = reader->next;
    reader->failed = reader->failed || reader->rest < size;
    if (reader->failed)
        return NULL;
    reader->next += size;
    reader->rest -= size;
    return bytes;
}

void luggage_get(struct luggage_reader *reader, void *bytes, size_t size)
{
    const unsigned char *there = luggage_next(reader, size);
    if (!there)
        memset(bytes, 0, size);
    else if (size > 0)
        memcpy(bytes, there, size);
}

int luggage_get_int(struct luggage_reader *reader)
{
    int value;
    luggage_get(reader, &value, sizeof value);
    return value;
}

int luggage_get_count(struct luggage_reader *reader, size_t least)
{
    int count = luggage_get_int(reader);
    if (count < 0 || (size_t)count > reader->rest / least)
        reader->failed = true;
    return reader->failed ? 0 : count;
}

char *luggage_get_text(struct luggage_reader *reader)
{
    int length = luggage_get_int(reader);
    const unsigned char *there = length < 0 ? NULL : luggage_next(reader, (size_t)length);
    if (!there)
        return NULL;
    char *text = strndup((const char *)there, (size_t)length);
    reader->failed = !text;
    return text;
}

static bool luggage_get_segment(struct luggage_reader *reader, struct message *message)
{
    unsigned char *memory;
    struct segment segment;
    luggage_get(reader, &memory, sizeof memory);
    luggage_get(reader, &segment.length, sizeof segment.length);
    luggage_get(reader, &segment.fragment, sizeof segment.fragment);
    if (memory)
        return message_append_run(message, NULL, memory, segment.length, segment.fragment) == 0;
    const unsigned char *body = luggage_next(reader, segment.length);
    struct chunk *chunk = body ? chunk_new(segment.length) : NULL;
    bool whole = chunk && message_append_run(message, chunk, chunk->data, segment.length,
                                             segment.fragment) == 0;
    if (whole && segment.length > 0)
        memcpy(chunk->data, body, segment.length);
    chunk_release(chunk);
    return whole;
}

struct message *luggage_get_message(struct luggage_reader *reader)
{
    struct message_header header;
    size_t fragment;
    luggage_get(reader, &header, sizeof header);
    luggage_get(reader, &fragment, sizeof fragment);
    int id = luggage_get_int(reader);
    int count = luggage_get_count(reader, sizeof(struct segment *));
    struct message *message = reader->failed ? NULL : message_new(header.encoding, fragment);
    bool whole = message != NULL;
    for (int i = 0; i < count && whole; i++)
        whole = luggage_get_segment(reader, message);
    if (!whole) {
        reader->failed = true;
        message_free(message);
        return NULL;
    }
    message->header = header;
    message->buffer = id;
    return message;
}
