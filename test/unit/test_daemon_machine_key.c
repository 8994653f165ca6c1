/* test_daemon_machine_key.c - who holds the secret, and which keys come of it? */
#include "daemon/post/machine_key.h"

#include "unit.h"

enum { MASTER = 1, FIRST, SECOND };

static void make_pair_with(struct machine_key *master, struct machine_key *slave, bool secrecy)
{
    char text[MACHINE_KEY_TEXT_SIZE];
    memset(master, 0, sizeof *master);
    memset(slave, 0, sizeof *slave);
    assert_true(machine_key_make(master, MASTER, secrecy));
    machine_key_write(master, MASTER, text);
    assert_int_equal(strlen(text), sizeof text - 1);
    assert_true(machine_key_read(slave, text, MASTER, FIRST));
    assert_true(slave->known && slave->salts[FIRST] != 0);
    assert_int_equal(slave->secrecy, secrecy);
}

static void make_pair(struct machine_key *master, struct machine_key *slave)
{
    make_pair_with(master, slave, false);
}

UNIT_TEST(the_master_says_whether_all_is_encrypted)
{
    static struct machine_key master, slave;
    make_pair_with(&master, &slave, true);
    make_pair_with(&master, &slave, false);
}

UNIT_TEST(both_sides_have_one_key)
{
    static struct machine_key master, slave;
    unsigned char one[KEYED_HASH_KEY_SIZE], other[KEYED_HASH_KEY_SIZE];
    make_pair(&master, &slave);
    assert_false(machine_key_of_pair(&master, MASTER, FIRST, one));
    master.salts[FIRST] = slave.salts[FIRST];
    assert_true(machine_key_of_pair(&master, MASTER, FIRST, one));
    assert_true(machine_key_of_pair(&slave, FIRST, MASTER, other));
    assert_memory_equal(one, other, sizeof one);
}

UNIT_TEST(each_pair_and_each_daemon_has_a_key_of_its_own)
{
    static struct machine_key master, slave;
    unsigned char keys[3][KEYED_HASH_KEY_SIZE];
    make_pair(&master, &slave);
    master.salts[FIRST] = slave.salts[FIRST];
    master.salts[SECOND] = slave.salts[FIRST];
    assert_true(machine_key_of_pair(&master, MASTER, FIRST, keys[0]));
    assert_true(machine_key_of_pair(&master, MASTER, SECOND, keys[1]));
    master.salts[FIRST]++;
    assert_true(machine_key_of_pair(&master, MASTER, FIRST, keys[2]));
    assert_memory_not_equal(keys[0], keys[1], sizeof keys[0]);
    assert_memory_not_equal(keys[0], keys[2], sizeof keys[0]);
    assert_memory_not_equal(keys[1], keys[2], sizeof keys[0]);
}

UNIT_TEST(two_machines_have_different_secrets)
{
    static struct machine_key one, other;
    assert_true(machine_key_make(&one, MASTER, false) && machine_key_make(&other, MASTER, false));
    assert_memory_not_equal(one.secret, other.secret, sizeof one.secret);
    assert_true(one.salts[MASTER] != other.salts[MASTER]);
}

UNIT_TEST(texts_that_are_no_key_are_refused)
{
    static struct machine_key master, slave;
    static const struct {
        size_t at;
        char byte;
    } wrong[] = {{0, 'x'},  {63, '.'}, {64, '0'}, {64, '-'}, {65, 'x'}, {80, '\0'},
                 {0, '\0'}, {0, ' '},  {81, '0'}, {82, '2'}, {82, '\0'}};
    char text[MACHINE_KEY_TEXT_SIZE];
    assert_true(machine_key_make(&master, MASTER, false));
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        machine_key_write(&master, MASTER, text);
        text[wrong[i].at] = wrong[i].byte;
        assert_false(machine_key_read(&slave, text, MASTER, FIRST));
        assert_false(slave.known);
    }
    machine_key_write(&master, MASTER, text);
    memset(text + 65, '0', 16);
    assert_false(machine_key_read(&slave, text, MASTER, FIRST));
}
