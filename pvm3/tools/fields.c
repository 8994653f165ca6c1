/* fields.c - numbers, texts and tids. */
#include "tools/fields.h"

#include <stdio.h>
#include <string.h>

/* Whether the numbers of a field are tids. */
static bool field_is_tid(const char *key)
{
    static const char *const keys[] = {"TID", "DST", "SRC", "MDL", "RST", "PT",  "MT",  "TT",
                                       "STL", "SIB", "NTL", "GT",  "HPT", "AST", "IST", "TRC"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

/* Times and the task stand elsewhere. */
static bool field_is_head(const char *key)
{
    return strcmp(key, "TS") == 0 || strcmp(key, "TU") == 0 || strcmp(key, "TID") == 0;
}

static void item_write(struct json *json, const struct record_field *field,
                       const struct record_value *value, int item)
{
    char text[400];
    if (value->strings) {
        json_text(json, value->strings[item]);
    } else if (value->reals) {
        snprintf(text, sizeof text, "%g", value->reals[item]);
        json_text(json, text);
    } else if (field_is_tid(field->key) && value->integers[item] > 0) {
        snprintf(text, sizeof text, "t%llx", (unsigned long long)value->integers[item]);
        json_text(json, text);
    } else {
        json_number(json, (long)value->integers[item]);
    }
}

void fields_write(struct json *json, struct record *record, enum field_names names)
{
    for (int i = 0; record && i < record->layout->count; i++) {
        const struct record_field *field = &record->layout->field[i];
        const struct record_value *value = &record->value[i];
        if (field_is_head(field->key))
            continue;
        bool described = names == FIELD_DESCRIPTIONS && *field->description;
        json_key(json, described ? field->description : field->key);
        if (field->array)
            json_open(json, '[');
        for (int item = 0; item < value->count; item++)
            item_write(json, field, value, item);
        if (field->array)
            json_close(json, ']');
        else if (value->count == 0)
            json_text(json, NULL);
    }
}
