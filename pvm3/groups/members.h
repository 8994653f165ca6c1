/*
 * members.h - who is in a group: from what the task knows, or from the server.
 *
 * A server of ours on the same host counts the changes of its groups (changes.h). Then the task asks
 * it who is in a group, and again only when the group has changed. Of other groups the task asks
 * each time, unless they are static.
 *
 * Members that a function gives lie in memory of the call.
 */
#ifndef GROUPS_MEMBERS_H
#define GROUPS_MEMBERS_H

#include "groups/client.h"

/* groups_ask for questions whose answer is one word and the state, which is kept if static. */
int groups_ask_state(struct groups_call *call, enum groups_question question, const char *group,
                     const int *argument);

/* The members of `group`, if the task knows them and they are the same now. */
bool groups_known_members(struct groups_call *call, const char *group,
                          struct group_members *members);

/* Forgets what is known of `group`. */
void groups_forget(const struct groups_call *call, const char *group);

/* The instance of a tid and the tid of an instance; or an error. */
int groups_instance(struct groups_call *call, const char *group, int tid);
int groups_tid(struct groups_call *call, const char *group, int instance);

/*
 * The members by rising instance, as the server tells them by GROUPS_BCAST or GROUPS_MEMBERS.
 * Returns 0 or an error.
 */
int groups_members(struct groups_call *call, enum groups_question question, const char *group,
                   struct group_members *members);

#endif
