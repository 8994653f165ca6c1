/* input.c - how long ago somebody used an input device of the host. */
#include "sched/input.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double for_ever = 1e9;

/*
 * The least time since a device of a folder whose name begins so was read, at most `least`. ptmx is
 * left out: terminal emulators read there what programs print.
 */
static double least_of(const char *dev, const char *name, const char *prefix, double least)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dev, name);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        struct stat status;
        bool is_device = entry->d_name[0] != '.' && strcmp(entry->d_name, "ptmx") != 0 &&
                         strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
                         fstatat(dirfd(folder), entry->d_name, &status, 0) == 0 &&
                         !S_ISDIR(status.st_mode);
        double idle = is_device ? difftime(time(NULL), status.st_atime) : for_ever;
        if (idle < least)
            least = idle > 0 ? idle : 0;
    }
    if (folder)
        closedir(folder);
    return least;
}

double input_idle(const char *dev)
{
    double idle = least_of(dev, ".", "tty", for_ever);
    idle = least_of(dev, "pts", "", idle);
    return least_of(dev, "input", "", idle);
}
