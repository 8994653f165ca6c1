/* start.c - hosts, tasks and sockets of a new daemon. */
#include "daemon/start.h"

#include "core/environment.h"
#include "daemon/base/log.h"
#include "daemon/command_line.h"
#include "daemon/hosts/own_host.h"
#include "daemon/members/host_file.h"
#include "daemon/rooms.h"

/* Only a daemon that was built without libsodium has none. */
static int start_make_key(struct daemon *daemon)
{
    uint32_t own = hosts_own(&daemon->post->hosts)->part >> TID_HOST_SHIFT;
    const struct settings *settings = &daemon->settings;
    if (machine_key_make(&daemon->post->machine_key, own, settings->secrecy))
        return 0;
    log_note("this pvmd was built without libsodium: hosts share no key");
    if (!settings->keyed_peers_only && !settings->secrecy)
        return 0;
    log_error("%s, which needs a pvmd that was built with libsodium",
              settings->secrecy ? "PVM_SECRECY is on" : "PVM_PEERS is ours");
    return -1;
}

static int start_open_hosts(struct daemon *daemon, struct command_line *command)
{
    const char *file = command->host_file;
    if (command->is_slave)
        return own_host_open_at(&daemon->post->hosts, command->slave.address) < 0
                   ? -1
                   : slave_know_master(&command->slave, daemon);
    long port = environment_get_number("PVMNETSOCKPORT", 0);
    const char *address = NULL;
    if (start_make_key(daemon) < 0)
        return -1;
    if (file)
        daemon->member_room->host_file =
            host_file_read(file, hosts_own(&daemon->post->hosts)->name);
    if (daemon->member_room->host_file)
        address = host_file_apply(daemon->member_room->host_file, &daemon->settings);
    return own_host_open(&daemon->post->hosts, address,
                         port > 0 && port <= UINT16_MAX ? (unsigned)port : 0);
}

static void start_tell_backlog(const struct backlog *backlog)
{
    log_write("%zu bytes wait for t%x: who sends to it is not read from until it has taken some "
              "(PVM_QUEUE_LIMIT; said once)",
              backlog->bytes, backlog->tid);
}

int start_parts(struct daemon *daemon, struct command_line *command)
{
    if (settings_start(&daemon->settings) < 0)
        return -1;
    backlogs_start(&daemon->backlogs, daemon->settings.queue_limit, start_tell_backlog);
    if (hosts_start(&daemon->post->hosts, daemon, command->is_slave ? command->slave.index : 1,
                    command->host_name) < 0 ||
        start_open_hosts(daemon, command) < 0)
        return -1;
    daemon->task_room->spawn_cursor = (hosts_own(&daemon->post->hosts)->part >> TID_HOST_SHIFT) + 1;
    settings_enter_directory(&daemon->settings);
    return tasks_start(&daemon->post->tasks, daemon, (size_t)daemon->settings.task_limit);
}
