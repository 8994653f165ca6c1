/* pack_calls.c - packing into a buffer of the program, and out of it. */
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/external.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* What a call was given: elements, and a packed buffer with a position in it. */
struct packing {
    const struct form *form;
    const char *datarep; /* NULL: the form of this machine */
    MPI_Datatype handle;
    MPI_Count count;
    MPI_Count size; /* of the packed buffer */
    struct number position;
    struct datatype *type;
};

static int raise_error(const struct packing *packing, int error)
{
    const struct form *form = packing->form;
    if (error == MPI_SUCCESS)
        return error;
    if (packing->datarep)
        return call_error(form->function, error);
    return communicator_error(communicator_of(form->comm), form->function, error);
}

static int check(struct packing *packing)
{
    if (!packing->datarep && !communicator_of(packing->form->comm))
        return MPI_ERR_COMM;
    if (packing->datarep && strcmp(packing->datarep, "external32") != 0)
        return MPI_ERR_UNSUPPORTED_DATAREP;
    if (packing->count < 0)
        return MPI_ERR_COUNT;
    return datatype_for_use(packing->handle, &packing->type);
}

static MPI_Count packed_size(const struct packing *packing)
{
    return packing->datarep ? external_size(packing->type, packing->count)
                            : packing->count * packing->type->size;
}

static int pack_size(struct packing *packing, struct number size)
{
    int error = size.place ? check(packing) : MPI_ERR_ARG;
    if (error == MPI_SUCCESS && !number_put(size, packed_size(packing)))
        error = MPI_ERR_VALUE_TOO_LARGE;
    return raise_error(packing, error);
}

/* The bytes that go into or come out of the buffer at the position. */
static int check_room(struct packing *packing, const void *elements, const void *packed,
                      MPI_Count *bytes)
{
    int error = packing->position.place ? check(packing) : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return error;
    MPI_Count position = number_get(packing->position);
    *bytes = packed_size(packing);
    if (position < 0 || packing->size < 0 || *bytes > packing->size - position)
        return MPI_ERR_ARG;
    if (*bytes > 0 && (!packed || (!elements && packing->type->true_lb == 0)))
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

static int pack(struct packing *packing, const void *in, void *out)
{
    MPI_Count bytes;
    int error = check_room(packing, in, out, &bytes);
    if (error != MPI_SUCCESS)
        return raise_error(packing, error);
    MPI_Count position = number_get(packing->position);
    if (packing->datarep)
        external_pack(packing->type, in, packing->count, (char *)out + position);
    else
        datatype_pack(packing->type, in, packing->count, 0, (char *)out + position, (size_t)bytes);
    number_put(packing->position, position + bytes);
    return MPI_SUCCESS;
}

static int unpack(struct packing *packing, const void *in, void *out)
{
    MPI_Count bytes;
    int error = check_room(packing, out, in, &bytes);
    if (error != MPI_SUCCESS)
        return raise_error(packing, error);
    MPI_Count position = number_get(packing->position);
    if (packing->datarep)
        external_unpack(packing->type, out, packing->count, (const char *)in + position);
    else
        datatype_unpack(packing->type, out, packing->count, 0, (const char *)in + position,
                        (size_t)bytes);
    number_put(packing->position, position + bytes);
    return MPI_SUCCESS;
}

int forms_pack_size(const struct form *form, MPI_Count count, MPI_Datatype datatype,
                    struct number size)
{
    struct packing packing = {.form = form, .handle = datatype, .count = count};
    return pack_size(&packing, size);
}

int forms_pack(const struct form *form, const void *in, MPI_Count count, MPI_Datatype datatype,
               void *out, MPI_Count size, struct number position)
{
    struct packing packing = {form, NULL, datatype, count, size, position, NULL};
    return pack(&packing, in, out);
}

int forms_unpack(const struct form *form, const void *in, MPI_Count size, struct number position,
                 void *out, MPI_Count count, MPI_Datatype datatype)
{
    struct packing packing = {form, NULL, datatype, count, size, position, NULL};
    return unpack(&packing, in, out);
}

/* No name of a representation is a wrong one. */
static const char *name_of(const char *datarep)
{
    return datarep ? datarep : "";
}

int forms_pack_external_size(const struct form *form, const char *datarep, MPI_Count count,
                             MPI_Datatype datatype, struct number size)
{
    struct packing packing = {
        .form = form, .datarep = name_of(datarep), .handle = datatype, .count = count};
    return pack_size(&packing, size);
}

int forms_pack_external(const struct form *form, const char *datarep, const void *in,
                        MPI_Count count, MPI_Datatype datatype, void *out, MPI_Count size,
                        struct number position)
{
    struct packing packing = {form, name_of(datarep), datatype, count, size, position, NULL};
    return pack(&packing, in, out);
}

int forms_unpack_external(const struct form *form, const char *datarep, const void *in,
                          MPI_Count size, struct number position, void *out, MPI_Count count,
                          MPI_Datatype datatype)
{
    struct packing packing = {form, name_of(datarep), datatype, count, size, position, NULL};
    return unpack(&packing, in, out);
}
