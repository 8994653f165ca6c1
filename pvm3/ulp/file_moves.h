/*
 * file_moves.h - what a user-level process has opened goes along to another process.
 *
 * Regular files and /dev/null are opened anew there, by their paths, with the same numbers. Streams
 * lie in the region of the program, which goes along by itself. The C library has all streams of a
 * process in a list: a stream leaves the one list and enters the other, and is not closed.
 *
 * The course: files_can_go; files_pack; files_let_go; the region goes; files_unpack there. If the
 * move fails behind files_let_go, files_unpack in the old process restores what was.
 *
 * Threads: the thread that runs the program, which has no other.
 */
#ifndef ULP_FILE_MOVES_H
#define ULP_FILE_MOVES_H

#include <stdbool.h>
#include <stddef.h>

struct files;

/* Whether all that is open can go along. False, and *why, which stays. */
bool files_can_go(struct files *files, const char **why);

/*
 * All that is needed to open it again, in memory of malloc; `own_folder`: also the working folder
 * and the mask for new files, which are the thread's own. What streams have to write is written.
 * NULL, and *why, which stays.
 */
void *files_pack(struct files *files, bool own_folder, size_t *size, const char **why);

/* Closes all of it, but leaves the memory of streams as it is. */
void files_let_go(struct files *files);

/*
 * Opens what files_pack has noted; `files` is empty, and the memory of the streams is there. With a
 * folder of its own (*own_folder) the calling thread gets it: it is to be one that the system runs.
 * False, and *why, which stays; nothing is open then.
 */
bool files_unpack(struct files *files, const void *bytes, size_t size, bool *own_folder,
                  const char **why);

#endif
