/* info_calls.c - info objects. They may be used before MPI_Init. */
#include <stdio.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/objects/info.h"

/* Whether a text has one to maximum - 1 characters. */
static bool is_text(const char *text, size_t maximum)
{
    return text && *text && strnlen(text, maximum) < maximum;
}

static int check_key(struct info *info, const char *key)
{
    if (!info)
        return MPI_ERR_INFO;
    return is_text(key, MPI_MAX_INFO_KEY) ? MPI_SUCCESS : MPI_ERR_INFO_KEY;
}

/* That of the environment cannot be changed. */
static struct info *info_to_change(MPI_Info handle)
{
    return handle == MPI_INFO_ENV ? NULL : info_of(handle);
}

static int give(const char *function, struct info *info, MPI_Info *handle)
{
    if (!info)
        return call_error(function, MPI_ERR_NO_MEM);
    *handle = info_handle(info);
    return MPI_SUCCESS;
}

MPI_CALL(int, Info_create)(MPI_Info *info)
{
    if (!info)
        return call_error("MPI_Info_create", MPI_ERR_ARG);
    return give("MPI_Info_create", info_make(), info);
}

/* Adds the arguments of a program, with blanks between them, as far as they fit. */
static int set_arguments(struct info *info, int argc, char *argv[])
{
    char text[MPI_MAX_INFO_VAL] = "";
    size_t length = 0;

    for (int i = 1; i < argc && argv[i] && length + 1 < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 1 ? " " : "",
                                   argv[i]);
    return info_set(info, "argv", text);
}

MPI_CALL(int, Info_create_env)(int argc, char *argv[], MPI_Info *info)
{
    struct info *made;
    int error = MPI_SUCCESS;

    if (!info)
        return call_error("MPI_Info_create_env", MPI_ERR_ARG);
    made = info_copy(info_environment());
    if (made && argc > 0 && argv && argv[0] &&
        strnlen(argv[0], MPI_MAX_INFO_VAL) < MPI_MAX_INFO_VAL)
        error = info_set(made, "command", argv[0]);
    if (made && !error && argc > 1 && argv)
        error = set_arguments(made, argc, argv);
    if (made && error) {
        info_free(made);
        made = NULL;
    }
    return give("MPI_Info_create_env", made, info);
}

MPI_CALL(int, Info_free)(MPI_Info *info)
{
    struct info *freed = info ? info_to_change(*info) : NULL;

    if (!freed)
        return call_error("MPI_Info_free", info ? MPI_ERR_INFO : MPI_ERR_ARG);
    info_free(freed);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(int, Info_dup)(MPI_Info info, MPI_Info *newinfo)
{
    struct info *from = info_of(info);

    if (!from || !newinfo)
        return call_error("MPI_Info_dup", from ? MPI_ERR_ARG : MPI_ERR_INFO);
    return give("MPI_Info_dup", info_copy(from), newinfo);
}

MPI_CALL(int, Info_set)(MPI_Info info, const char *key, const char *value)
{
    struct info *changed = info_to_change(info);
    int error = check_key(changed, key);

    if (!error && (!value || strnlen(value, MPI_MAX_INFO_VAL) >= MPI_MAX_INFO_VAL))
        error = MPI_ERR_INFO_VALUE;
    return call_error("MPI_Info_set", error ? error : info_set(changed, key, value));
}

MPI_CALL(int, Info_delete)(MPI_Info info, const char *key)
{
    struct info *changed = info_to_change(info);
    int error = check_key(changed, key);

    if (!error && !info_delete(changed, key))
        error = MPI_ERR_INFO_NOKEY;
    return call_error("MPI_Info_delete", error);
}

MPI_CALL(int, Info_get)(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    struct info *from = info_of(info);
    int error = check_key(from, key);

    if (!error && (valuelen < 0 || !value || !flag))
        error = MPI_ERR_ARG;
    if (!error)
        *flag = info_get(from, key, value, valuelen + 1) >= 0;
    return call_error("MPI_Info_get", error);
}

MPI_CALL(int, Info_get_string)(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    struct info *from = info_of(info);
    int error = check_key(from, key), length;

    if (!error && (!buflen || *buflen < 0 || (*buflen > 0 && !value) || !flag))
        error = MPI_ERR_ARG;
    if (error)
        return call_error("MPI_Info_get_string", error);
    length = info_get(from, key, value, *buflen);
    *flag = length >= 0;
    if (*flag)
        *buflen = length + 1;
    return MPI_SUCCESS;
}

MPI_CALL(int, Info_get_valuelen)(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    struct info *from = info_of(info);
    int error = check_key(from, key), length;

    if (!error && (!valuelen || !flag))
        error = MPI_ERR_ARG;
    if (error)
        return call_error("MPI_Info_get_valuelen", error);
    length = info_get(from, key, NULL, 0);
    *flag = length >= 0;
    if (*flag)
        *valuelen = length;
    return MPI_SUCCESS;
}

MPI_CALL(int, Info_get_nkeys)(MPI_Info info, int *nkeys)
{
    struct info *from = info_of(info);

    if (!from || !nkeys)
        return call_error("MPI_Info_get_nkeys", from ? MPI_ERR_ARG : MPI_ERR_INFO);
    *nkeys = info_count(from);
    return MPI_SUCCESS;
}

MPI_CALL(int, Info_get_nthkey)(MPI_Info info, int n, char *key)
{
    struct info *from = info_of(info);

    if (!from)
        return call_error("MPI_Info_get_nthkey", MPI_ERR_INFO);
    if (n < 0 || !key || !info_key(from, n, key))
        return call_error("MPI_Info_get_nthkey", MPI_ERR_ARG);
    return MPI_SUCCESS;
}
