/* json.c - a value is written as soon as it is known. */
#include "console/json.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static void json_separate(struct json *json)
{
    if (json->comma)
        fputc(',', json->file);
    json->comma = true;
}

void json_open(struct json *json, char bracket)
{
    json_separate(json);
    fputc(bracket, json->file);
    json->comma = false;
}

void json_close(struct json *json, char bracket)
{
    fputc(bracket, json->file);
    json->comma = true;
}

/* How many of the bytes are one character in UTF-8; 0: none. */
static size_t character_length(const unsigned char *text, size_t left)
{
    static const struct {
        unsigned char first, last; /* of the first byte */
        unsigned char least, most; /* of the second one */
        size_t length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t length = forms[i].length;
        if (*text < forms[i].first || *text > forms[i].last || length > left)
            continue;
        bool good = length == 1 || (text[1] >= forms[i].least && text[1] <= forms[i].most);
        for (size_t k = 2; good && k < length; k++)
            good = (text[k] & 0xc0) == 0x80;
        return good ? length : 0;
    }
    return 0;
}

static void character_write(FILE *file, const unsigned char *text, size_t length)
{
    if (*text == '"' || *text == '\\')
        fprintf(file, "\\%c", *text);
    else if (*text < 0x20 || *text == 0x7f)
        fprintf(file, "\\u%04x", *text);
    else
        fwrite(text, 1, length, file);
}

void json_bytes(struct json *json, const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text, *end = byte + length;
    json_separate(json);
    fputc('"', json->file);
    while (byte < end) {
        size_t taken = character_length(byte, (size_t)(end - byte));
        if (taken > 0)
            character_write(json->file, byte, taken);
        else
            fputs(REPLACEMENT, json->file);
        byte += taken > 0 ? taken : 1;
    }
    fputc('"', json->file);
}

void json_text(struct json *json, const char *text)
{
    if (text) {
        json_bytes(json, text, strlen(text));
    } else {
        json_separate(json);
        fputs("null", json->file);
    }
}

void json_key(struct json *json, const char *key)
{
    json_text(json, key);
    fputc(':', json->file);
    json->comma = false;
}

void json_number(struct json *json, long number)
{
    json_separate(json);
    fprintf(json->file, "%ld", number);
}

void json_thousandths(struct json *json, long number)
{
    unsigned long size = number < 0 ? 0 - (unsigned long)number : (unsigned long)number;
    json_separate(json);
    fprintf(json->file, "%s%lu.%03lu", number < 0 ? "-" : "", size / 1000, size % 1000);
}

void json_boolean(struct json *json, bool value)
{
    json_separate(json);
    fputs(value ? "true" : "false", json->file);
}

void json_tid(struct json *json, int tid)
{
    char text[16];
    snprintf(text, sizeof text, "t%x", (unsigned)tid);
    json_text(json, tid > 0 ? text : NULL);
}

void json_text_member(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_number_member(struct json *json, const char *key, long number)
{
    json_key(json, key);
    json_number(json, number);
}

void json_boolean_member(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    json_boolean(json, value);
}

void json_tid_member(struct json *json, const char *key, int tid)
{
    json_key(json, key);
    json_tid(json, tid);
}
