/* test_mpi_objects.c - errors, statuses, infos, names and attributes. */
#include "mpi/objects/attributes.h"
#include "mpi/objects/info.h"
#include "mpi/objects/names.h"
#include "mpi/values/errors.h"
#include "mpi/values/status.h"
#include "unit.h"

UNIT_TEST(each_class_of_the_standard_has_a_text)
{
    char text[MPI_MAX_ERROR_STRING];

    for (int class = 0; class <= MPI_ERR_ABI; class ++) {
        assert_int_equal(error_class(class), class);
        assert_true(error_text(class, text) && *text);
    }
    assert_int_equal(error_class(MPI_T_ERR_INVALID), MPI_T_ERR_INVALID);
    assert_int_equal(error_class(MPI_ERR_ABI + 1), -1);
    assert_int_equal(error_class(-1), -1);
    assert_false(error_text(-1, text));
}

UNIT_TEST(what_is_not_supported_is_named)
{
    char text[MPI_MAX_ERROR_STRING];
    int number = 0;

    while (strcmp(function_names[number], "MPI_Win_create") != 0)
        number++;
    assert_int_equal(error_class(error_unsupported(number)), MPI_ERR_UNSUPPORTED_OPERATION);
    assert_true(error_text(error_unsupported(number), text));
    assert_string_equal(text, "MPI_Win_create is not supported");
}

UNIT_TEST(classes_and_codes_come_and_go)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, code, other;

    assert_int_equal(error_add_class(&class), 0);
    assert_int_equal(error_last_used(), class);
    assert_int_equal(error_add_code(class, &code), 0);
    assert_int_equal(error_add_code(MPI_ERR_OTHER, &other), 0);
    assert_int_equal(error_add_code(code, &other), MPI_ERR_ARG);
    assert_int_equal(error_class(code), class);
    assert_true(error_text(code, text));
    assert_string_equal(text, "");
    assert_int_equal(error_add_text(code, "mine"), 0);
    assert_true(error_text(code, text));
    assert_string_equal(text, "mine");
    assert_int_equal(error_remove_class(class), MPI_ERR_ARG);
    assert_int_equal(error_remove_code(code), MPI_ERR_ARG);
    assert_int_equal(error_remove_text(code), 0);
    assert_int_equal(error_remove_text(code), MPI_ERR_ARG);
    assert_int_equal(error_remove_code(class), MPI_ERR_ARG);
    assert_int_equal(error_remove_code(code), 0);
    assert_int_equal(error_class(code), -1);
    /* The place of a code that was removed is used again. */
    assert_int_equal(error_add_code(class, &other), 0);
    assert_true(other == code && error_class(other) == class && error_text(other, text));
    assert_string_equal(text, "");
    assert_int_equal(error_remove_code(other), 0);
    assert_int_equal(error_remove_class(class), 0);
    assert_int_equal(error_remove_class(MPI_ERR_OTHER), MPI_ERR_ARG);
    assert_int_equal(error_add_text(MPI_ERR_OTHER, "mine"), MPI_ERR_ARG);
}

UNIT_TEST(a_status_keeps_what_it_is_told)
{
    MPI_Status status;

    status_of_message(&status, 3, 4, (MPI_Count)1 << 40);
    assert_true(status.MPI_SOURCE == 3 && status.MPI_TAG == 4);
    assert_true(status_bytes(&status) == (MPI_Count)1 << 40 && !status_cancelled(&status));
    status_set_cancelled(&status, true);
    assert_true(status_cancelled(&status));
    status_empty(&status);
    assert_true(status.MPI_SOURCE == MPI_ANY_SOURCE && status_bytes(&status) == 0);
    status_empty(MPI_STATUS_IGNORE);
    status_set_bytes(MPI_STATUS_IGNORE, 1);
    status_set_cancelled(MPI_STATUS_IGNORE, true);
}

UNIT_TEST(an_info_keeps_the_order_of_its_keys)
{
    struct info *info = info_make(), *copy;
    char text[MPI_MAX_INFO_VAL];

    assert_int_equal(info_set(info, "one", "1"), 0);
    assert_int_equal(info_set(info, "two", "22"), 0);
    assert_int_equal(info_set(info, "one", "111"), 0);
    assert_int_equal(info_count(info), 2);
    assert_int_equal(info_get(info, "one", text, 3), 3);
    assert_string_equal(text, "11");
    assert_int_equal(info_get(info, "two", NULL, 0), 2);
    assert_int_equal(info_get(info, "three", text, sizeof text), -1);
    copy = info_copy(info);
    assert_true(info_delete(info, "one") && !info_delete(info, "one"));
    assert_true(info_key(copy, 1, text) && !info_key(copy, 2, text));
    assert_string_equal(text, "two");
    assert_true(info_of(info_handle(info)) == info);
    assert_null(info_of(MPI_INFO_NULL));
    assert_true(info_of(MPI_INFO_ENV) == info_environment());
    info_free(info);
    info_free(copy);
}

UNIT_TEST(names_are_cut)
{
    char name[MPI_MAX_OBJECT_NAME], text[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
    int length;

    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    name_set(name, longer);
    name_get(name, text, &length);
    assert_int_equal(length, MPI_MAX_OBJECT_NAME - 1);
    name_set(name, "short");
    name_get(name, text, &length);
    assert_string_equal(text, "short");
}

static int deleted[8], deletions;

static int delete (MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    if (extra && *(int *)extra)
        return MPI_ERR_OTHER;
    deleted[deletions++] = *(int *)value;
    return MPI_SUCCESS;
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    (void)extra;
    *(void **)out = in;
    *flag = *(int *)in != 3;
    return *(int *)in == 7 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int make_keyval(MPI_Comm_copy_attr_function *copies, int *refuse)
{
    union attribute_copy copied = {.comm = copies};
    union attribute_delete freed = {.comm = delete};
    int keyval;

    assert_int_equal(keyval_make(OBJECT_COMM, copied, freed, refuse, &keyval), 0);
    return keyval;
}

static int get(struct attributes *attributes, int keyval)
{
    void *value;
    bool found;

    assert_int_equal(attributes_get(attributes, OBJECT_COMM, keyval, &value, &found), 0);
    return found ? *(int *)value : -1;
}

UNIT_TEST(attributes_are_copied_and_deleted_as_their_functions_say)
{
    static int values[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct attributes one = {0}, two = {0};
    int refuse = 0, first = make_keyval(copy, &refuse), second = make_keyval(MPI_COMM_DUP_FN, NULL);
    int third = make_keyval(MPI_COMM_NULL_COPY_FN, NULL);

    deletions = 0;
    assert_int_equal(get(&one, first), -1);
    assert_int_equal(attributes_set(&one, OBJECT_COMM, NULL, first, &values[1]), 0);
    assert_int_equal(attributes_set(&one, OBJECT_COMM, NULL, second, &values[2]), 0);
    assert_int_equal(attributes_set(&one, OBJECT_COMM, NULL, third, &values[4]), 0);
    assert_int_equal(attributes_set(&one, OBJECT_COMM, NULL, first, &values[5]), 0);
    assert_true(deletions == 1 && deleted[0] == 1 && get(&one, first) == 5);
    assert_int_equal(attributes_copy(&one, OBJECT_COMM, NULL, &two, NULL), 0);
    assert_true(get(&two, first) == 5 && get(&two, second) == 2 && get(&two, third) == -1);
    assert_int_equal(attributes_set(&one, OBJECT_DATATYPE, NULL, first, &values[1]),
                     MPI_ERR_KEYVAL);

    refuse = 1;
    assert_int_equal(attributes_delete(&one, OBJECT_COMM, NULL, first), MPI_ERR_OTHER);
    assert_int_equal(get(&one, first), 5);
    refuse = 0;
    assert_int_equal(keyval_free(OBJECT_COMM, first), 0);
    /* Attributes still use it. */
    assert_int_equal(keyval_free(OBJECT_COMM, first), 0);
    deletions = 0;
    assert_int_equal(attributes_clear(&one, OBJECT_COMM, NULL), 0);
    assert_true(deletions == 3 && deleted[0] == 4 && deleted[1] == 2 && deleted[2] == 5);
    assert_int_equal(attributes_clear(&two, OBJECT_COMM, NULL), 0);
    assert_int_equal(keyval_free(OBJECT_COMM, first), MPI_ERR_KEYVAL);
    keyval_free(OBJECT_COMM, second);
    keyval_free(OBJECT_COMM, third);
}

UNIT_TEST(a_copy_that_fails_leaves_nothing)
{
    static int values[] = {2, 7};
    struct attributes one = {0}, two = {0};
    int first = make_keyval(copy, NULL), second = make_keyval(copy, NULL);

    assert_int_equal(attributes_set(&one, OBJECT_COMM, NULL, first, &values[1]), 0);
    assert_int_equal(attributes_set(&one, OBJECT_COMM, NULL, second, &values[0]), 0);
    assert_int_equal(attributes_copy(&one, OBJECT_COMM, NULL, &two, NULL), MPI_ERR_OTHER);
    assert_null(two.first);
    attributes_clear(&one, OBJECT_COMM, NULL);
    keyval_free(OBJECT_COMM, first);
    keyval_free(OBJECT_COMM, second);
}

UNIT_TEST(predefined_attributes_are_those_of_the_process)
{
    struct attributes none = {0};

    assert_int_equal(get(&none, MPI_APPNUM), -1);
    attribute_publish(MPI_APPNUM, 4);
    assert_int_equal(get(&none, MPI_APPNUM), 4);
    assert_int_equal(get(&none, MPI_LASTUSEDCODE), error_last_used());
    assert_int_equal(attributes_set(&none, OBJECT_COMM, NULL, MPI_APPNUM, NULL), MPI_ERR_KEYVAL);
}
