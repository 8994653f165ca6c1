/* pvmd_address.c - where the local pvmd listens. */
#include "lib/link/pvmd_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/task/variables.h"

#define ADDRESS_FILE_LIMIT 128

/*
 * In a folder for all users anybody may have made a file with the name of the address file, or a
 * pipe that nobody writes to.
 */
static bool address_is_ours(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

/*
 * What an address file holds. False with errno: ENODATA when it is empty, EPERM when it is not a
 * file of this user.
 */
static bool address_read(const char *path, char address[ADDRESS_FILE_LIMIT + 1])
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = -1;
    int error = EPERM;
    if (address_is_ours(file)) {
        length = read(file, address, ADDRESS_FILE_LIMIT);
        error = length < 0 ? errno : ENODATA;
    }
    close(file);
    errno = error;
    if (length > 0)
        address[length] = '\0';
    return length > 0;
}

/*
 * The address of the pvmd: PVMSOCK, else what the address file holds. False after saying what is
 * wrong.
 */
static bool address_find(struct task *task, char address[ADDRESS_FILE_LIMIT + 1])
{
    const char *given = variables_get(task, "PVMSOCK", NULL);
    if (given) {
        snprintf(address, ADDRESS_FILE_LIMIT + 1, "%s", given);
        return true;
    }
    char path[ENVIRONMENT_PATH_SIZE];
    if (!variables_address_file(task, path, geteuid())) {
        task_print(task,
                   "PVM_TMP or PVM_VMID is too long: the address file's name does not fit %d bytes",
                   ENVIRONMENT_PATH_SIZE);
        return false;
    }
    if (address_read(path, address))
        return true;
    if (task_print_shortage(task))
        return false;
    if (errno == EPERM)
        task_print(task,
                   "no pvmd to enrol with: %s is no file of this user: have it removed, or set "
                   "PVM_TMP to a folder of your own",
                   path);
    else
        task_print(task, "no pvmd to enrol with: %s: %s (start one with pvm or pvmd)", path,
                   strerror(errno));
    return false;
}

/* The pvmd runs as the same user. False with errno. */
static bool address_check_peer(int descriptor)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return false;
    errno = EPERM;
    return peer.uid == geteuid() || peer.uid == getuid();
}

static int address_connect_path(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(name.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&name, sizeof name) == 0 &&
        address_check_peer(descriptor))
        return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static int address_connect_internet(uint32_t host, uint16_t port)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(host)};
    int one = 1;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0 && connect(descriptor, (struct sockaddr *)&name, sizeof name) == 0 &&
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0)
        return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

/* A descriptor, or -1 with errno: EINVAL when the text is no address. */
static int address_connect(const char *address)
{
    uint32_t host;
    uint16_t port;
    if (address[0] == '/')
        return address_connect_path(address);
    if (environment_parse_address(address, &host, &port))
        return address_connect_internet(host, port);
    errno = EINVAL;
    return -1;
}

int pvmd_address_connect(struct task *task)
{
    char address[ADDRESS_FILE_LIMIT + 1];
    if (!address_find(task, address))
        return -1;
    int descriptor = address_connect(address);
    if (descriptor < 0 && !task_print_shortage(task))
        task_print(task, "no pvmd answers at %s: %s (left over by one that died?)", address,
                   strerror(errno));
    return descriptor;
}

bool pvmd_address_is_answered(const char *path)
{
    char address[ADDRESS_FILE_LIMIT + 1];
    int descriptor = address_read(path, address) ? address_connect(address) : -1;
    close(descriptor);
    return descriptor >= 0;
}
