/* test_top_usage.c - what an agent of pvmtop reads of processes, in a folder that looks like /proc. */
#include "top/usage.h"

#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

enum { PROCESS = 100, NOBODY = 200, NOW = 1000 };

static char root[] = "/tmp/usageXXXXXX";

static void file_write(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A line of stat: 3 seconds of the user, 2 of the system, begun 600 seconds ago, 7 pages. */
static void stat_write(const char *name, const char *program, char state, int threads)
{
    char text[400];
    long ticks = sysconf(_SC_CLK_TCK);
    snprintf(text, sizeof text,
             "100 (%s) %c 1 1 1 0 -1 4194304 130 0 0 0 %ld %ld 0 0 20 0 %d 0 %ld 2990080 7 184 9\n",
             program, state, 3 * ticks, 2 * ticks, threads, (NOW - 600) * ticks);
    file_write(name, text);
}

static enum activity activity_read(void)
{
    struct usage usage;
    assert_true(usage_read(root, PROCESS, NOW, &usage));
    return usage.activity;
}

UNIT_STEP(set_up)
{
    static const char *const folders[] = {"/100", "/100/task", "/100/task/100", "/100/task/101"};
    char path[200];
    strcpy(root, "/tmp/usageXXXXXX");
    if (!mkdtemp(root))
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        mkdir(path, 0700);
    }
    return 0;
}

UNIT_STEP(tear_down)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

UNIT_TEST_BETWEEN(amounts_are_counted_since_the_process_began, set_up, tear_down)
{
    struct usage usage;
    stat_write("100/stat", "a) S (b", 'R', 2);
    assert_true(usage_read(root, PROCESS, NOW, &usage));
    assert_string_equal(usage.name, "a) S (b");
    assert_int_equal(usage.pid, PROCESS);
    assert_int_equal(usage.threads, 2);
    assert_true(usage.processor == 5 && usage.age == 600);
    assert_true(usage.memory == 7.0 * (double)sysconf(_SC_PAGESIZE));
}

UNIT_TEST_BETWEEN(process_that_is_over_has_no_usage, set_up, tear_down)
{
    struct usage usage;
    assert_false(usage_read(root, NOBODY, NOW, &usage));
}

UNIT_TEST_BETWEEN(activity_is_that_of_a_thread_that_runs, set_up, tear_down)
{
    stat_write("100/stat", "program", 'S', 2);
    stat_write("100/task/100/stat", "program", 'S', 2);
    stat_write("100/task/101/stat", "program", 'R', 2);
    assert_int_equal(activity_read(), ACTIVITY_COMPUTES);
    stat_write("100/task/101/stat", "program", 'S', 2);
    assert_int_equal(activity_read(), ACTIVITY_SLEEPS);
}

UNIT_TEST_BETWEEN(activity_is_what_the_main_thread_waits_for, set_up, tear_down)
{
    static const struct {
        const char *place;
        char state;
        enum activity activity;
    } cases[] = {{"ep_poll", 'S', ACTIVITY_INPUT},
                 {"do_select", 'S', ACTIVITY_INPUT},
                 {"futex_do_wait", 'S', ACTIVITY_THREAD},
                 {"hrtimer_nanosleep", 'S', ACTIVITY_SLEEPS},
                 {"0", 'S', ACTIVITY_SLEEPS},
                 {"0", 'R', ACTIVITY_COMPUTES},
                 {"0", 'D', ACTIVITY_DISK},
                 {"0", 'T', ACTIVITY_STOPPED},
                 {"0", 'Z', ACTIVITY_ENDED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file_write("100/wchan", cases[i].place);
        stat_write("100/stat", "program", cases[i].state, 1);
        assert_int_equal(activity_read(), cases[i].activity);
    }
}

UNIT_TEST_BETWEEN(memory_of_the_host, set_up, tear_down)
{
    double total, available;
    usage_read_memory(root, &total, &available);
    assert_true(total == 0 && available == 0);
    file_write("meminfo", "MemTotal:  16 kB\nMemFree:  1 kB\nMemAvailable:  8 kB\n");
    usage_read_memory(root, &total, &available);
    assert_true(total == 16384 && available == 8192);
}
