/* What the parts of across.c share: places, hands, and how they are told what to do. */
#ifndef ACROSS_H
#define ACROSS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "observe.h"

/* The hosts: of the machine from the start, and those that are added and deleted. */
enum { MASTER, SECOND, THIRD, FOURTH, FIFTH, HOSTS };

enum { TEXT = 4096 };

/* Tags. */
enum { ASK = 1, ANSWER, BULK, GONE, NEW, TRACED, WRITTEN };

extern char *names[HOSTS]; /* "127.0.0.2" and so on */
extern int me;

/* Where the task or daemon is: the name of its host; an error as a number. */
const char *place(int tid);

/* The tid of the host's daemon, 0 when it is not in the table. */
int host_tid(const char *name);

/* Spawns a hand, a task that does what it is told; its tid, or an error. */
int hand_on(const char *name);

/* Tells a hand what to do; gives what it answers, until the next call. */
void tell(int hand, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *answer(int hand);
const char *ask(int hand, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Has the hand leave and waits for its end. */
void dismiss(int hand);

/* Waits until the task has ended. */
void wait_end(int tid);

/* Prints the lines in order, which came in any. */
void print_sorted(char **lines, int count);
/* A copy of what printf would print. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Deletes them and shows the result of each. */
void hosts_delete(char **hosts, int count);

/* The hands of a section, one on each host. */
void hands_start(int hands[HOSTS], int count);
void hands_end(const int hands[HOSTS], int count);

/* What a hand can do: answers a command; false when it knows none of that name. */
bool hosts_obey(const char *command, char *words, char *reply);
bool tasks_obey(const char *command, char *words, char *reply);
bool words_obey(const char *command, char *words, char *reply);
bool services_obey(const char *command, char *words, char *reply);

/* The sections. */
void additions_see(void);
void tables_see(void);
void host_notices_see(void);
void deletions_see(void);
void tickles_see(void);
void giving_up_see(void);
void spawns_see(void);
void environments_see(void);
void lists_see(void);
void signals_see(void);
void notices_see(void);
void messages_see(void);
void multicasts_see(void);
void mailboxes_see(void);
void outputs_see(void);
void lost_outputs_see(void);
void traces_see(void);
void resets_see(void);
void tasker_see(void);
void hoster_see(void);
void tracer_see(void);
void manager_see(void);

/* Processes of their own. */
int collect_main(int count, char **hosts);
int collect_lost_main(char *host);
int services_main(int count, char **words);

#endif
