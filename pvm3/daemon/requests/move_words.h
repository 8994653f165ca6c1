/*
 * move_words.h - what other pvmds say about tasks that move (moves.h), and what becomes of such
 * tasks when hosts end.
 */
#ifndef DAEMON_REQUESTS_MOVE_WORDS_H
#define DAEMON_REQUESTS_MOVE_WORDS_H

#include "daemon/post/request.h"

struct daemon;
struct place;

enum request_result move_word_hold(struct request *request);  /* CONTROL_TASK_HOLD */
enum request_result move_word_moved(struct request *request); /* CONTROL_TASK_MOVED */
enum request_result move_word_over(struct request *request);  /* CONTROL_TASK_OVER */

/* The task lives on this host now. */
void move_word_settle(struct place *place, uint32_t part);

/* The host is gone, and its questions have failed. */
void move_words_host_end(struct daemon *daemon, uint32_t part);

#endif
