/*
 * luggage.h - what a task takes along to another process: bytes, in the order in which they are
 * put, as this machine and this very library have them.
 *
 * Each file that keeps data of a task has functions that put them there and get them again. Both
 * sides keep their first failure, so that it is asked for once, at the end.
 */
#ifndef LIB_TASK_LUGGAGE_H
#define LIB_TASK_LUGGAGE_H

#include <stdbool.h>
#include <stddef.h>

struct message;

/* Packing. All zero is empty; `bytes` are the owner's in the end (free). */
struct luggage {
    unsigned char *bytes;
    size_t size;
    size_t room;
    bool failed; /* for want of memory */
};

void luggage_put(struct luggage *luggage, const void *bytes, size_t size);
void luggage_put_int(struct luggage *luggage, int value);
void luggage_put_text(struct luggage *luggage, const char *text); /* or NULL */

/*
 * Whether a function is one of the program, which is at its place in the other process, too. Those
 * of shared libraries may lie elsewhere there.
 */
bool luggage_takes_function(void (*function)(void));

/* A message and its body, but for what lies in memory of the program, which moves along. */
void luggage_put_message(struct luggage *luggage, const struct message *message);

/* Unpacking. */
struct luggage_reader {
    const unsigned char *next;
    size_t rest;
    bool failed; /* what was got from there on is 0 or NULL */
};

void luggage_get(struct luggage_reader *reader, void *bytes, size_t size);
int luggage_get_int(struct luggage_reader *reader);
char *luggage_get_text(struct luggage_reader *reader);              /* the caller's (free) */
struct message *luggage_get_message(struct luggage_reader *reader); /* the caller's */

/* How many things follow, each of at least `least` bytes. */
int luggage_get_count(struct luggage_reader *reader, size_t least);

#endif
