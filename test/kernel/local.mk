# What stands on the kernel beside PVM.
check_PROGRAMS += test/kernel/echo
TESTS += test/kernel/echo

test_kernel_echo_SOURCES = test/kernel/echo.c
test_kernel_echo_LDADD = libck.la libcore.la
