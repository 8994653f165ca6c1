/* address_file.c - one daemon for each virtual machine. */
#include "daemon/base/address_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "daemon/base/probe.h"

#define ADDRESS_LIMIT 128

/* Names for a new file that are tried. */
#define NAMES_TRIED 100

enum attempt { ATTEMPT_DONE, ATTEMPT_REPLACED, ATTEMPT_FAILED, ATTEMPT_AGAIN };

static void address_file_complain(const char *verb, const char *path)
{
    fprintf(stderr, "pvmd: cannot %s %s: %s%s\n", verb, path, strerror(errno), error_remedy(errno));
}

/* A new file with the first free name: other users may have taken some names, on purpose. */
static int address_file_open(char scratch[ENVIRONMENT_PATH_SIZE], unsigned *names)
{
    int fd = -1;
    for (int tries = 0; tries < NAMES_TRIED && fd < 0; tries++) {
        if (!environment_temporary_name(scratch, getpid(), ++*names)) {
            errno = ENAMETOOLONG;
            break;
        }
        unlink(scratch);
        fd = open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

/* A complete file, whose name goes to `scratch`. */
static int address_file_write(char scratch[ENVIRONMENT_PATH_SIZE], const char *address,
                              unsigned *names)
{
    int fd = address_file_open(scratch, names);
    if (fd < 0) {
        address_file_complain("make", scratch);
        return -1;
    }
    size_t length = strlen(address);
    bool whole = write(fd, address, length) == (ssize_t)length;
    if (!whole)
        address_file_complain("write", scratch);
    if (close(fd) == 0 && whole)
        return 0;
    unlink(scratch);
    return -1;
}

static bool address_file_is_still(const char *path, int fd)
{
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static void address_file_remove_socket(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_uid == getuid())
        unlink(path);
}

/* Replaceable when no daemon runs at the address in the file; otherwise says which one does. */
static enum attempt address_file_judge(const char *path, int fd, int patience)
{
    char address[ADDRESS_LIMIT];
    ssize_t size = pread(fd, address, sizeof address - 1, 0);
    if (size < 0) {
        address_file_complain("read", path);
        return ATTEMPT_FAILED;
    }
    address[size] = '\0';
    address[strcspn(address, "\n")] = '\0';
    pid_t pid;
    if (*address != '/' && *address != '\0') {
        fprintf(stderr, "pvmd: %s says that a daemon runs at %s; if none does, remove that file\n",
                path, address);
        return ATTEMPT_FAILED;
    }
    switch (*address ? probe_socket(address, &pid) : PROBE_DEAD) {
    case PROBE_ALIVE:
        if (patience > 0 && probe_wait_end(pid, patience))
            return ATTEMPT_AGAIN;
        fprintf(stderr,
                "pvmd: already running: process %ld at %s (see %s); stop it, or set PVM_VMID for "
                "another virtual machine\n",
                (long)pid, address, path);
        return ATTEMPT_FAILED;
    case PROBE_ERROR:
        address_file_complain("tell whether a daemon runs at", address);
        return ATTEMPT_FAILED;
    case PROBE_DEAD:
        break;
    }
    address_file_remove_socket(address);
    return ATTEMPT_REPLACED;
}

/* In a folder for all users anybody may have made a file of that name. */
static bool address_file_is_foreign(const char *path)
{
    struct stat status;
    if (lstat(path, &status) < 0 || (S_ISREG(status.st_mode) && status.st_uid == getuid()))
        return false;
    fprintf(stderr,
            "pvmd: %s is no file of this user, but of user %lu: have it removed, or set PVM_TMP to "
            "a folder of your own\n",
            path, (unsigned long)status.st_uid);
    return true;
}

/* Replaces a file that a dead daemon left. */
static enum attempt address_file_replace(const struct address_file *file, const char *scratch)
{
    const char *path = file->path;
    if (address_file_is_foreign(path))
        return ATTEMPT_FAILED;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return ATTEMPT_AGAIN;
    if (fd < 0) {
        address_file_complain("open", path);
        return ATTEMPT_FAILED;
    }
    enum attempt attempt = ATTEMPT_FAILED;
    if (flock(fd, LOCK_EX) < 0)
        address_file_complain("lock", path);
    else if (!address_file_is_still(path, fd))
        attempt = ATTEMPT_AGAIN;
    else
        attempt = address_file_judge(path, fd, file->patience);
    if (attempt == ATTEMPT_REPLACED && rename(scratch, path) < 0) {
        address_file_complain("replace", path);
        attempt = ATTEMPT_FAILED;
    }
    close(fd);
    return attempt;
}

static enum attempt address_file_try(const struct address_file *file, const char *scratch)
{
    if (link(scratch, file->path) == 0)
        return ATTEMPT_DONE;
    if (errno == EEXIST)
        return address_file_replace(file, scratch);
    address_file_complain("make", file->path);
    return ATTEMPT_FAILED;
}

int address_file_claim(struct address_file *file, const char *address, unsigned *names)
{
    char scratch[ENVIRONMENT_PATH_SIZE] = "";
    if (!environment_address_file(file->path, getuid())) {
        fprintf(stderr, "pvmd: the name of the address file is too long: set PVM_TMP or PVM_VMID "
                        "to a shorter one\n");
        return -1;
    }
    if (address_file_write(scratch, address, names) < 0)
        return -1;
    enum attempt attempt;
    do
        attempt = address_file_try(file, scratch);
    while (attempt == ATTEMPT_AGAIN);
    unlink(scratch);
    file->taken_over = attempt == ATTEMPT_REPLACED;
    file->ours = attempt != ATTEMPT_FAILED;
    return file->ours ? 0 : -1;
}

void address_file_release(struct address_file *file)
{
    if (file->ours)
        unlink(file->path);
    file->ours = false;
}
