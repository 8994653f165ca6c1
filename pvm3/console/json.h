/*
 * json.h - JSON text, written value by value to a stream.
 *
 * Commas are written where they belong. A byte that is no UTF-8 becomes U+FFFD. What cannot be
 * written is lost, as with stdio.
 */
#ifndef CONSOLE_JSON_H
#define CONSOLE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json {
    FILE *file;
    bool comma; /* a value of the same list or object precedes */
};

/* Objects have '{' and '}', lists '[' and ']'. */
void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);

/* In an object each value follows its key. */
void json_key(struct json *json, const char *key);

/* NULL is null. */
void json_text(struct json *json, const char *text);
void json_bytes(struct json *json, const char *text, size_t length);
void json_number(struct json *json, long number);
void json_thousandths(struct json *json, long number); /* that many thousandths, as a decimal */
void json_boolean(struct json *json, bool value);

/* A tid as the console writes and takes it, "t40001"; null for a number that is not positive. */
void json_tid(struct json *json, int tid);

/* Members of an object. */
void json_text_member(struct json *json, const char *key, const char *text);
void json_number_member(struct json *json, const char *key, long number);
void json_boolean_member(struct json *json, const char *key, bool value);
void json_tid_member(struct json *json, const char *key, int tid);

#endif
