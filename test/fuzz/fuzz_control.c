/*
 * fuzz_control.c - any bytes as the body of a control message, read as any sequence of fields.
 *
 * Input: how the body is cut, the number of fields, two bytes for each field, and the body.
 */
#include "core/control.h"

#include "input.h"

static void get_string(struct control_reader *reader, size_t limit, uint64_t *digest)
{
    char *string = control_get_string(reader, limit);
    MUST((string == NULL) == reader->failed);
    if (!string)
        return;
    MUST(limit == 0 || strlen(string) < limit);
    digest_bytes(digest, string, strlen(string));
    free(string);
}

static void get_bytes(struct control_reader *reader, size_t size, uint64_t *digest)
{
    unsigned char *bytes = malloc(size + 1);
    MUST(bytes);
    control_get_bytes(reader, bytes, size);
    if (!reader->failed)
        digest_bytes(digest, bytes, size);
    free(bytes);
}

static void get_count(struct control_reader *reader, size_t item, uint64_t *digest)
{
    int32_t count = control_get_count(reader, item);
    MUST(count >= 0);
    MUST(item == 0 || (size_t)count <= control_rest(reader) / item);
    digest_number(digest, (uint64_t)count);
}

static void get_field(struct control_reader *reader, unsigned kind, unsigned argument,
                      uint64_t *digest)
{
    bool failed = reader->failed;
    size_t rest = control_rest(reader);
    switch (kind % 5) {
    case 0:
        digest_number(digest, (uint32_t)control_get_int(reader));
        break;
    case 1:
        digest_number(digest, control_get_tid(reader));
        break;
    case 2:
        get_string(reader, argument, digest);
        break;
    case 3:
        get_bytes(reader, argument, digest);
        break;
    default:
        get_count(reader, argument, digest);
    }
    MUST(!failed || reader->failed);
    MUST(!failed || control_rest(reader) == rest);
    MUST(control_rest(reader) <= rest);
    digest_number(digest, reader->failed);
}

static uint64_t read_fields(struct input fields, struct input body, size_t cut)
{
    uint64_t digest = 0;
    struct message *message = input_message(body, MESSAGE_XDR, cut);
    struct control_reader reader;
    control_read(&reader, message);
    while (fields.size >= 2) {
        unsigned kind = input_byte(&fields);
        get_field(&reader, kind, input_byte(&fields), &digest);
    }
    message_free(message);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    size_t cut = 1 + input_byte(&input);
    struct input fields = input_part(&input, 2 * (size_t)input_byte(&input));
    MUST(read_fields(fields, input, cut) == read_fields(fields, input, SIZE_MAX));
    return 0;
}
