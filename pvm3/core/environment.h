/*
 * environment.h - where a virtual machine keeps its files, and how addresses are written.
 *
 * Names follow from PVM_TMP, PVM_VMID and the user id. Reads the environment,
 * touches no file.
 */
#ifndef CORE_ENVIRONMENT_H
#define CORE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for every file name made here, the NUL included. */
#define ENVIRONMENT_PATH_SIZE 256

/* The value of `name`, or `fallback` when it is unset or empty. */
const char *environment_get(const char *name, const char *fallback);

/*
 * A decimal, 0x hexadecimal or 0 octal number in `name`; `fallback` when it is unset or no number.
 */
long environment_get_number(const char *name, long fallback);

/* PVM_TMP, else /tmp. */
const char *environment_temporary_folder(void);

/*
 * TMP/pvmd.UID[.VMID], which holds the address of the daemon, and TMP/pvml.UID[.VMID], its log.
 * False when the name does not fit into ENVIRONMENT_PATH_SIZE bytes.
 */
bool environment_address_file(char path[ENVIRONMENT_PATH_SIZE], unsigned uid);
bool environment_log_file(char path[ENVIRONMENT_PATH_SIZE], unsigned uid);

/* TMP/pvmtmpPPPPPP.N, the N-th temporary name of process `pid`. False when it does not fit. */
bool environment_temporary_name(char path[ENVIRONMENT_PATH_SIZE], long pid, unsigned number);

/* "hhhhhhhh:pppp": an IPv4 address and port, host byte order, as text. */
#define ENVIRONMENT_ADDRESS_SIZE 14
void environment_format_address(char text[ENVIRONMENT_ADDRESS_SIZE], uint32_t address,
                                uint16_t port);

/*
 * The inverse; upper case, 0x and a missing port are understood. False when the text is no address.
 */
bool environment_parse_address(const char *text, uint32_t *address, uint16_t *port);

#endif
