/* host_words.c - names, and nodes of Slurm. */
#include "console/host_words.h"

#include <stdlib.h>
#include <string.h>

#include "console/output.h"
#include "slurm/ask.h"

#define PREFIX   "slurm:"
#define JOB_WORD "slurm:job"

static void host_words_add(struct host_words *words, const char *line)
{
    char **lines = realloc(words->line, ((size_t)words->count + 1) * sizeof *lines);
    if (lines)
        words->line = lines;
    char *copy = lines ? strdup(line) : NULL;
    if (copy)
        words->line[words->count++] = copy;
}

/* Takes over the nodes. */
static void add_nodes(struct host_words *words, struct slurm_nodes *nodes)
{
    for (int i = 0; i < nodes->count; i++)
        host_words_add(words, nodes->names[i]);
    slurm_nodes_free(nodes);
}

/* -1: the word is no such number. */
static int number_of_nodes(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    return end != text && *end == '\0' && number > 0 && number <= 4095 ? (int)number : -1;
}

static void add_more(struct host_words *words, struct report *report, const char *word)
{
    struct slurm_nodes nodes;
    int wanted = number_of_nodes(word + strlen(PREFIX));
    if (wanted < 0) {
        problem(report, 0, "it is slurm:N with a number, or " JOB_WORD, "bad word %s", word);
        return;
    }
    int result = slurm_ask_more(&nodes, wanted);
    if (result < 0)
        problem(report, result, "the log of the master says why", "%s: %s", word,
                error_text(result));
    else if (nodes.count < wanted)
        problem(report, 0, "the log of the master has what srun said",
                "%s: Slurm gave %d of %d nodes", word, nodes.count, wanted);
    add_nodes(words, &nodes);
}

static void add_job(struct host_words *words, struct report *report)
{
    struct slurm_nodes nodes;
    if (!slurm_has_job()) {
        problem(report, 0, "slurm:N gets jobs for N hosts", "this console runs in no job of Slurm");
        return;
    }
    int result = slurm_ask_job(&nodes);
    if (result < 0)
        problem(report, result, "the log of the master says why", "the nodes of the job: %s",
                error_text(result));
    slurm_nodes_drop_hosts(&nodes);
    add_nodes(words, &nodes);
}

void host_words_read(struct host_words *words, struct report *report, int count, char **word)
{
    *words = (struct host_words){.count = 0};
    for (int i = 0; i < count; i++)
        if (strcmp(word[i], JOB_WORD) == 0)
            add_job(words, report);
        else if (strncmp(word[i], PREFIX, strlen(PREFIX)) == 0)
            add_more(words, report, word[i]);
        else
            host_words_add(words, word[i]);
}

void host_words_free(struct host_words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->line[i]);
    free(words->line);
}
