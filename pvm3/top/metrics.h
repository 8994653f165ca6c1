/* metrics.h - a picture as metrics, in the text format that Prometheus reads. */
#ifndef TOP_METRICS_H
#define TOP_METRICS_H

#include <stdio.h>

#include "top/picture.h"

void metrics_write(FILE *file, const struct picture *picture);

#endif
