/* settings.h - what the user wants to see, and how. */
#ifndef TOP_SETTINGS_H
#define TOP_SETTINGS_H

#include <stdint.h>

#include "top/picture.h"

enum view { VIEW_SCREEN, VIEW_TABLE, VIEW_JSON, VIEW_STREAM, VIEW_METRICS, VIEW_AGENT };

struct settings {
    enum view view;
    enum order order;
    const char *filter;
    double delay;  /* seconds from look to look */
    uint16_t port; /* of the metrics */
};

/* Reads the command line. If it is wrong, or asks for help, that ends the process. */
void settings_read(struct settings *settings, int count, char **words);

#endif
