# pvmtop: shows what hosts and tasks use. A user of libpvm3 that sees the public headers only.
if HAVE_TOP
bin_PROGRAMS += pvmtop
pvmroot_tasks += pvmtop
pvmtop_SOURCES = \
	pvm3/top/agent.c pvm3/top/agent.h \
	pvm3/top/answer.c pvm3/top/answer.h \
	pvm3/top/json_picture.c pvm3/top/json_picture.h \
	pvm3/top/lines.c pvm3/top/lines.h \
	pvm3/top/metrics.c pvm3/top/metrics.h \
	pvm3/top/picture.c pvm3/top/picture.h \
	pvm3/top/pvmtop.c \
	pvm3/top/screen.c pvm3/top/screen.h \
	pvm3/top/server.c pvm3/top/server.h \
	pvm3/top/settings.c pvm3/top/settings.h \
	pvm3/top/survey.c pvm3/top/survey.h \
	pvm3/top/usage.c pvm3/top/usage.h \
	pvm3/console/json.c pvm3/console/json.h \
	pvm3/sched/clock.c pvm3/sched/clock.h \
	pvm3/sched/memory.c pvm3/sched/memory.h
pvmtop_CFLAGS = $(AM_CFLAGS) $(TOP_CFLAGS)
pvmtop_LDADD = libpvm3.la $(TOP_LIBS)
endif
