/*
 * calls.h - the functions that stand in for those of the system (ld --wrap), and the real ones.
 */
#ifndef SIMULATION_CALLS_H
#define SIMULATION_CALLS_H

#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/inquiry.h"
#include "daemon/members/remote_shell.h"

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
void __wrap_randombytes_buf(void *bytes, size_t size);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);
pid_t __wrap_getpid(void);
int __wrap_epoll_create1(int flags);
int __wrap_epoll_ctl(int set, int operation, int number, struct epoll_event *event);
int __wrap_epoll_wait(int number, struct epoll_event *events, int room, int timeout);
int __wrap_close(int number);
int __wrap_fcntl(int number, int operation, ...);
int __wrap_ioctl(int number, unsigned long operation, void *argument);
ssize_t __wrap_read(int number, void *bytes, size_t size);
ssize_t __wrap_recv(int number, void *bytes, size_t size, int flags);
ssize_t __wrap_write(int number, const void *bytes, size_t size);
ssize_t __wrap_writev(int number, const struct iovec *vectors, int count);
int __wrap_dprintf(int number, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap___dprintf_chk(int number, int flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int __wrap_pipe2(int ends[2], int flags);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_bind(int number, const struct sockaddr *address, socklen_t size);
int __wrap_listen(int number, int most);
int __wrap_getsockname(int number, struct sockaddr *address, socklen_t *size);
int __wrap_connect(int number, const struct sockaddr *address, socklen_t size);
int __wrap_accept4(int number, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_shutdown(int number, int how);
int __wrap_setsockopt(int number, int level, int name, const void *value, socklen_t size);
int __wrap_getsockopt(int number, int level, int name, void *value, socklen_t *size);
ssize_t __wrap_sendmsg(int number, const struct msghdr *message, int flags);
ssize_t __wrap_recvfrom(int number, void *bytes, size_t size, int flags, struct sockaddr *from,
                        socklen_t *from_size);
ssize_t __wrap_recvmsg(int number, struct msghdr *message, int flags);
pid_t __wrap_fork(void);
bool __wrap_remote_shell_start(struct remote_shell *shell, struct loop *loop,
                               const struct starter_order *order,
                               void (*told)(struct remote_shell *, const char *));
bool __wrap_inquiry_start(struct inquiry *inquiry, int seconds,
                          void (*answer)(int output, void *argument), void *argument);
long __wrap_syscall(long call, long first, long second, long third, long fourth);
int __wrap_kill(pid_t pid, int number);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *ended, int options);
pid_t __wrap_wait4(pid_t pid, int *status, int options, struct rusage *usage);
int __wrap_sigtimedwait(const sigset_t *signals, siginfo_t *information,
                        const struct timespec *limit);

int __real_clock_gettime(clockid_t clock, struct timespec *now);
pid_t __real_getpid(void);
int __real_close(int number);
int __real_fcntl(int number, int operation, ...);
ssize_t __real_read(int number, void *bytes, size_t size);
ssize_t __real_write(int number, const void *bytes, size_t size);
bool __real_remote_shell_start(struct remote_shell *shell, struct loop *loop,
                               const struct starter_order *order,
                               void (*told)(struct remote_shell *, const char *));
long __real_syscall(long call, ...);

#endif
