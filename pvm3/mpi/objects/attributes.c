#include <pthread.h>
#include <stdlib.h>

#include "mpi/objects/attributes.h"
#include "mpi/values/errors.h"

struct keyval {
    enum object_kind kind;
    union attribute_copy copy;
    union attribute_delete delete;
    void *extra;
    int number;
    int users;  /* attributes, and the user until it frees the keyval; with the lock */
    bool freed; /* by the user */
};

struct attribute {
    struct attribute *next; /* the one that was set before it */
    struct keyval *keyval;
    void *value;
};

/* Protects the table and all lists of attributes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keyval **keyvals;
static int keyval_count;

/* Numbers of keyvals begin behind the predefined ones. */
#define FIRST_KEYVAL 1024

/* What the predefined ones are, from MPI_TAG_UB on. The program has the addresses. */
static int published[MPI_UNIVERSE_SIZE - MPI_TAG_UB + 1];
static bool is_published[MPI_UNIVERSE_SIZE - MPI_TAG_UB + 1];

static bool is_predefined(int keyval)
{
    return keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE;
}

void attribute_publish(int keyval, int value)
{
    pthread_mutex_lock(&lock);
    published[keyval - MPI_TAG_UB] = value;
    is_published[keyval - MPI_TAG_UB] = true;
    pthread_mutex_unlock(&lock);
}

/* With the lock. */
static bool add_to_table(struct keyval *keyval)
{
    int place = 0;
    struct keyval **more;

    while (place < keyval_count && keyvals[place])
        place++;
    if (place == keyval_count) {
        more = realloc(keyvals, (size_t)(keyval_count + 1) * sizeof(struct keyval *));
        if (!more)
            return false;
        keyvals = more;
        keyval_count++;
    }
    keyvals[place] = keyval;
    keyval->number = FIRST_KEYVAL + place;
    return true;
}

int keyval_make(enum object_kind kind, union attribute_copy copy, union attribute_delete delete,
                void *extra, int *number)
{
    struct keyval *keyval = calloc(1, sizeof *keyval);
    bool added;

    if (!keyval)
        return MPI_ERR_NO_MEM;
    keyval->kind = kind;
    keyval->copy = copy;
    keyval->delete = delete;
    keyval->extra = extra;
    keyval->users = 1;
    pthread_mutex_lock(&lock);
    added = add_to_table(keyval);
    pthread_mutex_unlock(&lock);
    if (!added) {
        free(keyval);
        return MPI_ERR_NO_MEM;
    }
    *number = keyval->number;
    return MPI_SUCCESS;
}

/* The keyval of a number, freed ones included. With the lock. */
static struct keyval *find_keyval(enum object_kind kind, int number)
{
    int place = number - FIRST_KEYVAL;

    if (number < FIRST_KEYVAL || place >= keyval_count || !keyvals[place] ||
        keyvals[place]->kind != kind)
        return NULL;
    return keyvals[place];
}

/* With the lock. */
static void drop_keyval(struct keyval *keyval)
{
    if (--keyval->users > 0)
        return;
    keyvals[keyval->number - FIRST_KEYVAL] = NULL;
    free(keyval);
}

int keyval_free(enum object_kind kind, int number)
{
    struct keyval *keyval;

    pthread_mutex_lock(&lock);
    keyval = find_keyval(kind, number);
    if (keyval && !keyval->freed) {
        keyval->freed = true;
        drop_keyval(keyval);
    }
    pthread_mutex_unlock(&lock);
    return keyval ? MPI_SUCCESS : MPI_ERR_KEYVAL;
}

/* The handle of an object, of the type that the user's function takes. */
union subject {
    const void *handle;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Win win;
};

static int call_delete(const struct keyval *keyval, const void *handle, void *value)
{
    union subject subject = {.handle = handle};

    switch ((int)keyval->kind) {
    case OBJECT_COMM:
        if (keyval->delete.comm == MPI_COMM_NULL_DELETE_FN)
            return MPI_SUCCESS;
        return keyval->delete.comm(subject.comm, keyval->number, value, keyval->extra);
    case OBJECT_DATATYPE:
        if (keyval->delete.type == MPI_TYPE_NULL_DELETE_FN)
            return MPI_SUCCESS;
        return keyval->delete.type(subject.type, keyval->number, value, keyval->extra);
    default:
        if (keyval->delete.win == MPI_WIN_NULL_DELETE_FN)
            return MPI_SUCCESS;
        return keyval->delete.win(subject.win, keyval->number, value, keyval->extra);
    }
}

/* Whether the attribute is copied, and the value of the copy. */
static int call_copy(const struct keyval *keyval, const void *handle, void *value, void **copy,
                     int *copied)
{
    union subject subject = {.handle = handle};
    int number = keyval->number;

    *copied = keyval->copy.comm == MPI_COMM_DUP_FN;
    *copy = value;
    if (*copied || keyval->copy.comm == MPI_COMM_NULL_COPY_FN)
        return MPI_SUCCESS;
    switch ((int)keyval->kind) {
    case OBJECT_COMM:
        return keyval->copy.comm(subject.comm, number, keyval->extra, value, copy, copied);
    case OBJECT_DATATYPE:
        return keyval->copy.type(subject.type, number, keyval->extra, value, copy, copied);
    default:
        return keyval->copy.win(subject.win, number, keyval->extra, value, copy, copied);
    }
}

/* Where the attribute of a keyval is linked, or the end. With the lock. */
static struct attribute **find_attribute(struct attributes *attributes, const struct keyval *keyval)
{
    struct attribute **link = &attributes->first;

    while (*link && (*link)->keyval != keyval)
        link = &(*link)->next;
    return link;
}

/* The value of an attribute, and its keyval, which gets one more user. False: it is not set. */
static bool look(struct attributes *attributes, enum object_kind kind, int number,
                 struct keyval **keyval, void **value)
{
    const struct attribute *attribute = NULL;

    pthread_mutex_lock(&lock);
    *keyval = find_keyval(kind, number);
    if (*keyval) {
        (*keyval)->users++;
        attribute = *find_attribute(attributes, *keyval);
        if (attribute)
            *value = attribute->value;
    }
    pthread_mutex_unlock(&lock);
    return attribute != NULL;
}

static void leave(struct keyval *keyval)
{
    pthread_mutex_lock(&lock);
    drop_keyval(keyval);
    pthread_mutex_unlock(&lock);
}

/* Sets the value, in the place that attribute is for if there is none yet. True: that was used. */
static bool put(struct attributes *attributes, struct keyval *keyval, void *value,
                struct attribute *attribute)
{
    struct attribute **link;
    bool used = false;

    pthread_mutex_lock(&lock);
    link = find_attribute(attributes, keyval);
    if (!*link) {
        attribute->keyval = keyval;
        attribute->next = attributes->first;
        attributes->first = attribute;
        keyval->users++;
        link = &attributes->first;
        used = true;
    }
    (*link)->value = value;
    pthread_mutex_unlock(&lock);
    return used;
}

static int put_new(struct attributes *attributes, struct keyval *keyval, void *value)
{
    struct attribute *attribute = calloc(1, sizeof *attribute);

    if (!attribute)
        return MPI_ERR_NO_MEM;
    if (!put(attributes, keyval, value, attribute))
        free(attribute);
    return MPI_SUCCESS;
}

int attributes_set(struct attributes *attributes, enum object_kind kind, const void *handle,
                   int number, void *value)
{
    struct keyval *keyval;
    void *old;
    int error = MPI_SUCCESS;

    if (look(attributes, kind, number, &keyval, &old))
        error = call_delete(keyval, handle, old);
    if (!keyval)
        return MPI_ERR_KEYVAL;
    if (!error)
        error = put_new(attributes, keyval, value);
    leave(keyval);
    return error;
}

/* The attribute that changes as long as the program runs. With the lock. */
static void publish_last_used(void)
{
    int place = MPI_LASTUSEDCODE - MPI_TAG_UB;
    int code = error_last_used();

    is_published[place] = true;
    if (published[place] != code)
        published[place] = code;
}

static int get_predefined(int number, void **value, bool *found)
{
    pthread_mutex_lock(&lock);
    if (number == MPI_LASTUSEDCODE)
        publish_last_used();
    *found = is_published[number - MPI_TAG_UB];
    if (*found)
        *value = &published[number - MPI_TAG_UB];
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

int attributes_get(struct attributes *attributes, enum object_kind kind, int number, void **value,
                   bool *found)
{
    struct keyval *keyval;

    if (kind == OBJECT_COMM && is_predefined(number))
        return get_predefined(number, value, found);
    *found = look(attributes, kind, number, &keyval, value);
    if (!keyval)
        return MPI_ERR_KEYVAL;
    leave(keyval);
    return MPI_SUCCESS;
}

/* Takes the attribute of a keyval out of the list, and frees it. */
static void take_out(struct attributes *attributes, struct keyval *keyval)
{
    struct attribute **link, *attribute;

    pthread_mutex_lock(&lock);
    link = find_attribute(attributes, keyval);
    attribute = *link;
    if (attribute) {
        *link = attribute->next;
        drop_keyval(keyval);
    }
    pthread_mutex_unlock(&lock);
    free(attribute);
}

int attributes_delete(struct attributes *attributes, enum object_kind kind, const void *handle,
                      int number)
{
    struct keyval *keyval;
    void *value;
    int error = MPI_SUCCESS;
    bool found = look(attributes, kind, number, &keyval, &value);

    if (!keyval)
        return MPI_ERR_KEYVAL;
    if (found) {
        error = call_delete(keyval, handle, value);
        if (!error)
            take_out(attributes, keyval);
    }
    leave(keyval);
    return error;
}

/* The last that was set before another one: NULL begins, and ends. Its keyval gets one more
 * user. */
static struct keyval *next_keyval(const struct attributes *attributes, const struct keyval *behind,
                                  void **value)
{
    const struct attribute *attribute;
    struct keyval *keyval = NULL;

    pthread_mutex_lock(&lock);
    attribute = attributes->first;
    if (behind) {
        while (attribute && attribute->keyval != behind)
            attribute = attribute->next;
        attribute = attribute ? attribute->next : NULL;
    }
    if (attribute) {
        keyval = attribute->keyval;
        keyval->users++;
        *value = attribute->value;
    }
    pthread_mutex_unlock(&lock);
    return keyval;
}

int attributes_copy(const struct attributes *from, enum object_kind kind, const void *from_handle,
                    struct attributes *to, const void *to_handle)
{
    struct keyval *keyval = NULL, *next;
    void *value, *copy;
    int error = MPI_SUCCESS, copied;

    while (!error && (next = next_keyval(from, keyval, &value))) {
        if (keyval)
            leave(keyval);
        keyval = next;
        error = call_copy(keyval, from_handle, value, &copy, &copied);
        if (!error && copied)
            error = put_new(to, keyval, copy);
    }
    if (keyval)
        leave(keyval);
    if (error)
        attributes_clear(to, kind, to_handle);
    return error;
}

int attributes_clear(struct attributes *attributes, enum object_kind kind, const void *handle)
{
    struct keyval *keyval;
    void *value;
    int error = MPI_SUCCESS;

    while (!error && (keyval = next_keyval(attributes, NULL, &value))) {
        error = attributes_delete(attributes, kind, handle, keyval->number);
        leave(keyval);
    }
    return error;
}
