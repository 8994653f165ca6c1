/* test_daemon_addition.c - on which way does each host of a request come into the table? */
#include "daemon/members/addition.h"

#include <pvm3.h>

#include "core/environment.h"
#include "daemon/hosts/membership.h"
#include "daemon/members/host_file.h"
#include "daemon/members/host_settings.h"
#include "daemon/members/table_update.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

#define HOSTER  (OWN_PART | 9)
#define PART(i) ((uint32_t)(i) << TID_HOST_SHIFT)
#define ADDRESS 0x0a000001u
#define MOST    4

static struct addition *addition;
static struct starter *starters[MOST]; /* in the order in which they have been started */
static int started, finished, updates, settled, dones;
static bool memory_is_short;
static void (*update_done)(struct daemon *daemon);
static bool updating;

bool lookup_start(struct lookup *lookup, struct loop *loop, const char *const *names, size_t count,
                  void (*progress)(struct lookup *))
{
    if (memory_is_short)
        return false;
    lookup->names = calloc(count, sizeof *lookup->names);
    assert_non_null(lookup->names);
    lookup->inquiry.loop = loop;
    lookup->count = count;
    lookup->progress = progress;
    for (size_t i = 0; i < count; i++) {
        lookup->names[i].known = names[i][0] == '\0';
        lookup->unknown += !lookup->names[i].known;
    }
    return true;
}

void lookup_finish(struct lookup *lookup)
{
    free(lookup->names);
}

void starter_start(struct starter *starter, struct daemon *daemon,
                   const struct starter_order *order, void (*done)(struct starter *))
{
    assert_in_range(started, 0, MOST - 1);
    starter->daemon = daemon;
    starter->order = *order;
    starter->done = done;
    starters[started++] = starter;
}

void starter_finish(struct starter *starter)
{
    if (!starter->daemon)
        return;
    free(starter->order.command);
    free(starter->order.windows_command);
    finished++;
}

struct host *membership_add(struct hosts *hosts, uint32_t part)
{
    assert_ptr_equal(hosts, &quiet.post->hosts);
    if (memory_is_short)
        return NULL;
    struct host *host = quiet_daemon_add_host(part >> TID_HOST_SHIFT);
    host->pending = true;
    return host;
}

void host_settings_send(struct daemon *daemon, uint32_t part, const struct host_spec *spec)
{
    assert_string_equal(hosts_find(&daemon->post->hosts, part)->name, spec->name);
    settled++;
}

void host_file_complete(const struct host_file *file, struct host_spec *spec)
{
    assert_null(file);
    assert_non_null(spec->name);
}

void table_update_start(struct daemon *daemon, bool whole, void (*done)(struct daemon *daemon))
{
    assert_ptr_equal(daemon, &quiet);
    assert_false(whole);
    assert_false(updating);
    updating = true;
    updates++;
    update_done = done;
}

bool table_update_runs(const struct daemon *daemon)
{
    assert_ptr_equal(daemon, &quiet);
    return updating;
}

static void finish_update(void)
{
    updating = false;
    update_done(&quiet);
}

int32_t services_next_wait(struct services *services)
{
    return ++services->wait;
}

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    started = finished = updates = settled = dones = 0;
    memory_is_short = updating = false;
    addition = quiet.member_room->addition = addition_new(&quiet, MOST);
    addition->origin.tid = OWN_PART | 1; /* a task, not the host file */
    return result;
}

static int finish(void **state)
{
    addition_free(addition);
    sent_forget();
    assert_int_equal(finished, started);
    return quiet_daemon_finish(state);
}

static void done(struct addition *which)
{
    assert_ptr_equal(which, addition);
    dones++;
}

static void begin(const char *first, const char *second)
{
    addition_add(addition, first);
    if (second)
        addition_add(addition, second);
    assert_true(addition_begin(addition, done));
}

/* The name has that address, 0: none. */
static void know(int number, uint32_t address)
{
    addition->lookup.names[number] = (struct looked_up){true, address};
    addition->lookup.unknown--;
    addition->lookup.progress(&addition->lookup);
}

static void pass_a_moment(void)
{
    assert_true(loop_timer_is_set(&addition->moment));
    loop_timer_cancel(&addition->moment);
    addition->moment.expire(&addition->moment);
}

static void tell(char *line, size_t size, int protocol)
{
    char address[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(address, ADDRESS, 7);
    snprintf(line, size, "ddpro<%d> arch<LINUX64> ip<%s> mtu<4080> dsig<4>", protocol, address);
}

static void say(int number, const char *line)
{
    snprintf(starters[number]->result, sizeof starters[number]->result, "%s", line);
    starters[number]->done(starters[number]);
}

/* The daemon that was started there runs. */
static void run(int number)
{
    char line[200];
    tell(line, sizeof line, CONTROL_DAEMON_PROTOCOL);
    say(number, line);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(a_host_is_looked_up_started_and_taken_into_the_table)
{
    begin("alpha lo=me sp=500", NULL);
    assert_int_equal(started, 0);
    know(0, ADDRESS);
    assert_int_equal(started, 1);
    assert_string_equal(starters[0]->order.address, "alpha");
    assert_string_equal(starters[0]->order.login, "me");
    assert_non_null(strstr(starters[0]->order.command, " -nalpha "));
    assert_int_equal(updates, 0);
    run(0);
    assert_int_equal(updates, 1);
    assert_int_equal(settled, 1);
    const struct host *host = hosts_find(&quiet.post->hosts, PART(2));
    assert_string_equal(host->architecture, "LINUX64");
    assert_int_equal(host->address, ADDRESS);
    assert_int_equal(host->speed, 500);
    assert_int_equal(dones, 0);
    finish_update();
    assert_int_equal(dones, 1);
    assert_int_equal(addition->hosts[0].result, 0);
}

TEST(tids_are_given_in_the_order_of_the_request)
{
    begin("alpha", "beta");
    know(1, ADDRESS + 1);
    assert_int_equal(started, 0);
    assert_null(addition_find(addition, 0));
    know(0, ADDRESS);
    assert_int_equal(started, 2);
    assert_ptr_equal(addition_find(addition, PART(2)), &addition->hosts[0]);
    assert_ptr_equal(addition_find(addition, PART(3)), &addition->hosts[1]);
    assert_null(addition_find(addition, PART(4)));
}

TEST(a_name_that_is_not_answered_holds_others_back_for_a_moment)
{
    begin("alpha", "beta");
    know(1, ADDRESS + 1);
    assert_int_equal(started, 0);
    pass_a_moment();
    assert_int_equal(started, 1);
    assert_int_equal(addition->hosts[1].part, PART(2));
    know(0, ADDRESS);
    assert_int_equal(addition->hosts[0].part, PART(3));
}

static void expect_failed(int number, int32_t result)
{
    assert_int_equal(addition->hosts[number].state, ADDED_HOST_SETTLED);
    assert_int_equal(addition->hosts[number].result, result);
    assert_int_equal(addition->hosts[number].part, 0);
}

TEST(an_address_is_needed_that_nobody_has)
{
    begin("alpha", "beta");
    quiet_daemon_add_host(7)->address = ADDRESS;
    know(0, ADDRESS);
    know(1, 0);
    expect_failed(0, PvmDupHost);
    expect_failed(1, PvmNoHost);
    assert_int_equal(started, 0);
    assert_int_equal(dones, 1);
}

TEST(the_same_address_is_added_once)
{
    begin("alpha", "beta");
    know(0, ADDRESS);
    know(1, ADDRESS);
    expect_failed(1, PvmDupHost);
    assert_int_equal(started, 1);
    assert_int_equal(dones, 0);
}

TEST(what_is_no_host_fails_alone)
{
    begin("alpha zz=1", "beta");
    know(1, ADDRESS);
    expect_failed(0, PvmBadParam);
    assert_int_equal(started, 1);
    run(0);
    finish_update();
    assert_int_equal(dones, 1);
    assert_int_equal(addition->hosts[1].result, 0);
}

TEST(without_a_free_index_there_is_no_host)
{
    for (uint32_t i = 2; i <= TID_HOST_MAX; i++)
        quiet.post->hosts.table[i] = quiet.post->hosts.own;
    begin("alpha", NULL);
    know(0, ADDRESS);
    for (uint32_t i = 2; i <= TID_HOST_MAX; i++)
        quiet.post->hosts.table[i] = NULL;
    expect_failed(0, PvmOutOfRes);
    assert_int_equal(dones, 1);
}

TEST(a_daemon_that_does_not_start_has_its_error)
{
    char line[200];
    begin("alpha", "beta");
    know(0, ADDRESS);
    know(1, ADDRESS + 1);
    say(0, "command not found");
    tell(line, sizeof line, CONTROL_DAEMON_PROTOCOL + 1);
    say(1, line);
    assert_int_equal(addition->hosts[0].result, PvmCantStart);
    assert_int_equal(addition->hosts[1].result, PvmBadVersion);
    assert_int_equal(updates, 0);
    assert_int_equal(dones, 1);
}

TEST(who_is_ready_waits_a_moment_for_the_others)
{
    begin("alpha", "beta");
    know(0, ADDRESS);
    know(1, ADDRESS + 1);
    run(1);
    assert_int_equal(updates, 0);
    pass_a_moment();
    assert_int_equal(updates, 1);
    assert_int_equal(settled, 1);
    run(0);
    assert_int_equal(updates, 1); /* one at a time */
    finish_update();
    assert_int_equal(updates, 2);
    assert_int_equal(settled, 2);
    assert_int_equal(dones, 0);
    finish_update();
    assert_int_equal(dones, 1);
}

TEST(those_that_are_ready_together_come_together)
{
    begin("alpha", "beta");
    know(0, ADDRESS);
    know(1, ADDRESS + 1);
    run(0);
    run(1);
    assert_int_equal(updates, 1);
    assert_int_equal(settled, 2);
}

TEST(an_update_may_outlive_the_request)
{
    begin("alpha", NULL);
    know(0, ADDRESS);
    run(0);
    quiet.member_room->addition = NULL;
    finish_update();
    assert_int_equal(dones, 0);
}

TEST(short_memory_is_told)
{
    addition_add(addition, "alpha");
    memory_is_short = true;
    assert_false(addition_begin(addition, done));
    memory_is_short = false;
    assert_true(addition_begin(addition, done));
    know(0, ADDRESS);
    memory_is_short = true;
    run(0);
    finish_update();
    assert_int_equal(addition->hosts[0].result, PvmNoMem);
    assert_int_equal(dones, 1);
}

TEST(a_hoster_is_asked_once_for_all)
{
    char line[200];
    quiet.task_room->services.hoster = HOSTER;
    begin("alpha", "beta");
    know(0, ADDRESS);
    assert_int_equal(sent_count(), 0);
    know(1, ADDRESS + 1);
    assert_int_equal(started, 0);
    assert_int_equal(addition->hoster, HOSTER);
    struct control_reader *body = sent_expect(HOSTER, SM_STHOST, 0, addition->wait);
    assert_int_equal(control_get_int(body), 2);
    assert_int_equal(control_get_tid(body), PART(2));
    assert_int_equal(sent_count(), 0);
    tell(line, sizeof line, CONTROL_DAEMON_PROTOCOL);
    addition_take_line(addition_find(addition, PART(3)), line);
    addition_end_starts(addition);
    assert_int_equal(addition->hoster, 0);
    assert_int_equal(addition->hosts[0].result, PvmCantStart);
    assert_int_equal(updates, 1);
    finish_update();
    assert_int_equal(addition->hosts[1].result, 0);
    assert_int_equal(dones, 1);
}

TEST(a_hoster_that_has_gone_is_not_waited_for)
{
    quiet.task_room->services.hoster = HOSTER;
    begin("alpha", "beta");
    know(0, ADDRESS);
    assert_int_equal(started, 0);
    quiet.task_room->services.hoster = 0;
    know(1, ADDRESS + 1);
    assert_int_equal(started, 2);
    assert_int_equal(sent_count(), 0);
}
