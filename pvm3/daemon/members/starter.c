/* starter.c - a way, a limit of patience, and a result. */
#include "daemon/members/starter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/log.h"
#include "daemon/members/member_room.h"

/* Users have more patience with themselves: to log in somewhere takes longer than a program. */
#define PATIENCE_WITH_USERS 5

#define FAILURE "PvmCantStart"

/* What the user is asked, in the words of 3.4.6, which programs may look for. */
#define QUESTION                                                                                   \
    "*** Manual startup ***\n"                                                                     \
    "Login to \"%s%s%s\" and type:\n"                                                              \
    "%s%s%s%s\n"
#define QUESTION_FOR_WINDOWS "\nor, if that command fails, for WIN32 hosts try:\n%s\n"
#define QUESTION_END         "\nType response: "
#define THANKS               "Thanks\n"

static void starter_run_done(struct loop_work *work)
{
    struct starter *starter = LIST_OWNER(work, struct starter, end);
    starter->done(starter);
}

static void starter_let_go(struct starter *starter, bool done)
{
    loop_timer_cancel(&starter->patience);
    remote_shell_finish(&starter->shell, done);
    terminal_leave(&starter->daemon->member_room->terminal, &starter->turn);
}

static void starter_end(struct starter *starter, const char *result)
{
    snprintf(starter->result, sizeof starter->result, "%s", result);
    starter_let_go(starter, strcmp(result, FAILURE) != 0);
    loop_defer(&starter->daemon->loop, &starter->end);
}

static int starter_patience(const struct starter *starter)
{
    int patience = starter->daemon->settings.start_patience;
    return starter->order.way == STARTER_SHELL ? patience : patience * PATIENCE_WITH_USERS;
}

static void starter_lose_patience(struct loop_timer *timer)
{
    struct starter *starter = LIST_OWNER(timer, struct starter, patience);
    log_write("the daemon on %s was not there within %d seconds (PVM_START_PATIENCE)",
              starter->order.host, starter_patience(starter) / 1000);
    if (starter->order.way == STARTER_BY_HAND)
        terminal_write("\nThat took too long: this host is left out\n");
    starter_end(starter, FAILURE);
}

/* Through the remote shell. -------------------------------------------------------------------- */

static void starter_shell_told(struct remote_shell *shell, const char *line)
{
    starter_end(LIST_OWNER(shell, struct starter, shell), line ? line : FAILURE);
}

static void starter_run_shell(struct starter *starter)
{
    if (!remote_shell_start(&starter->shell, &starter->daemon->loop, &starter->order,
                            starter_shell_told))
        starter_end(starter, FAILURE);
    else
        loop_timer_set(&starter->daemon->loop, &starter->patience, starter_patience(starter));
}

/* By hand. ------------------------------------------------------------------------------------- */

/* NULL when memory is short. */
static char *starter_question(const struct starter_order *order)
{
    char *question = NULL;
    size_t length;
    bool named = *order->machine != '\0';
    FILE *stream = open_memstream(&question, &length);
    if (!stream)
        return NULL;
    fprintf(stream, QUESTION, order->login ? order->login : "", order->login ? "@" : "",
            order->address, named ? "env PVM_VMID=" : "", order->machine, named ? " " : "",
            order->command);
    if (order->windows_command)
        fprintf(stream, QUESTION_FOR_WINDOWS, order->windows_command);
    fputs(QUESTION_END, stream);
    return fclose(stream) == 0 ? question : NULL;
}

static void starter_typed(struct terminal_turn *turn, const char *line)
{
    struct starter *starter = LIST_OWNER(turn, struct starter, turn);
    if (line) {
        terminal_write(THANKS);
        starter_end(starter, line);
        return;
    }
    log_write("nothing can be typed for %s (so=ms): the standard input of this pvmd has ended, or "
              "it runs in the background",
              starter->order.host);
    starter_end(starter, FAILURE);
}

static void starter_ask(struct starter *starter)
{
    struct terminal *terminal = &starter->daemon->member_room->terminal;
    char *question = starter_question(&starter->order);
    loop_timer_set(&starter->daemon->loop, &starter->patience, starter_patience(starter));
    bool asked = question && terminal_write(question) && terminal_read(terminal);
    int error = errno;
    free(question);
    if (asked)
        return;
    log_write("nobody can be asked to start the daemon on %s by hand (so=ms): run this pvmd in the "
              "foreground of a terminal (%s)",
              starter->order.host, strerror(error));
    starter_end(starter, FAILURE);
}

/* ---------------------------------------------------------------------------------------------- */

static void starter_begin_turn(struct terminal_turn *turn)
{
    struct starter *starter = LIST_OWNER(turn, struct starter, turn);
    if (starter->order.way == STARTER_BY_HAND)
        starter_ask(starter);
    else
        starter_run_shell(starter);
}

void starter_start(struct starter *starter, struct daemon *daemon,
                   const struct starter_order *order, void (*done)(struct starter *))
{
    *starter = (struct starter){.daemon = daemon, .order = *order, .done = done};
    starter->turn = (struct terminal_turn){.begin = starter_begin_turn, .typed = starter_typed};
    loop_timer_start(&starter->patience, starter_lose_patience);
    loop_work_start(&starter->end, starter_run_done);
    if (order->way == STARTER_SHELL) {
        starter_run_shell(starter);
    } else if (order->way == STARTER_ASKING_SHELL && !terminal_can_ask()) {
        log_write("cannot ask for the password for %s (so=pw): run this pvmd in a terminal, or "
                  "let the remote shell need no password",
                  order->host);
        starter_end(starter, FAILURE);
    } else {
        terminal_want(&daemon->member_room->terminal, &starter->turn);
    }
}

void starter_finish(struct starter *starter)
{
    if (!starter->daemon)
        return;
    starter_let_go(starter, false);
    loop_work_cancel(&starter->end);
    free(starter->order.command);
    free(starter->order.windows_command);
    explicit_bzero(starter->order.key, sizeof starter->order.key);
    starter->daemon = NULL;
}
