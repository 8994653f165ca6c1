/*
 * awaited.h - waiting for a message of a member that may end before it sends it.
 *
 * Members need not be watched while messages come soon, as they nearly always do. So the end of a
 * member is looked for only after a second without a message, and less and less often from then on.
 */
#ifndef GROUPS_AWAITED_H
#define GROUPS_AWAITED_H

/*
 * The next message of `source` with `tag`, as the active receive buffer. Returns the buffer or an
 * error. PvmNoTask: the message is not there, and one of `watched` has ended.
 */
int awaited_receive(int source, int tag, const int *watched, int count);

#endif
