#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/values/errors.h"

/* The codes of functions that are not supported. */
#define UNSUPPORTED (1 << 30)

/* The texts of the classes of the standard, in their order. */
static const char *const class_texts[] = {
    "no error",
    "invalid buffer: the address of the data is NULL, or names both sides of a collective call",
    "invalid count: it is negative, or too large for the type of the result",
    "invalid datatype: it is null, not committed, or not for this call",
    "invalid tag: it is negative or above MPI_TAG_UB",
    "invalid communicator: it is null, freed, or not of the kind that this call takes",
    "invalid rank: the communicator or group has no such member",
    "invalid request: it is freed, or not of the kind that this call takes",
    "invalid root: the communicator has no such member",
    "invalid group: it is null or freed, or its members are not what this call takes",
    "invalid operation: it is null or freed, or not for this datatype",
    "invalid topology: the communicator has none, or another one",
    "invalid dimensions: the number of processes does not fit them",
    "invalid argument: a pointer is NULL, or a value is not one that this call takes",
    "unknown error",
    "message truncated: longer than its receive, or of another size in a collective operation",
    "another error",
    "internal error of the library",
    "the request is not complete yet",
    "see MPI_ERROR in the array of statuses",
    "no permission",
    "invalid mode of access",
    "invalid assertion",
    "invalid name of a file",
    "invalid base of a window",
    "the conversion of data failed",
    "invalid displacement",
    "there is a data representation of this name already",
    "the file exists already",
    "the file is in use",
    "invalid file",
    "invalid key: it is NULL, empty or longer than MPI_MAX_INFO_KEY allows",
    "the info has no such key",
    "invalid value: it is NULL or longer than MPI_MAX_INFO_VAL allows",
    "invalid info: it is null or freed",
    "input or output failed",
    "invalid keyval: there is none of this number for such an object, or it is predefined",
    "invalid type of a lock",
    "no service of this name is published",
    "out of memory",
    "the processes gave different arguments",
    "no space left on the device",
    "the file does not exist",
    "invalid name of a port",
    "the quota is exceeded",
    "the file system is read only",
    "the memory cannot be attached to the window",
    "conflicting accesses to a window",
    "the target is outside the memory of the window",
    "the memory cannot be shared",
    "wrong synchronization of calls on a window",
    "the name cannot be taken back",
    "invalid size: it is negative or too large",
    "processes could not be started",
    "unsupported data representation",
    "unsupported operation",
    "invalid window",
    "the window is of another flavor",
    "a process was aborted or has died",
    "the value does not fit: use the call for large counts",
    "invalid session: it is null or finalized",
    "invalid error handler: it is null, freed, or for other objects",
    "the application binary interfaces do not fit",
};
#define CLASSES ((int)(sizeof class_texts / sizeof *class_texts))

static const char *const tool_texts[] = {
    "the tools interface could not be started",
    "the variable is not accessible",
    "the tools interface has not been started: call MPI_T_init_thread",
    "the tools interface does not support this",
    "out of memory",
    "invalid use of the tools interface",
    "invalid index: there are not as many",
    "invalid item: there are not as many",
    "invalid session",
    "invalid handle",
    "invalid name: there is nothing of this name",
    "no more handles are available",
    "no more sessions are available",
    "the variable cannot be set now",
    "the variable cannot be set",
    "the variable cannot be written",
    "the variable cannot be started and stopped",
    "the variable cannot be read and reset in one",
};
#define TOOL_FIRST MPI_T_ERR_CANNOT_INIT
#define TOOL_LAST  (TOOL_FIRST + (int)(sizeof tool_texts / sizeof *tool_texts) - 1)

/* What users have added: the first has the code MPI_ERR_LASTCODE + 1. */
struct added {
    int class; /* of a class its own code; 0: removed */
    char *text;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct added *added;
static int added_count;
static int first_removed; /* none before it is removed */

int error_unsupported(int number)
{
    return UNSUPPORTED | number;
}

/* What a user has added under a code, or NULL. With the lock. */
static struct added *find_added(int code)
{
    int index = code - MPI_ERR_LASTCODE - 1;

    if (code <= MPI_ERR_LASTCODE || index >= added_count || !added[index].class)
        return NULL;
    return &added[index];
}

static bool is_unsupported(int code)
{
    return code > 0 && (code & UNSUPPORTED) != 0;
}

static bool is_standard(int code)
{
    return (code >= 0 && code < CLASSES) || (code >= TOOL_FIRST && code <= TOOL_LAST) ||
           code == MPI_ERR_LASTCODE;
}

int error_class(int code)
{
    const struct added *found;
    int class = -1;

    if (is_standard(code))
        return code;
    if (is_unsupported(code))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    pthread_mutex_lock(&lock);
    found = find_added(code);
    if (found)
        class = found->class;
    pthread_mutex_unlock(&lock);
    return class;
}

static void put_text(char *text, const char *part, const char *rest)
{
    size_t length = strnlen(part, MPI_MAX_ERROR_STRING - 1);
    size_t more = strnlen(rest, MPI_MAX_ERROR_STRING - 1 - length);

    memcpy(text, part, length);
    memcpy(text + length, rest, more);
    text[length + more] = '\0';
}

static const char *standard_text(int code)
{
    if (code < CLASSES)
        return class_texts[code];
    return code == MPI_ERR_LASTCODE ? "the last code of the standard"
                                    : tool_texts[code - TOOL_FIRST];
}

bool error_text(int code, char *text)
{
    const struct added *found;

    if (is_standard(code)) {
        put_text(text, standard_text(code), "");
        return true;
    }
    if (is_unsupported(code)) {
        put_text(text, function_names[code & ~UNSUPPORTED], " is not supported");
        return true;
    }
    pthread_mutex_lock(&lock);
    found = find_added(code);
    if (found)
        put_text(text, found->text ? found->text : "", "");
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

int error_last_used(void)
{
    int code;

    pthread_mutex_lock(&lock);
    code = MPI_ERR_LASTCODE + added_count;
    pthread_mutex_unlock(&lock);
    return code;
}

/* Adds a code of a class, or a class if that is 0, in the place of one that was removed, if there
 * is one. With the lock. */
static int add(int class, int *code)
{
    struct added *more;

    while (first_removed < added_count && added[first_removed].class)
        first_removed++;
    if (first_removed == added_count) {
        more = realloc(added, (size_t)(added_count + 1) * sizeof *more);
        if (!more)
            return MPI_ERR_NO_MEM;
        added = more;
        added_count++;
    }
    *code = MPI_ERR_LASTCODE + 1 + first_removed;
    added[first_removed].class = class ? class : *code;
    added[first_removed].text = NULL;
    first_removed++;
    return MPI_SUCCESS;
}

int error_add_class(int *class)
{
    int error;

    pthread_mutex_lock(&lock);
    error = add(0, class);
    pthread_mutex_unlock(&lock);
    return error;
}

int error_add_code(int class, int *code)
{
    int error = MPI_ERR_ARG;

    pthread_mutex_lock(&lock);
    if (is_standard(class) || (find_added(class) && find_added(class)->class == class))
        error = add(class, code);
    pthread_mutex_unlock(&lock);
    return error;
}

int error_add_text(int code, const char *text)
{
    struct added *found;
    char *copy = strndup(text, MPI_MAX_ERROR_STRING - 1);

    if (!copy)
        return MPI_ERR_NO_MEM;
    pthread_mutex_lock(&lock);
    found = find_added(code);
    if (found) {
        free(found->text);
        found->text = copy;
    }
    pthread_mutex_unlock(&lock);
    if (found)
        return MPI_SUCCESS;
    free(copy);
    return MPI_ERR_ARG;
}

/* Whether a class has codes beside itself. With the lock. */
static bool class_has_codes(int class)
{
    for (int i = 0; i < added_count; i++)
        if (added[i].class == class && MPI_ERR_LASTCODE + 1 + i != class)
            return true;
    return false;
}

/* Removes a class or a code, if it has no text any more. */
static int remove_added(int code, bool is_class)
{
    struct added *found;
    bool removed;

    pthread_mutex_lock(&lock);
    found = find_added(code);
    removed = found && !found->text && (found->class == code) == is_class &&
              !(is_class && class_has_codes(code));
    if (removed) {
        found->class = 0;
        if (found < &added[first_removed])
            first_removed = (int)(found - added);
    }
    pthread_mutex_unlock(&lock);
    return removed ? MPI_SUCCESS : MPI_ERR_ARG;
}

int error_remove_class(int class)
{
    return remove_added(class, true);
}

int error_remove_code(int code)
{
    return remove_added(code, false);
}

int error_remove_text(int code)
{
    struct added *found;
    char *text = NULL;

    pthread_mutex_lock(&lock);
    found = find_added(code);
    if (found) {
        text = found->text;
        found->text = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(text);
    return text ? MPI_SUCCESS : MPI_ERR_ARG;
}
