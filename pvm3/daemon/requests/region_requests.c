/* region_requests.c - who waits for numbers, and where they come from. */
#include "daemon/requests/region_requests.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/copies.h"
#include "daemon/members/deputies.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"
#include "daemon/post/region_blocks.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/requests/request_room.h"

struct region_wait {
    struct list node;
    struct request_origin origin;
    int32_t needed;
    int32_t wished;
};

static struct region_wait *region_wait_at(struct list *node)
{
    return LIST_OWNER(node, struct region_wait, node);
}

static struct region_waits *region_waits_of(struct daemon *daemon)
{
    return &daemon->request_room->region_waits;
}

void region_start(struct daemon *daemon)
{
    list_start(&region_waits_of(daemon)->list);
    list_start(&region_waits_of(daemon)->question.node);
}

void region_finish(struct daemon *daemon)
{
    region_blocks_finish(&daemon->post->region_blocks);
}

/* A task that is over gets none. */
static void region_grant(const struct region_wait *wait)
{
    struct post_room *post = wait->origin.daemon->post;
    const struct task *task = tasks_find_task(&post->tasks, wait->origin.tid);
    int32_t free = post->region_blocks.free, count = wait->wished < free ? wait->wished : free;
    if (!task || !task->link)
        return;
    struct message *answer = request_answer_to(&wait->origin);
    control_put_int(answer, count);
    for (int32_t i = 0; i < count; i++)
        control_put_int(answer, region_blocks_take(&post->region_blocks, task->process));
    request_reply_to(&wait->origin, answer);
}

static void region_refuse(const struct region_wait *wait, int32_t error)
{
    struct message *answer = request_answer_to(&wait->origin);
    control_put_int(answer, error);
    request_reply_to(&wait->origin, answer);
}

/* Answers what can be answered; all requests if there is an error. */
static void region_serve(struct daemon *daemon, int32_t error)
{
    LIST_FOR_EACH(node, &region_waits_of(daemon)->list)
    {
        struct region_wait *wait = region_wait_at(node);
        if (wait->needed <= daemon->post->region_blocks.free)
            region_grant(wait);
        else if (error < 0)
            region_refuse(wait, error);
        else
            continue;
        list_remove(&wait->node);
        free(wait);
    }
}

static void region_return_block(struct daemon *daemon, int32_t block)
{
    const struct hosts *hosts = &daemon->post->hosts;
    log_debug(LOG_TASKS, "block %d of the numbers of regions goes back", block);
    if (hosts_is_master(hosts)) {
        block_owners_take_back(&daemon->post->block_owners, hosts_own(hosts)->part, block);
        copy_block(daemon, block);
        return;
    }
    struct message *message = control_new(CONTROL_BLOCK_BACK, 0, 0);
    control_put_int(message, block);
    router_send(daemon, hosts->master->part | TID_DAEMON_BIT, message);
}

static void region_return_spare(struct daemon *daemon)
{
    int32_t block;
    while ((block = region_blocks_remove_spare(&daemon->post->region_blocks)) >= 0)
        region_return_block(daemon, block);
}

/* Takes the block, or an error, that the master has given. */
static void region_take_block(struct daemon *daemon, int32_t block)
{
    int32_t error = block < 0 ? block : region_blocks_add(&daemon->post->region_blocks, block);
    log_debug(LOG_TASKS, "block %d of the numbers of regions is here: %d", block, error);
    if (error == PvmNoMem)
        region_return_block(daemon, block);
    region_serve(daemon, error);
}

static void region_ask(struct daemon *daemon);

static void region_answered(struct pending *pending, struct control_reader *body)
{
    int32_t block = control_get_int(body);
    region_take_block(pending->daemon, body->failed ? PvmSysErr : block);
    region_ask(pending->daemon);
}

/* The master is gone: another one is asked, if there is one. */
static void region_failed(struct pending *pending)
{
    const struct daemon *daemon = pending->daemon;
    if (!daemon->loop.ended && daemon->post->hosts.master->part != pending->part)
        region_ask(pending->daemon);
    else
        region_serve(pending->daemon, PvmSysErr);
}

static void region_ask_master(struct daemon *daemon, const struct host *master)
{
    struct pending *question = &region_waits_of(daemon)->question;
    pending_start(question, daemon, master, CONTROL_BLOCK, region_answered, region_failed);
    struct message *message = control_new(CONTROL_BLOCK, 0, question->wait);
    if (control_is_whole(message)) {
        router_send(daemon, master->part | TID_DAEMON_BIT, message);
        return;
    }
    pending_cancel(question);
    region_serve(daemon, PvmNoMem);
}

/* What the master decides: the host gets a block, or an error. */
static int32_t region_grant_to(struct daemon *daemon, uint32_t part)
{
    int32_t block = block_owners_grant(&daemon->post->block_owners, part);
    copy_block(daemon, block);
    return block;
}

/* One block more, if requests wait and none is underway. */
static void region_ask(struct daemon *daemon)
{
    const struct hosts *hosts = &daemon->post->hosts;
    const struct region_waits *waits = region_waits_of(daemon);
    if (list_is_empty(&waits->list) || !list_is_empty(&waits->question.node))
        return;
    if (hosts_is_master(hosts))
        region_take_block(daemon, region_grant_to(daemon, hosts_own(hosts)->part));
    else if (hosts->master->link->upgrade.known)
        region_ask_master(daemon, hosts->master);
    else
        region_serve(daemon, PvmNotImpl);
}

/* A process of another name space, whose id the system does not tell (0), cannot hold numbers. */
enum request_result region_request(struct request *request)
{
    struct daemon *daemon = request->daemon;
    if (request->task->process == 0)
        return request_reply_int(request, PvmNotImpl);
    int32_t needed = control_get_int(&request->body), wished = control_get_int(&request->body);
    bool sound = 1 <= needed && needed <= wished && wished <= CONTROL_REGION_BLOCK;
    if (request->body.failed || !sound)
        return REQUEST_MALFORMED;
    struct region_wait *wait = malloc(sizeof *wait);
    if (!wait)
        return request_reply_int(request, PvmNoMem);
    *wait = (struct region_wait){.origin = request->origin, .needed = needed, .wished = wished};
    list_append(&region_waits_of(daemon)->list, &wait->node);
    region_serve(daemon, 0);
    region_ask(daemon);
    return REQUEST_DONE;
}

/* What the master decides: the block is for numbers of the task's home. */
static bool region_claim_block(struct daemon *daemon, uint32_t home, int32_t block)
{
    struct block_owners *owners = &daemon->post->block_owners;
    block_owners_keep(owners, home, block);
    copy_block(daemon, block);
    return owners->parts[block] == home;
}

int32_t region_claim(struct daemon *daemon, uint32_t tid, int32_t number)
{
    const struct hosts *hosts = &daemon->post->hosts;
    struct region_blocks *blocks = &daemon->post->region_blocks;
    const uint32_t home = tid_host_part(tid);
    const int32_t block = number / CONTROL_REGION_BLOCK;
    if (hosts_is_master(hosts) && !region_claim_block(daemon, home, block))
        return PvmOutOfRes;
    if (home != hosts_own(hosts)->part)
        return PvmOk;
    if (!blocks->blocks[block] && region_blocks_add(blocks, block) < 0)
        return PvmNoMem;
    return region_blocks_claim(blocks, number) ? PvmOk : PvmOutOfRes;
}

void region_depart(const struct task *task)
{
    region_blocks_hand_over(&task->daemon->post->region_blocks, task->process, task->region,
                            REGION_TRAVELS);
}

void region_stay(const struct task *task)
{
    region_blocks_hand_over(&task->daemon->post->region_blocks, REGION_TRAVELS, task->region,
                            task->process);
}

/* False if the host does not have it. */
static bool region_free_block(struct daemon *daemon, uint32_t part, int32_t block)
{
    bool had = block_owners_take_back(&daemon->post->block_owners, part, block);
    if (had)
        copy_block(daemon, block);
    return had;
}

/* Whether a task that has moved from the host lives in the block. */
static bool region_block_is_used(const struct daemon *daemon, uint32_t part, int32_t block)
{
    const struct place *place = NULL;
    while ((place = places_next(&daemon->post->places, place)) != NULL)
        if (tid_host_part(place->tid) == part && place->region / CONTROL_REGION_BLOCK == block)
            return true;
    return false;
}

void region_take_over(struct daemon *daemon)
{
    for (int32_t block = 0; block < CONTROL_REGION_BLOCKS; block++) {
        uint32_t part = daemon->post->block_owners.parts[block];
        if (part != 0 && !hosts_find(&daemon->post->hosts, part) &&
            !region_block_is_used(daemon, part, block))
            region_free_block(daemon, part, block);
    }
}

void region_host_end(struct daemon *daemon, uint32_t part)
{
    const struct place *place = NULL;
    if (!hosts_is_master(&daemon->post->hosts))
        return;
    while ((place = places_next(&daemon->post->places, place)) != NULL)
        if (tid_host_part(place->tid) == part && place->region >= 0) {
            block_owners_keep(&daemon->post->block_owners, part,
                              place->region / CONTROL_REGION_BLOCK);
            copy_block(daemon, place->region / CONTROL_REGION_BLOCK);
        }
}

void region_over(struct daemon *daemon, uint32_t tid, int32_t number)
{
    const uint32_t home = tid_host_part(tid);
    const int32_t block = number / CONTROL_REGION_BLOCK;
    if (number < 0)
        return;
    if (region_blocks_give_back(&daemon->post->region_blocks, REGION_TRAVELS, number))
        region_return_spare(daemon);
    if (!hosts_find(&daemon->post->hosts, home) && !region_block_is_used(daemon, home, block))
        region_free_block(daemon, home, block);
}

/* Whether a task of this host has travelled with the region: the number is given back at its end. */
static bool region_has_travelled(const struct daemon *daemon, int32_t number)
{
    LIST_FOR_EACH(node, &daemon->post->tasks.list)
    if (task_at(node)->travelled && task_at(node)->region == number)
        return true;
    return false;
}

enum request_result region_take_back(struct request *request)
{
    struct daemon *daemon = request->daemon;
    int32_t count = control_get_count(&request->body, sizeof(int32_t));
    if (request->body.failed)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++) {
        int32_t number = control_get_int(&request->body);
        if (!region_blocks_give_back(&daemon->post->region_blocks, request->task->process,
                                     number) &&
            !region_has_travelled(daemon, number))
            complain(&daemon->complaints, request->origin.tid,
                     "t%x gives back the region %d, which its process does not hold: ignored",
                     request->origin.tid, number);
    }
    region_return_spare(daemon);
    return REQUEST_DONE;
}

static bool region_process_is_connected(const struct daemon *daemon, pid_t process,
                                        const struct task_link *except)
{
    LIST_FOR_EACH(node, &daemon->post->listener.links)
    {
        const struct task_link *link = LIST_OWNER(node, struct task_link, node);
        if (link != except && link->process == process)
            return true;
    }
    return false;
}

void region_link_end(struct task_link *link)
{
    struct region_blocks *blocks = &link->daemon->post->region_blocks;
    const pid_t process = link->process;
    if (process == 0 || !region_blocks_know(blocks, process) ||
        region_process_is_connected(link->daemon, process, link))
        return;
    region_blocks_forget(blocks, process);
    region_return_spare(link->daemon);
}

enum request_result region_grant_block(struct request *request)
{
    uint32_t part = tid_host_part(request->origin.tid);
    struct message *answer = request_answer(request);
    control_put_int(answer, region_grant_to(request->daemon, part));
    deputies_answer(&request->origin, answer);
    return REQUEST_DONE;
}

enum request_result region_take_block_back(struct request *request)
{
    uint32_t part = tid_host_part(request->origin.tid);
    int32_t block = control_get_int(&request->body);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    if (!region_free_block(request->daemon, part, block))
        complain(&request->daemon->complaints, part,
                 "t%x gives back the block %d of the numbers of regions, which it does not have: "
                 "ignored",
                 request->origin.tid, block);
    return REQUEST_DONE;
}
