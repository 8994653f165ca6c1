/* arguments.c - --help, --version, and nothing else. */
#include "groups/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void arguments_answer(int count, char **words, const char *name, const char *purpose)
{
    if (count < 2)
        return;
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        printf("%s (PVM) %s\n", name, VERSION);
        exit(EXIT_SUCCESS);
    }
    if (count == 2 && strcmp(words[1], "--help") == 0) {
        printf("usage: %s [--help|--version]\n%s\n", name, purpose);
        exit(EXIT_SUCCESS);
    }
    fprintf(stderr, "%s: there is no argument %.64s (%s --help tells more)\n", name, words[1],
            name);
    exit(EXIT_FAILURE);
}
