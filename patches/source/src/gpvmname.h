/*
 * gpvmname.h - the names that the public functions have within libgpvm3. Those that programs call
 * are defined in groups.c. Stands before pvm3.h.
 */
#ifndef GPVMNAME_H
#define GPVMNAME_H

#define pvm_barrier     stock_pvm_barrier
#define pvm_bcast       stock_pvm_bcast
#define pvm_freezegroup stock_pvm_freezegroup
#define pvm_gather      stock_pvm_gather
#define pvm_getinst     stock_pvm_getinst
#define pvm_gettid      stock_pvm_gettid
#define pvm_gsize       stock_pvm_gsize
#define pvm_joingroup   stock_pvm_joingroup
#define pvm_lvgroup     stock_pvm_lvgroup
#define pvm_reduce      stock_pvm_reduce
#define pvm_scatter     stock_pvm_scatter

#endif
