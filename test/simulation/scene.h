/*
 * scene.h - machines of which the first one runs a master, and a user's program there. One thread.
 */
#ifndef SIMULATION_SCENE_H
#define SIMULATION_SCENE_H

#include <stddef.h>

/* The world has begun. */
void scene_begin(size_t machines);
/* All is forgotten, the world too. */
void scene_end(void);

#endif
