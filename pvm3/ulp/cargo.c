/* cargo.c - which pages are sent, and where they go. */
#include "ulp/cargo.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ck/base/whole.h"
#include "ulp/program_file.h"
#include "ulp/region.h"
#include "ulp/written.h"

/* Blocks are shorter. */
#define BLOCK_MOST ((size_t)1 << 32)

bool cargo_put(int connection, const void *bytes, size_t size)
{
    return send_whole(connection, bytes, size, 0);
}

bool cargo_get(int connection, void *bytes, size_t size)
{
    return receive_whole(connection, bytes, size);
}

bool cargo_put_block(int connection, const void *bytes, size_t size)
{
    const uint64_t length = size;
    return send_whole(connection, &length, sizeof length, MSG_MORE) &&
           cargo_put(connection, bytes, size);
}

void *cargo_get_block(int connection, size_t *size)
{
    uint64_t length;
    if (!cargo_get(connection, &length, sizeof length) || length >= BLOCK_MOST)
        return NULL;
    char *bytes = malloc(length + 1);
    if (bytes && !cargo_get(connection, bytes, length)) {
        free(bytes);
        return NULL;
    }
    if (bytes)
        bytes[length] = '\0';
    *size = length;
    return bytes;
}

/* Memory. -------------------------------------------------------------------------------------- */

struct piece {
    uint64_t address, size;
};

static bool cargo_put_piece(int connection, const unsigned char *from, const unsigned char *end)
{
    const struct piece piece = {(uintptr_t)from, (uint64_t)(end - from)};
    return send_whole(connection, &piece, sizeof piece, MSG_MORE) &&
           send_whole(connection, from, (size_t)(end - from), MSG_MORE);
}

bool cargo_put_end(int connection)
{
    const struct piece none = {0, 0};
    return cargo_put(connection, &none, sizeof none);
}

/* What the system says of a page: it is in memory, or it was put away. */
#define PAGE_USED (UINT64_C(3) << 62)

/* As many pages are looked at at once. */
#define PAGES 512

/* How many pages from `page` on are used, or else not, of `count`. All are if nothing tells. */
static size_t pages_alike(int map, uintptr_t page, size_t count, bool *used)
{
    uint64_t entries[PAGES];
    count = count < PAGES ? count : PAGES;
    *used = true;
    if (map < 0 || pread(map, entries, count * sizeof *entries, (off_t)(page * sizeof *entries)) !=
                       (ssize_t)(count * sizeof *entries))
        return count;
    size_t same = 1;
    *used = (entries[0] & PAGE_USED) != 0;
    while (same < count && ((entries[same] & PAGE_USED) != 0) == *used)
        same++;
    return same;
}

/* The piece from `from` on, up to a page boundary or to `end`. */
static bool cargo_put_pages(int connection, int map, const unsigned char *from,
                            const unsigned char *end)
{
    const size_t size = program_file_page();
    bool put = true;
    while (put && from < end) {
        bool used;
        uintptr_t page = (uintptr_t)from / size, last = ((uintptr_t)end - 1) / size;
        size_t alike = pages_alike(map, page, last - page + 1, &used);
        const unsigned char *stop = from - (uintptr_t)from % size + alike * size;
        stop = stop < end ? stop : end;
        put = !used || cargo_put_piece(connection, from, stop);
        from = stop;
    }
    return put;
}

static unsigned char *page_begin(const void *address)
{
    return (unsigned char *)address - (uintptr_t)address % program_file_page();
}

/* The pages in which these bytes lie, but no other bytes of them. */
static bool cargo_put_written(int connection, const struct written *written,
                              const unsigned char *from, const unsigned char *end, bool note,
                              size_t *bytes)
{
    unsigned char *at = page_begin(from), *next;
    unsigned char *stop = page_begin(end + program_file_page() - 1);
    bool put = true;
    while (put && (next = written_next(written, &at, stop, note)) != NULL) {
        const unsigned char *first = at > from ? at : from, *last = next < end ? next : end;
        put = cargo_put_piece(connection, first, last);
        *bytes += (size_t)(last - first);
        at = next;
    }
    return put;
}

bool cargo_put_ahead(int connection, const struct written *written, const void *from,
                     const void *end, size_t *bytes)
{
    return cargo_put_written(connection, written, from, end, true, bytes);
}

bool cargo_put_memory(int connection, const struct written *written, const void *from,
                      const void *end)
{
    size_t bytes = 0;
    if (written)
        return cargo_put_written(connection, written, from, end, false, &bytes);
    int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    bool put = cargo_put_pages(connection, map, from, end);
    if (map >= 0)
        close(map);
    return put;
}

bool cargo_get_memory(int connection, const struct region *region)
{
    struct piece piece;
    while (cargo_get(connection, &piece, sizeof piece)) {
        unsigned char *from = (unsigned char *)(uintptr_t)piece.address;
        if (piece.size == 0)
            return true;
        if (region_of(from) != region || region_of(from + piece.size - 1) != region ||
            !cargo_get(connection, from, piece.size))
            return false;
    }
    return false;
}

bool cargo_put_round(int connection, unsigned char *heap_end)
{
    return send_whole(connection, &heap_end, sizeof heap_end, MSG_MORE);
}

bool cargo_get_round(int connection, unsigned char **heap_end)
{
    return cargo_get(connection, heap_end, sizeof *heap_end);
}
