/* pack_calls.c - packing into a buffer of the program, and out of it. */
#include <limits.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/external.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* What a call was given: elements, and a packed buffer with a position in it. */
struct packing {
    const char *function;
    MPI_Comm comm;
    const char *datarep; /* NULL: the form of this machine */
    MPI_Datatype handle;
    MPI_Count count;
    MPI_Count size; /* of the packed buffer */
    struct datatype *type;
};

static int raise_error(const struct packing *packing, int error)
{
    if (packing->datarep)
        return call_error(packing->function, error);
    return communicator_error(communicator_of(packing->comm), packing->function, error);
}

static int check(struct packing *packing)
{
    if (!packing->datarep && !communicator_of(packing->comm))
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

static int pack_size(struct packing *packing, MPI_Count *size)
{
    int error = size ? check(packing) : MPI_ERR_ARG;

    if (!error)
        *size = packed_size(packing);
    return raise_error(packing, error);
}

/* The bytes that go into or come out of the buffer at a position. */
static int check_room(struct packing *packing, const void *elements, const void *packed,
                      const MPI_Count *position, MPI_Count *bytes)
{
    int error = position ? check(packing) : MPI_ERR_ARG;

    if (error)
        return error;
    *bytes = packed_size(packing);
    if (*position < 0 || packing->size < 0 || *bytes > packing->size - *position)
        return MPI_ERR_ARG;
    if (*bytes > 0 && (!packed || (!elements && packing->type->true_lb == 0)))
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

static int pack(struct packing *packing, const void *in, void *out, MPI_Count *position)
{
    MPI_Count bytes;
    int error = check_room(packing, in, out, position, &bytes);

    if (error)
        return raise_error(packing, error);
    if (packing->datarep)
        external_pack(packing->type, in, packing->count, (char *)out + *position);
    else
        datatype_pack(packing->type, in, packing->count, 0, (char *)out + *position, (size_t)bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

static int unpack(struct packing *packing, const void *in, MPI_Count *position, void *out)
{
    MPI_Count bytes;
    int error = check_room(packing, out, in, position, &bytes);

    if (error)
        return raise_error(packing, error);
    if (packing->datarep)
        external_unpack(packing->type, out, packing->count, (const char *)in + *position);
    else
        datatype_unpack(packing->type, out, packing->count, 0, (const char *)in + *position,
                        (size_t)bytes);
    *position += bytes;
    return MPI_SUCCESS;
}

MPI_CALL(int, Pack_size_c)
(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
    struct packing packing = {"MPI_Pack_size_c", comm, NULL, datatype, incount, 0, NULL};

    return pack_size(&packing, size);
}

MPI_CALL(int, Pack_size)(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    struct packing packing = {"MPI_Pack_size", comm, NULL, datatype, incount, 0, NULL};
    MPI_Count bytes;
    int error = pack_size(&packing, size ? &bytes : NULL);

    if (error)
        return error;
    if (bytes > INT_MAX)
        return raise_error(&packing, MPI_ERR_VALUE_TOO_LARGE);
    *size = (int)bytes;
    return MPI_SUCCESS;
}

MPI_CALL(int, Pack_c)
(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize,
 MPI_Count *position, MPI_Comm comm)
{
    struct packing packing = {"MPI_Pack_c", comm, NULL, datatype, incount, outsize, NULL};

    return pack(&packing, inbuf, outbuf, position);
}

MPI_CALL(int, Pack)
(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize, int *position,
 MPI_Comm comm)
{
    struct packing packing = {"MPI_Pack", comm, NULL, datatype, incount, outsize, NULL};
    MPI_Count at;
    int error;

    if (!position)
        return raise_error(&packing, MPI_ERR_ARG);
    at = *position;
    error = pack(&packing, inbuf, outbuf, &at);
    *position = (int)at;
    return error;
}

MPI_CALL(int, Unpack_c)
(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount,
 MPI_Datatype datatype, MPI_Comm comm)
{
    struct packing packing = {"MPI_Unpack_c", comm, NULL, datatype, outcount, insize, NULL};

    return unpack(&packing, inbuf, position, outbuf);
}

MPI_CALL(int, Unpack)
(const void *inbuf, int insize, int *position, void *outbuf, int outcount, MPI_Datatype datatype,
 MPI_Comm comm)
{
    struct packing packing = {"MPI_Unpack", comm, NULL, datatype, outcount, insize, NULL};
    MPI_Count at;
    int error;

    if (!position)
        return raise_error(&packing, MPI_ERR_ARG);
    at = *position;
    error = unpack(&packing, inbuf, &at, outbuf);
    *position = (int)at;
    return error;
}

/* No name of a representation is a wrong one. */
static const char *name_of(const char *datarep)
{
    return datarep ? datarep : "";
}

MPI_CALL(int, Pack_external_size_c)
(const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size)
{
    struct packing packing = {
        "MPI_Pack_external_size_c", NULL, name_of(datarep), datatype, incount, 0, NULL};

    return pack_size(&packing, size);
}

MPI_CALL(int, Pack_external_size)
(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size)
{
    struct packing packing = {
        "MPI_Pack_external_size", NULL, name_of(datarep), datatype, incount, 0, NULL};
    MPI_Count bytes;
    int error = pack_size(&packing, size ? &bytes : NULL);

    if (!error)
        *size = (MPI_Aint)bytes;
    return error;
}

MPI_CALL(int, Pack_external_c)
(const char *datarep, const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
 MPI_Count outsize, MPI_Count *position)
{
    struct packing packing = {
        "MPI_Pack_external_c", NULL, name_of(datarep), datatype, incount, outsize, NULL};

    return pack(&packing, inbuf, outbuf, position);
}

MPI_CALL(int, Pack_external)
(const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf,
 MPI_Aint outsize, MPI_Aint *position)
{
    struct packing packing = {
        "MPI_Pack_external", NULL, name_of(datarep), datatype, incount, outsize, NULL};
    MPI_Count at;
    int error;

    if (!position)
        return raise_error(&packing, MPI_ERR_ARG);
    at = *position;
    error = pack(&packing, inbuf, outbuf, &at);
    *position = (MPI_Aint)at;
    return error;
}

MPI_CALL(int, Unpack_external_c)
(const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
 MPI_Count outcount, MPI_Datatype datatype)
{
    struct packing packing = {
        "MPI_Unpack_external_c", NULL, name_of(datarep), datatype, outcount, insize, NULL};

    return unpack(&packing, inbuf, position, outbuf);
}

MPI_CALL(int, Unpack_external)
(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf,
 int outcount, MPI_Datatype datatype)
{
    struct packing packing = {
        "MPI_Unpack_external", NULL, name_of(datarep), datatype, outcount, insize, NULL};
    MPI_Count at;
    int error;

    if (!position)
        return raise_error(&packing, MPI_ERR_ARG);
    at = *position;
    error = unpack(&packing, inbuf, &at, outbuf);
    *position = (MPI_Aint)at;
    return error;
}
