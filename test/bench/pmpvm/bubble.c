/* Sorts numbers: each task bubble-sorts a part, then tasks merge the parts in pairs.
 *
 * usage: bubble TASKS HOW NUMBERS        see crew.h
 *
 * When two tasks merge, the second one sends its part to the first one and is done, so fewer and
 * fewer tasks work on longer and longer parts.
 */
#include "../crew.h"

#include <stdlib.h>
#include <string.h>

enum { PART, SORTED };

static int *vector; /* that of the master */

static int count_of(const struct crew *crew)
{
    return crew_number(crew, 0);
}

static int first_of(const struct crew *crew, int task)
{
    return crew_part(crew, count_of(crew), task < crew->tasks ? task : crew->tasks);
}

static void fill(int *items, int count)
{
    uint64_t state = 1;
    for (int i = 0; i < count; i++)
        items[i] = (int)(crew_random(&state) >> 1);
}

/* The largest of the numbers so far goes up to the end; no branch depends on the numbers. */
static void bubble_sort(int *items, int count)
{
    for (int last = count - 1; last > 0; last--) {
        int largest = items[0];
        for (int i = 0; i < last; i++) {
            int next = items[i + 1];
            items[i] = next < largest ? next : largest;
            largest = next < largest ? largest : next;
        }
        items[last] = largest;
    }
}

/* Two sorted parts that stand one behind the other become one. */
static void merge(int *items, int count, int more)
{
    int *left = crew_memory(sizeof *left * (size_t)count), *right = items + count;
    int *left_end = left + count, *right_end = right + more;
    memcpy(left, items, sizeof *left * (size_t)count);
    for (const int *next = left; next < left_end;)
        *items++ = right < right_end && *right < *next ? *right++ : *next++;
    free(left);
}

void prepare(const struct crew *crew)
{
    vector = crew_memory(sizeof *vector * (size_t)count_of(crew));
    fill(vector, count_of(crew));
}

void solve_alone(const struct crew *crew)
{
    bubble_sort(vector, count_of(crew));
}

void lead(const struct crew *crew)
{
    for (int task = 0; task < crew->tasks; task++) {
        int first = first_of(crew, task);
        crew_begin();
        crew_pack_ints(crew, vector + first, first_of(crew, task + 1) - first);
        CHECK(pvm_send(crew->tids[task], PART));
    }
    crew_receive(crew->tids[0], SORTED);
    crew_unpack_ints(crew, vector, count_of(crew));
}

void assist(const struct crew *crew)
{
    int me = crew->me, first = first_of(crew, me), step = 1;
    int count = first_of(crew, me + 1) - first, room = count_of(crew) - first;
    int *items = crew->hybrid ? vector + first : crew_memory(sizeof *items * (size_t)room);
    crew_receive(crew->master, PART);
    crew_unpack_ints(crew, items, count);
    bubble_sort(items, count);
    for (; step < crew->tasks && me % (2 * step) == 0; step *= 2)
        if (me + step < crew->tasks) {
            int more = first_of(crew, me + 2 * step) - first_of(crew, me + step);
            crew_receive(crew->tids[me + step], SORTED);
            crew_unpack_ints(crew, items + count, more);
            merge(items, count, more);
            count += more;
        }
    crew_begin();
    crew_pack_ints(crew, items, count);
    CHECK(pvm_send(me > 0 ? crew->tids[me - step] : crew->master, SORTED));
    if (!crew->hybrid)
        free(items);
}

static int compare(const void *first, const void *second)
{
    int one = *(const int *)first, other = *(const int *)second;
    return (one > other) - (one < other);
}

/* All ways of sorting have the same result; that of the library is quicker. */
int is_right(const struct crew *crew)
{
    int count = count_of(crew);
    int *expected = crew_memory(sizeof *expected * (size_t)count);
    fill(expected, count);
    qsort(expected, (size_t)count, sizeof *expected, compare);
    return memcmp(vector, expected, sizeof *vector * (size_t)count) == 0;
}
