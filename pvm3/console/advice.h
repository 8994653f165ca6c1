/*
 * advice.h - what can be done about an error? NULL: nothing that we know.
 */
#ifndef CONSOLE_ADVICE_H
#define CONSOLE_ADVICE_H

const char *advice_add(int code);
const char *advice_delete(int code);
const char *advice_host(int code);
const char *advice_move(int code);
const char *advice_spawn(int code);
const char *advice_task(int code);
const char *advice_mailbox(int code);

#endif
