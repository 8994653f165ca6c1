/* test_environment.c - names of files, and addresses as text. */
#include "core/environment.h"

#include <errno.h>

#include "unit.h"

UNIT_STEP(clear)
{
    unsetenv("PVM_TMP");
    unsetenv("PVM_VMID");
    unsetenv("PVM_TEST");
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, clear, clear)

TEST(unset_and_empty_variables_fall_back)
{
    assert_string_equal(environment_get("PVM_TEST", "fallback"), "fallback");
    assert_null(environment_get("PVM_TEST", NULL));
    setenv("PVM_TEST", "", 1);
    assert_string_equal(environment_get("PVM_TEST", "fallback"), "fallback");
    setenv("PVM_TEST", "value", 1);
    assert_string_equal(environment_get("PVM_TEST", "fallback"), "value");
}

TEST(numbers)
{
    const struct {
        const char *text;
        long number;
    } cases[] = {
        {"", -99},
        {"0", 0},
        {"42", 42},
        {"-7", -7},
        {"0x1f", 31},
        {"010", 8},
        {"0X7fffe", 0x7fffe},
        {"12a", -99},
        {"a", -99},
        {"5 ", -99},
        {"99999999999999999999", -99},
        {"9223372036854775807", INT64_MAX},
    };
    assert_int_equal(environment_get_number("PVM_TEST", -99), -99);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        setenv("PVM_TEST", cases[i].text, 1);
        errno = ERANGE; /* left by others */
        assert_true(environment_get_number("PVM_TEST", -99) == cases[i].number);
    }
}

TEST(files_of_a_machine)
{
    char path[ENVIRONMENT_PATH_SIZE];
    assert_string_equal(environment_temporary_folder(), "/tmp");
    assert_true(environment_address_file(path, 1000));
    assert_string_equal(path, "/tmp/pvmd.1000");
    assert_true(environment_log_file(path, 0));
    assert_string_equal(path, "/tmp/pvml.0");
    assert_true(environment_temporary_name(path, 12072, 0));
    assert_string_equal(path, "/tmp/pvmtmp012072.0");
    assert_true(environment_temporary_name(path, 4194304, 10000));
    assert_string_equal(path, "/tmp/pvmtmp4194304.10000");
}

TEST(files_of_a_named_machine)
{
    char path[ENVIRONMENT_PATH_SIZE];
    setenv("PVM_TMP", "/var/tmp/p", 1);
    setenv("PVM_VMID", "blue", 1);
    assert_string_equal(environment_temporary_folder(), "/var/tmp/p");
    assert_true(environment_address_file(path, 4294967295u));
    assert_string_equal(path, "/var/tmp/p/pvmd.4294967295.blue");
    assert_true(environment_log_file(path, 7));
    assert_string_equal(path, "/var/tmp/p/pvml.7.blue");
    assert_true(environment_temporary_name(path, 1, 1));
    assert_string_equal(path, "/var/tmp/p/pvmtmp000001.1");
}

/* The longest name that fits has 255 letters; nothing is ever written behind the 256 bytes. */
TEST(names_that_do_not_fit_are_refused)
{
    char folder[300];
    char path[ENVIRONMENT_PATH_SIZE + 1];
    for (size_t length = 230; length < 260; length++) {
        memset(folder, 'f', length);
        folder[length] = '\0';
        setenv("PVM_TMP", folder, 1);
        path[ENVIRONMENT_PATH_SIZE] = '#';
        bool fits = length + strlen("/pvmd.1000") < ENVIRONMENT_PATH_SIZE;
        assert_int_equal(environment_address_file(path, 1000), fits);
        assert_int_equal(environment_log_file(path, 1000), fits);
        fits = length + strlen("/pvmtmp000001.1") < ENVIRONMENT_PATH_SIZE;
        assert_int_equal(environment_temporary_name(path, 1, 1), fits);
        assert_int_equal(path[ENVIRONMENT_PATH_SIZE], '#');
    }
    setenv("PVM_TMP", "/tmp", 1);
    setenv("PVM_VMID", folder, 1);
    assert_false(environment_address_file(path, 1000));
}

TEST(addresses_are_written)
{
    char text[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(text, 0xc0000202, 51838);
    assert_string_equal(text, "c0000202:ca7e");
    environment_format_address(text, 0x7f000001, 1);
    assert_string_equal(text, "7f000001:0001");
    environment_format_address(text, 0xffffffff, 0xffff);
    assert_string_equal(text, "ffffffff:ffff");
    environment_format_address(text, 0, 0);
    assert_string_equal(text, "00000000:0000");
}

TEST(addresses_are_read)
{
    const struct {
        const char *text;
        uint32_t address;
        uint16_t port;
    } cases[] = {
        {"c0000202:ca7e", 0xc0000202, 0xca7e},
        {"C0000202:CA7E", 0xc0000202, 0xca7e},
        {"0xc0000202:0xca7e", 0xc0000202, 0xca7e},
        {"7f000001", 0x7f000001, 0},
        {"1:2", 1, 2},
        {"ffffffff:ffff", 0xffffffff, 0xffff},
        {"000000007f000001:00001", 0x7f000001, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t address = 9;
        uint16_t port = 9;
        errno = ERANGE; /* left by others */
        assert_true(environment_parse_address(cases[i].text, &address, &port));
        assert_int_equal(address, cases[i].address);
        assert_int_equal(port, cases[i].port);
    }
}

TEST(other_texts_are_no_addresses)
{
    const char *const texts[] = {
        "",
        ":",
        ":1",
        "7f000001:",
        "7f000001:x",
        "x",
        "7f000001 ",
        "7f000001:1 ",
        "7f000001:1:2",
        "100000000:1",
        "7f000001:10000",
        "0x",
        "0x:1",
        "-1:1",
        "-ffffffffffffffff:1",
        "+1:1",
        " 1:1",
        "1: 1",
        "1:-1",
        "1:-ffffffffffffffff",
        "10000000000000001:1",
        "1:10000000000000001",
        "/tmp/pvmtmp000001.0",
        "127.0.0.1:80",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        uint32_t address = 9;
        uint16_t port = 9;
        assert_false(environment_parse_address(texts[i], &address, &port));
        assert_int_equal(address, 9);
        assert_int_equal(port, 9);
    }
}
