/* input.c - reading, and who gets it. */
#include "run/input.h"

#include <errno.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/protocol.h"

bool input_is_for(const struct run *run, int rank)
{
    return run->ranks[rank].world == 0 && (run->job.input == INPUT_ALL || run->job.input == rank);
}

bool input_is_wanted(const struct input *input, const struct run *run)
{
    int readers = 0;
    if (input->ended || input->paused)
        return false;
    for (int i = 0; i < run->size; i++) {
        const struct rank *rank = &run->ranks[i];
        if (!input_is_for(run, i) || rank->state == RANK_OVER)
            continue;
        if (rank->state != RANK_RUNS || rank->underway >= INPUT_WINDOW)
            return false;
        readers++;
    }
    return readers > 0;
}

static void input_send(struct rank *rank, const char *text, size_t length)
{
    int count = (int)length;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&count, 1, 1);
    pvm_pkbyte(text, count, 1);
    pvm_send(rank->supervisor, TAG_INPUT);
    rank->underway += length;
}

void input_pass(struct input *input, const struct run *run)
{
    char text[PIECE_SIZE];
    ssize_t length = read(STDIN_FILENO, text, sizeof text);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    input->paused = length < 0 && errno == EIO; /* what a process in the background gets */
    input->ended = length <= 0 && !input->paused;
    if (input->paused)
        return;
    for (int i = 0; i < run->size; i++)
        if (input_is_for(run, i) && run->ranks[i].state == RANK_RUNS)
            input_send(&run->ranks[i], text, length > 0 ? (size_t)length : 0);
}
