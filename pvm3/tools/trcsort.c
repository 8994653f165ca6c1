/*
 * trcsort.c - trcsort: puts the records of a trace file in the order of their times.
 *
 * Events come to a tracer as tasks and hosts get round to send them. The times of other hosts are
 * brought to the clock of the tracer first. Records of one time keep their order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracing/clock.h"
#include "tracing/sddf.h"

struct sorting {
    const char *input;
    const char *sorted;
    const char *output; /* NULL: what tasks print is in the sorted trace alone */
    bool verbose;
};

struct place {
    int64_t time;
    size_t position; /* in the file */
    struct record *record;
};

static int place_compare(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->position < b->position ? -1 : 1;
}

/* The records as an array. */
static struct place *places_make(struct record *first, size_t *count)
{
    struct place *places = NULL;
    size_t capacity = 0;
    *count = 0;
    for (struct record *record = first; record; record = record->next) {
        if (*count == capacity) {
            capacity = 2 * capacity + 1024;
            places = record_allocate(places, capacity * sizeof *places);
        }
        places[*count] = (struct place){record_time(record), *count, record};
        (*count)++;
    }
    return places;
}

static FILE *file_open(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!file) {
        fprintf(stderr, "trcsort: %s: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
    return file;
}

static void file_close(FILE *file, const char *path)
{
    bool broken = ferror(file) != 0 || fflush(file) != 0;
    if (file != stdout && fclose(file) != 0)
        broken = true;
    if (broken) {
        fprintf(stderr, "trcsort: %s could not be written: %s\n", path, strerror(errno));
        exit(EXIT_FAILURE);
    }
}

static void output_write(FILE *file, struct record *record)
{
    const char *text = record_string(record, "OS", "");
    if (strcmp(text, "CREATION") == 0 || strcmp(text, "GOTSPAWN") == 0)
        return;
    fprintf(file, "[0x%x] %s\n", (unsigned)record_integer(record, "TID", 0),
            strcmp(text, "GOTEOF") == 0 ? "EOF" : text);
}

static void trace_write(const struct sorting *sorting, const struct place *places, size_t count)
{
    struct sddf_writer writer = {.file = file_open(sorting->sorted)};
    FILE *output = sorting->output ? file_open(sorting->output) : NULL;
    sddf_write_head(&writer, "trcsort " VERSION " (PVM 3.4.6)");
    for (size_t i = 0; i < count; i++) {
        sddf_write(&writer, places[i].record);
        if (output && places[i].record->layout->event == RECORD_OUTPUT)
            output_write(output, places[i].record);
    }
    sddf_write_end(&writer);
    file_close(writer.file, sorting->sorted);
    if (output)
        file_close(output, sorting->output);
}

/* Sorts, and gives back what the trace held. */
static int sort(const struct sorting *sorting)
{
    struct record_layouts layouts = {.first = NULL};
    bool empty;
    size_t count;
    struct record *first = sddf_read_file(sorting->input, &layouts, &empty);
    if (!first && !empty) {
        layouts_free(&layouts);
        return EXIT_FAILURE;
    }
    clock_correct(first);
    struct place *places = places_make(first, &count);
    if (count > 1)
        qsort(places, count, sizeof *places, place_compare);
    trace_write(sorting, places, count);
    if (sorting->verbose)
        fprintf(stderr, "trcsort: %zu records of %d layouts\n", count, layouts.count);
    for (size_t i = 0; i < count; i++)
        record_free(places[i].record);
    free(places);
    layouts_free(&layouts);
    return EXIT_SUCCESS;
}

static void usage_print(FILE *file)
{
    fprintf(file, "\nusage:  trcsort [ <trace_infile> ] [ -o <trace_outfile> ]"
                  " [ -O <output_file> ] [ -v ]\n\n"
                  "where:\n------\n"
                  "<trace_infile>    =    trace file to be sorted (default is stdin)\n"
                  "<trace_outfile>   =    file to store sorted trace (default is stdout)\n"
                  "<output_file>     =    file to store separate copy of any task output\n"
                  "-v                =    tell how much was sorted\n\n");
}

static void arguments_refuse(const char *word)
{
    fprintf(stderr, "trcsort: unknown or incomplete option %s\n", word);
    usage_print(stderr);
    exit(EXIT_FAILURE);
}

static void arguments_parse(struct sorting *sorting, char **word)
{
    while (*++word) {
        if (strcmp(*word, "-o") == 0 && word[1])
            sorting->sorted = *++word;
        else if (strcmp(*word, "-O") == 0 && word[1])
            sorting->output = *++word;
        else if (strcmp(*word, "-v") == 0)
            sorting->verbose = true;
        else if (strcmp(*word, "-h") == 0 || strcmp(*word, "--help") == 0) {
            usage_print(stdout);
            exit(EXIT_SUCCESS);
        } else if (strcmp(*word, "--version") == 0) {
            printf("trcsort (PVM) %s\n", VERSION);
            exit(EXIT_SUCCESS);
        } else if ((*word)[0] == '-' && (*word)[1])
            arguments_refuse(*word);
        else
            sorting->input = *word;
    }
}

int main(int argc, char **argv)
{
    struct sorting sorting = {.input = "-", .sorted = "-"};
    (void)argc;
    arguments_parse(&sorting, argv);
    return sort(&sorting);
}
