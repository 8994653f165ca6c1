/*
 * descriptor.h - closing a descriptor that a child of fork closes, too.
 *
 * Another thread may fork at any moment. Its child closes what it finds noted (port.h: abandon), and
 * must not find a number that has been closed: the number may mean a descriptor of the program by
 * then. So it is taken out of the note first. A child that is forked in between keeps a copy, which
 * goes when it ends or runs another program.
 */
#ifndef CK_BASE_DESCRIPTOR_H
#define CK_BASE_DESCRIPTOR_H

#include <unistd.h>

/* Closes *descriptor unless it is -1, which it is afterwards. */
static inline void descriptor_close(int *descriptor)
{
    int noted = *descriptor;
    *descriptor = -1;
    if (noted >= 0)
        close(noted);
}

#endif
