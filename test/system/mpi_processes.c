/* What MPI says of processes that come, meet and die, one part at a time.
 *
 * usage: mpi_processes PART      on as many ranks as the part is for, by mpiexec
 * Prints "ok" on each rank, or the line of the first thing that is wrong, and ends with status 1.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi_check.h"

#define WORLD MPI_COMM_WORLD

enum { TAG = 7, CHILDREN = 2 };

static int rank, size;
static char *program;

static int sum_of(int number, MPI_Comm comm)
{
    int sum;
    CHECK(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    return sum;
}

static int remote_size_of(MPI_Comm comm)
{
    int others;
    CHECK(MPI_Comm_remote_size(comm, &others) == MPI_SUCCESS);
    return others;
}

/* Both sides of an inter-communicator: all speak with each other, and in one communicator. */
static void talk(MPI_Comm inter, int high)
{
    int local, remote = remote_size_of(inter), got = -1, all;
    MPI_Comm merged;
    CHECK(MPI_Comm_rank(inter, &local) == MPI_SUCCESS);
    for (int i = 0; i < remote; i++)
        CHECK(MPI_Send(&local, 1, MPI_INT, i, TAG, inter) == MPI_SUCCESS);
    for (int i = 0; i < remote; i++) {
        CHECK(MPI_Recv(&got, 1, MPI_INT, i, TAG, inter, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(got == i);
    }
    CHECK(sum_of(high ? 1 : 100, inter) == (high ? 100 : 1) * remote);
    CHECK(MPI_Intercomm_merge(inter, high, &merged) == MPI_SUCCESS);
    CHECK(MPI_Comm_size(merged, &all) == MPI_SUCCESS && sum_of(1, merged) == all);
    CHECK(MPI_Comm_free(&merged) == MPI_SUCCESS);
}

/* Processes that come. ------------------------------------------------------------------------- */

static void be_child(int number, int count)
{
    MPI_Comm parent, gone;
    int *part, found;
    char name[MPI_MAX_OBJECT_NAME];
    CHECK(MPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL);
    CHECK(MPI_Comm_get_name(parent, name, &found) == MPI_SUCCESS);
    CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
    CHECK(MPI_Comm_get_attr(WORLD, MPI_APPNUM, &part, &found) == MPI_SUCCESS && found);
    CHECK(*part == number && size == count);
    talk(parent, 1);
    CHECK(MPI_Comm_disconnect(&parent) == MPI_SUCCESS);
    CHECK(MPI_Comm_get_parent(&gone) == MPI_SUCCESS && gone == MPI_COMM_NULL);
}

static void child(void)
{
    be_child(0, CHILDREN);
}

static void spawn(void)
{
    char *words[] = {(char *)"child", NULL};
    int codes[CHILDREN] = {-1, -1};
    MPI_Comm children, parent;
    CHECK(MPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL);
    CHECK(MPI_Comm_spawn(program, words, CHILDREN, MPI_INFO_NULL, size - 1, WORLD, &children,
                         codes) == MPI_SUCCESS);
    CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
    CHECK(remote_size_of(children) == CHILDREN);
    talk(children, 0);
    CHECK(MPI_Comm_disconnect(&children) == MPI_SUCCESS && children == MPI_COMM_NULL);
}

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;
    CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
    CHECK(MPI_Info_set(info, key, value) == MPI_SUCCESS);
    return info;
}

/* Two of the first program, and at most two of the second one, which finds itself in "/". */
static void several_child(void)
{
    char folder[PATH_MAX];
    int *part, found;
    CHECK(MPI_Comm_get_attr(WORLD, MPI_APPNUM, &part, &found) == MPI_SUCCESS && found);
    CHECK(getcwd(folder, sizeof folder) && (strcmp(folder, "/") == 0) == (*part == 1));
    be_child(rank < 2 ? 0 : 1, 4);
}

static void several(void)
{
    char *words[] = {(char *)"several_child", NULL};
    char **all[] = {words, words};
    char *base = strrchr(program, '/');
    char *programs[] = {base + 1, program};
    int counts[] = {2, 3}, codes[5];
    *base = '\0';
    MPI_Info infos[] = {info_of("path", program), info_of("wdir", "/")};
    *base = '/';
    MPI_Comm children;
    CHECK(MPI_Info_set(infos[1], "soft", "2,5:9") == MPI_SUCCESS);
    CHECK(MPI_Info_set(infos[1], "host", "localhost") == MPI_SUCCESS);
    CHECK(MPI_Comm_spawn_multiple(2, programs, all, counts, infos, 0, WORLD, &children, codes) ==
          MPI_SUCCESS);
    CHECK(remote_size_of(children) == 4);
    talk(children, 0);
    CHECK(MPI_Comm_disconnect(&children) == MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK(MPI_Info_free(&infos[i]) == MPI_SUCCESS);
}

static void refused(void)
{
    int codes[2] = {0, 0};
    MPI_Comm children;
    MPI_Info infos[] = {MPI_INFO_NULL, info_of("host", "no.such.host"), info_of("arch", "NONE")};
    CHECK(MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        int code = MPI_Comm_spawn(i == 0 ? "./no-such-program" : program, MPI_ARGV_NULL, 2,
                                  infos[i], 0, WORLD, &children, codes);
        CHECK(class_of(code) == MPI_ERR_SPAWN);
        CHECK(class_of(codes[0]) == MPI_ERR_SPAWN && class_of(codes[1]) == MPI_ERR_SPAWN);
    }
    CHECK(MPI_Info_free(&infos[1]) == MPI_SUCCESS && MPI_Info_free(&infos[2]) == MPI_SUCCESS);
    spawn();
}

/* Processes that meet. ------------------------------------------------------------------------- */

/* The ranks are two groups, which know each other by a name alone. */
static void meet(void)
{
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
    MPI_Comm half, inter;
    int first = rank % 2;
    CHECK(MPI_Comm_split(WORLD, first, 0, &half) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    if (rank == 0) {
        CHECK(class_of(MPI_Lookup_name("a service", MPI_INFO_NULL, found)) == MPI_ERR_NAME);
        CHECK(MPI_Open_port(MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(MPI_Publish_name("a service", MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(class_of(MPI_Publish_name("a service", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
    }
    CHECK(MPI_Barrier(WORLD) == MPI_SUCCESS);
    if (rank == 1)
        CHECK(MPI_Lookup_name("a service", MPI_INFO_NULL, port) == MPI_SUCCESS);
    int code = first ? MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter)
                     : MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    CHECK(code == MPI_SUCCESS && remote_size_of(inter) == size / 2);
    talk(inter, first);
    CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS);
    if (rank == 0) {
        CHECK(MPI_Unpublish_name("a service", MPI_INFO_NULL, port) == MPI_SUCCESS);
        CHECK(class_of(MPI_Unpublish_name("a service", MPI_INFO_NULL, port)) == MPI_ERR_SERVICE);
        CHECK(MPI_Close_port(port) == MPI_SUCCESS);
        CHECK(class_of(MPI_Close_port(port)) == MPI_ERR_PORT);
    }
    CHECK(MPI_Barrier(WORLD) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter)) == MPI_ERR_PORT);
    CHECK(MPI_Comm_free(&half) == MPI_SUCCESS);
}

/* A connected socket on each of two ranks. */
static int socket_between(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0);
    if (rank == 0) {
        CHECK(bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, 1) == 0);
        CHECK(getsockname(fd, (struct sockaddr *)&address, &length) == 0);
    }
    CHECK(MPI_Bcast(&address.sin_port, sizeof address.sin_port, MPI_BYTE, 0, WORLD) == MPI_SUCCESS);
    if (rank == 1) {
        CHECK(connect(fd, (struct sockaddr *)&address, length) == 0);
        return fd;
    }
    int other = accept(fd, NULL, NULL);
    CHECK(other >= 0);
    close(fd);
    return other;
}

static void join(void)
{
    MPI_Comm inter;
    char byte = 'x';
    int fd = socket_between();
    CHECK(MPI_Comm_join(fd, &inter) == MPI_SUCCESS && remote_size_of(inter) == 1);
    talk(inter, rank);
    CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS);
    CHECK(write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 && byte == 'x');
    close(fd);
}

/* Processes that die. -------------------------------------------------------------------------- */

/* The ways to wait for a rank that dies: first those that each rank takes by itself. */
enum { RECEIVE, ANY, SEND_SYNCHRONOUSLY, PROBE, WAIT, BARRIER, BCAST, REDUCE, STARTED };

static int wait_for_dead(int way, int dead, MPI_Comm comm)
{
    int number = 1, other;
    MPI_Request request;
    switch (way) {
    case RECEIVE:
        return MPI_Recv(&number, 1, MPI_INT, dead, TAG, comm, MPI_STATUS_IGNORE);
    case ANY:
        return MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
    case SEND_SYNCHRONOUSLY:
        return MPI_Ssend(&number, 1, MPI_INT, dead, TAG, comm);
    case PROBE:
        return MPI_Probe(dead, TAG, comm, MPI_STATUS_IGNORE);
    case WAIT:
        CHECK(MPI_Irecv(&number, 1, MPI_INT, dead, TAG, comm, &request) == MPI_SUCCESS);
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    case BARRIER:
        return MPI_Barrier(comm);
    case BCAST:
        return MPI_Bcast(&number, 1, MPI_INT, dead, comm);
    case REDUCE:
        return MPI_Allreduce(&number, &other, 1, MPI_INT, MPI_SUM, comm);
    default:
        CHECK(MPI_Iallreduce(&number, &other, 1, MPI_INT, MPI_SUM, comm, &request) == MPI_SUCCESS);
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* The survivors are a communicator again. */
static void survive(int dead)
{
    MPI_Group all, living;
    MPI_Comm comm;
    CHECK(MPI_Comm_group(WORLD, &all) == MPI_SUCCESS);
    CHECK(MPI_Group_excl(all, 1, &dead, &living) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_group(WORLD, living, TAG, &comm) == MPI_SUCCESS);
    CHECK(sum_of(1, comm) == size - 1);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS && MPI_Group_free(&all) == MPI_SUCCESS &&
          MPI_Group_free(&living) == MPI_SUCCESS);
}

/* The last rank is killed from outside when all others sleep. */
static void wait_for_death(int way)
{
    MPI_Comm comm;
    int dead = size - 1, number = rank, found;
    CHECK(MPI_Comm_dup(WORLD, &comm) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    if (rank == dead) /* what it has sent before comes nevertheless */
        CHECK(MPI_Send(&number, 1, MPI_INT, 0, TAG, WORLD) == MPI_SUCCESS);
    printf("pid %d %d\n", (int)getpid(), rank);
    fflush(stdout);
    if (rank == dead)
        pause();
    CHECK(class_of(wait_for_dead(way, dead, comm)) == MPI_ERR_PROC_ABORTED);
    /* Other ranks may know of it before: from here on this one does. */
    CHECK(class_of(wait_for_dead(RECEIVE, dead, comm)) == MPI_ERR_PROC_ABORTED);
    CHECK(class_of(MPI_Send(&number, 1, MPI_INT, dead, TAG, comm)) == MPI_ERR_PROC_ABORTED);
    CHECK(class_of(MPI_Iprobe(dead, TAG, comm, &found, MPI_STATUS_IGNORE)) == MPI_ERR_PROC_ABORTED);
    CHECK(class_of(MPI_Barrier(comm)) == MPI_ERR_PROC_ABORTED);
    if (rank == 0) {
        CHECK(MPI_Recv(&number, 1, MPI_INT, dead, TAG, WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(number == dead);
    }
    survive(dead);
}

static void death(void)
{
    wait_for_death(rank);
}

static void death_in_barrier(void)
{
    wait_for_death(BARRIER);
}

static void death_in_bcast(void)
{
    wait_for_death(BCAST);
}

static void death_in_allreduce(void)
{
    wait_for_death(REDUCE);
}

static void death_in_iallreduce(void)
{
    wait_for_death(STARTED);
}

static void dying_child(void)
{
    MPI_Comm parent;
    CHECK(MPI_Comm_get_parent(&parent) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    if (rank == 0)
        raise(SIGKILL);
    CHECK(class_of(MPI_Barrier(WORLD)) == MPI_ERR_PROC_ABORTED);
}

/* A rank of the children dies, and so all that wait for it go on; the other child lives. */
static void child_dies(void)
{
    int number;
    char *words[] = {(char *)"dying_child", NULL};
    MPI_Comm children;
    CHECK(MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, WORLD, &children,
                         MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
    CHECK(class_of(MPI_Recv(&number, 1, MPI_INT, 0, TAG, children, MPI_STATUS_IGNORE)) ==
          MPI_ERR_PROC_ABORTED);
    CHECK(MPI_Barrier(WORLD) == MPI_SUCCESS);
    CHECK(MPI_Comm_free(&children) == MPI_SUCCESS);
}

/* It ends without MPI_Finalize, while the other one waits for it: an error that nobody handles. */
static void leaves(void)
{
    int number;
    if (rank == 1)
        _exit(0);
    MPI_Recv(&number, 1, MPI_INT, 1, TAG, WORLD, MPI_STATUS_IGNORE);
}

#define PART(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }

static const struct part {
    const char *name;
    void (*run)(void);
} parts[] = {PART(child),
             PART(spawn),
             PART(several),
             PART(several_child),
             PART(refused),
             PART(meet),
             PART(join),
             PART(death),
             PART(death_in_barrier),
             PART(death_in_bcast),
             PART(death_in_allreduce),
             PART(death_in_iallreduce),
             PART(leaves),
             PART(dying_child),
             PART(child_dies)};

int main(int count, char **words)
{
    program = words[0];
    CHECK(count == 2 && MPI_Init(&count, &words) == MPI_SUCCESS);
    CHECK(MPI_Comm_rank(WORLD, &rank) == MPI_SUCCESS && MPI_Comm_size(WORLD, &size) == MPI_SUCCESS);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].name, words[1]) == 0)
            parts[i].run();
    CHECK(MPI_Finalize() == MPI_SUCCESS);
    puts("ok");
    return 0;
}
