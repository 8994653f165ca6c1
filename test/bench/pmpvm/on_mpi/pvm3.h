/* pvm3.h - the PVM calls of the programs beside this folder, for MPI.
 *
 * Each message of PVM is one of MPI, of bytes that are copied once when they are packed and once
 * when they are unpacked. The master is process 0, and the tasks that it "spawns" are the others,
 * which the launcher has started. Only one message is packed, and one unpacked, at a time.
 */
#ifndef PVM3_H
#define PVM3_H

enum {
    PvmDataRaw = 1,
    PvmTaskDefault = 0,
    PvmTaskHost = 1,
    PvmRoute = 1,
    PvmRouteDirect = 3,
    PvmNoParent = -23
};

int pvm_mytid(void);
int pvm_parent(void);
int pvm_exit(void);
int pvm_setopt(int what, int value);
int pvm_spawn(const char *name, char **words, int flags, const char *where, int count, int *tids);

int pvm_initsend(int encoding);
int pvm_pkint(int *items, int count, int stride);
int pvm_pkdouble(double *items, int count, int stride);
int pvm_send(int tid, int tag);
int pvm_mcast(int *tids, int count, int tag);

int pvm_recv(int tid, int tag);
int pvm_upkint(int *items, int count, int stride);
int pvm_upkdouble(double *items, int count, int stride);

#endif
