/* A task that asks for numbers of regions as it is told, and answers each line with one line.
 *
 * ask NEEDED WISHED        the numbers, or the error
 * give NUMBER...           gives them back: result
 * threads COUNT NEEDED     so many threads ask for so many numbers each, at once: all numbers
 * spawned NEEDED           a thread task asks, and is over: as ask
 * mute NEEDED WISHED       the same as ask, by a thread that has made no call
 * mytid                    pvm_mytid: result
 * leave                    pvm_exit: result
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* What libpvm3 has for pvmulp (pvm3/lib/link/region_numbers.h). */
int region_numbers_ask(int needed, int wished, int *numbers);
int region_numbers_give_back(const int *numbers, int count);

enum { MOST = 300, MOST_THREADS = 8, DONE = 1 };

struct asked {
    pthread_t thread;
    int needed;
    int count;
    int numbers[MOST];
};

static void show(const struct asked *asked)
{
    if (asked->count < 0)
        printf("%d ", asked->count);
    for (int i = 0; i < asked->count; i++)
        printf("%d ", asked->numbers[i]);
}

static void ask(int needed, int wished)
{
    struct asked asked;
    asked.count = region_numbers_ask(needed, wished, asked.numbers);
    show(&asked);
}

static void *ask_in_thread(void *place)
{
    struct asked *asked = place;
    pvm_mytid();
    asked->count = region_numbers_ask(asked->needed, asked->needed, asked->numbers);
    return NULL;
}

static void *ask_mute(void *place)
{
    struct asked *asked = place;
    asked->count = region_numbers_ask(asked->needed, asked->needed, asked->numbers);
    return NULL;
}

static void ask_in_threads(void *(*function)(void *), int count, int needed)
{
    static struct asked asked[MOST_THREADS];
    for (int i = 0; i < count; i++) {
        asked[i].needed = needed;
        if (pthread_create(&asked[i].thread, NULL, function, &asked[i]) != 0)
            fail("no thread");
    }
    for (int i = 0; i < count; i++) {
        pthread_join(asked[i].thread, NULL);
        show(&asked[i]);
    }
}

/* Tells its parent which numbers it got, or the error. */
int asker(int count, char **words)
{
    struct asked asked;
    expect("words", count, 2);
    int needed = atoi(words[1]);
    asked.count = region_numbers_ask(needed, needed, asked.numbers);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&asked.count, 1, 1);
    pvm_pkint(asked.numbers, asked.count < 0 ? 0 : asked.count, 1);
    pvm_send(pvm_parent(), DONE);
    return 0;
}

static void ask_in_task(char *needed)
{
    struct asked asked;
    int tid;
    char *words[] = {needed, NULL};
    expect("pvm_spawn", pvm_spawn("asker", words, PvmTaskThread | PvmTaskHost, ".", 1, &tid), 1);
    pvm_notify(PvmTaskExit, DONE + 1, 1, &tid);
    pvm_recv(-1, DONE + 1);
    pvm_recv(tid, DONE);
    pvm_upkint(&asked.count, 1, 1);
    pvm_upkint(asked.numbers, asked.count < 0 ? 0 : asked.count, 1);
    show(&asked);
}

static int give_back(int count, char **words)
{
    int numbers[MOST];
    for (int i = 0; i < count; i++)
        numbers[i] = atoi(words[i]);
    return region_numbers_give_back(numbers, count);
}

static void obey(int count, char **words)
{
    if (strcmp(words[0], "ask") == 0)
        ask(atoi(words[1]), atoi(words[2]));
    else if (strcmp(words[0], "give") == 0)
        printf("%d ", give_back(count - 1, words + 1));
    else if (strcmp(words[0], "threads") == 0)
        ask_in_threads(ask_in_thread, atoi(words[1]), atoi(words[2]));
    else if (strcmp(words[0], "mute") == 0)
        ask_in_threads(ask_mute, 1, atoi(words[1]));
    else if (strcmp(words[0], "spawned") == 0)
        ask_in_task(words[1]);
    else
        printf("%d ", words[0][0] == 'm' ? pvm_mytid() : pvm_exit());
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    static char line[4096];
    pvm_setopt(PvmAutoErr, 0);
    while (fgets(line, sizeof line, stdin)) {
        char *words[MOST + 1], *rest = line;
        int count = 0;
        while (count < MOST && (words[count] = strtok_r(rest, " \n", &rest)) != NULL)
            count++;
        if (count > 0)
            obey(count, words);
    }
    return 0;
}
