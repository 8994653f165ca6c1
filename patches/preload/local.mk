# Threads for installations of 3.4.6: loaded before their libpvm3, with LD_PRELOAD or linked.
include_HEADERS += patches/preload/pvm3threads.h
if HAVE_PRELOAD
lib_LTLIBRARIES += libpvm3threads.la
endif
libpvm3threads_la_SOURCES = \
	patches/preload/calls.c patches/preload/deadline.h patches/preload/forward.h patches/preload/groups.c \
	patches/preload/next.h patches/preload/receive.c patches/preload/section.c patches/preload/section.h
# Functions as 3.4.6 declares them: its header may be the one that is included.
libpvm3threads_la_CPPFLAGS = $(AM_CPPFLAGS) -DPVM_CONST=
libpvm3threads_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version
EXTRA_DIST += patches/README
