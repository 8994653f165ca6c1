/* json_picture.h - a picture as a line of JSON. Members that are not known are left out. */
#ifndef TOP_JSON_PICTURE_H
#define TOP_JSON_PICTURE_H

#include "top/picture.h"

/* What is shown, to the standard output. */
void json_picture_print(const struct picture *picture);

#endif
