/*
 * collective_calls.h - one function for all forms of a collective operation. The exported functions
 * are made by forms.awk.
 *
 * Each checks the arguments, builds the schedule and does what the form says.
 */
#ifndef MPI_CALLS_COLLECTIVE_CALLS_H
#define MPI_CALLS_COLLECTIVE_CALLS_H

#include "mpi/calls/form.h"
#include "mpi/values/program_numbers.h"

int collective_barrier(const struct form *form);
int collective_bcast(const struct form *form, void *buffer, MPI_Count count, MPI_Datatype datatype,
                     int root);
int collective_gather(const struct form *form, const void *send, MPI_Count send_count,
                      MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                      MPI_Datatype receive_type, int root);
int collective_gatherv(const struct form *form, const void *send, MPI_Count send_count,
                       MPI_Datatype send_type, void *receive, struct numbers counts,
                       struct numbers displacements, MPI_Datatype receive_type, int root);
int collective_scatter(const struct form *form, const void *send, MPI_Count send_count,
                       MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                       MPI_Datatype receive_type, int root);
int collective_scatterv(const struct form *form, const void *send, struct numbers counts,
                        struct numbers displacements, MPI_Datatype send_type, void *receive,
                        MPI_Count receive_count, MPI_Datatype receive_type, int root);
int collective_allgather(const struct form *form, const void *send, MPI_Count send_count,
                         MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                         MPI_Datatype receive_type);
int collective_allgatherv(const struct form *form, const void *send, MPI_Count send_count,
                          MPI_Datatype send_type, void *receive, struct numbers counts,
                          struct numbers displacements, MPI_Datatype receive_type);
int collective_alltoall(const struct form *form, const void *send, MPI_Count send_count,
                        MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                        MPI_Datatype receive_type);
int collective_alltoallv(const struct form *form, const void *send, struct numbers send_counts,
                         struct numbers send_displacements, MPI_Datatype send_type, void *receive,
                         struct numbers receive_counts, struct numbers receive_displacements,
                         MPI_Datatype receive_type);
int collective_alltoallw(const struct form *form, const void *send, struct numbers send_counts,
                         struct numbers send_displacements, const MPI_Datatype send_types[],
                         void *receive, struct numbers receive_counts,
                         struct numbers receive_displacements, const MPI_Datatype receive_types[]);
int collective_reduce(const struct form *form, const void *send, void *receive, MPI_Count count,
                      MPI_Datatype datatype, MPI_Op op, int root);
int collective_allreduce(const struct form *form, const void *send, void *receive, MPI_Count count,
                         MPI_Datatype datatype, MPI_Op op);
int collective_reduce_scatter(const struct form *form, const void *send, void *receive,
                              struct numbers counts, MPI_Datatype datatype, MPI_Op op);
int collective_reduce_scatter_block(const struct form *form, const void *send, void *receive,
                                    MPI_Count count, MPI_Datatype datatype, MPI_Op op);
int collective_scan(const struct form *form, const void *send, void *receive, MPI_Count count,
                    MPI_Datatype datatype, MPI_Op op);
int collective_exscan(const struct form *form, const void *send, void *receive, MPI_Count count,
                      MPI_Datatype datatype, MPI_Op op);
int collective_neighbor_allgather(const struct form *form, const void *send, MPI_Count send_count,
                                  MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                                  MPI_Datatype receive_type);
int collective_neighbor_allgatherv(const struct form *form, const void *send, MPI_Count send_count,
                                   MPI_Datatype send_type, void *receive, struct numbers counts,
                                   struct numbers displacements, MPI_Datatype receive_type);
int collective_neighbor_alltoall(const struct form *form, const void *send, MPI_Count send_count,
                                 MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                                 MPI_Datatype receive_type);
int collective_neighbor_alltoallv(const struct form *form, const void *send,
                                  struct numbers send_counts, struct numbers send_displacements,
                                  MPI_Datatype send_type, void *receive,
                                  struct numbers receive_counts,
                                  struct numbers receive_displacements, MPI_Datatype receive_type);
int collective_neighbor_alltoallw(const struct form *form, const void *send,
                                  struct numbers send_counts, struct numbers send_displacements,
                                  const MPI_Datatype send_types[], void *receive,
                                  struct numbers receive_counts,
                                  struct numbers receive_displacements,
                                  const MPI_Datatype receive_types[]);

#endif
