/*
 * pvmtop.c - pvmtop: shows what the hosts and tasks of a virtual machine use.
 *
 * It is a task like any other. A copy of it runs on each host as its agent (agent.h), from whose
 * answers it makes a picture (survey.h). What shows this is chosen by an option.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "top/agent.h"
#include "top/json_picture.h"
#include "top/lines.h"
#include "top/screen.h"
#include "top/server.h"

/* Seconds for which agents are waited for that are asked once. */
static const double patience = 30;

static int print_once(struct survey *survey, const struct settings *settings,
                      void (*print)(const struct picture *picture))
{
    if (!survey_take(survey, patience)) {
        fprintf(stderr, "pvmtop: the virtual machine is gone\n");
        return EXIT_FAILURE;
    }
    picture_arrange(&survey->picture, settings->order, settings->filter);
    print(&survey->picture);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int show(struct survey *survey, const struct settings *settings)
{
    switch (settings->view) {
    case VIEW_TABLE:
        return print_once(survey, settings, lines_print);
    case VIEW_JSON:
        return print_once(survey, settings, json_picture_print);
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
