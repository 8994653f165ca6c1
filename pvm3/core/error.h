/*
 * error.h - error codes as names and texts. The codes themselves stand in pvm3.h.
 */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

/* Entries of the table of texts: codes 0 to -(ERROR_COUNT - 1). */
#define ERROR_COUNT 37

/* The text of `code` (0 or negative); "Unknown Error" outside the table. Never NULL, never to be freed. */
const char *error_text(int code);

/* The symbolic name, as start results on the wire carry it ("PvmNoHost"); NULL when `code` has none. */
const char *error_name(int code);

/* The code whose symbolic name is `name`, or 0 when no code has it. */
int error_code(const char *name);

#endif
