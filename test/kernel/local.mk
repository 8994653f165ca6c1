# What stands on the kernel beside PVM.
check_PROGRAMS += test/kernel/echo test/kernel/switch
TESTS += test/kernel/echo test/kernel/switch

test_kernel_echo_SOURCES = test/kernel/echo.c
test_kernel_echo_LDADD = libck.la libcore.la

test_kernel_switch_SOURCES = test/kernel/switch.c
test_kernel_switch_LDADD = libck.la libcore.la
