/* region_numbers.c - a table of the numbers that this process has given out. */
#include "ulp/region_numbers.h"

#include <pthread.h>

static bool given[REGION_NUMBERS];
static unsigned lowest; /* those below have been given */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool region_number_take(unsigned limit, unsigned *number)
{
    limit = limit < REGION_NUMBERS ? limit : REGION_NUMBERS;
    pthread_mutex_lock(&lock);
    while (lowest < limit && given[lowest])
        lowest++;
    bool found = lowest < limit;
    if (found) {
        *number = lowest;
        given[lowest++] = true;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void region_number_give_back(unsigned number)
{
    pthread_mutex_lock(&lock);
    given[number] = false;
    lowest = number < lowest ? number : lowest;
    pthread_mutex_unlock(&lock);
}
