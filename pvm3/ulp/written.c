/* written.c - two devices of the system, of which one marks pages and the other one finds them. */
#include "ulp/written.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the system has them; its headers may be older. ------------------------------------------- */

#define WATCH_USER_MODE 1 /* what a program without rights may ask for; the rest needs no handler */

struct watch_start {
    uint64_t version, features, calls;
};

struct watch_range {
    uint64_t start, size;
};

struct watch_pages {
    struct watch_range range;
    uint64_t mode, calls;
};

#define WATCH_VERSION      0xAA
#define WATCH_BY_ITSELF    (UINT64_C(1) << 15) /* a write to a page goes on at once */
#define WATCH_MODE_WRITES  (UINT64_C(1) << 1)
#define WATCH_START_CALL   _IOWR(0xAA, 0x3F, struct watch_start)
#define WATCH_PAGES_CALL   _IOWR(0xAA, 0x00, struct watch_pages)
#define WATCH_NO_MORE_CALL _IOR(0xAA, 0x01, struct watch_range)

struct scan_found {
    uint64_t start, end, kinds;
};

struct scan {
    uint64_t size, flags;
    uint64_t start, end, walked;
    uint64_t found, found_room, most;
    uint64_t inverted, kinds, kinds_any, kinds_told;
};

#define SCAN_NOTE    1 /* what is found counts as not written */
#define SCAN_WRITTEN 2
#define SCAN_USED    (8 | 16) /* in memory, or put away */
#define SCAN_CALL    _IOWR('f', 16, struct scan)

/* Watching. ------------------------------------------------------------------------------------ */

static bool watch_start(int watch, unsigned char *from, unsigned char *end)
{
    struct watch_start start = {.version = WATCH_VERSION, .features = WATCH_BY_ITSELF};
    struct watch_pages pages = {
        .range = {(uintptr_t)from, (uint64_t)(end - from)},
        .mode = WATCH_MODE_WRITES,
    };
    return ioctl(watch, WATCH_START_CALL, &start) == 0 &&
           ioctl(watch, WATCH_PAGES_CALL, &pages) == 0;
}

bool written_begin(struct written *written, unsigned char *from, unsigned char *end)
{
    written->from = from;
    written->end = end;
    written->watch = (int)syscall(SYS_userfaultfd, O_CLOEXEC | WATCH_USER_MODE);
    written->map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool begun = written->watch >= 0 && written->map >= 0 && watch_start(written->watch, from, end);
    struct scan scan = {.size = sizeof scan, .start = (uintptr_t)from, .end = (uintptr_t)from};
    if (begun && ioctl(written->map, SCAN_CALL, &scan) >= 0)
        return true;
    written_finish(written);
    return false;
}

/* A child of fork may have the watch, too: so it is told. */
void written_finish(struct written *written)
{
    struct watch_range range = {(uintptr_t)written->from, (uint64_t)(written->end - written->from)};
    if (written->watch >= 0) {
        ioctl(written->watch, WATCH_NO_MORE_CALL, &range);
        close(written->watch);
    }
    if (written->map >= 0)
        close(written->map);
}

unsigned char *written_next(const struct written *written, unsigned char **from, unsigned char *end,
                            bool note)
{
    struct scan_found found;
    struct scan scan = {
        .size = sizeof scan,
        .flags = note ? SCAN_NOTE : 0,
        .start = (uintptr_t)*from,
        .end = (uintptr_t)end,
        .found = (uintptr_t)&found,
        .found_room = 1,
        .kinds = SCAN_WRITTEN,
        .kinds_any = SCAN_USED,
        .kinds_told = SCAN_WRITTEN,
    };
    int count = *from < end ? ioctl(written->map, SCAN_CALL, &scan) : 0;
    if (count < 0)
        return end;
    if (count == 0)
        return NULL;
    *from = (unsigned char *)(uintptr_t)found.start;
    return (unsigned char *)(uintptr_t)found.end;
}
