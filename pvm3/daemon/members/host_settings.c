/* host_settings.c - fields and what they set. */
#include "daemon/members/host_settings.h"

#include <stdlib.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/host_spec.h"
#include "daemon/members/member_room.h"
#include "daemon/post/router.h"

void host_settings_send(struct daemon *daemon, uint32_t part, const struct host_spec *spec)
{
    static const struct {
        enum control_setting field;
        enum host_option option;
    } fields[] = {{SETTING_SEARCH_PATH, HOST_SEARCH_PATH},
                  {SETTING_DEBUGGER, HOST_DEBUGGER},
                  {SETTING_DIRECTORY, HOST_DIRECTORY}};
    struct message *message = control_new(DM_SLCONF, 0, 0);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!spec->options[fields[i].option])
            continue;
        control_put_int(message, (int32_t)fields[i].field);
        control_put_string(message, spec->options[fields[i].option]);
    }
    services_put_settings(&daemon->task_room->services, message);
    router_send(daemon, part | TID_DAEMON_BIT, message);
}

static void host_settings_set(struct daemon *daemon, int32_t field, const char *value)
{
    switch (field) {
    case SETTING_SEARCH_PATH:
        settings_replace(&daemon->settings, value, NULL, NULL);
        break;
    case SETTING_DEBUGGER:
        settings_replace(&daemon->settings, NULL, value, NULL);
        break;
    case SETTING_DIRECTORY:
        settings_replace(&daemon->settings, NULL, NULL, value);
        settings_enter_directory(&daemon->settings);
        break;
    case SETTING_SCHEDULER:
        services_set_scheduler(daemon, (uint32_t)strtoul(value, NULL, 16));
        break;
    case SETTING_TRACER:
        services_follow_tracer(daemon, value);
        break;
    default:
        complain(&daemon->complaints, 0,
                 "a host sets %d to '%s', which means nothing here: ignored", field, value);
    }
}

/* Whoever has a tracer tells all hosts of it; the rest is the master's to set. */
enum request_result host_settings_take(struct request *request)
{
    const struct hosts *hosts = &request->daemon->post->hosts;
    bool from_master = hosts_find(hosts, request->origin.tid) == hosts->master;
    while (control_rest(&request->body) > 0) {
        int32_t field = control_get_int(&request->body);
        char *value = control_get_string(&request->body, 0);
        if (!value)
            return REQUEST_MALFORMED;
        if (from_master || field == SETTING_TRACER)
            host_settings_set(request->daemon, field, value);
        else
            complain(&request->daemon->complaints, request->origin.tid,
                     "t%x sets %d to '%s', which is the master's to do: ignored",
                     request->origin.tid, field, value);
        free(value);
    }
    return REQUEST_DONE;
}
