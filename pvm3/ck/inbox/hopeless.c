/* hopeless.c - a list of cases: there are few, and mostly none. */
#include "ck/inbox/hopeless.h"

#include <stdlib.h>

bool hopeless_add(struct hopeless *hopeless, const struct hopeless_case *added)
{
    struct hopeless_case *more =
        realloc(hopeless->cases, (hopeless->count + 1) * sizeof *hopeless->cases);
    if (!more)
        return false;
    hopeless->cases = more;
    hopeless->cases[hopeless->count++] = *added;
    return true;
}

void hopeless_remove(struct hopeless *hopeless, int owner)
{
    size_t kept = 0;
    for (size_t i = 0; i < hopeless->count; i++)
        if (hopeless->cases[i].owner != owner)
            hopeless->cases[kept++] = hopeless->cases[i];
    hopeless->count = kept;
}

bool hopeless_is(const struct hopeless *hopeless, const struct pattern *pattern)
{
    for (size_t i = 0; i < hopeless->count; i++) {
        const struct hopeless_case *found = &hopeless->cases[i];
        if (found->context == pattern->context && found->source == pattern->source)
            return true;
    }
    return false;
}

void hopeless_finish(struct hopeless *hopeless)
{
    free(hopeless->cases);
    *hopeless = (struct hopeless){NULL, 0};
}
