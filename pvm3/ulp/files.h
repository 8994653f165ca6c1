/*
 * files.h - what a user-level process has opened. A process that ends closes it all; here that is to
 * be done for it. It may go along to another process (file_moves.h).
 *
 * A program's own calls are counted, not what libraries open of their own accord.
 *
 * Threads: any thread of the program may call any function.
 */
#ifndef ULP_FILES_H
#define ULP_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct file_stream {
    struct file_stream *next;
    FILE *stream;
    pid_t child; /* at its other end; 0: none */
};

/* Something that cannot go along: a folder that is read, memory that was mapped. */
struct file_tie {
    struct file_tie *next;
    const void *object;
    const char *what;
};

struct files {
    pthread_mutex_t lock;
    int *descriptors; /* in no order */
    size_t descriptor_count, descriptor_room;
    struct file_stream *streams;
    struct file_tie *ties;
};

void files_start(struct files *files);

/* Closes what is open. No thread of the program uses it any more. */
void files_finish(struct files *files);

/*
 * The program has opened one; gives it back. Without memory to note it, it is not closed at the
 * end. A negative descriptor is passed on.
 */
int files_add(struct files *files, int descriptor);

/* Likewise; without memory to note it, it is closed. A null pointer is passed on. */
FILE *files_add_stream(struct files *files, FILE *stream);

/* Likewise, a stream to or from a child, for whose end the program waits when it closes it. */
FILE *files_add_command(struct files *files, FILE *stream, pid_t child);

/* The program closes one, or gives a descriptor to a stream. */
void files_drop(struct files *files, int descriptor);

/* The child of a stream; 0: it has none. */
pid_t files_drop_stream(struct files *files, FILE *stream);

/* The program has an object that cannot go along, and has it no more. A null pointer is nothing. */
void files_add_tie(struct files *files, const void *object, const char *what);
void files_drop_tie(struct files *files, const void *object);

#endif
