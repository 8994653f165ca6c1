/* check_here.c - this host: its name, its folder, its pvmd. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/check.h"
#include "core/environment.h"
#include "core/own_address.h"
#include "places.h"

static struct sockaddr_in socket_address(uint32_t address)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
}

/* True when a socket can be bound to the address: it is one of this machine. */
static bool address_is_own(uint32_t address)
{
    struct sockaddr_in to = socket_address(address);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool own = fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof to) == 0;
    if (fd >= 0)
        close(fd);
    return own;
}

static void check_name(struct check *check, bool with_others)
{
    char text[CHECK_ADDRESS];

    check->address = check_look_up(check->host);
    check_show_address(check->address, text);
    uint32_t route =
        own_address_is_hidden(check->host, check->address) ? own_address_of_route() : 0;
    if (route != 0) {
        check_note(check, "the name means %s, by which no other machine finds this one", text);
        check->address = route;
        check_show_address(route, text);
    }
    if (check->address == 0) {
        check_problem(
            check,
            "put the name into /etc/hosts or the name server, or start with pvm -nNAME, a "
            "name with an address",
            "the name of this host, %s, has no address", check->host);
    } else if (!address_is_own(check->address)) {
        check_problem(check, "mend /etc/hosts or the name server, or start with pvm -nNAME",
                      "the name of this host, %s, means %s, which is no address of this machine",
                      check->host, text);
    } else if (check->address == INADDR_LOOPBACK && with_others) {
        check_problem(check,
                      "let the name mean the address of the network in /etc/hosts, or start with "
                      "pvm -nNAME, a name or address that the others reach",
                      "the name of this host, %s, means %s: other hosts cannot find it there",
                      check->host, text);
    } else if (check_is_loopback(check->address)) {
        check_note(check, "the name means %s, by which no other machine finds this one", text);
        check->trial_possible = true;
    } else {
        check_good(check,
                   route != 0 ? "the pvmd uses %s, that of the default route"
                              : "the name means %s, an address of this machine",
                   text);
        check->trial_possible = true;
    }
}

static void check_user(struct check *check)
{
    if (getuid() == 0 && !getenv("PVM_ALLOW_ROOT"))
        check_problem(check, "work as an ordinary user, or set PVM_ALLOW_ROOT=1",
                      "PVM does not run for root unless PVM_ALLOW_ROOT is set");
}

static void check_root(struct check *check)
{
    struct stat about;
    const char *root = environment_get("PVM_ROOT", PVM_DEFAULT_ROOT);
    if (stat(root, &about) != 0 || !S_ISDIR(about.st_mode))
        check_problem(check, "set PVM_ROOT to where PVM is installed, or unset it",
                      "PVM_ROOT is %s, which is no folder", root);
    else
        check_good(check, "PVM_ROOT is %s", root);
}

/* Runs `pvmd -t`, which prints a line about versions, and copies that. False: it does not run. */
static bool pvmd_ask_version(char *line, int size)
{
    *line = '\0';
    FILE *output = popen(PVM_DEFAULT_PVMD " -t 2>&1 </dev/null", "re");
    if (!output)
        return false;
    if (fgets(line, size, output))
        line[strcspn(line, "\n")] = '\0';
    char rest[256];
    while (fgets(rest, sizeof rest, output))
        continue;
    return pclose(output) == 0;
}

static void check_program(struct check *check)
{
    char line[256];
    if (access(PVM_DEFAULT_PVMD, X_OK) != 0)
        check_problem(check, "install PVM again", "%s cannot be run: %s", PVM_DEFAULT_PVMD,
                      strerror(errno));
    else if (!pvmd_ask_version(line, sizeof line))
        check_problem(check, "install PVM again", "%s does not run: %s", PVM_DEFAULT_PVMD, line);
    else
        check_good(check, "%s runs: %s", PVM_DEFAULT_PVMD, line);
}

/* True when a file can be made in the folder. */
static bool check_folder(struct check *check)
{
    struct stat about;
    char path[ENVIRONMENT_PATH_SIZE + 32];
    const char *folder = environment_temporary_folder();
    static const char hint[] = "set PVM_TMP to a folder of yours, on each host, or unset it";

    if (*folder != '/') {
        check_problem(check, hint, "PVM_TMP is %s, which does not begin with /", folder);
        return false;
    }
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode)) {
        check_problem(check, hint, "the folder for sockets, %s, is not there", folder);
        return false;
    }
    if (snprintf(path, sizeof path, "%s/pvmcheckXXXXXX", folder) >= ENVIRONMENT_PATH_SIZE) {
        check_problem(check, hint, "the path of the folder for sockets, %s, is too long", folder);
        return false;
    }
    int fd = mkstemp(path);
    bool written = fd >= 0 && write(fd, "x", 1) == 1;
    int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    if (!written) {
        check_problem(check, hint, "no file can be written in %s: %s", folder, strerror(error));
        return false;
    }
    check_good(check, "files can be written in %s", folder);
    return true;
}

/* Connects to the socket that an address file names; gives the descriptor, or -1. */
static int pvmd_connect(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || strlen(path) >= sizeof to.sun_path)
        return fd;
    strcpy(to.sun_path, path);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static int peer_of(int fd)
{
    struct ucred peer = {.pid = 0};
    socklen_t size = sizeof peer;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    return peer.pid;
}

/* The letter that the system has for what a process does. */
static char process_state(int pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] ? end[2] : '?';
}

/* A task that is killed while it enrols leaves the file by which it proves who it is. */
static void temporary_files_remove(pid_t pid)
{
    char path[ENVIRONMENT_PATH_SIZE];
    for (unsigned i = 0; i < 4; i++)
        if (environment_temporary_name(path, pid, i))
            unlink(path);
}

/* True when a task can enrol. A child process tries it, since enrolling may hang. */
static bool pvmd_answers(int patience)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return true;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        pvm_setopt(PvmAutoErr, 0);
        char answer = pvm_mytid() > 0 ? 'y' : 'n';
        ssize_t sent = write(ends[1], &answer, 1);
        pvm_exit();
        _exit(sent == 1 ? 0 : 1);
    }
    close(ends[1]);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    char answer = 'n';
    if (pid > 0 && poll(&wait, 1, patience * 1000) == 1)
        answer = read(ends[0], &answer, 1) == 1 ? answer : 'n';
    close(ends[0]);
    if (pid > 0) {
        if (answer != 'y')
            kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        temporary_files_remove(pid);
    }
    return answer == 'y';
}

static void check_running(struct check *check, int fd)
{
    char hint[128];
    int pid = peer_of(fd);
    if (pvmd_answers(check->patience)) {
        check->in_machine = pvm_mytid() > 0;
        check_good(check, "a pvmd runs, process %d, and answers", pid);
        return;
    }
    if (process_state(pid) == 'T')
        snprintf(hint, sizeof hint, "it is stopped: kill -CONT %d lets it go on", pid);
    else
        snprintf(hint, sizeof hint, "kill -9 %d ends it; what it leaves is taken over", pid);
    check_problem(check, hint, "a pvmd runs, process %d, but does not answer", pid);
}

static void check_address_file(struct check *check)
{
    char path[ENVIRONMENT_PATH_SIZE], address[ENVIRONMENT_PATH_SIZE] = "";
    struct stat about;
    if (!environment_address_file(path, getuid()) || lstat(path, &about) != 0) {
        check_note(check, "no pvmd runs for this user%s",
                   *environment_get("PVM_VMID", "") ? " and PVM_VMID" : "");
        return;
    }
    if (about.st_uid != getuid() || !S_ISREG(about.st_mode)) {
        check_problem(check, "have it removed, or set PVM_TMP to a folder of your own",
                      "%s is in the way: it is no file of this user", path);
        return;
    }
    FILE *file = fopen(path, "re");
    if (file && fgets(address, sizeof address, file))
        address[strcspn(address, "\n")] = '\0';
    if (file)
        fclose(file);
    int fd = pvmd_connect(address);
    if (fd < 0) {
        check_note(check, "%s was left by a pvmd that is dead; the next one takes it over", path);
        return;
    }
    check_running(check, fd);
    close(fd);
}

void check_here(struct check *check, bool with_others)
{
    char name[256] = "";

    if (!check->name && gethostname(name, sizeof name - 1) != 0)
        strcpy(name, "localhost");
    check->host = check->name ? check->name : name;
    check_user(check);
    check_name(check, with_others);
    check_root(check);
    check_program(check);
    if (check_folder(check))
        check_address_file(check);
    check->host = NULL;
}
