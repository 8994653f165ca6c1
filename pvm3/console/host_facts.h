/*
 * host_facts.h - what runs on a host, as its pvmd tells when it is asked. Its answer is waited for.
 */
#ifndef CONSOLE_HOST_FACTS_H
#define CONSOLE_HOST_FACTS_H

#include <stdbool.h>

#include "console/json.h"
#include "console/table.h"

/* A line about the host. False when its pvmd is one of 3.4.6, which does not tell. */
#define HOST_DESCRIPTION 160
bool host_describe(char text[HOST_DESCRIPTION], int dtid);

/* Members of a host in JSON. */
void host_facts_write(struct json *json, int dtid);

/* Four cells of a row: release, processors, load and tasks. */
void host_facts_add(struct table *table, int dtid);

#endif
