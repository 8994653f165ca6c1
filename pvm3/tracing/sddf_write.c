/* sddf_write.c - records as text, byte for byte as the tools of 3.4.6 write them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracing/sddf.h"

void sddf_write_head(struct sddf_writer *writer, const char *machine)
{
    time_t now = time(NULL);
    struct tm parts;
    char date[64] = "";
    if (localtime_r(&now, &parts))
        strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", &parts);
    fprintf(writer->file, "/*\n * \"Creation Date\" \"%s\"\n * \"Machine\" \"%s\"\n */ ;;\n\n",
            date, machine);
}

static int layout_number(const struct record_layout *layout)
{
    return 1000 * (layout->variant + 1) + 2 * layout->event + (layout->edge == RECORD_EXIT);
}

/* "send(0.0)": what records of the layout are called in the file. */
static void layout_write_name(FILE *file, const struct record_layout *layout)
{
    fprintf(file, "\"%s(", layout->name);
    if (layout->edge != RECORD_WHOLE)
        fprintf(file, "%d.", layout->edge == RECORD_EXIT);
    fprintf(file, "%d)\"", layout->variant);
}

static void layout_write(FILE *file, const struct record_layout *layout)
{
    static const char *const types[] = {"int", "float", "double", "char"};
    fprintf(file, "\n#%d: ", layout_number(layout));
    layout_write_name(file, layout);
    fprintf(file, "\n{\n");
    for (int i = 0; i < layout->count; i++) {
        const struct record_field *field = &layout->field[i];
        fprintf(file, "\t// \"%s\" \"%s\"\n\t%s \"%s\"%s%s;\n", field->key, field->description,
                types[field->type], field->key, field->type == RECORD_STRING ? "[]" : "",
                field->array ? "[]" : "");
    }
    fprintf(file, "};;\n\n");
}

/* In a list a quote ends a string; there is no way to write one within. */
static void value_write_listed_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++)
        putc(*text == '"' ? '\'' : *text, file);
    putc('"', file);
}

static void value_write_item(FILE *file, const struct record_field *field,
                             const struct record_value *value, int item)
{
    if (field->type == RECORD_STRING && field->array)
        value_write_listed_string(file, value->strings[item]);
    else if (field->type == RECORD_STRING)
        fprintf(file, "\"%s\"", value->strings[item]);
    else if (field->type == RECORD_INT)
        fprintf(file, "%lld", (long long)value->integers[item]);
    else
        fprintf(file, "%f", value->reals[item]);
}

/* The length of a string, or the longest one of several, with its NUL. */
static size_t value_string_size(const struct record_value *value)
{
    size_t longest = 0;
    for (int i = 0; i < value->count; i++) {
        size_t length = strlen(value->strings[i]);
        if (length > longest)
            longest = length;
    }
    return longest + 1;
}

static void value_write(FILE *file, const struct record_field *field,
                        const struct record_value *value)
{
    if (field->array)
        fprintf(file, "[%d] ", value->count);
    if (field->type == RECORD_STRING)
        fprintf(file, "[%zu] ", value_string_size(value));
    bool listed = field->array || field->type == RECORD_STRING;
    if (listed)
        fprintf(file, "{ ");
    for (int i = 0; i < value->count; i++) {
        if (i > 0)
            fprintf(file, ", ");
        value_write_item(file, field, value, i);
    }
    if (listed)
        fprintf(file, value->count > 0 ? " }" : "}");
}

/* Whether the layout is to be written now. */
static bool writer_needs(struct sddf_writer *writer, const struct record_layout *layout)
{
    while (writer->count <= layout->number) {
        size_t size = (size_t)(writer->count + 1) * sizeof *writer->written;
        writer->written = record_allocate(writer->written, size);
        writer->written[writer->count++] = false;
    }
    bool needed = !writer->written[layout->number];
    writer->written[layout->number] = true;
    return needed;
}

void sddf_write(struct sddf_writer *writer, const struct record *record)
{
    const struct record_layout *layout = record->layout;
    FILE *file = writer->file;
    if (writer_needs(writer, layout))
        layout_write(file, layout);
    layout_write_name(file, layout);
    fprintf(file, " { ");
    for (int i = 0; i < layout->count; i++) {
        if (i > 0)
            fprintf(file, ", ");
        value_write(file, &layout->field[i], &record->value[i]);
    }
    fprintf(file, " };;\n");
}

void sddf_write_end(struct sddf_writer *writer)
{
    free(writer->written);
    *writer = (struct sddf_writer){.file = writer->file};
}
