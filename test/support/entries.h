/* How many names are in a folder, "." and ".." among them? */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <dirent.h>

#include "fail.h"

static inline int entries(const char *path)
{
    int number = 0;
    DIR *folder = opendir(path);
    if (!folder)
        fail("%s cannot be read", path);
    while (readdir(folder))
        number++;
    closedir(folder);
    return number;
}

#endif
