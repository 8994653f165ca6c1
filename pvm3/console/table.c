/* table.c - the cells are kept until the widths are known. */
#include "console/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PEOPLE_GAP "  "

void table_start(struct table *table, const struct column *columns, int count, bool people)
{
    *table = (struct table){.columns = columns, .column_count = count, .people = people};
}

void table_finish(struct table *table)
{
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
    table->cell_count = 0;
}

void table_add(struct table *table, const char *format, ...)
{
    char *cell = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&cell, format, arguments);
    va_end(arguments);
    char **cells = realloc(table->cells, (table->cell_count + 1) * sizeof *cells);
    if (cells)
        table->cells = cells;
    if (length < 0 || !cells) {
        if (length >= 0)
            free(cell);
        table->incomplete = true;
        return;
    }
    cells[table->cell_count++] = cell;
}

int table_rows(const struct table *table)
{
    return (int)(table->cell_count / (size_t)table->column_count);
}

static const char *table_cell(const struct table *table, int row, int column)
{
    return table->cells[(size_t)row * (size_t)table->column_count + (size_t)column];
}

static int column_width(const struct table *table, int column)
{
    if (!table->people)
        return table->columns[column].width;
    size_t width = strlen(table->columns[column].title);
    for (int row = 0; row < table_rows(table); row++) {
        size_t length = strlen(table_cell(table, row, column));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* What ends a line of a table for people, or is a title of 3.4.6, is not filled up. */
static void cell_print(const struct table *table, int index, const char *text, bool title)
{
    const struct column *column = &table->columns[index];
    bool last = index == table->column_count - 1;
    bool fill_right = table->people ? column->text : column->fill_right;
    int width = fill_right && last && (table->people || title) ? 0 : column_width(table, index);
    const char *gap = !table->people ? column->gap : index > 0 ? PEOPLE_GAP : "";
    printf(fill_right ? "%s%-*s" : "%s%*s", gap, width, text);
}

void table_print_header(const struct table *table)
{
    for (int i = 0; i < table->column_count; i++)
        cell_print(table, i, table->columns[i].title, true);
    printf("\n");
}

void table_print_rows(const struct table *table, int first, int end)
{
    for (int row = first; row < end && row < table_rows(table); row++) {
        for (int i = 0; i < table->column_count; i++)
            cell_print(table, i, table_cell(table, row, i), false);
        printf("\n");
    }
}

void table_print(const struct table *table)
{
    table_print_header(table);
    table_print_rows(table, 0, table_rows(table));
    if (table->incomplete)
        printf("out of memory\n");
}
