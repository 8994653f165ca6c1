/*
 * changes.h - how often groups have changed: a page of memory that the group server shares with the
 * tasks of its host.
 *
 * Each group has one of CHANGES_PLACES counts, by its name. The server counts a change before it
 * tells anybody of it. So a task that knows who was in a group when the count was the same need not
 * ask. Groups whose names meet at one count are asked for too often, and never too seldom.
 *
 * The server finds the page through its own descriptor of it, which other processes reach in /proc.
 * A key checks which file the descriptor belongs to, since process numbers mean something else in
 * another container. The page goes with the last process that has it: nothing is left behind.
 *
 * Threads: any, but for changes_make and changes_close.
 */
#ifndef GROUPS_CHANGES_H
#define GROUPS_CHANGES_H

#define CHANGES_PLACES 1000

struct changes;

/* Where a page is, as the server tells in its entry of the mailbox. All zero: there is none. */
enum { CHANGES_WORDS = 4 };

/* The server's page, and where it is. NULL and zeros if the system gives none. */
struct changes *changes_make(int words[CHANGES_WORDS]);

/* The group has changed. Nothing without a page. */
void changes_count(struct changes *changes, const char *group);

/* That page, to be read in another process; NULL: it cannot be had here. */
const struct changes *changes_open(const int words[CHANGES_WORDS]);
void changes_close(const struct changes *changes);

/* How often the group has changed, or another one of the same count. */
unsigned changes_of(const struct changes *changes, const char *group);

#endif
