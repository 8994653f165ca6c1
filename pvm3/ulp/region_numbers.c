/* region_numbers.c - numbers that the daemons have lent to this process, or else a count of its own. */
#include "ulp/region_numbers.h"

#include <pthread.h>

#include <pvm3.h>

#include "lib/link/region_numbers.h"

/* How many are asked for at once. */
#define ASKED 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static unsigned spare[REGION_NUMBERS];                   /* that nobody has */
static unsigned spare_count;
static unsigned counted; /* numbers of the process's own count; 0: the daemons lend them */

static bool take_spare(unsigned *number)
{
    pthread_mutex_lock(&lock);
    bool found = spare_count > 0;
    if (found)
        *number = spare[--spare_count];
    pthread_mutex_unlock(&lock);
    return found;
}

/* Some more, that no one lends. False if there are no more. */
static bool count_on(unsigned limit)
{
    pthread_mutex_lock(&lock);
    bool more = counted < limit;
    if (more)
        spare[spare_count++] = counted++;
    pthread_mutex_unlock(&lock);
    return more;
}

/* The lowest are used first. Those from `limit` on are no good. */
static void keep(const int *numbers, int count, unsigned limit)
{
    for (int i = count; i-- > 0;)
        if ((unsigned)numbers[i] < limit)
            region_number_give_back((unsigned)numbers[i]);
        else
            region_numbers_give_back(&numbers[i], 1);
}

static bool are_counted(void)
{
    pthread_mutex_lock(&lock);
    bool own = counted > 0;
    pthread_mutex_unlock(&lock);
    return own;
}

/* Gets some more. False if there are none. */
static bool find_more(unsigned limit)
{
    int numbers[ASKED];
    if (are_counted())
        return count_on(limit);
    int count = region_numbers_ask(1, ASKED, numbers);
    if (count == PvmNotImpl || count == PvmSysErr)
        return count_on(limit);
    keep(numbers, count, limit);
    return count > 0 && (unsigned)numbers[0] < limit;
}

bool region_number_take(unsigned limit, unsigned *number)
{
    limit = limit < REGION_NUMBERS ? limit : REGION_NUMBERS;
    while (!take_spare(number))
        if (!find_more(limit))
            return false;
    return true;
}

void region_number_give_back(unsigned number)
{
    pthread_mutex_lock(&lock);
    spare[spare_count++] = number;
    pthread_mutex_unlock(&lock);
}
