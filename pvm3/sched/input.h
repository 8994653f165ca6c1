/* input.h - how long ago somebody used an input device of the host. */
#ifndef SCHED_INPUT_H
#define SCHED_INPUT_H

/*
 * Seconds since a terminal or another input device was read: what was typed was read there. `dev`
 * is /dev, but in tests. The system notes the time to about 8 seconds. Without any device, a very
 * long time.
 */
double input_idle(const char *dev);

#endif
