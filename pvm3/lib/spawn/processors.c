/* processors.c - numbers and ranges, separated by commas. */
#include "lib/spawn/processors.h"

#include <stdlib.h>

/* A number at *text, which moves behind it; -1 when there is none that a set can have. */
static int processors_number(const char **text)
{
    char *end;
    long number = strtol(*text, &end, 10);
    bool good = **text >= '0' && **text <= '9' && number < CPU_SETSIZE;
    *text = end;
    return good ? (int)number : -1;
}

bool processors_read(struct processors *processors, const char *text)
{
    *processors = (struct processors){.count = 0};
    if (!text || !*text)
        return true;
    do {
        int first = processors_number(&text), last = first;
        if (*text == '-') {
            text++;
            last = processors_number(&text);
        }
        if (first < 0 || last < first)
            return false;
        for (int number = first; number <= last; number++)
            CPU_SET((size_t)number, &processors->set);
    } while (*text++ == ',');
    processors->count = CPU_COUNT(&processors->set);
    return text[-1] == '\0';
}

cpu_set_t processors_of_turn(const struct processors *processors, int turn)
{
    cpu_set_t one;
    int left = turn % processors->count, number = 0;
    while (!CPU_ISSET((size_t)number, &processors->set) || left-- > 0)
        number++;
    CPU_ZERO(&one);
    CPU_SET((size_t)number, &one);
    return one;
}
