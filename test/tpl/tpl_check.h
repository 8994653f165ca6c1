/* tpl_check.h - what the test programs of TPL share: a failed check ends it with a line. */
#ifndef TPL_CHECK_H
#define TPL_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <tpl.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Prints what the result is when it is another than the wanted one. */
#define GIVES(call, wanted)                                                                        \
    do {                                                                                           \
        int check_result_ = (call);                                                                \
        if (check_result_ != (wanted)) {                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    tpl_strerror(check_result_));                                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
