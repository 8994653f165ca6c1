/* tree.c - bits of numbers. */
#include "daemon/post/tree.h"

size_t tree_children(size_t node, size_t count, size_t children[8 * sizeof(size_t)])
{
    size_t found = 0, bit = 1;
    while (bit < count && !(node & bit))
        bit <<= 1;
    while ((bit >>= 1) > 0)
        if (node + bit < count)
            children[found++] = node + bit;
    return found;
}
