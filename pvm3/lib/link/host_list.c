/* host_list.c - TM_CONFIG. */
#include "lib/link/host_list.h"

#include <stdlib.h>

#include <pvm3.h>

#include "lib/link/pvmd_link.h"

void host_list_read(struct control_reader *reader, struct pvmhostinfo *host)
{
    host->hi_tid = control_get_int(reader);
    host->hi_name = control_get_string(reader, 0);
    host->hi_arch = control_get_string(reader, 0);
    host->hi_speed = control_get_int(reader);
    host->hi_dsig = control_get_int(reader);
}

void host_list_free(struct pvmhostinfo *list, int count)
{
    for (int i = 0; list && i < count; i++) {
        free(list[i].hi_name);
        free(list[i].hi_arch);
    }
    free(list);
}

/* An entry takes at least five integers of body. */
#define HOST_ENTRY_SIZE 20

static int host_list_take(const struct message *answer, struct pvmhostinfo **list, int *formats)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int count = control_get_int(&reader);
    *formats = control_get_int(&reader);
    if (count < 0)
        return count;
    if (reader.failed || (size_t)count > control_rest(&reader) / HOST_ENTRY_SIZE)
        return PvmBadMsg;
    struct pvmhostinfo *hosts = calloc((size_t)count + 1, sizeof *hosts);
    if (!hosts)
        return PvmNoMem;
    for (int i = 0; i < count; i++)
        host_list_read(&reader, &hosts[i]);
    if (reader.failed) {
        host_list_free(hosts, count);
        return PvmBadMsg;
    }
    *list = hosts;
    return count;
}

int host_list_ask(struct task *task, struct pvmhostinfo **list, int *formats)
{
    struct message *answer;
    *list = NULL;
    int result = pvmd_link_call(task, pvmd_link_request(TM_CONFIG), &answer);
    if (result == 0)
        result = host_list_take(answer, list, formats);
    message_free(answer);
    return result;
}
