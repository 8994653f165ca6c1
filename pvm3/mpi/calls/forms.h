/*
 * forms.h - one function for all forms of a call that is no collective operation. The exported
 * functions are made by forms.awk.
 *
 * Each checks the arguments, does what the form says, and returns what the exported call returns.
 */
#ifndef MPI_CALLS_FORMS_H
#define MPI_CALLS_FORMS_H

#include "mpi/calls/form.h"
#include "mpi/values/program_numbers.h"

/* Messages. ------------------------------------------------------------------------------------ */

int forms_send(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
               int dest, int tag);
int forms_bsend(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag);
int forms_rsend(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag);
int forms_ssend(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag);
int forms_recv(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
               int source, int tag);
int forms_mrecv(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
                MPI_Message *message);
int forms_sendrecv(const struct form *form, const void *sendbuf, MPI_Count sendcount,
                   MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int source, int recvtag);
int forms_sendrecv_replace(const struct form *form, void *buffer, MPI_Count count,
                           MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag);

/* Buffers for sends. --------------------------------------------------------------------------- */

int forms_buffer_attach(const struct form *form, void *memory, MPI_Count size);
int forms_buffer_detach(const struct form *form, void *address, struct number size);
int forms_comm_attach_buffer(const struct form *form, void *memory, MPI_Count size);
int forms_comm_detach_buffer(const struct form *form, void *address, struct number size);
int forms_session_attach_buffer(const struct form *form, MPI_Session session, void *memory,
                                MPI_Count size);
int forms_session_detach_buffer(const struct form *form, MPI_Session session, void *address,
                                struct number size);

/* Packing and reducing by hand. ---------------------------------------------------------------- */

int forms_pack(const struct form *form, const void *in, MPI_Count count, MPI_Datatype datatype,
               void *out, MPI_Count size, struct number position);
int forms_unpack(const struct form *form, const void *in, MPI_Count size, struct number position,
                 void *out, MPI_Count count, MPI_Datatype datatype);
int forms_pack_size(const struct form *form, MPI_Count count, MPI_Datatype datatype,
                    struct number size);
int forms_pack_external(const struct form *form, const char *datarep, const void *in,
                        MPI_Count count, MPI_Datatype datatype, void *out, MPI_Count size,
                        struct number position);
int forms_unpack_external(const struct form *form, const char *datarep, const void *in,
                          MPI_Count size, struct number position, void *out, MPI_Count count,
                          MPI_Datatype datatype);
int forms_pack_external_size(const struct form *form, const char *datarep, MPI_Count count,
                             MPI_Datatype datatype, struct number size);
int forms_reduce_local(const struct form *form, const void *in, void *inout, MPI_Count count,
                       MPI_Datatype datatype, MPI_Op op);

/* What a status says, and what a datatype is. -------------------------------------------------- */

int forms_get_count(const struct form *form, const MPI_Status *status, MPI_Datatype datatype,
                    struct number found);
int forms_get_elements(const struct form *form, const MPI_Status *status, MPI_Datatype datatype,
                       struct number found);
int forms_status_set_elements(const struct form *form, MPI_Datatype datatype, MPI_Count elements);
int forms_type_size(const struct form *form, MPI_Datatype datatype, struct number size);
int forms_type_get_extent(const struct form *form, MPI_Datatype datatype, struct number lb,
                          struct number extent);
int forms_type_get_true_extent(const struct form *form, MPI_Datatype datatype, struct number lb,
                               struct number extent);

/* Making datatypes. ---------------------------------------------------------------------------- */

int forms_type_contiguous(const struct form *form, MPI_Count count, MPI_Datatype oldtype,
                          MPI_Datatype *newtype);
int forms_type_vector(const struct form *form, MPI_Count count, MPI_Count length, MPI_Count stride,
                      MPI_Datatype oldtype, MPI_Datatype *newtype);
int forms_type_create_hvector(const struct form *form, MPI_Count count, MPI_Count length,
                              MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype);
int forms_type_indexed(const struct form *form, MPI_Count count, struct numbers lengths,
                       struct numbers displacements, MPI_Datatype oldtype, MPI_Datatype *newtype);
int forms_type_create_hindexed(const struct form *form, MPI_Count count, struct numbers lengths,
                               struct numbers displacements, MPI_Datatype oldtype,
                               MPI_Datatype *newtype);
int forms_type_create_indexed_block(const struct form *form, MPI_Count count, MPI_Count length,
                                    struct numbers displacements, MPI_Datatype oldtype,
                                    MPI_Datatype *newtype);
int forms_type_create_hindexed_block(const struct form *form, MPI_Count count, MPI_Count length,
                                     struct numbers displacements, MPI_Datatype oldtype,
                                     MPI_Datatype *newtype);
int forms_type_create_struct(const struct form *form, MPI_Count count, struct numbers lengths,
                             struct numbers displacements, const MPI_Datatype types[],
                             MPI_Datatype *newtype);
int forms_type_create_subarray(const struct form *form, int dimensions, struct numbers sizes,
                               struct numbers subsizes, struct numbers starts, int order,
                               MPI_Datatype oldtype, MPI_Datatype *newtype);
int forms_type_create_darray(const struct form *form, int size, int rank, int dimensions,
                             struct numbers gsizes, struct numbers distribs, struct numbers dargs,
                             struct numbers psizes, int order, MPI_Datatype oldtype,
                             MPI_Datatype *newtype);
int forms_type_create_resized(const struct form *form, MPI_Datatype oldtype, MPI_Count lb,
                              MPI_Count extent, MPI_Datatype *newtype);

/* One-sided communication. --------------------------------------------------------------------- */

int forms_put(const struct form *form, const void *buffer, MPI_Count count, MPI_Datatype datatype,
              int rank, MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_datatype,
              MPI_Win win);
int forms_get(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
              int rank, MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_datatype,
              MPI_Win win);
int forms_accumulate(const struct form *form, const void *buffer, MPI_Count count,
                     MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
int forms_get_accumulate(const struct form *form, const void *from, MPI_Count from_count,
                         MPI_Datatype from_type, void *to, MPI_Count to_count, MPI_Datatype to_type,
                         int rank, MPI_Aint displacement, MPI_Count target_count,
                         MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
int forms_win_create(const struct form *form, void *base, MPI_Aint size, MPI_Aint unit,
                     MPI_Win *win);
int forms_win_allocate(const struct form *form, MPI_Aint size, MPI_Aint unit, void *base,
                       MPI_Win *win);
int forms_win_allocate_shared(const struct form *form, MPI_Aint size, MPI_Aint unit, void *base,
                              MPI_Win *win);
int forms_win_create_dynamic(const struct form *form, MPI_Win *win);

#endif
