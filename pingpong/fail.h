/*
 * How a program gives up: one line on stderr that says what is wrong, then exit status 1.
 */
#ifndef PINGPONG_FAIL_H
#define PINGPONG_FAIL_H

/* Print "PROGRAM: TEXT", tell the listener if there is one, end the process at once (other
 * threads may be anywhere in the communication library, so nothing of it is unwound).
 * Any thread may call it. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `listener` gets `context` and the text of a failure before the process ends: a P2 whose stderr
 * nobody reads tells P1 with it. Set it before another thread may fail. */
void fail_listen(void (*listener)(void *context, const char *text), void *context);

#endif
