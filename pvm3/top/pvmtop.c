/*
 * pvmtop.c - pvmtop: shows what the hosts and tasks of a virtual machine use.
 *
 * It is a task like any other. A copy of it runs on each host as its agent (agent.h), from whose
 * answers it makes a picture (survey.h). What shows this is chosen by an option.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pvm3.h>

#include "sched/clock.h"
#include "top/agent.h"
#include "top/json_picture.h"
#include "top/lines.h"
#include "top/screen.h"
#include "top/server.h"

/* Seconds for which agents are waited for that are asked once. */
static const double patience = 30;
/* Seconds that a wait for the next question takes at most. */
static const double longest = 3600;

static int machine_is_gone(void)
{
    fprintf(stderr, "pvmtop: the virtual machine is gone\n");
    return EXIT_FAILURE;
}

static int print_once(struct survey *survey, const struct settings *settings,
                      void (*print)(const struct picture *picture))
{
    if (!survey_take(survey, patience))
        return machine_is_gone();
    picture_arrange(&survey->picture, settings->order, settings->filter);
    print(&survey->picture);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Lines that came in together are one question. False: the input is over. */
static bool question_take(void)
{
    char text[256];
    return read(STDIN_FILENO, text, sizeof text) > 0;
}

/* Sleeps until it is asked. */
static int print_when_asked(struct survey *survey, const struct settings *settings)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (survey_wait(survey, input.fd, clock_now() + longest)) {
        if (poll(&input, 1, 0) <= 0)
            continue;
        if (!question_take())
            return EXIT_SUCCESS;
        int status = print_once(survey, settings, json_picture_print);
        if (status != EXIT_SUCCESS)
            return status;
    }
    return machine_is_gone();
}

static int show(struct survey *survey, const struct settings *settings)
{
    switch (settings->view) {
    case VIEW_TABLE:
        return print_once(survey, settings, lines_print);
    case VIEW_JSON:
        return print_once(survey, settings, json_picture_print);
    case VIEW_STREAM:
        return print_when_asked(survey, settings);
    case VIEW_METRICS:
        return server_run(survey, settings->port);
    case VIEW_AGENT:
        return agent_run();
    default:
        return screen_run(survey, settings);
    }
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct survey survey = {.look = 0};
    settings_read(&settings, argc, argv);
    unsetenv("PVM_TASKS"); /* agents are processes, whatever else is spawned from here */
    pvm_setopt(PvmAutoErr, 0);
    if (pvm_mytid() < 0) {
        fprintf(stderr, "pvmtop: there is no virtual machine (pvm starts one)\n");
        return EXIT_FAILURE;
    }
    int status = show(&survey, &settings);
    survey_free(&survey);
    pvm_exit();
    return status;
}
