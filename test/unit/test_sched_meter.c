/*
 * test_sched_meter.c - what an agent of the global scheduler reads of its host: in folders that look like
 * /proc and /dev.
 */
#include "sched/meter.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sched/input.h"
#include "unit.h"

enum { HOLDER = 100, TASK = 200, OTHER = 300, ELSEWHERE = 400 };

static char root[] = "/tmp/meterXXXXXX";

static void folder_make(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_true(mkdir(path, 0700) == 0);
}

static void file_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A thread of a process has run and waited for so many milliseconds, in so many turns. */
static void thread_wants(int pid, int tid, int ran, int waited, int turns)
{
    char path[200], text[100];
    snprintf(path, sizeof path, "%s/%d", root, pid);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%d/task", root, pid);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%d/task/%d", root, pid, tid);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%d/task/%d/schedstat", root, pid, tid);
    snprintf(text, sizeof text, "%d000000 %d000000 %d\n", ran, waited, turns);
    file_write(path, text);
}

static void network_is(const char *process, const char *network)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, process);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/ns", root, process);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/ns/net", root, process);
    assert_int_equal(symlink(network, path), 0);
}

UNIT_STEP(set_up)
{
    strcpy(root, "/tmp/meterXXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

UNIT_STEP(tear_down)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static bool is_near(double value, double wanted)
{
    return value > wanted - 1e-6 && value < wanted + 1e-6;
}

/*
 * In two seconds: of threads that run on and on, with and without waiting, that run at times, begin,
 * and end.
 */
UNIT_TEST_BETWEEN(what_is_wanted_between_two_readings, set_up, tear_down)
{
    int pids[] = {HOLDER, TASK};
    struct question question = {.round = 5, .holder_count = 1, .count = 2, .pids = pids};
    struct meter meter;
    struct facts facts;
    thread_wants(HOLDER, HOLDER, 5000, 100, 10);
    thread_wants(HOLDER, HOLDER + 1, 5000, 100, 10);
    thread_wants(TASK, TASK, 0, 0, 10);
    thread_wants(OTHER, OTHER, 1000, 0, 10);
    meter_start(&meter, root, root, 10);
    thread_wants(HOLDER, HOLDER, 5500, 1400, 20);
    thread_wants(HOLDER, HOLDER + 1, 6000, 100, 10);
    thread_wants(TASK, TASK, 100, 1000, 110);
    thread_wants(OTHER, OTHER, 900, 0, 10);
    thread_wants(OTHER, OTHER + 1, 2000, 0, 10);
    meter_read(&meter, &question, 12, &facts);
    assert_int_equal(facts.round, 5);
    assert_int_equal(facts.holder_count, 1);
    assert_true(is_near(facts.wanted[0], 1.5));
    assert_true(is_near(facts.fixed, 0.1));
    assert_true(is_near(facts.others, 1));
    assert_true(facts.processors >= 1);
    free(facts.wanted);
    meter_read(&meter, &question, 13, &facts);
    assert_true(facts.wanted[0] == 0 && facts.fixed == 0 && facts.others == 0);
    free(facts.wanted);
    meter_free(&meter);
}

/* Hosts that share a kernel: each has a network of its own. A process that hides its own counts. */
UNIT_TEST_BETWEEN(what_runs_on_another_host_is_left_out, set_up, tear_down)
{
    struct question question = {.round = 1};
    struct meter meter;
    struct facts facts;
    network_is("self", "net:[1]");
    network_is("400", "net:[2]");
    network_is("300", "net:[1]");
    meter_start(&meter, root, root, 0);
    thread_wants(ELSEWHERE, ELSEWHERE, 1000, 0, 10);
    thread_wants(OTHER, OTHER, 200, 0, 10);
    thread_wants(TASK, TASK, 50, 0, 10);
    meter_read(&meter, &question, 1, &facts);
    assert_true(is_near(facts.others, 0.25));
    free(facts.wanted);
    meter_free(&meter);
}

UNIT_TEST_BETWEEN(a_system_that_does_not_tell, set_up, tear_down)
{
    struct question question = {.round = 1};
    struct meter meter;
    struct facts facts;
    meter_start(&meter, root, root, 0);
    meter_read(&meter, &question, 1, &facts);
    assert_true(facts.processors == 0);
    free(facts.wanted);
    meter_free(&meter);
}

/* A device that was read so long ago. */
static void device_read(const char *name, int seconds)
{
    char path[200];
    struct timespec times[] = {{.tv_sec = time(NULL) - seconds}, {.tv_nsec = UTIME_NOW}};
    snprintf(path, sizeof path, "%s/%s", root, name);
    file_write(path, "");
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_idle_for(int seconds)
{
    double idle = input_idle(root);
    return idle >= seconds && idle < seconds + 100;
}

UNIT_TEST_BETWEEN(when_a_device_was_used, set_up, tear_down)
{
    assert_true(input_idle(root) > 1e8);
    device_read("null", 0);
    assert_true(input_idle(root) > 1e8);
    device_read("tty1", 5000);
    assert_true(is_idle_for(5000));
    folder_make("pts");
    device_read("pts/ptmx", 0);
    assert_true(is_idle_for(5000));
    device_read("pts/3", 4000);
    assert_true(is_idle_for(4000));
    folder_make("input");
    device_read("input/event0", 3000);
    assert_true(is_idle_for(3000));
    device_read("tty1", -1000);
    assert_true(input_idle(root) == 0);
}
