/*
 * tree.h - the binomial tree along which a multicast goes from host to host.
 *
 * The nodes have numbers, and 0 is the origin. Every node hands the message on to those whose
 * number has one more bit below its own lowest one, the most significant bit first. So the last and
 * busiest steps are between neighbours, and the origin sends log2(nodes) copies.
 *
 * Source: the hypercube routing of Overeinder, Vesseur, van der Linden and Sloot (1995).
 */
#ifndef DAEMON_POST_TREE_H
#define DAEMON_POST_TREE_H

#include <stddef.h>

/* The node from which a node other than 0 has the message. */
static inline size_t tree_parent(size_t node)
{
    return node & (node - 1);
}

/* The children of a node in a tree of `count` nodes, first child first. Returns how many. */
size_t tree_children(size_t node, size_t count, size_t children[8 * sizeof(size_t)]);

#endif
