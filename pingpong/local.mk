# What the folder pingpong adds to the build. The yardsticks are compiled by pingpong/run.
noinst_LTLIBRARIES += pingpong/libwork.la
pingpong_libwork_la_SOURCES = \
	pingpong/exchange.c pingpong/exchange.h \
	pingpong/fail.c pingpong/fail.h \
	pingpong/link.h \
	pingpong/measure.c pingpong/measure.h \
	pingpong/options.c pingpong/options.h \
	pingpong/payload.c pingpong/payload.h \
	pingpong/serve.c pingpong/serve.h \
	pingpong/version.c pingpong/version.h

noinst_PROGRAMS += pingpong/pingpong pingpong/pingpong_tpl
pingpong_pingpong_SOURCES = pingpong/pingpong.c
pingpong_pingpong_LDADD = pingpong/libwork.la libpvm3.la
pingpong_pingpong_tpl_SOURCES = pingpong/pingpong_tpl.c
pingpong_pingpong_tpl_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tpl
pingpong_pingpong_tpl_LDADD = pingpong/libwork.la libtpl.la libpvm3.la
EXTRA_DIST += \
	pingpong/README pingpong/run pingpong/compare.py pingpong/load.py pingpong/report.py pingpong/systems.py \
	pingpong/pingpong_mpi.c pingpong/pingpong_sockets.c pingpong/pingpong_zmq.c
