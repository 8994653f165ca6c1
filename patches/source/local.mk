# Threads for the source tree of 3.4.6: a series of patches and the files that they call for.
EXTRA_DIST += \
	patches/apply patches/source/SHA256SUMS patches/source/intr_fd.patch patches/source/interrupt.patch \
	patches/source/series patches/source/src/gpvmname.h patches/source/src/next.h \
	patches/source/src/lpvmcall.c patches/source/src/lpvmintr.c patches/source/src/lpvmname.h \
	patches/source/src/lpvmself.h patches/source/src/lpvmwait.c patches/source/src/lpvmwait.h \
	patches/source/threads.patch
