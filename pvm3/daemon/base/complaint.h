/*
 * complaint.h - what others say wrong is told on the log once, and then counted.
 *
 * A peer that sends nonsense may send it without end: the log must stay readable, and the disk must
 * not fill up. A complaint is known by who is to blame and by its format. The first one is written;
 * those that follow are counted, and their number is written after a while and at the end. When
 * many are to blame for the same they are counted together. One thread.
 */
#ifndef DAEMON_BASE_COMPLAINT_H
#define DAEMON_BASE_COMPLAINT_H

#include <stdint.h>

#include "daemon/base/loop.h"

#define COMPLAINTS_MAX     64
#define COMPLAINT_TEXT_MAX 200

struct complaint {
    const char *format; /* NULL: a free place */
    uint32_t who;       /* is to blame, or stands for several */
    unsigned long more; /* like it, that were not written */
    char text[COMPLAINT_TEXT_MAX];
};

struct complaints {
    struct loop *loop;
    struct complaint list[COMPLAINTS_MAX];
    unsigned oldest; /* the place that is taken next when none is free */
    struct loop_timer timer;
};

void complaints_start(struct complaints *complaints, struct loop *loop);
/* Writes what was counted. */
void complaints_finish(struct complaints *complaints);

/*
 * Something is wrong, and `who` is to blame: a tid, or a small number for a sender without a tid.
 */
void complain(struct complaints *complaints, uint32_t who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
