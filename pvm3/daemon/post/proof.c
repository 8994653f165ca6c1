/* proof.c - making, writing and removing of files. */
#include "daemon/post/proof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/post/post_room.h"
#include "daemon/post/task_link.h"

/* Names for a d-auth file that are tried: others may have taken some, on purpose. */
#define NAMES_TRIED 100

static void proof_forget_ours(struct task_link *link)
{
    char path[ENVIRONMENT_PATH_SIZE];
    if (link->proof < 0)
        return;
    close(link->proof);
    if (environment_temporary_name(path, getpid(), link->proof_number))
        unlink(path);
    link->proof = -1;
}

/* A task removes its own file, unless it is killed before. */
static void proof_remove_theirs(const struct task_link *link)
{
    struct stat status;
    if (lstat(link->claim, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
        unlink(link->claim);
}

bool proof_take(struct task_link *link)
{
    char byte;
    bool written = read(link->proof, &byte, 1) == 1;
    proof_forget_ours(link);
    return written;
}

void proof_forget(struct task_link *link)
{
    proof_forget_ours(link);
    if (link->claim && link->state == TASK_LINK_AUTHENTICATING)
        proof_remove_theirs(link);
    free(link->claim);
    link->claim = NULL;
}

static const char *proof_check_file(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return "its authentication file is no regular file";
    if (status.st_uid != geteuid())
        return "its authentication file is of another user";
    if (status.st_size != 0 || status.st_nlink != 1)
        return "its authentication file is not a new one";
    return NULL;
}

/* What to say of a file that cannot be opened or made, by errno. */
static const char *proof_opening(const char *otherwise)
{
    return errno == EMFILE ? "the daemon has no more descriptors (raise 'ulimit -n')" : otherwise;
}

const char *proof_give(const char *path)
{
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return proof_opening("its authentication file cannot be opened for writing");
    const char *wrong = proof_check_file(fd);
    if (!wrong && write(fd, path, 1) != 1)
        wrong = "its authentication file cannot be written";
    close(fd);
    return wrong;
}

const char *proof_ask(struct task_link *link)
{
    struct daemon *daemon = link->daemon;
    char path[ENVIRONMENT_PATH_SIZE];
    int tries = 0;
    do {
        daemon->temporary_names++;
        link->proof_number = daemon->temporary_names;
        if (!environment_temporary_name(path, getpid(), link->proof_number))
            return "the name of the temporary folder is too long";
        link->proof =
            open(path, O_RDONLY | O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (link->proof < 0 && errno == EEXIST && ++tries < NAMES_TRIED);
    return link->proof < 0 ? proof_opening("the daemon cannot make an authentication file") : NULL;
}
