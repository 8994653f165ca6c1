/* screen.h - the virtual machine at a terminal, and keys. */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "top/settings.h"
#include "top/survey.h"

/* Shows until the user quits, or the virtual machine is gone. Returns the exit status. */
int screen_run(struct survey *survey, const struct settings *settings);

#endif
