# The daemons' code on virtual time and a virtual network. The functions of the system that it calls are those of
# test/simulation/calls.c, and so is the log.
check_PROGRAMS += test/simulation/simulation
TESTS += test/simulation/simulation

test_simulation_simulation_SOURCES = \
	test/simulation/acts.c test/simulation/acts.h \
	test/simulation/calls.c test/simulation/calls.h \
	test/simulation/checks.c test/simulation/checks.h \
	test/simulation/children.c test/simulation/children.h \
	test/simulation/costs.c test/simulation/costs.h \
	test/simulation/descriptor.c test/simulation/descriptor.h \
	test/simulation/faults.c test/simulation/faults.h \
	test/simulation/log.c \
	test/simulation/machine.c test/simulation/machine.h \
	test/simulation/program.c test/simulation/program.h \
	test/simulation/scene.c test/simulation/scene.h \
	test/simulation/simulation.c \
	test/simulation/story.c test/simulation/story.h \
	test/simulation/world.c test/simulation/world.h
simulated = -Wl,--wrap=clock_gettime,--wrap=randombytes_buf,--wrap=getrandom,--wrap=getpid,--wrap=epoll_create1 \
	-Wl,--wrap=epoll_ctl,--wrap=epoll_wait,--wrap=close,--wrap=fcntl,--wrap=ioctl,--wrap=read,--wrap=recv \
	-Wl,--wrap=write,--wrap=writev,--wrap=dprintf,--wrap=__dprintf_chk,--wrap=pipe2,--wrap=socket,--wrap=bind \
	-Wl,--wrap=listen,--wrap=getsockname,--wrap=connect,--wrap=accept4,--wrap=shutdown,--wrap=setsockopt \
	-Wl,--wrap=getsockopt,--wrap=sendmsg,--wrap=recvfrom,--wrap=recvmsg,--wrap=fork,--wrap=remote_shell_start \
	-Wl,--wrap=inquiry_start,--wrap=syscall,--wrap=kill,--wrap=waitid,--wrap=wait4,--wrap=sigtimedwait
test_simulation_simulation_LDFLAGS = $(AM_LDFLAGS) $(simulated)
test_simulation_simulation_LDADD = libdaemon.la libcore.la
