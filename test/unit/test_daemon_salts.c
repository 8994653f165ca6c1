/* test_daemon_salts.c - what does a daemon take from the master of who holds the secret? */
#include "daemon/members/table_replica.h"

#include "quiet_daemon.h"
#include "unit.h"

#define TEST(name) UNIT_TEST_BETWEEN(name, quiet_daemon_start, quiet_daemon_finish)

enum { MASTER = OWN_INDEX + 1, MEMBER, NEW, NEWER };

static void put(struct message *message, int32_t index, uint64_t salt)
{
    control_put_int(message, index);
    control_put_tid(message, (uint32_t)(salt >> 32));
    control_put_tid(message, (uint32_t)salt);
}

static enum request_result take(struct message *message)
{
    return quiet_daemon_take(table_replica_take_salts, NULL, MASTER << TID_HOST_SHIFT, message);
}

static uint64_t salt_of(uint32_t index)
{
    return quiet.post->machine_key.salts[index];
}

TEST(new_hosts_get_their_salts)
{
    struct message *message = control_new(CONTROL_SALTS, 0, 0);
    put(message, NEW, 0x123456789abcdef0);
    put(message, TID_HOST_MAX, 1);
    assert_int_equal(take(message), REQUEST_DONE);
    assert_true(salt_of(NEW) == 0x123456789abcdef0 && salt_of(TID_HOST_MAX) == 1);
    assert_int_equal(salt_of(NEWER), 0);
    assert_int_equal(take(control_new(CONTROL_SALTS, 0, 0)), REQUEST_DONE);
}

/* Otherwise the key of a host that is there could be changed. */
TEST(hosts_of_the_table_keep_theirs)
{
    struct message *message = control_new(CONTROL_SALTS, 0, 0);
    quiet_daemon_add_host(MEMBER);
    quiet.post->machine_key.salts[MEMBER] = quiet.post->machine_key.salts[OWN_INDEX] = 5;
    put(message, MEMBER, 6);
    put(message, OWN_INDEX, 6);
    assert_int_equal(take(message), REQUEST_DONE);
    assert_true(salt_of(MEMBER) == 5 && salt_of(OWN_INDEX) == 5);
}

TEST(indices_that_there_are_not_are_refused)
{
    static const int32_t wrong[] = {0, -1, TID_HOST_MAX + 1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct message *message = control_new(CONTROL_SALTS, 0, 0);
        put(message, wrong[i], 6);
        put(message, NEW, 6);
        assert_int_equal(take(message), REQUEST_MALFORMED);
        assert_int_equal(salt_of(NEW), 0);
    }
}

TEST(a_salt_that_is_cut_is_refused)
{
    struct message *message = control_new(CONTROL_SALTS, 0, 0);
    control_put_int(message, NEW);
    control_put_tid(message, 1);
    assert_int_equal(take(message), REQUEST_MALFORMED);
    assert_int_equal(salt_of(NEW), 0);
}
