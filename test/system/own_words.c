/*
 * own_words.c - reads words by getopt while others read theirs. It prints the same as a process and
 * as one of several user-level processes.
 *
 * usage: own_words TURNS
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAP_US = 300, MOST = 12 };

static int number, flag;

static const struct option longs[] = {{"first", required_argument, NULL, 'f'},
                                      {"second", optional_argument, NULL, 's'},
                                      {"flag", no_argument, &flag, 7},
                                      {NULL, 0, NULL, 0}};

static char *const all[][MOST] = {
    {"p", "-abc", "file", "-d", "with", "-evalue", "other", "-a", "--", "-b", "last", NULL},
    {"p", "one", "-x", "two", "-ab", "-d", NULL},
    {"p", "--first=1", "one", "--second", "-ab", "--flag", "two", "--first", "3", "-d", "4", NULL},
    {"p", "--nothing", "-z", "--fi", "5", "--", "--first", NULL},
    {"p", "-first", "1", "-ab", "-second=2", "one", "-flag", NULL},
};

static int next(int count, char **words, int way, const char *letters)
{
    int index = -1;
    int read = way == 0   ? getopt(count, words, letters)
               : way == 1 ? getopt_long(count, words, letters, longs, &index)
                          : getopt_long_only(count, words, letters, longs, &index);
    usleep(NAP_US); /* others read theirs */
    printf("%d: %d %d %s, at %d, optopt %d, flag %d\n", number, read, index,
           optarg ? optarg : "none", optind, optopt, flag);
    fflush(stdout);
    return read;
}

static void read_words(char *const *from, int way, const char *letters)
{
    char *words[MOST];
    int count = 0;
    while ((words[count] = from[count]) != NULL)
        count++;
    number++;
    optind = 0;
    while (next(count, words, way, letters) != -1)
        ;
    for (int i = 0; i < count; i++)
        printf("%s ", words[i]);
    puts("");
}

int main(int count, char **words)
{
    static const char *const letters[] = {"abcd:e::", "+abcd:e::", "-abcd:e::", ":abcd:e::"};
    pvm_mytid();
    printf("at first: %d %d %d\n", optind, opterr, optopt);
    opterr = 0;
    for (int turn = 0; turn < (count > 1 ? atoi(words[1]) : 1); turn++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            for (int way = 0; way < 3; way++)
                read_words(all[i], way, letters[(i + (size_t)way) % 4]);
    opterr = 1;
    fflush(stdout);
    read_words(all[3], 1, letters[0]); /* the program is named in what it says */
    pvm_exit();
    return 0;
}
