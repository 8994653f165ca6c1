/*
 * service.h - what tasker.c, hoster.c and manager.c have in common: they read requests whose parts
 * pvmproto.h tells, and answer with the wait id of the request.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>
#include <pvmproto.h>

/* The tid under which a task knows its own pvmd, and the part of a tid that says "a pvmd". */
#define OWN_PVMD ((int)0x80000000)

/* Who asked, under which number, and for what. */
struct request {
    int source;
    int tag;
    int wait;
    int bytes;
};

static inline void *service_allocate(size_t size)
{
    void *memory = calloc(size + 1, 1);

    if (!memory) {
        fprintf(stderr, "not enough memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* What a receive returned; the body is in the active receive buffer. */
static inline struct request service_request(int buffer)
{
    struct request request;
    struct pvmminfo info;

    pvm_bufinfo(buffer, &request.bytes, &request.tag, &request.source);
    pvm_getminfo(buffer, &info);
    request.wait = info.wid;
    return request;
}

static inline int service_int(void)
{
    int value = 0;

    pvm_upkint(&value, 1, 1);
    return value;
}

/* The next string of a request, to be freed. */
static inline char *service_string(const struct request *request)
{
    char *text = service_allocate((size_t)request->bytes);

    pvm_upkstr(text);
    return text;
}

/* So many strings and NULL, as execve wants them; to be freed by service_free_strings. */
static inline char **service_strings(const struct request *request, int count)
{
    char **strings;

    if (count < 0 || count > request->bytes / 4) /* more than the message has room for */
        count = 0;
    strings = service_allocate(((size_t)count + 1) * sizeof *strings);
    for (int i = 0; i < count; i++)
        strings[i] = service_string(request);
    return strings;
}

static inline void service_free_strings(char **strings)
{
    for (int i = 0; strings[i]; i++)
        free(strings[i]);
    free(strings);
}

/* Makes an empty send buffer that carries a wait id: 0, or that of what is answered. */
static inline void service_begin(int wait)
{
    struct pvmminfo info = {.wid = wait};

    pvm_initsend(PvmDataDefault);
    pvm_setminfo(pvm_getsbuf(), &info);
}

static inline void service_put_int(int value)
{
    pvm_pkint(&value, 1, 1);
}

#endif
