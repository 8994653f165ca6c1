/*
 * mpi_values.c - what one rank can ask of MPI alone: errors, infos, attributes, datatypes, packing, operations.
 *
 * Each part ends the program with a message where something does not hold.
 */
#include <mpi.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

/* The class that a call returns. */
#define FAILS(call, class) CHECK(class_of(call) == (class))
#define WORKS(call)        CHECK((call) == MPI_SUCCESS)

static int class_of(int code)
{
    int class = -1;

    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS);
    return class;
}

static void versions(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int major = 0, minor = -1, length;
    MPI_Info info;
    int flag;

    WORKS(MPI_Get_version(&major, &minor));
    CHECK(major == 5 && minor == 0);
    WORKS(MPI_Abi_get_version(&major, &minor));
    CHECK(major == 1 && minor == 0);
    WORKS(MPI_Get_library_version(text, &length));
    CHECK((size_t)length == strlen(text) && length > 0);
    WORKS(MPI_Get_processor_name(text, &length));
    CHECK((size_t)length == strlen(text));
    WORKS(MPI_Abi_get_info(&info));
    length = sizeof text;
    WORKS(MPI_Info_get_string(info, "mpi_count_size", &length, text, &flag));
    CHECK(flag && strcmp(text, "8") == 0 && length == 2);
    WORKS(MPI_Info_free(&info));
    CHECK(info == MPI_INFO_NULL);
}

static void unsupported(void)
{
    char text[MPI_MAX_ERROR_STRING];
    MPI_File file;
    int length, code;

    code = MPI_File_open(MPI_COMM_SELF, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK(class_of(code) == MPI_ERR_UNSUPPORTED_OPERATION);
    WORKS(MPI_Error_string(code, text, &length));
    CHECK(strstr(text, "MPI_File_open") && length == (int)strlen(text));
}

static int called, called_with;
static MPI_Comm called_at;

static void handler(MPI_Comm *comm, int *code, ...)
{
    called++;
    called_with = *code;
    called_at = *comm;
}

static void handlers(void)
{
    MPI_Errhandler made, found;
    MPI_Datatype none = MPI_DATATYPE_NULL;

    WORKS(MPI_Comm_create_errhandler(handler, &made));
    WORKS(MPI_Comm_set_errhandler(MPI_COMM_SELF, made));
    WORKS(MPI_Comm_get_errhandler(MPI_COMM_SELF, &found));
    CHECK(found == made);
    WORKS(MPI_Errhandler_free(&found));
    WORKS(MPI_Errhandler_free(&made));
    CHECK(made == MPI_ERRHANDLER_NULL);
    FAILS(MPI_Type_commit(&none), MPI_ERR_TYPE);
    CHECK(called == 1 && called_with == MPI_ERR_TYPE && called_at == MPI_COMM_SELF);
    WORKS(MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER));
    CHECK(called == 2 && called_with == MPI_ERR_OTHER);
    WORKS(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPI_Type_commit(&none), MPI_ERR_TYPE);
    CHECK(called == 2);
    FAILS(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    FAILS(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN), MPI_ERR_COMM);
    WORKS(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    CHECK(found == MPI_ERRORS_RETURN);
}

static void infos(void)
{
    MPI_Info info, copy, used;
    MPI_Session session;
    char text[MPI_MAX_INFO_VAL], long_key[MPI_MAX_INFO_KEY + 1];
    int length, flag, count;

    WORKS(MPI_Info_create(&info));
    WORKS(MPI_Info_set(info, "key", "value"));
    WORKS(MPI_Info_get(info, "key", 3, text, &flag));
    CHECK(flag && strcmp(text, "val") == 0);
    WORKS(MPI_Info_get_valuelen(info, "key", &length, &flag));
    CHECK(flag && length == 5);
    length = 0;
    WORKS(MPI_Info_get_string(info, "key", &length, NULL, &flag));
    CHECK(flag && length == 6);
    WORKS(MPI_Info_dup(info, &copy));
    WORKS(MPI_Info_delete(info, "key"));
    FAILS(MPI_Info_delete(info, "key"), MPI_ERR_INFO_NOKEY);
    WORKS(MPI_Info_get_nkeys(copy, &count));
    CHECK(count == 1);
    WORKS(MPI_Info_get_nthkey(copy, 0, text));
    CHECK(strcmp(text, "key") == 0);
    FAILS(MPI_Info_get_nthkey(copy, 1, text), MPI_ERR_ARG);
    memset(long_key, 'k', sizeof long_key);
    long_key[sizeof long_key - 1] = '\0';
    FAILS(MPI_Info_set(info, long_key, "value"), MPI_ERR_INFO_KEY);
    FAILS(MPI_Info_set(info, NULL, "value"), MPI_ERR_INFO_KEY);
    FAILS(MPI_Info_set(info, "key", NULL), MPI_ERR_INFO_VALUE);
    FAILS(MPI_Info_set(MPI_INFO_NULL, "key", "value"), MPI_ERR_INFO);
    FAILS(MPI_Info_create(NULL), MPI_ERR_ARG);
    WORKS(MPI_Info_set(info, "thread_level", "MPI_THREAD_SERIALIZED"));
    WORKS(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    WORKS(MPI_Session_get_info(session, &used));
    WORKS(MPI_Info_get(used, "thread_level", MPI_MAX_INFO_VAL - 1, text, &flag));
    CHECK(flag && strcmp(text, "MPI_THREAD_MULTIPLE") == 0);
    WORKS(MPI_Info_free(&used));
    WORKS(MPI_Session_finalize(&session));
    WORKS(MPI_Info_set(info, "thread_level", "many"));
    FAILS(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_ERR_INFO_VALUE);
    WORKS(MPI_Info_free(&info));
    WORKS(MPI_Info_free(&copy));
    WORKS(MPI_Info_dup(MPI_INFO_ENV, &copy));
    WORKS(MPI_Info_free(&copy));
}

static int deleted;

static int delete (MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type;
    (void)keyval;
    (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Datatype type, copy;
    int keyval, one = 1, flag, *found;

    WORKS(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, delete, &keyval, NULL));
    WORKS(MPI_Type_contiguous(2, MPI_INT, &type));
    WORKS(MPI_Type_set_attr(type, keyval, &one));
    WORKS(MPI_Type_dup(type, &copy));
    WORKS(MPI_Type_get_attr(copy, keyval, &found, &flag));
    CHECK(flag && found == &one);
    WORKS(MPI_Type_free(&type));
    CHECK(deleted == 1 && type == MPI_DATATYPE_NULL);
    WORKS(MPI_Type_free_keyval(&keyval));
    CHECK(keyval == MPI_KEYVAL_INVALID);
    WORKS(MPI_Type_free(&copy));
    CHECK(deleted == 2);
    WORKS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag));
    CHECK(flag && *found >= 32767);
    FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, 12345, &found, &flag), MPI_ERR_KEYVAL);
    FAILS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &one), MPI_ERR_KEYVAL);
    FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, &flag), MPI_ERR_ARG);
}

static void contents(void)
{
    const int lengths[] = {1, 2}, displacements[] = {0, 4};
    int integers, addresses, types, combiner, values[8];
    MPI_Aint places[1];
    MPI_Datatype type, parts[1], outer;
    MPI_Count counts, large_integers, large_addresses, large_types;

    WORKS(MPI_Type_indexed(2, lengths, displacements, MPI_INT, &type));
    WORKS(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    CHECK(combiner == MPI_COMBINER_INDEXED && integers == 5 && addresses == 0 && types == 1);
    WORKS(MPI_Type_get_contents(type, 8, 1, 1, values, places, parts));
    CHECK(values[0] == 2 && values[2] == 2 && values[4] == 4 && parts[0] == MPI_INT);
    FAILS(MPI_Type_get_contents(type, 4, 1, 1, values, places, parts), MPI_ERR_ARG);
    WORKS(MPI_Type_contiguous_c(3, type, &outer));
    WORKS(MPI_Type_free(&type));
    FAILS(MPI_Type_get_envelope(outer, &integers, &addresses, &types, &combiner), MPI_ERR_TYPE);
    WORKS(MPI_Type_get_envelope_c(outer, &large_integers, &large_addresses, &counts, &large_types,
                                  &combiner));
    CHECK(counts == 1 && large_integers == 0 && large_types == 1);
    WORKS(MPI_Type_get_contents_c(outer, 0, 0, 1, 1, NULL, NULL, &counts, parts));
    CHECK(counts == 3);
    WORKS(MPI_Type_free(&outer));
    WORKS(MPI_Type_size(parts[0], &values[0]));
    CHECK(values[0] == 12);
    WORKS(MPI_Type_free(&parts[0]));
    WORKS(MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &types, &combiner));
    CHECK(combiner == MPI_COMBINER_NAMED);
}

static void datatypes(void)
{
    MPI_Datatype type = MPI_INT, huge;
    MPI_Count large;
    int size, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Aint lb, extent;

    FAILS(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT);
    FAILS(MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
    FAILS(MPI_Type_vector(1, 1, 1, MPI_INT, NULL), MPI_ERR_ARG);
    FAILS(MPI_Type_indexed(1, NULL, NULL, MPI_INT, &type), MPI_ERR_ARG);
    FAILS(MPI_Type_size((MPI_Datatype)12, &size), MPI_ERR_TYPE);
    FAILS(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
    type = MPI_INT;
    FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
    WORKS(MPI_Type_contiguous_c((MPI_Count)INT_MAX + 1, MPI_INT, &huge));
    WORKS(MPI_Type_size(huge, &size));
    CHECK(size == MPI_UNDEFINED);
    WORKS(MPI_Type_size_c(huge, &large));
    CHECK(large == 4 * ((MPI_Count)INT_MAX + 1));
    WORKS(MPI_Type_free(&huge));
    WORKS(MPI_Type_create_resized(MPI_INT, -4, 16, &type));
    WORKS(MPI_Type_get_extent(type, &lb, &extent));
    CHECK(lb == -4 && extent == 16);
    WORKS(MPI_Type_get_true_extent(type, &lb, &extent));
    CHECK(lb == 0 && extent == 4);
    WORKS(MPI_Type_set_name(type, "mine"));
    WORKS(MPI_Type_get_name(type, name, &length));
    CHECK(strcmp(name, "mine") == 0 && length == 4);
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
    CHECK(MPI_Type_toint(MPI_INT) == (int)(intptr_t)MPI_INT);
    WORKS(MPI_Type_free(&type));
}

static void elements(void)
{
    const int lengths[] = {1, 1, 2};
    const MPI_Aint places[] = {0, 8, 16};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Datatype type, row;
    MPI_Status status;
    int found;

    WORKS(MPI_Type_create_struct(3, lengths, places, types, &type));
    WORKS(MPI_Type_contiguous(2, type, &row));
    WORKS(MPI_Type_commit(&row));
    for (int count = 0; count < 20; count++) {
        WORKS(MPI_Status_set_elements(&status, row, count));
        WORKS(MPI_Get_elements(&status, row, &found));
        CHECK(found == count);
        WORKS(MPI_Get_count(&status, row, &found));
        CHECK(found == (count % 8 ? MPI_UNDEFINED : count / 8));
    }
    WORKS(MPI_Type_free(&type));
    WORKS(MPI_Type_free(&row));
}

static void packs(void)
{
    const int numbers[] = {1, 2, 3, 4};
    int back[4] = {0}, position = 0, size, count;
    char buffer[32];
    MPI_Datatype column;
    MPI_Aint at = 0;
    MPI_Status status;

    WORKS(MPI_Type_vector(2, 1, 2, MPI_INT, &column));
    FAILS(MPI_Pack(numbers, 1, column, buffer, sizeof buffer, &position, MPI_COMM_SELF),
          MPI_ERR_TYPE);
    WORKS(MPI_Type_commit(&column));
    WORKS(MPI_Pack_size(1, column, MPI_COMM_SELF, &size));
    CHECK(size >= 8);
    WORKS(MPI_Pack(numbers, 1, column, buffer, sizeof buffer, &position, MPI_COMM_SELF));
    CHECK(position == 8);
    FAILS(MPI_Pack(numbers, 4, column, buffer, sizeof buffer, &position, MPI_COMM_SELF),
          MPI_ERR_ARG);
    FAILS(MPI_Pack(numbers, 1, column, buffer, sizeof buffer, &position, MPI_COMM_NULL),
          MPI_ERR_COMM);
    FAILS(MPI_Pack(numbers, -1, column, buffer, sizeof buffer, &position, MPI_COMM_SELF),
          MPI_ERR_COUNT);
    position = 0;
    WORKS(MPI_Unpack(buffer, 8, &position, back, 1, column, MPI_COMM_SELF));
    CHECK(back[0] == 1 && back[1] == 0 && back[2] == 3);
    WORKS(MPI_Pack_external("external32", numbers, 4, MPI_INT, buffer, sizeof buffer, &at));
    CHECK(at == 16 && buffer[3] == 1 && buffer[15] == 4);
    FAILS(MPI_Pack_external("mine", numbers, 4, MPI_INT, buffer, sizeof buffer, &at),
          MPI_ERR_UNSUPPORTED_DATAREP);
    memset(&status, 0, sizeof status);
    WORKS(MPI_Status_set_elements(&status, column, 6));
    WORKS(MPI_Get_count(&status, column, &count));
    CHECK(count == 3);
    WORKS(MPI_Get_elements(&status, column, &count));
    CHECK(count == 6);
    WORKS(MPI_Get_count(&status, MPI_DOUBLE_INT, &count));
    CHECK(count == 2);
    FAILS(MPI_Get_count(NULL, MPI_INT, &count), MPI_ERR_ARG);
    WORKS(MPI_Type_free(&column));
}

static void operations(void)
{
    int in[] = {1, 2}, inout[] = {3, 4}, commutes;
    double number = 1, other = 2;
    MPI_Op op = MPI_SUM;

    WORKS(MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_SUM));
    CHECK(inout[0] == 4 && inout[1] == 6);
    FAILS(MPI_Reduce_local(&number, &other, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    FAILS(MPI_Reduce_local(in, inout, 2, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    FAILS(MPI_Reduce_local(in, in, 2, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_local(in, inout, -2, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    FAILS(MPI_Op_free(&op), MPI_ERR_OP);
    WORKS(MPI_Op_commutative(MPI_SUM, &commutes));
    CHECK(commutes);
}

enum { THREADS = 4, ROUNDS = 200 };

/* What several threads may do at once. */
static void *work(void *argument)
{
    int keyval, numbers[4] = {0}, value = 0, flag, *found;
    char buffer[16];
    int position;

    (void)argument;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Datatype type;
        MPI_Info info;

        position = 0;
        WORKS(
            MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL));
        WORKS(MPI_Type_vector(2, 1, 2, MPI_INT, &type));
        WORKS(MPI_Type_commit(&type));
        WORKS(MPI_Type_set_attr(type, keyval, &value));
        WORKS(MPI_Type_get_attr(type, keyval, &found, &flag));
        CHECK(flag && found == &value && MPI_Type_fromint(MPI_Type_toint(type)) == type);
        WORKS(MPI_Pack(numbers, 1, type, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
        WORKS(MPI_Type_free(&type));
        WORKS(MPI_Type_free_keyval(&keyval));
        WORKS(MPI_Info_dup(MPI_INFO_ENV, &info));
        WORKS(MPI_Info_free(&info));
        WORKS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    }
    return NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&all[i], NULL, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(all[i], NULL) == 0);
}

/* What tools see: the names of the profiling interface, and an interface of their own. */
int MPI_Op_commutative(MPI_Op op, int *commute)
{
    static int tool_called;

    tool_called++;
    return PMPI_Op_commutative(op, commute) == MPI_SUCCESS && tool_called > 0 ? MPI_SUCCESS
                                                                              : MPI_ERR_OTHER;
}

static void tools(void)
{
    int provided, number = -1;

    CHECK(MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED);
    WORKS(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    WORKS(MPI_T_cvar_get_num(&number));
    CHECK(number == 0);
    WORKS(MPI_T_finalize());
}

static const struct {
    const char *name;
    void (*function)(void);
} parts[] = {
    {"versions", versions},     {"unsupported", unsupported},
    {"handlers", handlers},     {"infos", infos},
    {"attributes", attributes}, {"contents", contents},
    {"datatypes", datatypes},   {"packs", packs},
    {"operations", operations}, {"threads", threads},
    {"tools", tools},           {"elements", elements},
};

int main(int argc, char *argv[])
{
    if (argc == 2 && strcmp(argv[1], "fatal") == 0)
        MPI_Type_size(MPI_DATATYPE_NULL, &argc);
    WORKS(MPI_Init(&argc, &argv));
    WORKS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    /* The handler of MPI_COMM_WORLD counts as long as MPI_COMM_SELF has none. */
    FAILS(MPI_Type_size(MPI_DATATYPE_NULL, &argc), MPI_ERR_TYPE);
    WORKS(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc == 2 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].function();
    WORKS(MPI_Finalize());
    puts("ok");
    return 0;
}
