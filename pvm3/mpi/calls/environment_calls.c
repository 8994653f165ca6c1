/* environment_calls.c - versions, the name of the processor, memory and addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/calls/calls.h"
#include "mpi/objects/info.h"

MPI_CALL(int, Get_version)(int *version, int *subversion)
{
    if (!version || !subversion)
        return call_error("MPI_Get_version", MPI_ERR_ARG);
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

MPI_CALL(int, Get_library_version)(char *version, int *resultlen)
{
    if (!version || !resultlen)
        return call_error("MPI_Get_library_version", MPI_ERR_ARG);
    *resultlen =
        snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                 "PVM %s: MPI %d.%d on the Communication Kernel, ABI %d.%d", PACKAGE_VERSION,
                 MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
    return MPI_SUCCESS;
}

MPI_CALL(int, Get_processor_name)(char *name, int *resultlen)
{
    if (!name || !resultlen)
        return call_error("MPI_Get_processor_name", MPI_ERR_ARG);
    if (gethostname(name, MPI_MAX_PROCESSOR_NAME) < 0)
        strcpy(name, "unknown");
    name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
    *resultlen = (int)strlen(name);
    return MPI_SUCCESS;
}

/* Nothing is known of the hardware: the info has no keys. */
MPI_CALL(int, Get_hw_resource_info)(MPI_Info *hw_info)
{
    return PMPI_Info_create(hw_info);
}

MPI_CALL(int, Alloc_mem)(MPI_Aint size, MPI_Info info, void *baseptr)
{
    void *memory;

    if (size < 0 || !baseptr)
        return call_error("MPI_Alloc_mem", MPI_ERR_ARG);
    if (info != MPI_INFO_NULL && !info_of(info))
        return call_error("MPI_Alloc_mem", MPI_ERR_INFO);
    memory = malloc(size > 0 ? (size_t)size : 1);
    if (!memory)
        return call_error("MPI_Alloc_mem", MPI_ERR_NO_MEM);
    *(void **)baseptr = memory;
    return MPI_SUCCESS;
}

MPI_CALL(int, Free_mem)(void *base)
{
    free(base);
    return MPI_SUCCESS;
}

MPI_CALL(int, Get_address)(const void *location, MPI_Aint *address)
{
    if (!address)
        return call_error("MPI_Get_address", MPI_ERR_ARG);
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

/* As unsigned numbers: addresses may be above the greatest signed one. */
MPI_CALL(MPI_Aint, Aint_add)(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_CALL(MPI_Aint, Aint_diff)(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
