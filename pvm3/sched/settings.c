/* settings.c - what holds without options. */
#include "sched/settings.h"

void settings_start(struct settings *settings)
{
    *settings = (struct settings){
        .every = 10, .least = 60, .gain = 0.1, .idle = 300, .owner_load = 0.4, .talk = 100};
}
