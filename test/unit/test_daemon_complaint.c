/* test_daemon_complaint.c - is what others do wrong told once, and then counted? */
#include "daemon/base/complaint.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/base/log.h"

#include "unit.h"

#define COUNTED "more like this: "

static struct loop loop;
static struct complaints complaints;
static char folder[] = "/tmp/complaint.XXXXXX";
static char path[sizeof folder + 8];

UNIT_STEP(start)
{
    strcpy(strrchr(folder, '.') + 1, "XXXXXX");
    if (!mkdtemp(folder) || loop_start(&loop) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/log", folder);
    log_open(path, 0);
    log_set_ready();
    complaints_start(&complaints, &loop);
    return 0;
}

UNIT_STEP(finish)
{
    complaints_finish(&complaints);
    loop_finish(&loop);
    log_close();
    unlink(path);
    return rmdir(folder);
}

/* Lines of the log with the text. */
static int lines_with(const char *text)
{
    char line[5000];
    int count = 0;
    FILE *log = fopen(path, "r");
    assert_non_null(log);
    while (fgets(line, sizeof line, log))
        count += strstr(line, text) != NULL;
    fclose(log);
    return count;
}

/* The time has come at which what was counted is told. */
static void let_time_pass(void)
{
    assert_true(loop_timer_is_set(&complaints.timer));
    loop_timer_cancel(&complaints.timer);
    complaints.timer.expire(&complaints.timer);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(first_is_told_and_the_rest_counted)
{
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 1000; i++)
            complain(&complaints, 7, "t7 did %d things", i);
        assert_int_equal(lines_with("t7 did"), round);
        let_time_pass();
    }
    assert_int_equal(lines_with("999 " COUNTED "t7 did 0 things"), 1);
    assert_int_equal(lines_with("1000 " COUNTED "t7 did 0 things"), 1);
}

TEST(what_is_over_is_forgotten)
{
    for (int i = 0; i < 3; i++) {
        for (int who = 1; who <= 2; who++)
            complain(&complaints, (uint32_t)who, "t%d did it", who);
        let_time_pass();
        assert_false(loop_timer_is_set(&complaints.timer));
    }
    assert_int_equal(lines_with("t1 did it"), 3);
    assert_int_equal(lines_with("t2 did it"), 3);
    assert_int_equal(lines_with(COUNTED), 0);
}

TEST(many_are_told_of_together)
{
    for (int who = 1; who <= 1000; who++)
        complain(&complaints, (uint32_t)who, "t%d did it", who);
    assert_in_range(lines_with("did it"), 2, 20);
    complaints_finish(&complaints);
    assert_int_equal(lines_with(COUNTED), 1);
}

TEST(those_beyond_the_list_push_out_the_oldest)
{
    static const char *const formats[] = {"a%d.", "b%d.", "c%d.", "d%d.", "e%d.", "f%d.",
                                          "g%d.", "h%d.", "i%d.", "j%d.", "k%d.", "l%d."};
    const int count = (int)(sizeof formats / sizeof formats[0]), each = 8;
    for (int i = 0; i < count; i++)
        for (int who = 0; who < each; who++)
            for (int again = 0; again < 2; again++)
                complain(&complaints, (uint32_t)who, formats[i], who);
    assert_int_equal(lines_with("1 " COUNTED), count * each - COMPLAINTS_MAX);
    complaints_finish(&complaints);
    assert_int_equal(lines_with("1 " COUNTED), count * each);
    assert_int_equal(lines_with("."), 2 * count * each);
}

TEST(text_stays_on_its_line)
{
    complain(&complaints, 1, "t1 says '%s'", "a\n[t80040000] 01/01 00:00:00 halting\r");
    assert_int_equal(lines_with("says 'a?[t80040000] 01/01 00:00:00 halting?'"), 1);
}
