/* input.c - a buffer that grows to the longest line. */
#include "console/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_LEAST 1024

void input_start(struct input *input, int fd)
{
    *input = (struct input){.fd = fd};
}

void input_finish(struct input *input)
{
    free(input->text);
    *input = (struct input){.fd = -1, .ended = true};
}

const char *input_line(struct input *input)
{
    char *start = input->text + input->taken;
    size_t left = input->length - input->taken;
    char *end = left > 0 ? memchr(start, '\n', left) : NULL;
    if (!end && (!input->ended || left == 0))
        return NULL;
    if (!end)
        end = start + left; /* input_read keeps a byte free behind the text */
    *end = '\0';
    input->taken = (size_t)(end - input->text) + 1;
    if (input->taken > input->length)
        input->taken = input->length;
    return start;
}

static void input_fail(struct input *input, int error)
{
    input->ended = true;
    input->error = error;
}

void input_read(struct input *input)
{
    if (input->taken > 0) {
        input->length -= input->taken;
        memmove(input->text, input->text + input->taken, input->length);
        input->taken = 0;
    }
    if (input->capacity - input->length <= READ_LEAST) {
        char *text = realloc(input->text, 2 * input->capacity + 2 * READ_LEAST);
        if (!text) {
            input_fail(input, ENOMEM);
            return;
        }
        input->text = text;
        input->capacity = 2 * input->capacity + 2 * READ_LEAST;
    }
    ssize_t got = read(input->fd, input->text + input->length, input->capacity - input->length - 1);
    if (got > 0)
        input->length += (size_t)got;
    else if (got == 0)
        input->ended = true;
    else if (errno != EINTR)
        input_fail(input, errno);
}
