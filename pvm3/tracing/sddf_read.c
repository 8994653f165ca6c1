/* sddf_read.c - text as records. What is read is checked: files may be cut off, or be anything. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracing/sddf.h"

#define KEY_MOST  64  /* bytes of a key, and of the name of an event */
#define TEXT_MOST 512 /* of a description */
#define ITEM_MOST 400 /* of a number: the longest double has 317 */
#define NAME_MOST (KEY_MOST + 32)

/*
 * What a file calls a layout. Files are put together from others, so that a name may get another
 * meaning further down: the latest counts.
 */
struct sddf_alias {
    struct sddf_alias *next;
    int variant;
    struct record_layout *layout;
};

void sddf_read_start(struct sddf_reader *reader, FILE *file, struct record_layouts *layouts)
{
    *reader = (struct sddf_reader){.file = file, .layouts = layouts, .line = 1};
}

void sddf_read_end(struct sddf_reader *reader)
{
    while (reader->aliases) {
        struct sddf_alias *alias = reader->aliases;
        reader->aliases = alias->next;
        free(alias);
    }
}

/* Bytes. --------------------------------------------------------------------------------------- */

static bool fail(struct sddf_reader *reader, const char *problem)
{
    if (!reader->problem)
        reader->problem = problem;
    return false;
}

static int take(struct sddf_reader *reader)
{
    int byte = getc(reader->file);
    reader->line += byte == '\n';
    return byte;
}

static int look(struct sddf_reader *reader)
{
    int byte = getc(reader->file);
    ungetc(byte, reader->file);
    return byte;
}

static void skip_space(struct sddf_reader *reader)
{
    while (isspace(look(reader)))
        take(reader);
}

/* The text must go on with these words; white space before it does not count. */
static bool expect(struct sddf_reader *reader, const char *text)
{
    skip_space(reader);
    for (; *text; text++) {
        if (look(reader) == EOF)
            return fail(reader, "the file ends in the middle of a record");
        if (take(reader) != *text)
            return fail(reader, "this is not how a trace file goes on here");
    }
    return true;
}

/* Reads up to `end`, which is taken too. */
static bool take_until(struct sddf_reader *reader, char end, char *text, size_t size)
{
    size_t length = 0;
    int byte;
    while ((byte = take(reader)) != end) {
        if (byte == EOF)
            return fail(reader, "the file ends in the middle of a name");
        if (length + 1 == size || byte == '\0' || byte == '\n')
            return fail(reader, "a name is too long, or does not end");
        text[length++] = (char)byte;
    }
    text[length] = '\0';
    return true;
}

/* A word between quotes. */
static bool take_quoted(struct sddf_reader *reader, char *text, size_t size)
{
    return expect(reader, "\"") && take_until(reader, '"', text, size);
}

/* A number, as text. */
static bool take_item(struct sddf_reader *reader, char *text)
{
    size_t length = 0;
    skip_space(reader);
    while (length + 1 < ITEM_MOST && (isalnum(look(reader)) || strchr("+-.", look(reader))))
        text[length++] = (char)take(reader);
    text[length] = '\0';
    if (length == 0 && look(reader) == EOF)
        return fail(reader, "the file ends in the middle of a record");
    return length > 0 || fail(reader, "a number is missing");
}

static bool take_integer(struct sddf_reader *reader, int64_t *number)
{
    char text[ITEM_MOST], *end;
    if (!take_item(reader, text))
        return false;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return (*end == '\0' && errno == 0) || fail(reader, "this is no whole number");
}

/* "[12]". */
static bool take_count(struct sddf_reader *reader, int64_t *count)
{
    if (!expect(reader, "[") || !take_integer(reader, count) || !expect(reader, "]"))
        return false;
    return (*count >= 0 && *count < INT32_MAX) || fail(reader, "this is no count of items");
}

/* Comments, up to the first byte behind them. -------------------------------------------------- */

static bool skip_comment(struct sddf_reader *reader)
{
    int last = 0, byte;
    while ((byte = take(reader)) != EOF) {
        if (last == '*' && byte == '/')
            return expect(reader, ";;");
        last = byte;
    }
    return fail(reader, "a comment does not end");
}

/* Layouts. ------------------------------------------------------------------------------------- */

/* Takes "send(0.1)" apart: its event, the edge and the variant. */
static bool name_split(struct sddf_reader *reader, char *name, enum record_edge *edge, int *variant)
{
    char *open = strrchr(name, '('), *end = NULL;
    long first = open ? strtol(open + 1, &end, 10) : -1;
    *edge = RECORD_WHOLE;
    if (open && *end == '.') {
        *edge = first == 1 ? RECORD_EXIT : RECORD_ENTRY;
        first = strtol(end + 1, &end, 10);
    }
    if (!open || open == name || strcmp(end, ")") != 0 || first < 0 || first > 1000000)
        return fail(reader, "this is no name of a record, such as \"send(0.0)\"");
    *open = '\0';
    *variant = (int)first;
    return true;
}

static bool type_find(struct sddf_reader *reader, const char *word, enum record_type *type)
{
    static const struct {
        const char *word;
        enum record_type type;
    } types[] = {{"int", RECORD_INT},     {"long", RECORD_INT},      {"short", RECORD_INT},
                 {"float", RECORD_FLOAT}, {"double", RECORD_DOUBLE}, {"char", RECORD_STRING}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].word, word) == 0) {
            *type = types[i].type;
            return true;
        }
    }
    return fail(reader, "there is no such type");
}

/* How many pairs of brackets follow. */
static int take_brackets(struct sddf_reader *reader)
{
    int pairs = 0;
    while (look(reader) == '[' && expect(reader, "[]"))
        pairs++;
    return pairs;
}

/* One field: a comment that describes it, its type, its key. */
static bool layout_take_field(struct sddf_reader *reader, struct record_layout *layout)
{
    char key[KEY_MOST] = "", description[TEXT_MOST] = "", word[KEY_MOST];
    enum record_type type;
    skip_space(reader);
    if (look(reader) == '/' && (!expect(reader, "//") || !take_quoted(reader, key, sizeof key) ||
                                !take_quoted(reader, description, sizeof description)))
        return false;
    skip_space(reader);
    if (!take_until(reader, ' ', word, sizeof word) || !type_find(reader, word, &type) ||
        !take_quoted(reader, key, sizeof key))
        return false;
    int pairs = take_brackets(reader);
    if (pairs > 1 + (type == RECORD_STRING))
        return fail(reader, "a field has too many dimensions");
    /* A char without brackets is a single byte. */
    bool byte = type == RECORD_STRING && pairs == 0;
    layout_add_field(layout, key, description, byte ? RECORD_INT : type,
                     pairs > (type == RECORD_STRING));
    return expect(reader, ";");
}

static void alias_add(struct sddf_reader *reader, int variant, struct record_layout *layout)
{
    struct sddf_alias *alias = record_allocate(NULL, sizeof *alias);
    *alias = (struct sddf_alias){reader->aliases, variant, layout};
    reader->aliases = alias;
}

/* "#1094: "send(0.0)" { ... };;" */
static bool layout_take(struct sddf_reader *reader)
{
    char name[NAME_MOST];
    int64_t number;
    enum record_edge edge;
    int variant;
    if (!expect(reader, "#") || !take_integer(reader, &number) || !expect(reader, ":") ||
        !take_quoted(reader, name, sizeof name) || !name_split(reader, name, &edge, &variant) ||
        !expect(reader, "{"))
        return false;
    if (number < 0 || number > INT32_MAX)
        return fail(reader, "a layout has a number out of range");
    struct record_layout *layout = layout_create(name, edge, (int)(number % 1000 / 2));
    skip_space(reader);
    while (look(reader) != '}' && layout_take_field(reader, layout))
        skip_space(reader);
    if (!reader->problem && expect(reader, "};;")) {
        alias_add(reader, variant, layouts_add(reader->layouts, layout));
        return true;
    }
    layout_free(layout);
    return false;
}

/* Records. ------------------------------------------------------------------------------------- */

/* A string of `size` bytes with its NUL: all bytes count, quotes too. */
static bool take_string(struct sddf_reader *reader, int64_t size, struct record_value *value)
{
    size_t length = 0, capacity = 0;
    char *text = NULL;
    if (size < 1)
        return fail(reader, "a string has no length");
    if (!expect(reader, "\""))
        return false;
    for (; (int64_t)length < size - 1; length++) {
        if (length + 1 >= capacity)
            text = record_allocate(text, capacity = 2 * capacity + 64);
        int byte = take(reader);
        if (byte == EOF || byte == '\0') {
            free(text);
            return fail(reader, "the file ends in the middle of a string");
        }
        text[length] = (char)byte;
    }
    value_add_string(value, record_copy_text(text ? text : "", length));
    free(text);
    return expect(reader, "\"");
}

/* A string of a list, which is no longer than `size` with its NUL, and ends at a quote. */
static bool take_listed_string(struct sddf_reader *reader, int64_t size, struct record_value *value)
{
    char *text = NULL;
    size_t length = 0, capacity = 0;
    int byte;
    if (!expect(reader, "\""))
        return false;
    while ((byte = take(reader)) != '"' && byte != EOF && byte != '\0' &&
           (int64_t)length < size - 1) {
        if (length + 1 >= capacity)
            text = record_allocate(text, capacity = 2 * capacity + 64);
        text[length++] = (char)byte;
    }
    value_add_string(value, record_copy_text(text ? text : "", length));
    free(text);
    return byte == '"' || fail(reader, "a string does not end where it should");
}

static bool take_number(struct sddf_reader *reader, const struct record_field *field,
                        struct record_value *value)
{
    char text[ITEM_MOST], *end;
    int64_t integer;
    if (field->type == RECORD_INT) {
        if (!take_integer(reader, &integer))
            return false;
        value_add_integer(value, integer);
        return true;
    }
    if (!take_item(reader, text))
        return false;
    value_add_real(value, strtod(text, &end));
    return *end == '\0' || fail(reader, "this is no number");
}

static bool take_single_string(struct sddf_reader *reader, struct record_value *value)
{
    int64_t size;
    return take_count(reader, &size) && expect(reader, "{") && take_string(reader, size, value) &&
           expect(reader, "}");
}

/* 3.4.6 leaves out the opening brace, and the size of strings, of a list that is empty. */
static bool take_empty_list(struct sddf_reader *reader)
{
    int64_t size;
    skip_space(reader);
    if (look(reader) == '[' && !take_count(reader, &size))
        return false;
    skip_space(reader);
    if (look(reader) == '{')
        take(reader);
    return expect(reader, "}");
}

static bool take_list(struct sddf_reader *reader, const struct record_field *field,
                      struct record_value *value)
{
    int64_t count, size = 0;
    bool strings = field->type == RECORD_STRING;
    if (!take_count(reader, &count))
        return false;
    if (count == 0)
        return take_empty_list(reader);
    if ((strings && !take_count(reader, &size)) || !expect(reader, "{"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && !expect(reader, ","))
            return false;
        if (!(strings ? take_listed_string(reader, size, value)
                      : take_number(reader, field, value)))
            return false;
    }
    return expect(reader, "}");
}

static bool take_value(struct sddf_reader *reader, const struct record_field *field,
                       struct record_value *value)
{
    if (field->array)
        return take_list(reader, field, value);
    if (field->type == RECORD_STRING)
        return take_single_string(reader, value);
    return take_number(reader, field, value);
}

static struct record_layout *alias_find(struct sddf_reader *reader, const char *name,
                                        enum record_edge edge, int variant)
{
    for (const struct sddf_alias *alias = reader->aliases; alias; alias = alias->next)
        if (alias->variant == variant && alias->layout->edge == edge &&
            strcmp(alias->layout->name, name) == 0)
            return alias->layout;
    fail(reader, "a record has a name that no layout before it explains");
    return NULL;
}

/* ""send(0.0)" { 1, 2 };;" */
static struct record *record_take(struct sddf_reader *reader)
{
    char name[NAME_MOST];
    enum record_edge edge;
    int variant;
    if (!take_quoted(reader, name, sizeof name) || !name_split(reader, name, &edge, &variant))
        return NULL;
    struct record_layout *layout = alias_find(reader, name, edge, variant);
    if (!layout || !expect(reader, "{"))
        return NULL;
    struct record *record = record_create(layout);
    for (int i = 0; i < layout->count; i++)
        if ((i > 0 && !expect(reader, ",")) ||
            !take_value(reader, &layout->field[i], &record->value[i]))
            break;
    if (!reader->problem && expect(reader, "};;"))
        return record;
    record_free(record);
    return NULL;
}

struct record *sddf_read(struct sddf_reader *reader)
{
    while (!reader->problem) {
        skip_space(reader);
        int byte = look(reader);
        if (byte == EOF)
            return NULL;
        if (byte == '"')
            return record_take(reader);
        if (byte == '#')
            layout_take(reader);
        else if (expect(reader, "/*"))
            skip_comment(reader);
    }
    return NULL;
}

static struct record *sddf_read_all(struct sddf_reader *reader)
{
    struct record *first = NULL, **last = &first, *record;
    while ((record = sddf_read(reader))) {
        *last = record;
        last = &record->next;
    }
    return first;
}

struct record *sddf_read_file(const char *path, struct record_layouts *layouts, bool *empty)
{
    struct sddf_reader reader;
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "r");
    *empty = false;
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return NULL;
    }
    sddf_read_start(&reader, file, layouts);
    struct record *first = sddf_read_all(&reader);
    bool broken = ferror(file) != 0;
    if (broken)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    else if (reader.problem)
        fprintf(stderr, "%s:%d: %s\n", standard ? "standard input" : path, reader.line,
                reader.problem);
    if (!standard)
        fclose(file);
    sddf_read_end(&reader);
    *empty = !first && !broken && !reader.problem;
    if (!broken && !reader.problem)
        return first;
    while (first) {
        struct record *next = first->next;
        record_free(first);
        first = next;
    }
    return NULL;
}
