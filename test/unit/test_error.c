/* test_error.c - the codes and texts of 3.4.6, one by one. */
#include "core/error.h"

#include <limits.h>

#include <pvm3.h>

#include "unit.h"

struct expectation {
    int code;
    const char *name;
    const char *text;
};

static const struct expectation expectations[] = {
    {0, "PvmOk", "Error 0"},
    {-1, NULL, "Error 1"},
    {-2, "PvmBadParam", "Bad parameter"},
    {-3, "PvmMismatch", "Parameter mismatch"},
    {-4, "PvmOverflow", "Value too large"},
    {-5, "PvmNoData", "End of buffer"},
    {-6, "PvmNoHost", "No such host"},
    {-7, "PvmNoFile", "No such file"},
    {-8, "PvmDenied", "Permission denied"},
    {-9, NULL, "Error 9"},
    {-10, "PvmNoMem", "Malloc failed"},
    {-11, NULL, "Error 11"},
    {-12, "PvmBadMsg", "Can't decode message"},
    {-13, NULL, "Error 13"},
    {-14, "PvmSysErr", "Can't contact local daemon"},
    {-15, "PvmNoBuf", "No current buffer"},
    {-16, "PvmNoSuchBuf", "No such buffer"},
    {-17, "PvmNullGroup", "Null group name"},
    {-18, "PvmDupGroup", "Already in group"},
    {-19, "PvmNoGroup", "No such group"},
    {-20, "PvmNotInGroup", "Not in group"},
    {-21, "PvmNoInst", "No such instance"},
    {-22, "PvmHostFail", "Host failed"},
    {-23, "PvmNoParent", "No parent task"},
    {-24, "PvmNotImpl", "Not implemented"},
    {-25, "PvmDSysErr", "Pvmd system error"},
    {-26, "PvmBadVersion", "Version mismatch"},
    {-27, "PvmOutOfRes", "Out of resources"},
    {-28, "PvmDupHost", "Duplicate host"},
    {-29, "PvmCantStart", "Can't start pvmd"},
    {-30, "PvmAlready", "Already in progress"},
    {-31, "PvmNoTask", "No such task"},
    {-32, "PvmNotFound", "Not Found"},
    {-33, "PvmExists", "Already Exists"},
    {-34, "PvmHostrNMstr", "Hoster must run on master host"},
    {-35, "PvmParentNotSet", "Spawning parent set PvmNoParent"},
    {-36, "PvmIPLoopback", "Master Host IP Address is Loopback! (See pvm3/Readme)"},
};

/* What programs are compiled with. */
static const int constants[] = {
    PvmOk,         PvmBadParam,     PvmMismatch,   PvmOverflow, PvmNoData,     PvmNoHost,
    PvmNoFile,     PvmDenied,       PvmNoMem,      PvmBadMsg,   PvmSysErr,     PvmNoBuf,
    PvmNoSuchBuf,  PvmNullGroup,    PvmDupGroup,   PvmNoGroup,  PvmNotInGroup, PvmNoInst,
    PvmHostFail,   PvmNoParent,     PvmNotImpl,    PvmDSysErr,  PvmBadVersion, PvmOutOfRes,
    PvmDupHost,    PvmCantStart,    PvmAlready,    PvmNoTask,   PvmNotFound,   PvmExists,
    PvmHostrNMstr, PvmParentNotSet, PvmIPLoopback,
};

UNIT_TEST(every_code_has_its_text_and_name)
{
    assert_int_equal(COUNT_OF(expectations), ERROR_COUNT);
    for (size_t i = 0; i < COUNT_OF(expectations); i++) {
        const struct expectation *expected = &expectations[i];
        assert_string_equal(error_text(expected->code), expected->text);
        if (!expected->name) {
            assert_null(error_name(expected->code));
            continue;
        }
        assert_string_equal(error_name(expected->code), expected->name);
        assert_int_equal(error_code(expected->name), expected->code);
    }
}

UNIT_TEST(header_constants_are_the_codes)
{
    size_t next = 0;
    for (size_t i = 0; i < COUNT_OF(expectations); i++)
        if (expectations[i].name)
            assert_int_equal(constants[next++], expectations[i].code);
    assert_int_equal(next, COUNT_OF(constants));
}

UNIT_TEST(other_numbers_are_unknown)
{
    const int others[] = {1, 36, INT_MAX, -37, -38, -1000, INT_MIN, INT_MIN + 1};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        assert_string_equal(error_text(others[i]), "Unknown Error");
        assert_null(error_name(others[i]));
    }
}

UNIT_TEST(other_names_have_no_code)
{
    const char *const others[] = {"", "Pvm", "PvmNoHos", "PvmNoHostX", "pvmnohost", "Error 1"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_int_equal(error_code(others[i]), 0);
}
